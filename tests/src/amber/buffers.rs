//! `BUFFER`, `IMAGE`, `SAMPLER`.

use super::Fault;
use super::format::{Format, Kind};
use super::number::Number;
use super::parser::Parser;
use super::script::{Buffer, Extent};
use super::types::{Layout, Rules, Type};
use airfoil_interp::texture::{Compare, Filter, Mip, Sampler, Wrap};
use airfoil_ir::Dim;

/// Most bytes of a buffer.
const MAX_BYTES: u64 = 1 << 28;

/// A buffer of bytes from numbers.
pub(super) fn encode(layout: &Layout, numbers: impl ExactSizeIterator<Item = Number>) -> Option<Vec<u8>> {
    let size = layout.bytes_for(numbers.len());
    if size > MAX_BYTES {
        return None;
    }
    let mut bytes = vec![0; size as usize];
    for (n, number) in numbers.enumerate() {
        let leaf = layout.leaf(n);
        leaf.set_raw(&mut bytes, leaf.encode(number))?;
    }
    Some(bytes)
}

/// The format that a data type is as texels.
fn texel_format(ty: &Type) -> Option<Format> {
    let (kind, bits, n) = match ty {
        Type::Scalar(kind, bits) => (*kind, *bits, 1),
        Type::Vector(kind, bits, n) => (*kind, *bits, *n),
        Type::Texel(format) => return Some(format.clone()),
        _ => return None,
    };
    let kind = match kind {
        Kind::Uint => "UINT",
        Kind::Sint => "SINT",
        _ => "SFLOAT",
    };
    let letters: String = "RGBA".chars().take(n as usize).map(|c| format!("{c}{bits}")).collect();
    Format::parse(&format!("{letters}_{kind}"))
}

impl Parser<'_, '_> {
    fn new_name(&mut self) -> Result<String, Fault> {
        let name = self.lex.expect("a name")?;
        if self.script.buffers.iter().any(|b| b.name == name.text) {
            return Err(self.lex.fault_at(name.at, format!("there are two buffers `{}`", name.text)));
        }
        Ok(name.text.to_string())
    }

    pub(super) fn buffer(&mut self) -> Result<(), Fault> {
        let name = self.new_name()?;
        if self.lex.take("FORMAT") {
            let word = self.lex.expect("a format")?;
            let ty = self.type_of(word)?;
            return self.texels(name, &ty, Dim::D2);
        }
        self.lex.expect_word("DATA_TYPE")?;
        let word = self.lex.expect("a data type")?;
        let ty = self.type_of(word)?;
        let rules = match self.lex.peek().text {
            "STD140" => Rules::Std140,
            "STD430" => Rules::Std430,
            _ => Rules::default(),
        };
        if matches!(self.lex.peek().text, "STD140" | "STD430") {
            self.lex.next_word();
        }
        let Some(mut layout) = ty.layout(rules) else {
            return Err(self.lex.fault_at(word.at, "this data type is too large"));
        };
        if let Type::Array(element, None) = &ty {
            // An open array: elements at its stride.
            layout.leaves.truncate(element.layout(rules).map_or(1, |l| l.leaves.len()));
        }
        let (mut count, mut width, mut height) = (None, None, None);
        loop {
            let word = self.lex.peek();
            let to = match word.text {
                "SIZE" => &mut count,
                "WIDTH" => &mut width,
                "HEIGHT" => &mut height,
                _ => break,
            };
            self.lex.next_word();
            *to = Some(self.lex.count("a size")?);
        }
        let count = count.or(width.zip(height).map(|(w, h)| w.saturating_mul(h)));
        let bytes = self.contents(&layout, count)?.unwrap_or_default();
        let format = match ty {
            Type::Texel(format) => Some(format),
            _ => None,
        };
        let extent =
            width.zip(height).map(|(w, h)| Extent { dim: Dim::D2, size: [w, h, 1], levels: 1, samples: 1 });
        self.script.buffers.push(Buffer { name, layout, format, bytes, extent });
        Ok(())
    }

    pub(super) fn image(&mut self) -> Result<(), Fault> {
        let name = self.new_name()?;
        if !self.lex.take("DATA_TYPE") {
            self.lex.expect_word("FORMAT")?;
        }
        let word = self.lex.expect("a format")?;
        let ty = self.type_of(word)?;
        self.texels(name, &ty, Dim::D2)
    }

    /// The rest of a buffer of texels.
    fn texels(&mut self, name: String, ty: &Type, dim: Dim) -> Result<(), Fault> {
        let at = self.lex.peek().at;
        let Some(format) = texel_format(ty) else {
            return Err(self.lex.fault_at(at, "an image cannot have this data type"));
        };
        let Some(layout) = Type::Texel(format.clone()).layout(Rules::Std430) else {
            return Err(self.lex.fault_at(at, "this format is too large"));
        };
        let mut extent = Extent { dim, size: [0, 0, 0], levels: 1, samples: 1 };
        loop {
            let word = self.lex.peek();
            let value = match word.text {
                "DIM_1D" | "DIM_2D" | "DIM_3D" => {
                    self.lex.next_word();
                    extent.dim = match word.text {
                        "DIM_1D" => Dim::D1,
                        "DIM_3D" => Dim::D3,
                        _ => Dim::D2,
                    };
                    continue;
                }
                "WIDTH" => &mut extent.size[0],
                "HEIGHT" => &mut extent.size[1],
                "DEPTH" => &mut extent.size[2],
                "MIP_LEVELS" => &mut extent.levels,
                "SAMPLES" => &mut extent.samples,
                _ => break,
            };
            self.lex.next_word();
            *value = self.lex.count("a size")?;
            if *value == 0 {
                return Err(self.lex.fault_at(word.at, format!("{} cannot be 0", word.text)));
            }
        }
        let texels = if extent.size[0] == 0 {
            None
        } else {
            extent.size = extent.size.map(|n| n.max(1));
            let all = extent.size.iter().chain([&extent.samples]).fold(1u32, |a, n| a.saturating_mul(*n));
            Some(all)
        };
        let bytes = self.contents(&layout, texels)?.unwrap_or_default();
        self.script.buffers.push(Buffer { name, layout, format: Some(format), bytes, extent: Some(extent) });
        Ok(())
    }

    /// The contents of a buffer; `None` if they are not given and its size is unknown.
    fn contents(&mut self, layout: &Layout, count: Option<u32>) -> Result<Option<Vec<u8>>, Fault> {
        let word = self.lex.next_word();
        let total = count.map(|n| n as usize * layout.leaves.len());
        let needs_size = |p: &Self| p.lex.fault_at(word.at, "a size is needed before this");
        let too_large = |p: &Self| p.lex.fault_at(word.at, "this buffer is too large");
        if total.is_some_and(|n| layout.bytes_for(n) > MAX_BYTES) {
            return Err(too_large(self));
        }
        let numbers: Vec<Number> = match word.text {
            "" => match total {
                Some(total) => vec![Number::Int(0); total],
                None => return Ok(None),
            },
            "FILL" => {
                let value = self.lex.number("a value")?;
                vec![value; total.ok_or_else(|| needs_size(self))?]
            }
            "SERIES_FROM" => {
                let first = self.lex.number("a value")?;
                self.lex.expect_word("INC_BY")?;
                let step = self.lex.number("a value")?;
                let total = total.ok_or_else(|| needs_size(self))?;
                (0..total as u64).map(|n| first.plus(n, step)).collect()
            }
            "DATA" => {
                let mut numbers = Vec::new();
                loop {
                    let word = self.lex.next_anywhere();
                    match (word.text, Number::parse(word.text)) {
                        ("END", _) => break,
                        ("", _) => return Err(self.lex.fault_at(word.at, "DATA has no END")),
                        (_, Some(number)) => numbers.push(number),
                        (text, None) => {
                            return Err(self.lex.fault_at(word.at, format!("`{text}` is not a number")));
                        }
                    }
                }
                let least = total.unwrap_or(0).max(numbers.len());
                numbers.resize(least, Number::Int(0));
                numbers
            }
            "FILE" => {
                let kind = self.lex.expect("TEXT, BINARY or a file")?;
                let name = match kind.text {
                    "TEXT" | "BINARY" | "PNG" => self.lex.expect("a file")?.text,
                    name => name,
                };
                let bytes = self.file(name);
                self.lex.end_of_line()?;
                let size = layout.bytes_for(total.unwrap_or(0)) as usize;
                if kind.text != "TEXT" {
                    let mut bytes = bytes;
                    bytes.resize(bytes.len().max(size), 0);
                    return Ok(Some(bytes));
                }
                let text = String::from_utf8_lossy(&bytes);
                let mut numbers: Vec<Number> = text.split_whitespace().filter_map(Number::parse).collect();
                numbers.resize(numbers.len().max(total.unwrap_or(0)), Number::Int(0));
                return encode(layout, numbers.into_iter()).map(Some).ok_or_else(|| too_large(self));
            }
            other => return Err(self.lex.fault_at(word.at, format!("a buffer has no `{other}`"))),
        };
        if word.text != "DATA" {
            self.lex.end_of_line()?;
        }
        encode(layout, numbers.into_iter()).map(Some).ok_or_else(|| too_large(self))
    }

    pub(super) fn sampler(&mut self) -> Result<(), Fault> {
        let name = self.lex.expect("a name")?.text.to_string();
        let mut sampler = Sampler { min_lod: 0.0, max_lod: 1.0, mip: Mip::Nearest, ..Sampler::default() };
        loop {
            let word = self.lex.next_word();
            if word.text.is_empty() {
                break;
            }
            if word.text == "NORMALIZED_COORDS" {
                continue;
            }
            if word.text == "UNNORMALIZED_COORDS" {
                sampler.unnormalized = true;
                continue;
            }
            let value = self.lex.expect("a value")?;
            let known = match word.text {
                "MAG_FILTER" => filter(value.text).map(|f| sampler.mag = f),
                "MIN_FILTER" => filter(value.text).map(|f| sampler.min = f),
                "ADDRESS_MODE_U" => wrap(value.text).map(|w| sampler.wrap[0] = w),
                "ADDRESS_MODE_V" => wrap(value.text).map(|w| sampler.wrap[1] = w),
                "ADDRESS_MODE_W" => wrap(value.text).map(|w| sampler.wrap[2] = w),
                "MIN_LOD" => Number::parse(value.text).map(|n| sampler.min_lod = n.float()),
                "MAX_LOD" => Number::parse(value.text).map(|n| sampler.max_lod = n.float()),
                "COMPARE" | "COMPARE_OP" => Compare::from_name(value.text).map(|c| sampler.compare = Some(c)),
                "BORDER_COLOR" => match () {
                    _ if value.text.ends_with("transparent_black") => Some([0; 4]),
                    _ if value.text.ends_with("opaque_black") => Some([0, 0, 0, 1]),
                    _ if value.text.ends_with("opaque_white") => Some([1; 4]),
                    _ => None,
                }
                .map(|border: [i64; 4]| {
                    sampler.border_int = border;
                    sampler.border = border.map(|c| c as f64);
                }),
                other => return Err(self.lex.fault_at(word.at, format!("a sampler has no `{other}`"))),
            };
            if known.is_none() {
                return Err(self.lex.fault_at(value.at, format!("{} cannot be `{}`", word.text, value.text)));
            }
        }
        self.script.samplers.push((name, sampler));
        Ok(())
    }
}

fn filter(name: &str) -> Option<Filter> {
    match name {
        "nearest" => Some(Filter::Nearest),
        "linear" => Some(Filter::Linear),
        _ => None,
    }
}

fn wrap(name: &str) -> Option<Wrap> {
    Some(match name {
        "repeat" => Wrap::Repeat,
        "mirrored_repeat" => Wrap::MirroredRepeat,
        "clamp_to_edge" => Wrap::ClampToEdge,
        "clamp_to_border" => Wrap::ClampToBorder,
        "mirrored_clamp_to_edge" | "mirror_clamp_to_edge" => Wrap::MirrorClampToEdge,
        _ => return None,
    })
}
