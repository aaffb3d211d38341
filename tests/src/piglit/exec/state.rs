//! Uniforms, and the state of the fixed functions.

use super::super::command::Query;
use super::super::script::plane_bit;
use super::{Stop, World, fail};
use crate::gl::types::{Number, Shape};
use airfoil_interp::texture::Compare;

impl World<'_> {
    /// The answer to a query of the program.
    pub(super) fn query(&self, query: &Query) -> Result<u64, Stop> {
        let r = &self.linked.reflection;
        Ok(match query {
            Query::ActiveUniforms => r.uniforms.len() as u64,
            Query::FeedbackVaryings => r.transform_feedback.varyings.len() as u64,
            Query::Primitives => self.primitives,
            Query::Block { storage, name, bytes } => {
                let blocks = if *storage { &r.storage_blocks } else { &r.uniform_blocks };
                let Some(block) = blocks.iter().find(|b| b.name == *name) else {
                    return fail(format!("unknown block `{name}`"));
                };
                if *bytes { block.size.into() } else { block.variables.len() as u64 }
            }
        })
    }

    pub(super) fn uniform(&mut self, name: &str, shape: Shape, values: &[u64]) -> Result<(), Stop> {
        // Scripts of early drivers write the numbers of booleans as floats.
        let values = self.converted(name, shape, values);
        let r = &self.linked.reflection;
        self.uniforms.set_in(r, name, self.block_element, &values).map(drop).map_err(Stop::Fail)
    }

    /// Numbers in the type of a uniform: floats set truth values too.
    fn converted(&self, name: &str, shape: Shape, values: &[u64]) -> Vec<u64> {
        let found = crate::gl::uniforms::find(&self.linked.reflection.uniforms, name);
        let own = found.and_then(|f| crate::gl::types::shape(f.info.ty));
        match own {
            Some(own) if own.number == Number::Bool => values
                .iter()
                .map(|&v| match shape.number {
                    Number::Float => u64::from(f32::from_bits(v as u32) != 0.0),
                    _ => u64::from(v != 0),
                })
                .collect(),
            _ => values.to_vec(),
        }
    }

    pub(super) fn set_floats(&mut self, name: &str, values: &[f64]) {
        let bits: Vec<u64> = values.iter().map(|&x| u64::from((x as f32).to_bits())).collect();
        // Programs that do not use it have no such uniform.
        let _ = self.uniforms.set_in(&self.linked.reflection, name, 0, &bits);
    }

    /// Uniforms of the fixed functions: a projection (none: identity), and constant ones.
    pub(super) fn matrices(&mut self, sides: [f64; 6], perspective: Option<bool>) {
        let identity: Vec<f64> = (0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }).collect();
        let projection = perspective.map_or(identity.clone(), |p| projection(sides, p).to_vec());
        let inverse = invert(&projection);
        let transpose = |m: &[f64]| -> Vec<f64> { (0..16).map(|i| m[i % 4 * 4 + i / 4]).collect() };
        for (name, matrix, inverse) in [
            ("ModelViewMatrix", &identity, &identity),
            ("ProjectionMatrix", &projection, &inverse),
            ("ModelViewProjectionMatrix", &projection, &inverse),
        ] {
            self.set_floats(&format!("gl_{name}"), matrix);
            self.set_floats(&format!("gl_{name}Inverse"), inverse);
            self.set_floats(&format!("gl_{name}Transpose"), &transpose(matrix));
            self.set_floats(&format!("gl_{name}InverseTranspose"), &transpose(inverse));
        }
        for suffix in ["", "Inverse", "Transpose", "InverseTranspose"] {
            (0..8).for_each(|i| self.set_floats(&format!("gl_TextureMatrix{suffix}[{i}]"), &identity));
        }
        self.set_floats("gl_NormalMatrix", &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        self.set_floats("gl_NormalScale", &[1.0]);
        for (name, value) in [
            ("gl_DepthRange.near", 0.0),
            ("gl_DepthRange.far", 1.0),
            ("gl_DepthRange.diff", 1.0),
            ("gl_Point.size", 1.0),
            ("gl_Point.sizeMax", 2048.0),
            ("gl_Point.fadeThresholdSize", 1.0),
            ("gl_Point.distanceConstantAttenuation", 1.0),
            ("gl_Fog.density", 1.0),
            ("gl_Fog.end", 1.0),
            ("gl_Fog.scale", 1.0),
        ] {
            self.set_floats(name, &[value]);
        }
    }

    pub(super) fn set_planes(&mut self) {
        self.state.clip_distances = self.enabled_planes;
        for n in 0..8 {
            let on = self.enabled_planes >> n & 1 != 0;
            self.state.clip_planes[n] = on.then_some(self.planes[n]);
        }
    }

    pub(super) fn enable(&mut self, name: &str, on: bool) {
        match name {
            "GL_VERTEX_PROGRAM_TWO_SIDE" => self.state.two_sided = on,
            "GL_PROGRAM_POINT_SIZE" => self.state.shader_point_size = on,
            "GL_DEPTH_CLAMP" => self.state.depth_clamp = on,
            "GL_DEPTH_TEST" => self.depth_test = on,
            name => {
                let bit = plane_bit(name);
                self.enabled_planes = self.enabled_planes & !bit | if on { bit } else { 0 };
                self.set_planes();
            }
        }
        self.state.depth_test = self.depth_test.then_some(Compare::Less);
    }
}

/// A projection, columns one after the other (OpenGL 2.1 section 2.11.2).
fn projection([l, r, b, t, n, f]: [f64; 6], perspective: bool) -> [f64; 16] {
    let (w, h, d) = (r - l, t - b, f - n);
    if perspective {
        return [
            2.0 * n / w,
            0.0,
            0.0,
            0.0,
            0.0,
            2.0 * n / h,
            0.0,
            0.0,
            (r + l) / w,
            (t + b) / h,
            -(f + n) / d,
            -1.0,
            0.0,
            0.0,
            -2.0 * f * n / d,
            0.0,
        ];
    }
    [
        2.0 / w,
        0.0,
        0.0,
        0.0,
        0.0,
        2.0 / h,
        0.0,
        0.0,
        0.0,
        0.0,
        -2.0 / d,
        0.0,
        -(r + l) / w,
        -(t + b) / h,
        -(f + n) / d,
        1.0,
    ]
}

/// The inverse of a matrix; the matrix itself if it has none.
fn invert(matrix: &[f64]) -> Vec<f64> {
    let n = 4;
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|r| {
            (0..2 * n)
                .map(|c| if c < n { matrix[c * n + r] } else { f64::from(u8::from(c - n == r)) })
                .collect()
        })
        .collect();
    for c in 0..n {
        let Some(pivot) = (c..n).max_by(|&a, &b| rows[a][c].abs().total_cmp(&rows[b][c].abs())) else {
            break;
        };
        if rows[pivot][c] == 0.0 {
            return matrix.to_vec();
        }
        rows.swap(c, pivot);
        let own: Vec<f64> = rows[c].iter().map(|x| x / rows[c][c]).collect();
        for (r, row) in rows.iter_mut().enumerate() {
            let factor = row[c];
            for (x, o) in row.iter_mut().zip(&own) {
                *x = if r == c { *o } else { *x - factor * o };
            }
        }
    }
    (0..n * n).map(|i| rows[i % n][n + i / n]).collect()
}
