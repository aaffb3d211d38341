//! Option values that have a syntax of their own: `--spec`, `--bind`.

use airfoil::SpecValue;
use airfoil::air::select::{ArgumentBuffers, BindingMap};
use std::str::FromStr;

/// `ID=VALUE` of a specialization constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// `SpecId` decoration, or `constant_id` in GLSL.
    pub id: u32,
    /// Value; its type comes from the module or source.
    pub value: SpecValue,
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Spec, String> {
        let (id, value) = text.split_once('=').ok_or("expected ID=VALUE, such as 3=16, 4=true or 5=0.5")?;
        let id = id.trim();
        let id = id.parse().map_err(|_| format!("`{id}` is not a SpecId, a number"))?;
        Ok(Spec { id, value: spec_value(value.trim())? })
    }
}

/// `true`, `false`; a whole number, decimal or `0x...`; a number with `.` or exponent, `inf` or `nan`.
fn spec_value(text: &str) -> Result<SpecValue, String> {
    match text {
        "true" => return Ok(SpecValue::Bool(true)),
        "false" => return Ok(SpecValue::Bool(false)),
        _ => {}
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse::<u64>().ok(),
        None => None,
    };
    match magnitude {
        Some(n) if negative && n > 1 << 63 => Err(format!("`{text}` does not fit 64 bits")),
        Some(n) => Ok(SpecValue::Int(if negative { -i128::from(n) } else { i128::from(n) })),
        None if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            Err(format!("`{text}` does not fit 64 bits"))
        }
        None => text
            .parse()
            .map(SpecValue::Float)
            .map_err(|_| format!("`{text}` is not a value: expected a number, true or false")),
    }
}

/// `WHAT=KIND:N`: the Metal index of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bind {
    resource: Resource,
    space: Space,
    index: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resource {
    Binding(u32, u32),
    Set(u32),
    Push,
    Uniforms,
    Sizes,
}

/// The kinds of Metal indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Buffer,
    Texture,
    Sampler,
}

impl FromStr for Bind {
    type Err = String;

    fn from_str(text: &str) -> Result<Bind, String> {
        const FORM: &str =
            "expected SET,BINDING=KIND:N with KIND buffer, texture or sampler, such as 0,2=texture:5";
        let (resource, place) = text.split_once('=').ok_or(FORM)?;
        let (space, index) = place.split_once(':').ok_or(FORM)?;
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number; {FORM}"));
        let resource = match resource {
            "push" => Resource::Push,
            "uniforms" => Resource::Uniforms,
            "sizes" => Resource::Sizes,
            _ if resource.starts_with("set") => Resource::Set(number(&resource[3..])?),
            _ => {
                let (set, binding) = resource.split_once(',').ok_or_else(|| {
                    format!(
                        "`{resource}` is not a resource: expected SET,BINDING or setN, push, uniforms, sizes"
                    )
                })?;
                Resource::Binding(number(set)?, number(binding)?)
            }
        };
        let space = match space {
            "buffer" => Space::Buffer,
            "texture" => Space::Texture,
            "sampler" => Space::Sampler,
            _ => return Err(format!("`{space}` is not buffer, texture or sampler")),
        };
        if space != Space::Buffer && !matches!(resource, Resource::Binding(..)) {
            return Err("push constants, uniforms, sizes and sets are buffers".to_string());
        }
        Ok(Bind { resource, space, index: number(index)? })
    }
}

impl Bind {
    /// Enters it; of two for the same ID, the later one counts.
    pub fn apply(self, map: &mut BindingMap) {
        let slot = match (self.resource, self.space) {
            (Resource::Set(set), _) => {
                map.sets.insert(set, self.index);
                return;
            }
            (Resource::Push, _) => &mut map.push_constants,
            (Resource::Uniforms, _) => &mut map.default_uniforms,
            (Resource::Sizes, _) => &mut map.buffer_sizes,
            (Resource::Binding(set, binding), space) => {
                let indices = map.resources.entry((set, binding)).or_default();
                match space {
                    Space::Buffer => &mut indices.buffer,
                    Space::Texture => &mut indices.texture,
                    Space::Sampler => &mut indices.sampler,
                }
            }
        };
        *slot = Some(self.index);
    }
}

/// `all`, `uniforms` or numbers of sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetList(pub ArgumentBuffers);

impl FromStr for SetList {
    type Err = String;

    fn from_str(text: &str) -> Result<SetList, String> {
        if text == "all" {
            return Ok(SetList(ArgumentBuffers::All));
        }
        if text == "uniforms" {
            return Ok(SetList(ArgumentBuffers::UniformBlocks));
        }
        let number = |n: &str| {
            n.trim().parse().map_err(|_| {
                format!("`{n}` is not a set: expected `all`, `uniforms` or numbers, such as 0,2")
            })
        };
        Ok(SetList(ArgumentBuffers::Sets(text.split(',').map(number).collect::<Result<_, String>>()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_resources() {
        let mut map = BindingMap::default();
        for text in [
            "0,2=texture:5",
            "0,2=sampler:1",
            "push=buffer:0",
            "1,0=buffer:7",
            "1,0=buffer:8",
            "sizes=buffer:9",
            "set3=buffer:11",
        ] {
            text.parse::<Bind>().unwrap().apply(&mut map);
        }
        let combined = map.resources[&(0, 2)];
        assert_eq!((combined.texture, combined.sampler, combined.buffer), (Some(5), Some(1), None));
        assert_eq!(map.resources[&(1, 0)].buffer, Some(8));
        assert_eq!((map.push_constants, map.buffer_sizes, map.default_uniforms), (Some(0), Some(9), None));
        assert_eq!(map.sets[&3], 11);
        for bad in [
            "",
            "set=buffer:1",
            "set1=texture:1",
            "0,2",
            "0,2=texture",
            "0=buffer:1",
            "0,2=image:1",
            "0,x=buffer:1",
            "push=texture:1",
            "0,1=buffer:-1",
        ] {
            assert!(bad.parse::<Bind>().is_err(), "{bad}");
        }
    }

    #[test]
    fn values_of_specialization_constants() {
        let value = |text: &str| text.parse::<Spec>().map(|s| s.value);
        assert_eq!("7=16".parse(), Ok(Spec { id: 7, value: SpecValue::Int(16) }));
        assert_eq!(value("1=-3"), Ok(SpecValue::Int(-3)));
        assert_eq!(value("1=0xFFFFFFFFFFFFFFFF"), Ok(SpecValue::Int(u64::MAX.into())));
        assert_eq!(value("1=-0x8000000000000000"), Ok(SpecValue::Int(i64::MIN.into())));
        assert_eq!(value("1=true"), Ok(SpecValue::Bool(true)));
        assert_eq!(value("1=2.5e1"), Ok(SpecValue::Float(25.0)));
        assert_eq!(value("1=-inf"), Ok(SpecValue::Float(f64::NEG_INFINITY)));
        for bad in ["1", "x=1", "1=", "1=-", "1=maybe", "1=99999999999999999999", "-1=1", "1=0xg"] {
            assert!(value(bad).is_err(), "{bad}");
        }
    }
}
