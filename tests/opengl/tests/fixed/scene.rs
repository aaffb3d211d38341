//! Random draws.

use crate::state::{IDENTITY, Matrix, Random, State, inverse};
use airfoil_gl::FogMode;
use airfoil_gl::fixed::{
    BaseFormat, ColorMaterial, CombineKey, EnvMode, FogCoordinate, Source, TexGen, UnitTarget,
};
use airfoil_opengl::{Attribute, Input};

/// Pixels of a row and rows of an image.
pub const SIZE: u32 = 16;

/// Texels along each axis of a texture.
pub const TEXELS: usize = 4;

/// Texture units that are used.
pub const UNITS: usize = 3;

pub struct Fog {
    pub mode: FogMode,
    pub color: [f32; 4],
    pub density: f32,
    pub start: f32,
    pub end: f32,
}

pub struct Scene {
    pub state: State,
    pub points: bool,
    /// Attributes, with their locations.
    pub attributes: Vec<(u32, Attribute)>,
    /// Texels of each unit: of each slice of a volume or face of a cube, by rows; depths are the first component.
    pub textures: [Vec<[u8; 4]>; UNITS],
    pub fog: Option<Fog>,
    /// Enabled clip planes in eye coordinates.
    pub planes: Vec<[f32; 4]>,
    pub point_limits: [f32; 2],
}

/// Corners of rectangles in pixels: edges do not meet centers of pixels.
fn rectangle(x: [f32; 2], y: [f32; 2], turn: bool) -> [[f32; 2]; 6] {
    let [a, b, c, d] = [[x[0], y[0]], [x[1], y[0]], [x[0], y[1]], [x[1], y[1]]];
    if turn { [a, c, b, b, c, d] } else { [a, b, c, b, d, c] }
}

fn window_positions(points: bool) -> Vec<[f32; 2]> {
    if points {
        return vec![[3.28, 4.12], [11.13, 3.38], [6.37, 12.22], [13.27, 12.13]];
    }
    [
        rectangle([0.25, 9.75], [1.25, 15.25], false),
        rectangle([5.25, 15.25], [0.75, 7.25], true),
        rectangle([6.75, 14.25], [4.25, 14.75], false),
    ]
    .concat()
}

fn transform(m: &Matrix, v: [f64; 4]) -> [f32; 4] {
    m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>() as f32)
}

impl Scene {
    pub fn random(r: &mut Random) -> Scene {
        let mut state = State::random(r);
        let points = r.one_in(5);
        // OpenGL has one mode for the faces that are tracked.
        let [tracked, _] = state.color_material;
        state.color_material = r.pick(&[
            [ColorMaterial::None; 2],
            [tracked; 2],
            [tracked, ColorMaterial::None],
            [ColorMaterial::None, tracked],
        ]);
        // Edges of points do not meet centers of pixels.
        state.point_size = (state.point_size * 2.0).round() / 2.0;
        if !points {
            state.point_attenuation = [1.0, 0.0, 0.0];
        }
        let mode = r.pick(&[FogMode::Linear, FogMode::Exp, FogMode::Exp2]);
        let fog = (state.fog != FogCoordinate::None).then(|| Fog {
            mode,
            color: r.vector(0.0, 1.0),
            density: r.within(0.1, 0.6),
            start: r.within(0.0, 1.0),
            end: r.within(2.0, 3.0),
        });
        let planes = match state.clip_planes {
            true => vec![[0.8, 0.3, 0.0, 0.33], [-0.4, 0.7, 0.1, 0.61]],
            false => Vec::new(),
        };
        let textures = std::array::from_fn(|n| {
            let unit = &mut state.units[n];
            if unit.target != UnitTarget::None {
                target(unit, r);
            }
            let count = TEXELS * TEXELS * TEXELS.max(6);
            (0..count).map(|_| [0; 4].map(|_: u8| r.below(256) as u8)).collect()
        });
        // The results of environments that read textures of disabled units are undefined (section 16.1).
        let enabled = state.units.map(|unit| unit.target != UnitTarget::None);
        for unit in &mut state.units {
            for argument in unit.rgb.arguments.iter_mut().chain(&mut unit.alpha.arguments) {
                if (0..8).any(|n| Source::texture(n) == Some(argument.source) && !enabled[n]) {
                    argument.source = Source::Texture;
                }
            }
        }
        let attributes = attributes(&state, &window_positions(points), r);
        let point_limits = [r.pick(&[0.0, 1.0, 2.5]), r.pick(&[4.0, 5.5, 8.0])];
        Scene { state, points, attributes, textures, fog, planes, point_limits }
    }

    /// Moves points to the center of the window, to distances at which their edges do not meet centers of pixels.
    pub fn center(&mut self) {
        let at = SIZE as f32 / 2.0 + 0.05;
        let [low, high] = self.point_limits;
        let [a, b, c] = self.state.point_attenuation;
        let size =
            |z: f32| (self.state.point_size / (a - b * z + c * z * z).sqrt()).clamp(low.max(1.0), high);
        let is_clear = |z: &f32| {
            let edges = [at - size(*z) / 2.0, at + size(*z) / 2.0];
            edges.iter().all(|edge| (edge.fract() - 0.5).abs() > 0.02)
        };
        let mut distances = (0..40u8).map(|n| -1.0 - f32::from(n) * 0.07).filter(is_clear);
        for value in &mut self.attributes[0].1.values {
            let z = distances.next().unwrap_or(-1.0);
            *value = object_position(&self.state, [at; 2], z).map(f32::to_bits);
        }
    }

    /// The number of vertices.
    pub fn count(&self) -> usize {
        self.attributes[0].1.values.len()
    }

    /// Names of the parts of the state, to count them.
    pub fn parts(&self) -> Vec<String> {
        let s = &self.state;
        let mut list = Vec::new();
        let mut add = |is_there: bool, name: &str| {
            if is_there {
                list.push(name.to_owned());
            }
        };
        add(self.points, "points");
        add(s.point_attenuation != [1.0, 0.0, 0.0], "point attenuation");
        add(self.fog.is_some(), "fog");
        add(s.clip_planes, "clip planes");
        add(s.color_sum && !s.lighting, "color sum");
        add(s.lighting, "lighting");
        add(s.lighting && s.two_side, "two sides");
        add(s.lighting && s.separate_specular, "separate specular");
        let lights = || s.lights.iter().filter(|light| light.is_enabled && s.lighting);
        add(lights().any(|light| light.position[3] != 0.0), "positional");
        add(lights().any(|light| light.spot_cutoff != 180.0), "spot");
        add(s.normalize, "normalize");
        add(s.rescale, "rescale");
        for material in s.color_material.iter().filter(|m| s.lighting && **m != ColorMaterial::None) {
            add(true, &format!("tracked {material:?}"));
        }
        for unit in s.units.iter().filter(|unit| unit.target != UnitTarget::None) {
            add(true, &format!("{:?}", unit.target));
            add(true, &format!("{:?}", unit.mode));
            add(unit.matrix != IDENTITY, "texture matrix");
            for generator in unit.generators.iter().filter(|g| g.function != TexGen::None) {
                add(true, &format!("{:?}", generator.function));
            }
        }
        list.sort();
        list.dedup();
        list
    }
}

/// Chooses the target of an enabled unit.
fn target(unit: &mut crate::state::Unit, r: &mut Random) {
    use UnitTarget::{Cube, D1, D2, D3, Rect, Shadow2D};
    unit.target = r.pick(&[D1, D2, D2, D2, D3, Cube, Rect, Shadow2D]);
    if unit.target == Shadow2D {
        unit.format =
            r.pick(&[BaseFormat::Luminance, BaseFormat::Intensity, BaseFormat::Alpha, BaseFormat::Rgb]);
        // Undefined for other formats.
        if unit.mode == EnvMode::Decal {
            (unit.mode, unit.rgb, unit.alpha) = (EnvMode::Combine, CombineKey::RGB, CombineKey::ALPHA);
        }
    }
}

/// The position of a vertex at a point of the window and a z in eye coordinates.
fn object_position(state: &State, window: [f32; 2], z: f32) -> [f32; 4] {
    let (scale, tilt, z) = (state.projection[0][0], state.projection[3][2], f64::from(z));
    let w = tilt * z + 1.0;
    let [x, y] = window.map(|n| (f64::from(n) / f64::from(SIZE) * 2.0 - 1.0) * w / scale);
    transform(&inverse(&state.modelview), [x, y, z, 1.0])
}

/// Vertices at points of the window and random distances.
fn attributes(state: &State, window: &[[f32; 2]], r: &mut Random) -> Vec<(u32, Attribute)> {
    let (mut positions, mut rest) = (Vec::new(), [const { Vec::new() }; 4]);
    let mut coordinates = [const { Vec::new() }; UNITS];
    for &at in window {
        positions.push(object_position(state, at, r.within(-3.0, -1.0)));
        let [nx, ny, nz]: [f32; 3] = r.vector(-0.5, 0.5);
        rest[0].push([nx, ny, nz + 0.75, 1.0]);
        rest[1].push(r.vector(0.0, 1.0));
        let [red, green, blue]: [f32; 3] = r.vector(0.0, 0.5);
        rest[2].push([red, green, blue, 1.0]);
        rest[3].push([r.within(0.0, 2.0), 0.0, 0.0, 1.0]);
        for list in &mut coordinates {
            let mut vector: [f32; 4] = r.vector(-1.5, 1.5);
            vector[3] = r.within(0.75, 1.25);
            list.push(vector);
        }
    }
    let inputs = [Input::Normal, Input::Color, Input::SecondaryColor, Input::FogCoord];
    let mut list = vec![(0, Input::Vertex, positions)];
    list.extend((2..).zip(inputs).zip(rest).map(|((location, input), values)| (location, input, values)));
    let coordinates = (0..).zip(coordinates).map(|(n, values)| (8 + n, Input::TexCoord(n), values));
    list.extend(coordinates);
    let attribute = |(location, input, values): (u32, Input, Vec<[f32; 4]>)| {
        let values = values.into_iter().map(|v| v.map(f32::to_bits)).collect();
        (location, Attribute { input, values })
    };
    list.into_iter().map(attribute).collect()
}
