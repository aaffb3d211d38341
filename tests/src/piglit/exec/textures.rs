//! Textures and their parameters.

use super::super::command::{Command, Fill};
use super::super::script::Script;
use super::super::values::float;
use super::{Stop, World};
use airfoil::ir::Dim;
use airfoil_glsl::DepthMode;
use airfoil_interp::texture::{Color, Compare, Filter, Format, Image, Mip, Sampler, Wrap};

impl World<'_> {
    pub(super) fn texture_of(&self, unit: u32) -> Result<(usize, usize), Stop> {
        self.textures.get(&unit).copied().ok_or_else(|| Stop::Fail(format!("unknown texture {unit}")))
    }

    pub(super) fn texture(
        &mut self,
        unit: u32,
        dim: Dim,
        [w, h, layers]: [u32; 3],
        level: u32,
        format: Option<&str>,
        fill: &Fill,
    ) -> Result<(), Stop> {
        let format = match (fill, format) {
            (Fill::Depth, _) => Format::D32f,
            (_, None) => Format::Rgba8,
            (_, Some(name)) => format_of(name).ok_or_else(|| Stop::Skip(format!("the format {name}")))?,
        };
        if level != 0 || w > 4096 || h > 4096 || layers > 256 {
            return Err(Stop::Skip("levels of textures set one by one".into()));
        }
        let levels = if *fill == Fill::Levels { w.max(h).ilog2() + 1 } else { 1 };
        let mut image = Image::new(dim, format, [w, h, 1], layers, levels, 1)?;
        for (level, layer) in (0..levels).flat_map(|l| (0..layers).map(move |n| (l, n))) {
            let [w, h, _] = image.level_size(level);
            for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))) {
                image.set(level, layer, [x, y, 0], 0, texel(fill, [w, h], [level, layer], [x, y]));
            }
        }
        let image = self.resources.add_image(image);
        let sampler = self.resources.add_sampler(sampler(fill));
        self.textures.insert(unit, (image, sampler));
        self.last_unit = unit;
        Ok(())
    }

    pub(super) fn parameter(&mut self, name: &str, value: &str) -> Result<(), Stop> {
        let (_, sampler) = self.texture_of(self.last_unit)?;
        let sampler = &mut self.resources.samplers[sampler];
        let unknown = || Stop::Skip(format!("the texture parameter {name} {value}"));
        match name {
            "min" => {
                (sampler.min, sampler.mip) = match value {
                    "nearest" => (Filter::Nearest, Mip::None),
                    "linear" => (Filter::Linear, Mip::None),
                    "nearest_mipmap_nearest" => (Filter::Nearest, Mip::Nearest),
                    "linear_mipmap_nearest" => (Filter::Linear, Mip::Nearest),
                    "nearest_mipmap_linear" => (Filter::Nearest, Mip::Linear),
                    "linear_mipmap_linear" => (Filter::Linear, Mip::Linear),
                    _ => return Err(unknown()),
                }
            }
            "mag" => {
                sampler.mag = match value {
                    "nearest" => Filter::Nearest,
                    "linear" => Filter::Linear,
                    _ => return Err(unknown()),
                }
            }
            "wrap_s" | "wrap_t" | "wrap_r" => {
                let axis = match name {
                    "wrap_s" => 0,
                    "wrap_t" => 1,
                    _ => 2,
                };
                sampler.wrap[axis] = match value {
                    "repeat" => Wrap::Repeat,
                    "clamp_to_edge" => Wrap::ClampToEdge,
                    "clamp_to_border" => Wrap::ClampToBorder,
                    "mirrored_repeat" => Wrap::MirroredRepeat,
                    _ => return Err(unknown()),
                }
            }
            "compare_func" => {
                let compare = match value {
                    "greater" => Compare::Greater,
                    "gequal" => Compare::GreaterEqual,
                    "less" => Compare::Less,
                    "lequal" => Compare::LessEqual,
                    "equal" => Compare::Equal,
                    "notequal" => Compare::NotEqual,
                    "never" => Compare::Never,
                    "always" => Compare::Always,
                    _ => return Err(unknown()),
                };
                sampler.compare = Some(compare);
            }
            // It is part of the program: [`depth_mode`].
            "depth_mode" => {}
            "lod_bias" => sampler.lod_bias = float(value, 32).ok_or_else(unknown)?,
            _ => return Err(unknown()),
        }
        Ok(())
    }
}

/// The results of shadow lookups of the compatibility profile in a script.
///
/// # Errors
/// Modes that differ from texture to texture: programs are compiled for one.
pub fn depth_mode(script: &Script) -> Result<DepthMode, Stop> {
    let mut modes = script.commands.iter().filter_map(|(_, command)| match command {
        Command::TexParameter(name, value) if name == "depth_mode" => Some(value.as_str()),
        _ => None,
    });
    let first = modes.next().unwrap_or("luminance");
    if let Some(other) = modes.find(|mode| *mode != first) {
        return Err(Stop::Skip(format!("the texture parameters depth_mode {first} and {other}")));
    }
    Ok(match first {
        "luminance" => DepthMode::Luminance,
        "intensity" => DepthMode::Intensity,
        "alpha" => DepthMode::Alpha,
        "red" => DepthMode::Red,
        other => return Err(Stop::Skip(format!("the texture parameter depth_mode {other}"))),
    })
}

/// The contents of a texel.
fn texel(fill: &Fill, [w, h]: [u32; 2], [level, layer]: [u32; 2], [x, y]: [u32; 2]) -> Color {
    const RED: [f64; 4] = [1.0, 0.0, 0.0, 1.0];
    const GREEN: [f64; 4] = [0.0, 1.0, 0.0, 1.0];
    const BLUE: [f64; 4] = [0.0, 0.0, 1.0, 1.0];
    const WHITE: [f64; 4] = [1.0; 4];
    Color::Float(match fill {
        Fill::Rgbw => match (x < w / 2, y < h / 2) {
            (true, true) => RED,
            (false, true) => GREEN,
            (true, false) => BLUE,
            (false, false) => WHITE,
        },
        Fill::Checkerboard(a, b) => {
            let square = |i: u32, n: u32| (i / (n / 2).max(1)) & 1;
            if square(x, w) ^ square(y, h) == 0 { *a } else { *b }
        }
        Fill::Depth => [f64::from(x) / f64::from((w - 1).max(1)), 0.0, 0.0, 1.0],
        Fill::Levels => [RED, GREEN, BLUE, WHITE][level.min(3) as usize],
        Fill::Layers => [RED, GREEN, BLUE, WHITE][layer as usize % 4],
        Fill::Zeros => [0.0; 4],
        Fill::Integers(b, a) => return Color::Int([b * i64::from(y) + i64::from(x) + a, 0, 0, 1]),
    })
}

/// The parameters that a texture of this content begins with.
fn sampler(fill: &Fill) -> Sampler {
    let wrap = match fill {
        Fill::Checkerboard(..) => Wrap::ClampToBorder,
        _ => Wrap::ClampToEdge,
    };
    Sampler {
        wrap: [wrap; 3],
        border: [1.0, 0.0, 0.0, 1.0],
        mip: if *fill == Fill::Levels { Mip::Nearest } else { Mip::None },
        compare: (*fill == Fill::Depth).then_some(Compare::Greater),
        ..Sampler::default()
    }
}

/// Formats by their names in the API.
pub(super) fn format_of(name: &str) -> Option<Format> {
    let own = name.strip_prefix("GL_")?.to_ascii_lowercase();
    Format::from_name(&own)
}
