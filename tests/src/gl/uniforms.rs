//! Uniforms of a program: set by name, in the buffers that shaders read them from.

use super::types::{Shape, shape};
use airfoil::Stage;
use airfoil_glsl::link::Reflection;
use airfoil_glsl::link::reflection::UniformInfo;
use airfoil_interp::{Binding, Resources, Space};
use std::collections::BTreeMap;

/// Values of the uniforms of a program.
#[derive(Clone, Debug, Default)]
pub struct Uniforms {
    /// Bytes of uniform blocks by binding, the default one among them.
    blocks: BTreeMap<u32, Vec<u8>>,
    /// Units of textures and images by binding.
    units: BTreeMap<u32, u32>,
    default_block: Option<u32>,
    /// Element of an array of blocks that is written to.
    block_element: u32,
}

/// The uniform that a name denotes.
#[derive(Clone, Copy, Debug)]
pub struct Found<'r> {
    /// The uniform.
    pub info: &'r UniformInfo,
    /// First element that the name denotes.
    pub element: u32,
}

/// Looks a uniform up by a name like `lights[2].colour` or `weights[3]`, or by its location; `a` is the same as
/// `a[0]`.
pub fn find<'r>(uniforms: &'r [UniformInfo], name: &str) -> Option<Found<'r>> {
    if let Ok(at) = name.parse::<u32>() {
        let element = |u: &UniformInfo| at.checked_sub(u.location?).filter(|&n| n < u.array_size.max(1));
        return uniforms.iter().find_map(|info| element(info).map(|element| Found { info, element }));
    }
    let exact = |name: &str| uniforms.iter().find(|u| u.name == name);
    if let Some(info) = exact(name).or_else(|| exact(&format!("{name}[0]"))) {
        return Some(Found { info, element: 0 });
    }
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let element: u32 = index.parse().ok()?;
    let info = exact(&format!("{base}[0]"))?;
    (element < info.array_size || info.array_size == 0).then_some(Found { info, element })
}

/// Location and shape of the numbers of a uniform in its buffer: an offset for each, columns one after the other.
pub fn places(info: &UniformInfo, shape: Shape, element: u32) -> Option<Vec<u32>> {
    let first = info.offset?.checked_add(element.checked_mul(info.array_stride)?)?;
    let bytes = shape.bits / 8;
    let place = |c: u32, r: u32| match (shape.columns, info.row_major) {
        (1, _) => first + r * bytes,
        (_, true) => first + r * info.matrix_stride + c * bytes,
        (_, false) => first + c * info.matrix_stride + r * bytes,
    };
    Some(
        (0..shape.columns)
            .flat_map(|c| (0..shape.rows).map(move |r| (c, r)))
            .map(|(c, r)| place(c, r))
            .collect(),
    )
}

/// Bytes from one element of an array of subroutine uniforms to the next (std140).
const SUBROUTINE_STRIDE: u32 = 16;

impl Uniforms {
    /// The uniforms of a program with their initial values.
    pub fn new(reflection: &Reflection) -> Uniforms {
        let mut all = Uniforms::default();
        if let Some((binding, size)) = reflection.default_block {
            all.blocks.insert(binding, vec![0; size as usize]);
            all.default_block = Some(binding);
        }
        for block in &reflection.uniform_blocks {
            if let Some(binding) = block.binding {
                let bytes = all.blocks.entry(binding).or_default();
                bytes.resize(bytes.len().max(block.size as usize), 0);
            }
        }
        for info in &reflection.uniforms {
            if let (Some(binding), None) = (info.binding, info.block) {
                (0..info.array_size.max(1)).for_each(|i| {
                    all.units.insert(binding + i, binding + i);
                });
            }
            let Some(shape) = shape(info.ty) else { continue };
            let per_element = (shape.columns * shape.rows) as usize;
            for (element, values) in (0u32..).zip(info.initial.chunks(per_element)) {
                all.write(reflection, Found { info, element }, shape, values);
            }
        }
        all
    }

    fn write(
        &mut self,
        reflection: &Reflection,
        found: Found<'_>,
        shape: Shape,
        values: &[u64],
    ) -> Option<()> {
        let binding = match found.info.block {
            Some(block) => reflection.uniform_blocks.get((block + self.block_element) as usize)?.binding,
            None => self.default_block,
        }?;
        let bytes = self.blocks.get_mut(&binding)?;
        for (at, value) in places(found.info, shape, found.element)?.into_iter().zip(values) {
            let width = shape.bits as usize / 8;
            let to = bytes.get_mut(at as usize..at as usize + width)?;
            to.copy_from_slice(&value.to_le_bytes()[..width]);
        }
        Some(())
    }

    /// Sets a uniform: raw bits of its numbers, for as many elements as there are. Texture units are numbers too.
    ///
    /// # Errors
    /// An unknown uniform; `Ok(false)` if nothing could be set, which is not an error in OpenGL.
    pub fn set(&mut self, reflection: &Reflection, name: &str, values: &[u64]) -> Result<bool, String> {
        let Some(found) = find(&reflection.uniforms, name) else {
            return Err(format!("unknown uniform `{name}`"));
        };
        let Some(shape) = shape(found.info.ty) else {
            let Some(binding) = found.info.binding else { return Ok(false) };
            for (i, &unit) in (found.element..).zip(values) {
                self.units.insert(binding + i, unit as u32);
            }
            return Ok(true);
        };
        let per_element = (shape.columns * shape.rows) as usize;
        let mut done = true;
        for (n, values) in (found.element..).zip(values.chunks(per_element)) {
            done &= self.write(reflection, Found { element: n, ..found }, shape, values).is_some();
        }
        Ok(done)
    }

    /// As [`Uniforms::set`]; members of arrays of blocks are set in one of the elements.
    ///
    /// # Errors
    /// As [`Uniforms::set`].
    pub fn set_in(
        &mut self,
        reflection: &Reflection,
        name: &str,
        element: u32,
        values: &[u64],
    ) -> Result<bool, String> {
        self.block_element = element;
        let done = self.set(reflection, name, values);
        self.block_element = 0;
        done
    }

    /// Chooses the subroutine of a subroutine uniform.
    ///
    /// # Errors
    /// A uniform or subroutine that the stage does not have, or that do not go together.
    pub fn set_subroutine(
        &mut self,
        reflection: &Reflection,
        stage: Stage,
        uniform: &str,
        subroutine: &str,
    ) -> Result<(), String> {
        let of = reflection.stages.iter().find(|s| s.stage == stage);
        let (base, element) = match uniform.strip_suffix(']').and_then(|u| u.rsplit_once('[')) {
            Some((base, index)) => (base, index.parse().map_err(|_| format!("`{uniform}` is not a name"))?),
            None => (uniform, 0u32),
        };
        let uniforms = of.map_or(&[][..], |s| &s.subroutine_uniforms);
        let found = uniforms.iter().find(|u| u.name.trim_end_matches("[0]") == base);
        let Some(found) = found.filter(|u| element < u.array_size.max(1)) else {
            return Err(format!("unknown subroutine uniform `{uniform}`"));
        };
        let index = of.and_then(|s| s.subroutines.iter().find(|s| s.name == subroutine)).map(|s| s.index);
        let Some(index) = index.filter(|i| found.compatible.contains(i)) else {
            return Err(format!("`{subroutine}` is not a subroutine for `{uniform}`"));
        };
        // A uniform that no shader reads has no location.
        if let (Some(offset), Some(block)) = (found.offset, self.default_block)
            && let Some(bytes) = self.blocks.get_mut(&block)
            && let Some(to) =
                bytes.get_mut((offset + SUBROUTINE_STRIDE * element) as usize..).and_then(|b| b.get_mut(..4))
        {
            to.copy_from_slice(&index.to_le_bytes());
        }
        Ok(())
    }

    /// The unit of a texture or image by its binding in the shader.
    pub fn unit(&self, binding: u32) -> u32 {
        self.units.get(&binding).copied().unwrap_or(binding)
    }

    /// All units: binding in the shader, and unit.
    pub fn units(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.units.iter().map(|(&b, &u)| (b, u))
    }

    /// The bytes of a block by its binding.
    pub fn block(&mut self, binding: u32) -> Option<&mut Vec<u8>> {
        self.blocks.get_mut(&binding)
    }

    /// Puts the blocks into buffers and binds them. `buffers` remembers the buffers from one time to the next.
    pub fn bind(&self, resources: &mut Resources, buffers: &mut BTreeMap<u32, usize>) {
        for (&binding, bytes) in &self.blocks {
            let buffer = *buffers.entry(binding).or_insert_with(|| resources.add_buffer(Vec::new()));
            resources.buffers[buffer].bytes.clone_from(bytes);
            resources.bind(Space::Uniform, 0, binding, 0, Binding::Buffer { buffer, offset: 0, size: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{How, build};
    use super::*;
    use airfoil::Stage;

    const SOURCE: &str = "#version 330\nstruct S { vec3 c; float w[2]; }; uniform S s[2]; uniform mat2x3 m = mat2x3(1.0);\n\
        uniform double d; uniform sampler2D t[3]; layout(row_major) uniform; uniform B { mat2 n; } b; out vec4 o;\n\
        void main() { o = vec4(s[1].c, s[1].w[1]) + vec4(m[0] * float(d), m[1].y) + texture(t[2], vec2(0)) + b.n[0].xyxy; }";

    #[test]
    fn uniforms_are_found_and_written() {
        let source = SOURCE.replace("uniform double d;", "uniform float d;");
        let linked = build(&[(Stage::Fragment, &source)], How { separable: true, ..How::default() }).unwrap();
        let r = &linked.reflection;
        let mut u = Uniforms::new(r);
        let bits = |x: f32| u64::from(x.to_bits());
        let default = u.default_block.unwrap();
        let read = |u: &mut Uniforms, binding: u32, at: u32| {
            let bytes = u.block(binding).unwrap();
            f32::from_le_bytes(bytes[at as usize..at as usize + 4].try_into().unwrap())
        };
        let m = find(&r.uniforms, "m").unwrap().info;
        let second = places(m, shape(m.ty).unwrap(), 0).unwrap()[4];
        assert_eq!(read(&mut u, default, second), 1.0);
        assert_eq!(u.set(r, "s[1].w[1]", &[bits(7.0)]), Ok(true));
        let w = find(&r.uniforms, "s[1].w").unwrap().info;
        assert_eq!(read(&mut u, default, w.offset.unwrap() + w.array_stride), 7.0);
        assert_eq!(u.set(r, "t[1]", &[5, 6]), Ok(true));
        let t = find(&r.uniforms, "t").unwrap().info.binding.unwrap();
        assert_eq!([0, 1, 2].map(|i| u.unit(t + i)), [t, 5, 6]);
        assert_eq!(u.set(r, "B.n", &[1.0, 2.0, 3.0, 4.0].map(bits)), Ok(true));
        let block = r.uniform_blocks[0].binding.unwrap();
        assert_eq!([0, 4, 16, 20].map(|at| read(&mut u, block, at)), [1.0, 3.0, 2.0, 4.0]);
        let location = find(&r.uniforms, "t").unwrap().info.location.unwrap();
        let found = find(&r.uniforms, &(location + 2).to_string()).unwrap();
        assert_eq!((&*found.info.name, found.element), ("t[0]", 2));
        assert!(u.set(r, "s[2].c", &[0]).is_err());
        let mut resources = Resources::new();
        let mut buffers = BTreeMap::new();
        u.bind(&mut resources, &mut buffers);
        u.bind(&mut resources, &mut buffers);
        assert_eq!(resources.buffers.len(), 2);
    }
}
