//! Textures and storage images: from PNG files, JSON, or the seed.

use super::given::{Size, read_file};
use super::numbers;
use super::png_file;
use crate::random::Random;
use airfoil::Diagnostic;
use airfoil::ir::{Dim, ImageType, Scalar};
use airfoil_interp::texture::{Color, Compare, Filter, Format, Image, Mip, Sampler, Wrap};
use serde_json::Value;
use std::path::Path;

/// A texture with its sampler, or a storage image.
#[derive(Debug)]
pub struct Texture {
    /// Texels.
    pub image: Image,
    /// How it is sampled.
    pub sampler: Sampler,
}

fn fault(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0040", what.into())
}

/// The default sampler: linear, repeating; shadows compare `<=`.
pub fn plain_sampler(ty: Option<&ImageType>) -> Sampler {
    let filter = match ty {
        Some(ty) if !ty.sampled.is_float() => Filter::Nearest,
        _ => Filter::Linear,
    };
    let rect = ty.is_some_and(|t| t.dim == Dim::Rect);
    Sampler {
        mag: filter,
        min: filter,
        compare: ty.filter(|t| t.shadow).map(|_| Compare::LessEqual),
        wrap: [if rect { Wrap::ClampToEdge } else { Wrap::Repeat }; 3],
        ..Sampler::default()
    }
}

/// The options after the source.
#[derive(Debug, Default)]
struct Words {
    mips: bool,
    srgb: bool,
    flip: bool,
}

const WORDS: &str = "linear, nearest, repeat, mirror, clamp, border, mips, srgb, flip";

fn words<'a>(list: impl Iterator<Item = &'a str>, sampler: &mut Sampler) -> Result<Words, Diagnostic> {
    let mut found = Words::default();
    for word in list {
        match word.trim() {
            "linear" => (sampler.mag, sampler.min) = (Filter::Linear, Filter::Linear),
            "nearest" => (sampler.mag, sampler.min) = (Filter::Nearest, Filter::Nearest),
            "repeat" => sampler.wrap = [Wrap::Repeat; 3],
            "mirror" => sampler.wrap = [Wrap::MirroredRepeat; 3],
            "clamp" => sampler.wrap = [Wrap::ClampToEdge; 3],
            "border" => sampler.wrap = [Wrap::ClampToBorder; 3],
            "mips" => (found.mips, sampler.mip) = (true, Mip::Linear),
            "srgb" => found.srgb = true,
            "flip" => found.flip = true,
            other => {
                return Err(
                    fault(format!("`{other}` says nothing of a texture")).help(format!("one of {WORDS}"))
                );
            }
        }
    }
    Ok(found)
}

/// The sampler that words describe.
pub fn sampler(text: &str) -> Result<Sampler, Diagnostic> {
    let mut sampler = plain_sampler(None);
    words(text.split(',').filter(|w| !w.is_empty()), &mut sampler)?;
    Ok(sampler)
}

/// From `FILE.png[,WORD...]`, `FILE.json`, `WxH` (zeros), `random:WxH`.
pub fn of_text(text: &str, ty: &ImageType, random: &mut Random) -> Result<Texture, Diagnostic> {
    let mut sampler = plain_sampler(Some(ty));
    let mut parts = text.split(',');
    let source = parts.next().unwrap_or_default();
    let words = words(parts, &mut sampler)?;
    let ending = Path::new(source).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let mut image = if let Some(size) = source.strip_prefix("random:") {
        let Size(w, h) = size.parse().map_err(fault)?;
        let mut image = blank(ty, [w, h, 1])?;
        fill(&mut image, random);
        image
    } else if let Ok(Size(w, h)) = source.parse() {
        blank(ty, [w, h, 1])?
    } else if ending.as_deref() == Some("json") {
        let value = super::given::json(&read_file(Path::new(source))?, source)?;
        return of_json(&value, ty);
    } else {
        let image = png_file::read(&read_file(Path::new(source))?, source, ty.dim, words.srgb, words.flip)?;
        match Format::declared(ty.format) {
            Some(format) if ty.storage && format != image.format => converted(&image, format)?,
            _ => image,
        }
    };
    if words.mips {
        image = with_levels(&image)?;
    }
    Ok(Texture { image, sampler })
}

/// From `{"size": [W, H, D], "layers": N, "format": "rgba8", "data": [...], "sampler": "nearest,clamp"}`.
pub fn of_json(value: &Value, ty: &ImageType) -> Result<Texture, Diagnostic> {
    let form = || {
        fault(
            "a texture in JSON is an object with the members size, format, data and perhaps layers, sampler",
        )
        .help("{\"size\": [2, 1], \"format\": \"rgba8\", \"data\": [1, 0, 0, 1, 0, 1, 0, 1]}")
    };
    let object = value.as_object().ok_or_else(form)?;
    let known = ["size", "layers", "format", "data", "sampler"];
    if let Some(other) = object.keys().find(|k| !known.contains(&k.as_str())) {
        return Err(
            fault(format!("a texture has no member `{other}`")).help(format!("one of {}", known.join(", ")))
        );
    }
    let mut size = [1; 3];
    let sizes = object.get("size").and_then(Value::as_array).filter(|s| s.len() <= 3).ok_or_else(form)?;
    for (to, n) in size.iter_mut().zip(sizes) {
        *to = n.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(form)?;
    }
    let layers = match object.get("layers") {
        None if ty.dim == Dim::Cube => 6,
        None => 1,
        Some(n) => n.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(form)?,
    };
    let format = match object.get("format") {
        None => format_of(ty),
        Some(name) => name.as_str().and_then(Format::from_name).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|f| f.info().name).collect();
            fault(format!("{name} is not a format")).help(format!("one of {}", names.join(", ")))
        })?,
    };
    let mut image = Image::new(shape(ty.dim), format, size, layers, 1, 1).map_err(|f| fault(f.message))?;
    let mut numbers = Vec::new();
    flatten(object.get("data").ok_or_else(form)?, &mut numbers);
    let comps = format.info().bits.iter().filter(|b| **b != 0).count().max(1);
    let texels = image.bytes(0).len() / format.bytes();
    if numbers.len() != texels * comps {
        return Err(fault(format!(
            "{texels} texels of {} take {} numbers, not {}",
            format.info().name,
            texels * comps,
            numbers.len()
        )));
    }
    for (texel, numbers) in
        image.bytes_mut(0).chunks_exact_mut(format.bytes()).zip(numbers.chunks_exact(comps))
    {
        let color = if format.is_integer() {
            let mut all = [0, 0, 0, 1];
            for (to, n) in all.iter_mut().zip(numbers) {
                *to = n
                    .as_i64()
                    .or(n.as_u64().map(|n| n as i64))
                    .ok_or_else(|| fault(format!("{n} is not a whole number")))?;
            }
            Color::Int(all)
        } else {
            let mut all = [0.0, 0.0, 0.0, 1.0];
            for (to, n) in all.iter_mut().zip(numbers) {
                let raw = numbers::parse(Scalar::Float64, n).map_err(fault)?;
                *to = f64::from_bits(raw);
            }
            Color::Float(all)
        };
        format.write(texel, color);
    }
    let sampler = match object.get("sampler") {
        None => plain_sampler(Some(ty)),
        Some(text) => {
            let mut sampler = plain_sampler(Some(ty));
            let text = text.as_str().ok_or_else(form)?;
            if words(text.split(','), &mut sampler)?.mips {
                image = with_levels(&image)?;
            }
            sampler
        }
    };
    Ok(Texture { image, sampler })
}

fn flatten<'v>(value: &'v Value, out: &mut Vec<&'v Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| flatten(v, out)),
        value => out.push(value),
    }
}

/// The format where a shader declares none.
fn format_of(ty: &ImageType) -> Format {
    Format::declared(ty.format).unwrap_or(match ty.sampled {
        _ if ty.shadow => Format::R32f,
        s if s.is_signed() => Format::Rgba32i,
        s if s.is_unsigned() => Format::Rgba32ui,
        _ if ty.storage => Format::Rgba32f,
        _ => Format::Rgba8,
    })
}

fn shape(dim: Dim) -> Dim {
    if dim == Dim::Buffer { Dim::D1 } else { dim }
}

/// An image of zeros.
fn blank(ty: &ImageType, [w, h, d]: [u32; 3]) -> Result<Image, Diagnostic> {
    let (size, layers) = match ty.dim {
        Dim::D1 | Dim::Buffer => ([w, 1, 1], h),
        Dim::Cube => ([w, w, 1], 6),
        Dim::D3 => ([w, h, d], 1),
        _ => ([w, h, 1], 1),
    };
    let samples = if ty.dim.is_multisampled() { 4 } else { 1 };
    Image::new(shape(ty.dim), format_of(ty), size, layers, 1, samples).map_err(|f| fault(f.message))
}

fn fill(image: &mut Image, random: &mut Random) {
    let format = image.format;
    for texel in image.bytes_mut(0).chunks_exact_mut(format.bytes()) {
        let color = if format.is_integer() {
            Color::Int([(); 4].map(|()| (random.bits() & 0x7f) as i64))
        } else {
            Color::Float([(); 4].map(|()| (random.bits() >> 40) as f64 / (1u32 << 24) as f64))
        };
        format.write(texel, color);
    }
}

/// A texture from the seed: 16 texels in each direction.
pub fn random(ty: &ImageType, random: &mut Random) -> Result<Texture, Diagnostic> {
    let mut image = blank(ty, [16, if matches!(ty.dim, Dim::D1 | Dim::Buffer) { 1 } else { 16 }, 16])?;
    fill(&mut image, random);
    Ok(Texture { image, sampler: plain_sampler(Some(ty)) })
}

/// The base level in another format.
fn converted(image: &Image, format: Format) -> Result<Image, Diagnostic> {
    let mut out = Image::new(image.dim, format, image.level_size(0), image.num_layers(), 1, 1)
        .map_err(|f| fault(f.message))?;
    let from = image.bytes(0).chunks_exact(image.format.bytes());
    for (texel, from) in out.bytes_mut(0).chunks_exact_mut(format.bytes()).zip(from) {
        let color = match image.format.read(from) {
            // Integers have the bytes of the file.
            Color::Float(f) if format.is_integer() => Color::Int(f.map(|x| (x * 255.0).round() as i64)),
            color => color,
        };
        format.write(texel, color);
    }
    Ok(out)
}

/// The image with all levels, each the mean of the one before.
fn with_levels(image: &Image) -> Result<Image, Diagnostic> {
    let size = image.level_size(0);
    let levels = 32 - size[0].max(size[1]).max(size[2]).leading_zeros();
    let mut out = Image::new(image.dim, image.format, size, image.num_layers(), levels, 1)
        .map_err(|f| fault(f.message))?;
    out.bytes_mut(0).copy_from_slice(image.bytes(0));
    for level in 1..levels {
        let [w, h, d] = out.level_size(level);
        let [pw, ph, pd] = out.level_size(level - 1);
        for layer in 0..out.num_layers() {
            for (x, y, z) in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (x, y, z)))) {
                let (mut sum, mut n) = ([0.0; 4], 0.0);
                for k in 0..8u32 {
                    let at = [2 * x + (k & 1), 2 * y + (k >> 1 & 1), 2 * z + (k >> 2)];
                    let inside = at[0] < pw && at[1] < ph && at[2] < pd;
                    if let Some(Color::Float(f)) = out.get(level - 1, layer, at, 0).filter(|_| inside) {
                        (0..4).for_each(|c| sum[c] += f[c]);
                        n += 1.0;
                    }
                }
                if n > 0.0 {
                    out.set(level, layer, [x, y, z], 0, Color::Float(sum.map(|s| s / n)));
                }
            }
        }
    }
    Ok(out)
}

/// Whether a file is a picture, by its name.
pub fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"))
}

/// An image as a file: `.png` (planes of numbers from 0 to 1, or whole numbers up to 255), `.json`, or its bytes.
pub fn encode(image: &Image, path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let [w, h, d] = image.level_size(0);
    let texels = || image.bytes(0).chunks_exact(image.format.bytes()).map(|t| image.format.read(t));
    match ending.as_deref() {
        Some("png") => {
            let rows = h * d * image.num_layers() * image.num_samples();
            let mut bytes = Vec::with_capacity(w as usize * rows as usize * 4);
            for color in texels() {
                match color {
                    Color::Float(f) => bytes.extend(f.map(|x| png_file::byte(x as f32))),
                    Color::Int(_) => {
                        return Err(fault(format!("`{}`: a PNG file holds no integers", path.display()))
                            .help("write .json, or the bytes with .raw"));
                    }
                }
            }
            png_file::write(w, rows, 4, &bytes)
        }
        Some("json") => Ok((json_text(image) + "\n").into_bytes()),
        _ => Ok(image.bytes(0).to_vec()),
    }
}

/// An image in JSON, one row per line, as [`of_json`] reads it.
pub fn json_text(image: &Image) -> String {
    let [w, h, d] = image.level_size(0);
    let format = image.format.info();
    let comps = format.bits.iter().filter(|b| **b != 0).count().max(1);
    let mut out = format!(
        "{{\"size\": [{w}, {h}, {d}], \"layers\": {}, \"format\": \"{}\", \"data\": [",
        image.num_layers(),
        format.name
    );
    for (i, texel) in image.bytes(0).chunks_exact(image.format.bytes()).enumerate() {
        out.push_str(match i {
            0 => "\n  ",
            i if i % w as usize == 0 => ",\n  ",
            _ => ", ",
        });
        for c in 0..comps {
            if c != 0 {
                out.push_str(", ");
            }
            match image.format.read(texel) {
                Color::Int(v) => numbers::print(&mut out, Scalar::Int64, v[c] as u64),
                Color::Float(v) => {
                    numbers::print(&mut out, Scalar::Float32, u64::from((v[c] as f32).to_bits()))
                }
            }
        }
    }
    out + "\n]}"
}
