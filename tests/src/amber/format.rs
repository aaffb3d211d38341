//! Formats by Vulkan's names, decoded into the bits of their components.

/// The interpretation of the bits of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Unsigned.
    Uint,
    /// Signed.
    Sint,
    /// Unsigned, read as 0 to 1.
    Unorm,
    /// Signed, read as -1 to 1.
    Snorm,
    /// Floats.
    Float,
    /// As `Unorm`, on the sRGB curve.
    Srgb,
}

/// A component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Component {
    /// `R`, `G`, `B`, `A`, `D`, `S` or `X` for bits without meaning.
    pub name: u8,
    /// First bit in the texel, counted from the lowest of the first byte.
    pub bit: u32,
    /// Width.
    pub bits: u32,
    /// Meaning.
    pub kind: Kind,
}

/// A format.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Name, such as `R8G8B8A8_UNORM`.
    pub name: String,
    /// Components in the order of the name.
    pub components: Vec<Component>,
    /// Bytes of a texel.
    pub bytes: u32,
    /// `PACKn`: scripts give the texel as one number.
    pub packed: bool,
}

impl Format {
    /// The format of a name: letters with widths, a kind, and perhaps `PACKn`, where the first component has the highest bits
    /// (Vulkan 1.3, "Format Definition").
    pub fn parse(name: &str) -> Option<Format> {
        let mut groups: Vec<(Vec<(u8, u32)>, Kind)> = Vec::new();
        let (mut pending, mut pack) = (Vec::new(), None);
        for part in name.split('_') {
            let kind = match part {
                "UINT" | "USCALED" => Kind::Uint,
                "SINT" | "SSCALED" => Kind::Sint,
                "UNORM" => Kind::Unorm,
                "SNORM" => Kind::Snorm,
                "SFLOAT" | "UFLOAT" => Kind::Float,
                "SRGB" => Kind::Srgb,
                _ => {
                    match part.strip_prefix("PACK") {
                        Some(bits) => {
                            pack = Some(bits.parse::<u32>().ok().filter(|b| matches!(b, 8 | 16 | 32))?)
                        }
                        None => pending.extend(letters(part)?),
                    }
                    continue;
                }
            };
            groups.push((std::mem::take(&mut pending), kind));
        }
        if !pending.is_empty() || groups.iter().any(|g| g.0.is_empty()) {
            return None;
        }
        let mut components = Vec::new();
        let mut bit = 0;
        for (letters, kind) in groups {
            for (name, bits) in letters {
                components.push(Component { name, bit, bits, kind });
                bit += bits;
            }
        }
        if components.is_empty() || components.len() > 4 {
            return None;
        }
        if let Some(pack) = pack {
            components.iter_mut().for_each(|c| c.bit = bit - c.bit - c.bits);
            bit = bit.max(pack);
        }
        let depth_stencil = components.iter().any(|c| c.name == b'S') && components.len() > 1;
        // A stencil of 8 bits after a depth of 24 fills a word; after other depths it takes a byte of its own.
        let bytes = bit.div_ceil(8).next_multiple_of(if depth_stencil { 4 } else { 1 });
        Some(Format { name: name.into(), components, bytes, packed: pack.is_some() })
    }

    /// A component by its letter.
    pub fn component(&self, name: u8) -> Option<&Component> {
        self.components.iter().find(|c| c.name == name)
    }

    /// Whether shaders read integers.
    pub fn is_integer(&self) -> bool {
        self.components.iter().all(|c| matches!(c.kind, Kind::Uint | Kind::Sint))
    }
}

/// `R8G8` to its letters and widths.
fn letters(part: &str) -> Option<Vec<(u8, u32)>> {
    let mut list = Vec::new();
    let mut bytes = part.bytes().peekable();
    while let Some(letter) = bytes.next() {
        if !b"RGBADSX".contains(&letter) {
            return None;
        }
        let mut bits = 0;
        while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
            bits = bits * 10 + u32::from(digit - b'0');
            if bits > 64 {
                return None;
            }
        }
        if bits == 0 {
            return None;
        }
        list.push((letter, bits));
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_all() {
        let f = Format::parse("B8G8R8A8_UNORM").unwrap();
        assert_eq!((f.bytes, f.component(b'R').unwrap().bit, f.components[0].name), (4, 16, b'B'));
        let f = Format::parse("A2B10G10R10_SNORM_PACK32").unwrap();
        assert_eq!((f.bytes, f.component(b'R').unwrap().bit, f.component(b'A').unwrap().bit), (4, 0, 30));
        let f = Format::parse("D24_UNORM_S8_UINT").unwrap();
        assert_eq!((f.bytes, f.component(b'S').unwrap().bit, f.components[1].kind), (4, 24, Kind::Uint));
        assert_eq!(Format::parse("D32_SFLOAT_S8_UINT").unwrap().bytes, 8);
        assert_eq!(Format::parse("R16G16B16_SNORM").unwrap().bytes, 6);
        assert_eq!(Format::parse("X8_D24_UNORM_PACK32").unwrap().component(b'D').unwrap().bit, 0);
        for bad in ["", "R8", "UNORM", "R_UNORM", "Q8_UNORM", "R8_UNORM_PACK", "R999_UINT", "R8_UNORM_G8"] {
            assert_eq!(Format::parse(bad), None, "{bad}");
        }
    }
}
