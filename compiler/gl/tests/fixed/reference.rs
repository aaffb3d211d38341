//! The fixed functions in doubles, from the state and the specification alone.

use crate::state::{Light, Material, Matrix, State, Unit, inverse, product};
use airfoil_gl::fixed::{
    Argument, BaseFormat, ColorMaterial, CombineFunction, EnvMode, FogCoordinate, Operand, Source, TexGen,
    UnitTarget,
};

/// The attributes of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    pub vertex: [f32; 4],
    pub normal: [f32; 3],
    pub color: [f32; 4],
    pub secondary: [f32; 4],
    pub fog: f32,
    pub coordinates: [[f32; 4]; 8],
}

/// The results for a vertex.
#[derive(Debug, Default)]
pub struct Outputs {
    pub position: [f64; 4],
    pub front: [[f64; 4]; 2],
    pub back: Option<[[f64; 4]; 2]>,
    pub coordinates: [Option<[f64; 4]>; 8],
    pub fog: Option<f64>,
    pub point_size: Option<f64>,
    pub eye: [f64; 4],
}

type V3 = [f64; 3];

fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn scale(a: V3, s: f64) -> V3 {
    a.map(|x| x * s)
}

fn length(a: V3) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: V3) -> V3 {
    scale(a, 1.0 / length(a))
}

fn transform(m: &Matrix, v: [f64; 4]) -> [f64; 4] {
    m.map(|row| dot(row, v))
}

fn wide<const N: usize>(v: [f32; N]) -> [f64; N] {
    v.map(f64::from)
}

fn rgb(v: [f32; 4]) -> V3 {
    [v[0], v[1], v[2]].map(f64::from)
}

fn times(a: V3, b: V3) -> V3 {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// Section 12.1.3.
fn normal(state: &State, n: [f32; 3]) -> V3 {
    let m = inverse(&state.modelview);
    let n = wide(n);
    let mut n: V3 = std::array::from_fn(|c| n[0] * m[0][c] + n[1] * m[1][c] + n[2] * m[2][c]);
    if state.rescale {
        n = scale(n, 1.0 / length([m[2][0], m[2][1], m[2][2]]));
    }
    if state.normalize { unit(n) } else { n }
}

/// Section 12.2.1, for a face whose normal is `n`.
fn lit(
    state: &State,
    material: &Material,
    tracked: ColorMaterial,
    at: V3,
    n: V3,
    color: [f32; 4],
) -> [[f64; 4]; 2] {
    let current = rgb(color);
    let mut m = [material.emission, material.ambient, material.diffuse, material.specular].map(rgb);
    let mut alpha = f64::from(material.diffuse[3]);
    match tracked {
        ColorMaterial::None => {}
        ColorMaterial::Emission => m[0] = current,
        ColorMaterial::Ambient => m[1] = current,
        ColorMaterial::Diffuse => m[2] = current,
        ColorMaterial::Specular => m[3] = current,
        ColorMaterial::AmbientAndDiffuse => (m[1], m[2]) = (current, current),
    }
    if matches!(tracked, ColorMaterial::Diffuse | ColorMaterial::AmbientAndDiffuse) {
        alpha = f64::from(color[3]);
    }
    let [emission, ambient, diffuse, specular] = m;
    let mut primary = add(emission, times(ambient, rgb(state.model_ambient)));
    let mut secondary = [0.0; 3];
    for light in state.lights.iter().filter(|light| light.is_enabled) {
        let (way, strength) = light_at(light, at);
        let cosine = dot(n, way).max(0.0);
        let viewer = if state.local_viewer { scale(unit(at), -1.0) } else { [0.0, 0.0, 1.0] };
        let half = unit(add(way, viewer));
        // `powf` of 0 to 0 is 1.
        let shine = dot(n, half).max(0.0).powf(f64::from(material.shininess));
        let shine = if cosine == 0.0 { 0.0 } else { shine };
        let dull = add(times(ambient, rgb(light.ambient)), scale(times(diffuse, rgb(light.diffuse)), cosine));
        let bright = scale(times(specular, rgb(light.specular)), shine * strength);
        primary = add(primary, scale(dull, strength));
        if state.separate_specular {
            secondary = add(secondary, bright);
        } else {
            primary = add(primary, bright);
        }
    }
    let with = |c: V3, a: f64| [c[0], c[1], c[2], a];
    [with(primary, alpha), with(secondary, 1.0)]
}

/// The direction of a light, and the product of its attenuation and spot factor.
fn light_at(light: &Light, at: V3) -> (V3, f64) {
    let [x, y, z, w] = wide(light.position);
    let (way, mut strength) = if w == 0.0 {
        (unit([x, y, z]), 1.0)
    } else {
        let way = add([x / w, y / w, z / w], scale(at, -1.0));
        let (d, [a, b, c]) = (length(way), wide(light.attenuation));
        (unit(way), 1.0 / (a + b * d + c * d * d))
    };
    if light.spot_cutoff != 180.0 {
        let cosine = dot(scale(way, -1.0), unit(wide(light.spot_direction)));
        let is_inside = cosine >= f64::from(light.spot_cutoff).to_radians().cos();
        strength *= if is_inside { cosine.powf(f64::from(light.spot_exponent)) } else { 0.0 };
    }
    (way, strength)
}

/// Section 12.1.4 and the texture matrix.
fn coordinates(unit_state: &Unit, a: &Attributes, n: usize, eye: [f64; 4], at: V3, normal: V3) -> [f64; 4] {
    let u = unit(at);
    let r = add(u, scale(normal, -2.0 * dot(normal, u)));
    let m = 2.0 * length(add(r, [0.0, 0.0, 1.0]));
    let generated = std::array::from_fn(|c| {
        let generator = &unit_state.generators[c];
        match generator.function {
            TexGen::None => f64::from(a.coordinates[n][c]),
            TexGen::ObjectLinear => dot(wide(generator.object), wide(a.vertex)),
            TexGen::EyeLinear => dot(wide(generator.eye), eye),
            TexGen::SphereMap => r[c] / m + 0.5,
            TexGen::ReflectionMap => r[c],
            TexGen::NormalMap => normal[c],
        }
    });
    transform(&unit_state.matrix, generated)
}

/// Chapter 12.
pub fn vertex(state: &State, a: &Attributes) -> Outputs {
    let v = wide(a.vertex);
    let eye = transform(&state.modelview, v);
    let at = [eye[0] / eye[3], eye[1] / eye[3], eye[2] / eye[3]];
    let normal = normal(state, a.normal);
    let (front, back) = if state.lighting {
        let [m, b] = &state.materials;
        let [fronts, backs] = state.color_material;
        let back = lit(state, b, backs, at, scale(normal, -1.0), a.color);
        (lit(state, m, fronts, at, normal, a.color), state.two_side.then_some(back))
    } else {
        ([wide(a.color), wide(a.secondary)], None)
    };
    let (d, factors) = (length(at), wide(state.point_attenuation));
    let attenuation = factors[0] + factors[1] * d + factors[2] * d * d;
    Outputs {
        position: transform(&product(&state.projection, &state.modelview), v),
        front,
        back,
        coordinates: std::array::from_fn(|n| {
            let unit = &state.units[n];
            (unit.target != UnitTarget::None).then(|| coordinates(unit, a, n, eye, at, normal))
        }),
        fog: match state.fog {
            FogCoordinate::None => None,
            FogCoordinate::Depth => Some(eye[2].abs()),
            FogCoordinate::Attribute => Some(f64::from(a.fog)),
        },
        point_size: (state.point_attenuation != [1.0, 0.0, 0.0])
            .then(|| f64::from(state.point_size) * (1.0 / attenuation).sqrt()),
        eye,
    }
}

/// A color: red, green and blue, and alpha.
type Color = (V3, f64);

fn each(f: impl Fn(usize) -> f64) -> V3 {
    [f(0), f(1), f(2)]
}

/// The tables of the texture functions in section 16.1: previous color, texture, constant.
fn function(mode: EnvMode, format: BaseFormat, (cp, ap): Color, (cs, a): Color, (cc, ac): Color) -> Color {
    use BaseFormat::{Alpha, Intensity, Luminance, Rgb};
    let color = match (mode, format) {
        (EnvMode::Replace | EnvMode::Modulate | EnvMode::Blend | EnvMode::Add, Alpha) => cp,
        (EnvMode::Replace, _) | (EnvMode::Decal, Rgb) => cs,
        (EnvMode::Modulate, _) => each(|n| cp[n] * cs[n]),
        (EnvMode::Blend, _) => each(|n| cp[n] * (1.0 - cs[n]) + cc[n] * cs[n]),
        (EnvMode::Add, _) => each(|n| cp[n] + cs[n]),
        (EnvMode::Decal, _) => each(|n| cp[n] * (1.0 - a) + cs[n] * a),
        (EnvMode::Combine, _) => unreachable!(),
    };
    let alpha = match (mode, format) {
        (_, Luminance | Rgb) | (EnvMode::Decal, _) => ap,
        (EnvMode::Replace, _) => a,
        (EnvMode::Blend, Intensity) => ap * (1.0 - a) + ac * a,
        (EnvMode::Add, Intensity) => ap + a,
        _ => ap * a,
    };
    (color, alpha)
}

/// The value of a combination for arguments.
fn combined(function: CombineFunction, args: &[f64], dot: f64) -> f64 {
    match function {
        CombineFunction::Replace => args[0],
        CombineFunction::Modulate => args[0] * args[1],
        CombineFunction::Add => args[0] + args[1],
        CombineFunction::AddSigned => args[0] + args[1] - 0.5,
        CombineFunction::Interpolate => args[0] * args[2] + args[1] * (1.0 - args[2]),
        CombineFunction::Subtract => args[0] - args[1],
        CombineFunction::Dot3Rgb | CombineFunction::Dot3Rgba => dot,
    }
}

/// Chapter 16, without fog: primary and secondary color, and the components of the textures.
pub fn fragment(state: &State, primary: [f64; 4], secondary: [f64; 4], textures: &[[f64; 4]; 8]) -> [f64; 4] {
    let clamp = |x: f64| if state.clamp { x.clamp(0.0, 1.0) } else { x };
    let color = |v: [f64; 4]| -> Color {
        let [r, g, b, a] = v.map(clamp);
        ([r, g, b], a)
    };
    let is_enabled = |n: usize| state.units[n].target != UnitTarget::None;
    // Environments that read a texture of a disabled unit have no effect.
    let is_active = |n: usize| {
        let unit = &state.units[n];
        let named = |a: &Argument| (0..8).find(|&k| Source::texture(k) == Some(a.source));
        let count = |f: CombineFunction| f.arguments();
        let rgb = unit.rgb.arguments[..count(unit.rgb.function)].iter();
        let has_alpha = unit.rgb.function != CombineFunction::Dot3Rgba;
        let alpha = unit.alpha.arguments[..if has_alpha { count(unit.alpha.function) } else { 0 }].iter();
        let reads =
            unit.mode == EnvMode::Combine && rgb.chain(alpha).filter_map(named).any(|k| !is_enabled(k));
        is_enabled(n) && !reads
    };
    let mut previous = color(primary);
    for n in (0..8).filter(|&n| is_active(n)) {
        let unit = &state.units[n];
        let constant = color(wide(unit.color));
        let clamped = |(c, a): Color| (c.map(clamp), clamp(a));
        if unit.mode != EnvMode::Combine {
            previous = clamped(function(unit.mode, unit.format, previous, color(textures[n]), constant));
            continue;
        }
        let source = |source: Source| match source {
            Source::Texture => color(textures[n]),
            Source::Constant => constant,
            Source::Primary => color(primary),
            Source::Previous => previous,
            named => color(textures[(0..8).find(|&k| Source::texture(k) == Some(named)).unwrap()]),
        };
        let value = |a: Argument, c: usize| {
            let (rgb, alpha) = source(a.source);
            match a.operand {
                Operand::Color => rgb[c],
                Operand::OneMinusColor => 1.0 - rgb[c],
                Operand::Alpha => alpha,
                Operand::OneMinusAlpha => 1.0 - alpha,
            }
        };
        let args = |arguments: [Argument; 3], c: usize| arguments.map(|a| value(a, c));
        let product = |c: usize| {
            let a = args(unit.rgb.arguments, c);
            (a[0] - 0.5) * (a[1] - 0.5)
        };
        let dot = 4.0 * (product(0) + product(1) + product(2));
        let rgb = each(|c| combined(unit.rgb.function, &args(unit.rgb.arguments, c), dot));
        let alpha = match unit.rgb.function {
            CombineFunction::Dot3Rgba => dot,
            _ => combined(unit.alpha.function, &args(unit.alpha.arguments, 0), dot),
        };
        let (rgb_scale, alpha_scale) = (unit.rgb.scale.factor(), unit.alpha.scale.factor());
        previous = clamped((scale(rgb, f64::from(rgb_scale)), alpha * f64::from(alpha_scale)));
    }
    let (mut c, a) = previous;
    if state.adds_secondary() {
        c = add(c, [secondary[0], secondary[1], secondary[2]]).map(clamp);
    }
    [c[0], c[1], c[2], a]
}
