//! Random states of the fixed functions, their keys and parameters, as a driver keeps them.

use airfoil_gl::fixed::{
    Argument, BaseFormat, ColorMaterial, CombineFunction, CombineKey, CoordinateFlags, CoordinateKey,
    EnvMode, FixedFragmentKey, FixedShader, FixedVertexKey, FogCoordinate, FragmentFlags, LightFlags,
    Operand, Scale, Source, TexGen, TextureUnitKey, UnitTarget, VertexFlags,
};

/// Rows of a matrix.
pub type Matrix = [[f64; 4]; 4];

pub const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

pub fn transposed(m: &Matrix) -> Matrix {
    std::array::from_fn(|r| std::array::from_fn(|c| m[c][r]))
}

pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..4).map(|k| a[r][k] * b[k][c]).sum()))
}

/// The inverse, by elimination with pivots.
pub fn inverse(m: &Matrix) -> Matrix {
    let (mut a, mut b) = (*m, IDENTITY);
    for c in 0..4 {
        let pivot = (c..4).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs())).unwrap();
        a.swap(c, pivot);
        b.swap(c, pivot);
        let scale = 1.0 / a[c][c];
        (a[c], b[c]) = (a[c].map(|x| x * scale), b[c].map(|x| x * scale));
        for r in (0..4).filter(|&r| r != c) {
            let factor = a[r][c];
            for k in 0..4 {
                a[r][k] -= factor * a[c][k];
                b[r][k] -= factor * b[c][k];
            }
        }
    }
    b
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Light {
    pub is_enabled: bool,
    pub ambient: [f32; 4],
    pub diffuse: [f32; 4],
    pub specular: [f32; 4],
    /// In eye coordinates, as is the direction of the spot.
    pub position: [f32; 4],
    pub spot_direction: [f32; 3],
    pub spot_exponent: f32,
    /// In degrees.
    pub spot_cutoff: f32,
    pub attenuation: [f32; 3],
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Material {
    pub ambient: [f32; 4],
    pub diffuse: [f32; 4],
    pub specular: [f32; 4],
    pub emission: [f32; 4],
    pub shininess: f32,
}

/// The generation of a texture coordinate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Generator {
    pub function: TexGen,
    pub object: [f32; 4],
    pub eye: [f32; 4],
}

#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub target: UnitTarget,
    pub format: BaseFormat,
    pub mode: EnvMode,
    pub rgb: CombineKey,
    pub alpha: CombineKey,
    pub color: [f32; 4],
    pub generators: [Generator; 4],
    pub matrix: Matrix,
}

#[derive(Clone, Copy, Debug)]
pub struct State {
    pub modelview: Matrix,
    pub projection: Matrix,
    pub lighting: bool,
    pub local_viewer: bool,
    pub two_side: bool,
    pub separate_specular: bool,
    pub model_ambient: [f32; 4],
    /// Of front and back faces.
    pub color_material: [ColorMaterial; 2],
    pub materials: [Material; 2],
    pub lights: [Light; 8],
    pub normalize: bool,
    pub rescale: bool,
    pub units: [Unit; 8],
    pub color_sum: bool,
    pub clamp: bool,
    pub fog: FogCoordinate,
    pub clip_planes: bool,
    pub point_size: f32,
    pub point_attenuation: [f32; 3],
}

/// A pseudo-random generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((((z ^ (z >> 31)) >> 32) * u64::from(n)) >> 32) as u32
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    pub fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.below(1 << 16) as f32 / 65536.0
    }

    pub fn vector<const N: usize>(&mut self, low: f32, high: f32) -> [f32; N] {
        std::array::from_fn(|_| self.within(low, high))
    }

    /// An affine matrix that can be inverted.
    fn matrix(&mut self, spread: f32) -> Matrix {
        let mut m = IDENTITY;
        for (r, row) in m.iter_mut().take(3).enumerate() {
            for (c, x) in row.iter_mut().enumerate() {
                let diagonal = if r == c { 1.0 } else { 0.0 };
                *x = f64::from(diagonal + self.within(-spread, spread));
            }
        }
        m
    }

    fn light(&mut self) -> Light {
        let is_positional = self.one_in(2);
        let is_spot = self.one_in(3);
        let is_attenuated = self.one_in(2);
        let mut position: [f32; 4] = self.vector(-4.0, 4.0);
        position[2] = self.within(1.0, 6.0);
        position[3] = if is_positional { 1.0 } else { 0.0 };
        // Toward the vertices.
        let mut spot_direction: [f32; 3] = self.vector(-0.5, 0.5);
        (0..3).for_each(|n| spot_direction[n] -= position[n] / 4.0);
        Light {
            is_enabled: self.one_in(3),
            ambient: self.vector(0.0, 0.25),
            diffuse: self.vector(0.0, 0.75),
            specular: self.vector(0.0, 0.75),
            position,
            spot_direction,
            spot_exponent: if self.one_in(3) { 0.0 } else { self.within(0.0, 8.0) },
            spot_cutoff: if is_spot { self.within(15.0, 89.0) } else { 180.0 },
            attenuation: if is_attenuated {
                [self.within(0.5, 1.0), self.within(0.0, 0.2), self.within(0.0, 0.05)]
            } else {
                [1.0, 0.0, 0.0]
            },
        }
    }

    fn material(&mut self) -> Material {
        Material {
            ambient: self.vector(0.0, 1.0),
            diffuse: self.vector(0.0, 1.0),
            specular: self.vector(0.0, 1.0),
            emission: self.vector(0.0, 0.25),
            shininess: if self.one_in(4) { 0.0 } else { self.within(0.0, 32.0) },
        }
    }

    fn combine(&mut self, is_alpha: bool) -> CombineKey {
        let functions: Vec<CombineFunction> =
            CombineFunction::all().take(if is_alpha { 6 } else { 8 }).collect();
        let operands = [Operand::Alpha, Operand::OneMinusAlpha, Operand::Color, Operand::OneMinusColor];
        let sources = [Source::Texture, Source::Constant, Source::Primary, Source::Previous];
        let argument = |r: &mut Random| Argument {
            source: match r.one_in(6) {
                true => Source::texture(r.below(3) as usize).unwrap(),
                false => r.pick(&sources),
            },
            operand: r.pick(&operands[..if is_alpha { 2 } else { 4 }]),
        };
        CombineKey {
            function: self.pick(&functions),
            arguments: std::array::from_fn(|_| argument(self)),
            scale: self.pick(&[Scale::One, Scale::One, Scale::Two, Scale::Four]),
        }
    }

    fn unit(&mut self) -> Unit {
        const ALL: [TexGen; 5] = [
            TexGen::ObjectLinear,
            TexGen::EyeLinear,
            TexGen::SphereMap,
            TexGen::ReflectionMap,
            TexGen::NormalMap,
        ];
        // The functions that exist for s, t, r and q.
        let exists = |c: usize, f: TexGen| match f {
            TexGen::SphereMap => c < 2,
            TexGen::ReflectionMap | TexGen::NormalMap => c < 3,
            _ => true,
        };
        let generates = self.one_in(2);
        let generators = std::array::from_fn(|c| {
            let function = self.pick(&ALL);
            let is_used = generates && (c < 2 || self.one_in(3)) && exists(c, function);
            let mut generator = Generator {
                function: if is_used { function } else { TexGen::None },
                object: self.vector(-0.5, 0.5),
                eye: self.vector(-0.5, 0.5),
            };
            // q stays positive.
            if c == 3 {
                (generator.object, generator.eye) = ([0.1, 0.05, 0.0, 1.0], [0.05, 0.1, -0.1, 1.0]);
            }
            generator
        });
        const MODES: [EnvMode; 8] = [
            EnvMode::Modulate,
            EnvMode::Decal,
            EnvMode::Blend,
            EnvMode::Replace,
            EnvMode::Add,
            EnvMode::Combine,
            EnvMode::Combine,
            EnvMode::Combine,
        ];
        let (mode, mut format) = (self.pick(&MODES), self.pick(&BaseFormat::ALL));
        if mode == EnvMode::Decal {
            format = self.pick(&[BaseFormat::Rgb, BaseFormat::Rgba]);
        }
        Unit {
            target: UnitTarget::None,
            format,
            mode,
            rgb: self.combine(false),
            alpha: self.combine(true),
            color: self.vector(0.0, 1.0),
            generators,
            matrix: if self.one_in(3) { self.matrix(0.5) } else { IDENTITY },
        }
    }
}

fn vector(row: [f64; 4]) -> [f32; 4] {
    row.map(|x| x as f32)
}

impl State {
    pub fn random(r: &mut Random) -> State {
        const MATERIALS: [ColorMaterial; 6] = [
            ColorMaterial::None,
            ColorMaterial::Emission,
            ColorMaterial::Ambient,
            ColorMaterial::Diffuse,
            ColorMaterial::Specular,
            ColorMaterial::AmbientAndDiffuse,
        ];
        let mut modelview = r.matrix(0.3);
        modelview[2][3] = f64::from(r.within(-3.0, -1.5));
        let scale = f64::from(r.within(0.6, 0.9));
        let mut projection = IDENTITY;
        (projection[0][0], projection[1][1], projection[2][2]) = (scale, scale, -0.25);
        (projection[2][3], projection[3][2]) = (-0.5, -r.pick(&[0.0, 0.25]));
        let mut units: [Unit; 8] = std::array::from_fn(|_| r.unit());
        let count = r.below(4) as usize;
        for unit in units.iter_mut().take(count) {
            unit.target = if r.one_in(5) { UnitTarget::None } else { UnitTarget::D2 };
        }
        State {
            modelview,
            projection,
            lighting: !r.one_in(3),
            local_viewer: r.one_in(2),
            two_side: r.one_in(2),
            separate_specular: r.one_in(2),
            model_ambient: r.vector(0.0, 0.5),
            color_material: [r.pick(&MATERIALS), r.pick(&MATERIALS)],
            materials: [r.material(), r.material()],
            lights: std::array::from_fn(|_| r.light()),
            normalize: r.one_in(3),
            rescale: r.one_in(3),
            units,
            color_sum: r.one_in(2),
            clamp: true,
            fog: r.pick(&[FogCoordinate::None, FogCoordinate::Depth, FogCoordinate::Attribute]),
            clip_planes: r.one_in(4),
            point_size: r.within(1.0, 8.0),
            point_attenuation: if r.one_in(3) {
                [r.within(0.5, 1.0), r.within(0.0, 0.2), r.within(0.0, 0.05)]
            } else {
                [1.0, 0.0, 0.0]
            },
        }
    }

    /// Whether the fragment adds the secondary color (section 16.3).
    pub fn adds_secondary(&self) -> bool {
        self.color_sum || self.lighting
    }

    pub fn vertex_key(&self) -> FixedVertexKey {
        let flags = [
            (VertexFlags::LIGHTING, self.lighting),
            (VertexFlags::LOCAL_VIEWER, self.local_viewer),
            (VertexFlags::TWO_SIDE, self.two_side),
            (VertexFlags::SEPARATE_SPECULAR, self.separate_specular),
            (VertexFlags::NORMALIZE, self.normalize),
            (VertexFlags::RESCALE_NORMAL, self.rescale),
            (VertexFlags::POINT_ATTENUATION, self.point_attenuation != [1.0, 0.0, 0.0]),
            (VertexFlags::SECONDARY_COLOR, self.adds_secondary()),
            (VertexFlags::CLIP_PLANES, self.clip_planes),
        ];
        let light = |light: &Light| {
            let flags = [
                (LightFlags::ENABLED, light.is_enabled),
                (LightFlags::POSITIONAL, light.position[3] != 0.0),
                (LightFlags::SPOT, light.spot_cutoff != 180.0),
                (LightFlags::ATTENUATED, light.attenuation != [1.0, 0.0, 0.0]),
            ];
            flags.into_iter().filter(|f| f.1).map(|f| f.0).collect()
        };
        let coordinates = |unit: &Unit| {
            let flags = [
                (CoordinateFlags::ENABLED, unit.target != UnitTarget::None),
                (CoordinateFlags::MATRIX, unit.matrix != IDENTITY),
            ];
            CoordinateKey {
                flags: flags.into_iter().filter(|f| f.1).map(|f| f.0).collect(),
                texgen: unit.generators.map(|g| g.function),
            }
        };
        FixedVertexKey {
            flags: flags.into_iter().filter(|f| f.1).map(|f| f.0).collect(),
            color_material: self.color_material,
            fog: self.fog,
            reserved: 0,
            lights: self.lights.each_ref().map(light),
            coordinates: self.units.each_ref().map(coordinates),
        }
    }

    pub fn fragment_key(&self) -> FixedFragmentKey {
        let flags = [(FragmentFlags::COLOR_SUM, self.adds_secondary()), (FragmentFlags::CLAMP, self.clamp)];
        let unit = |unit: &Unit| TextureUnitKey {
            target: unit.target,
            format: unit.format,
            mode: unit.mode,
            rgb: unit.rgb,
            alpha: unit.alpha,
        };
        FixedFragmentKey {
            flags: flags.into_iter().filter(|f| f.1).map(|f| f.0).collect(),
            units: self.units.each_ref().map(unit),
        }
    }

    /// The bytes of a shader's uniform block.
    pub fn block(&self, shader: &FixedShader) -> Vec<u8> {
        shader.parameters.iter().flat_map(|p| self.parameter(p)).flat_map(f32::to_le_bytes).collect()
    }

    fn parameter(&self, parameter: &airfoil_parameters::Parameter) -> [f32; 4] {
        use airfoil_parameters::{Face, Parameter, StateVector as S};
        let Parameter::State(state) = *parameter else { panic!("{parameter}") };
        let light = |index: u32| &self.lights[index as usize];
        let material = |face: Face| &self.materials[face as usize];
        let unit = |index: u32| &self.units[index as usize];
        let times = |a: [f32; 4], b: [f32; 4]| [a[0] * b[0], a[1] * b[1], a[2] * b[2], b[3]];
        let matrix = |m: &Matrix, modifier, row: u8| vector(modified(m, modifier)[usize::from(row)]);
        match state {
            S::MaterialAmbient { face } => material(face).ambient,
            S::MaterialDiffuse { face } => material(face).diffuse,
            S::MaterialSpecular { face } => material(face).specular,
            S::MaterialEmission { face } => material(face).emission,
            S::MaterialShininess { face } => [material(face).shininess, 0.0, 0.0, 1.0],
            S::LightAmbient { index } => light(index).ambient,
            S::LightDiffuse { index } => light(index).diffuse,
            S::LightSpecular { index } => light(index).specular,
            S::LightPosition { index } => light(index).position,
            S::LightAttenuation { index } => {
                let [a, b, c] = light(index).attenuation;
                [a, b, c, light(index).spot_exponent]
            }
            S::LightSpotDirection { index } => {
                let [x, y, z] = light(index).spot_direction;
                [x, y, z, f64::from(light(index).spot_cutoff).to_radians().cos() as f32]
            }
            S::LightHalf { index } => {
                let [x, y, z, _] = light(index).position.map(f64::from);
                let unit = |v: [f64; 3]| {
                    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
                    v.map(|x| x / length)
                };
                let [x, y, z] = unit([x, y, z]);
                let [x, y, z] = unit([x, y, z + 1.0]);
                vector([x, y, z, 1.0])
            }
            S::LightModelAmbient => self.model_ambient,
            S::LightModelSceneColor { face } => {
                let material = material(face);
                let color = times(self.model_ambient, material.ambient);
                let add = |n: usize| color[n] + material.emission[n];
                [add(0), add(1), add(2), material.diffuse[3]]
            }
            S::LightProductAmbient { index, face } => times(light(index).ambient, material(face).ambient),
            S::LightProductDiffuse { index, face } => times(light(index).diffuse, material(face).diffuse),
            S::LightProductSpecular { index, face } => times(light(index).specular, material(face).specular),
            S::TexGenEyeS { index } => unit(index).generators[0].eye,
            S::TexGenEyeT { index } => unit(index).generators[1].eye,
            S::TexGenEyeR { index } => unit(index).generators[2].eye,
            S::TexGenEyeQ { index } => unit(index).generators[3].eye,
            S::TexGenObjectS { index } => unit(index).generators[0].object,
            S::TexGenObjectT { index } => unit(index).generators[1].object,
            S::TexGenObjectR { index } => unit(index).generators[2].object,
            S::TexGenObjectQ { index } => unit(index).generators[3].object,
            S::TexEnvColor { index } => unit(index).color,
            S::PointSize => [self.point_size, 0.0, 64.0, 1.0],
            S::PointAttenuation => {
                let [a, b, c] = self.point_attenuation;
                [a, b, c, 1.0]
            }
            S::MatrixModelView { modifier, row, .. } => matrix(&self.modelview, modifier, row),
            S::MatrixModelViewProjection { modifier, row } => {
                matrix(&product(&self.projection, &self.modelview), modifier, row)
            }
            S::MatrixTexture { index, modifier, row } => matrix(&unit(index).matrix, modifier, row),
            other => panic!("expected state of the fixed functions, found {other}"),
        }
    }
}

fn modified(m: &Matrix, modifier: airfoil_parameters::MatrixModifier) -> Matrix {
    use airfoil_parameters::MatrixModifier as M;
    match modifier {
        M::None => *m,
        M::Inverse => inverse(m),
        M::Transpose => transposed(m),
        M::InverseTranspose => transposed(&inverse(m)),
    }
}

/// The vocabulary of parameters.
mod airfoil_parameters {
    pub use airfoil::arb::state::{Face, MatrixModifier};
    pub use airfoil::arb::{Parameter, StateVector};
}
