//! Numbers of shaders in JSON: values in memory by their types, both ways.
//!
//! Vectors are arrays, matrices arrays of columns, structures objects. Floats that JSON lacks are the strings `nan`,
//! `inf`, `-inf`; other NaNs are their bits, such as `0x7fc00001`, which every number may be.

use airfoil::ir::alu::{f64_from_bits, f64_to_bits};
use airfoil::ir::{Named, Scalar, Type, TypeId, bit_mask};
use airfoil_interp::Layouts;
use serde_json::Value;
use std::fmt::Write as _;

/// Most bytes of a buffer.
pub const MOST_BYTES: u64 = 1 << 30;

/// Bits and bytes of a scalar in memory; booleans take 32 bits.
pub fn width(scalar: Scalar) -> u32 {
    match scalar.bits() {
        0 | 1 => 32,
        bits => u32::from(bits),
    }
}

/// The bits of a number at an offset; bytes after the end are 0.
pub fn read(bytes: &[u8], at: u64, scalar: Scalar) -> u64 {
    let mut raw = [0; 8];
    let from = usize::try_from(at).unwrap_or(usize::MAX);
    let there = bytes.get(from..).unwrap_or_default();
    let n = there.len().min(width(scalar) as usize / 8);
    raw[..n].copy_from_slice(&there[..n]);
    u64::from_le_bytes(raw)
}

/// Writes the bits of a number; the bytes grow as needed.
pub fn write(bytes: &mut Vec<u8>, at: u64, scalar: Scalar, raw: u64) -> Result<(), String> {
    let n = width(scalar) as usize / 8;
    let end = at.saturating_add(n as u64);
    if end > MOST_BYTES {
        return Err(format!("takes more than {MOST_BYTES} bytes"));
    }
    if bytes.len() < end as usize {
        bytes.resize(end as usize, 0);
    }
    bytes[at as usize..end as usize].copy_from_slice(&raw.to_le_bytes()[..n]);
    Ok(())
}

/// A number in JSON.
pub fn print(out: &mut String, scalar: Scalar, raw: u64) {
    let bits = width(scalar);
    let raw = raw & bit_mask(bits);
    // Writing to a string cannot fail.
    let _ = match scalar {
        Scalar::Bool => write!(out, "{}", raw != 0),
        s if s.is_float() => {
            let x = f64_from_bits(raw, bits);
            match x {
                x if x.is_infinite() => write!(out, "\"{}inf\"", if x < 0.0 { "-" } else { "" }),
                x if x.is_nan() && raw == f64_to_bits(f64::NAN, bits) => write!(out, "\"nan\""),
                x if x.is_nan() => write!(out, "\"{raw:#x}\""),
                // The shortest number that reads back to the same bits.
                x if bits == 64 => write!(out, "{x:?}"),
                x => write!(out, "{:?}", x as f32),
            }
        }
        s if s.is_signed() => write!(out, "{}", airfoil::ir::sign_extend(raw, bits)),
        _ => write!(out, "{raw}"),
    };
}

/// The bits of a number in JSON.
pub fn parse(scalar: Scalar, value: &Value) -> Result<u64, String> {
    let bits = width(scalar);
    let wrong = || format!("{value} is not {}", words(scalar));
    let bits_of = |text: &str| {
        let digits = text.strip_prefix("0x")?;
        u64::from_str_radix(digits, 16).ok().filter(|raw| *raw <= bit_mask(bits))
    };
    let float = |x: f64| Ok(f64_to_bits(x, bits));
    match value {
        Value::Bool(b) if scalar == Scalar::Bool => Ok(u64::from(*b)),
        Value::String(text) => match (bits_of(text), text.as_str()) {
            (Some(raw), _) => Ok(raw),
            (None, "nan") if scalar.is_float() => float(f64::NAN),
            (None, "inf") if scalar.is_float() => float(f64::INFINITY),
            (None, "-inf") if scalar.is_float() => float(f64::NEG_INFINITY),
            _ => Err(wrong()),
        },
        Value::Number(n) if scalar.is_float() => match n.as_f64() {
            // From text to 32 bits at once: two roundings could differ.
            Some(_) if bits == 32 => {
                n.to_string().parse::<f32>().map(|x| u64::from(x.to_bits())).map_err(|_| wrong())
            }
            Some(x) => float(x),
            None => Err(wrong()),
        },
        Value::Number(n) => {
            let raw = if scalar.is_signed() {
                let half = 1i128 << (bits - 1);
                n.as_i64().map(i128::from).filter(|x| (-half..half).contains(x)).map(|x| x as u64)
            } else {
                let most = if scalar == Scalar::Bool { 1 } else { bit_mask(bits) };
                n.as_u64().filter(|x| *x <= most)
            };
            raw.map(|raw| raw & bit_mask(bits)).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

fn words(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "true or false".to_string(),
        s if s.is_float() => "a number".to_string(),
        s if s.is_signed() => format!("a whole number of {} bits", s.bits()),
        s => format!("a whole number of {} bits without sign", width(s)),
    }
}

/// The scalar type of a name such as `f32` or `float32`.
pub fn scalar_named(name: &str) -> Option<Scalar> {
    let (letter, bits) = name.split_at_checked(1)?;
    let long = match letter {
        "f" => "float",
        "i" => "int",
        "u" => "uint",
        _ => return Named::from_name(name),
    };
    let short: Option<Scalar> = Named::from_name(&format!("{long}{bits}"));
    short.or_else(|| Named::from_name(name)).filter(|s| !matches!(s, Scalar::Any | Scalar::Bool))
}

/// Bytes of `{"type": "f32", "data": [...]}`; `None` for other values.
pub fn typed(value: &Value) -> Option<Result<(Scalar, Vec<u8>), String>> {
    let object = value.as_object().filter(|o| o.len() == 2)?;
    let (name, data) = (object.get("type")?.as_str()?, object.get("data")?.as_array()?);
    let Some(scalar) = scalar_named(name) else {
        return Some(Err(format!("`{name}` is not a type of numbers, such as f32, u32 or i16")));
    };
    let mut bytes = Vec::new();
    Some(flat(scalar, data, &mut bytes).map(|()| (scalar, bytes)))
}

fn flat(scalar: Scalar, list: &[Value], bytes: &mut Vec<u8>) -> Result<(), String> {
    for value in list {
        match value {
            Value::Array(inner) => flat(scalar, inner, bytes)?,
            value => write(bytes, bytes.len() as u64, scalar, parse(scalar, value)?)?,
        }
    }
    Ok(())
}

/// Values of a type in memory.
#[derive(Debug)]
pub struct Memory<'t> {
    layouts: Layouts<'t>,
}

impl<'t> Memory<'t> {
    /// Values of these types.
    pub fn new(types: &'t airfoil::ir::Types) -> Memory<'t> {
        Memory { layouts: Layouts::new(types, 0) }
    }

    fn ty(&self, ty: TypeId) -> &'t Type {
        &self.layouts.types()[ty]
    }

    /// Bytes of a type; a run-time array at its end counts as empty.
    pub fn size(&mut self, ty: TypeId) -> u64 {
        self.layouts.of(ty).0
    }

    /// The run-time array at the end of a block: its offset, the bytes between its elements, and their type.
    pub fn open_end(&mut self, ty: TypeId) -> Option<(u64, u64, TypeId)> {
        match self.ty(ty) {
            Type::Struct(s) => {
                let (last, member) = s.members.iter().enumerate().next_back()?;
                let (at, stride, elem) = self.open_end(member.ty)?;
                Some((self.layouts.member(ty, last) + at, stride, elem))
            }
            Type::Array { len: 0, elem, .. } => Some((0, self.layouts.stride(ty), *elem)),
            _ => None,
        }
    }

    /// Offset and type of the member that a path such as `.lights[2].colour` selects.
    pub fn step(&mut self, ty: TypeId, path: &str) -> Option<(u64, TypeId)> {
        self.layouts.step(ty, path)
    }

    /// Bits of all numbers of a type.
    pub fn scalars(&mut self, ty: TypeId, bytes: &[u8]) -> Result<Vec<u64>, String> {
        let leaves = self.layouts.leaves(ty).map_err(|f| f.message)?;
        let places = leaves.iter().flat_map(|l| {
            (0..u64::from(l.comps)).map(move |c| (l.offset + c * u64::from(l.stride), l.scalar))
        });
        Ok(places.map(|(at, scalar)| read(bytes, at, scalar)).collect())
    }

    /// Sets all numbers of a type to values from `make`.
    pub fn fill(
        &mut self,
        ty: TypeId,
        at: u64,
        bytes: &mut Vec<u8>,
        make: &mut impl FnMut(Scalar) -> u64,
    ) -> Result<(), String> {
        let leaves = self.layouts.leaves(ty).map_err(|f| f.message)?;
        for leaf in leaves.iter() {
            for c in 0..u64::from(leaf.comps) {
                write(bytes, at + leaf.offset + c * u64::from(leaf.stride), leaf.scalar, make(leaf.scalar))?;
            }
        }
        Ok(())
    }

    /// Elements of an array whose bytes end at `end`.
    fn length(&mut self, ty: TypeId, len: u32, at: u64, end: u64) -> u64 {
        match len {
            0 => end.saturating_sub(at).checked_div(self.layouts.stride(ty)).unwrap_or(0),
            n => u64::from(n),
        }
    }

    /// Prints a value.
    pub fn print(&mut self, out: &mut String, ty: TypeId, bytes: &[u8], at: u64, indent: usize) {
        let list = |out: &mut String, n: u64, item: &mut dyn FnMut(&mut String, u64)| {
            out.push('[');
            for i in 0..n {
                if i != 0 {
                    out.push_str(", ");
                }
                item(out, i);
            }
            out.push(']');
        };
        match *self.ty(ty) {
            Type::Vector { scalar, comps: 1 } => print(out, scalar, read(bytes, at, scalar)),
            Type::Vector { .. } | Type::Matrix { .. } => {
                let Ok(leaves) = self.layouts.leaves(ty) else { return };
                let mut column = |out: &mut String, i: u64| {
                    let leaf = &leaves[i as usize];
                    list(out, u64::from(leaf.comps), &mut |out, c| {
                        let at = at + leaf.offset + c * u64::from(leaf.stride);
                        print(out, leaf.scalar, read(bytes, at, leaf.scalar));
                    });
                };
                match leaves.len() {
                    1 => column(out, 0),
                    n => list(out, n as u64, &mut column),
                }
            }
            Type::Array { elem, len, .. } => {
                let n = self.length(ty, len, at, bytes.len() as u64);
                let stride = self.layouts.stride(ty);
                if matches!(self.ty(elem), Type::Struct(_)) && n != 0 {
                    out.push('[');
                    for i in 0..n {
                        let _ = write!(
                            out,
                            "{}\n{:indent$}",
                            if i == 0 { "" } else { "," },
                            "",
                            indent = indent + 2
                        );
                        self.print(out, elem, bytes, at + i * stride, usize::MAX);
                    }
                    let _ = write!(out, "\n{:indent$}]", "");
                    return;
                }
                list(out, n, &mut |out, i| self.print(out, elem, bytes, at + i * stride, indent));
            }
            Type::Struct(ref s) => {
                let wide = indent != usize::MAX && !s.members.is_empty();
                out.push('{');
                for (i, member) in s.members.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    let _ = match wide {
                        true => write!(out, "\n{:indent$}", "", indent = indent + 2),
                        false => write!(out, "{}", if i == 0 { "" } else { " " }),
                    };
                    let _ = write!(out, "{}: ", Value::from(member_name(&member.name, i)));
                    let place = at + self.layouts.member(ty, i);
                    self.print(out, member.ty, bytes, place, if wide { indent + 2 } else { indent });
                }
                if wide {
                    let _ = write!(out, "\n{:indent$}", "");
                }
                out.push('}');
            }
            Type::Image(_) | Type::Sampler => out.push_str("null"),
        }
    }

    /// Writes a value of a type into memory. `path` names it in messages.
    pub fn parse(
        &mut self,
        ty: TypeId,
        value: &Value,
        at: u64,
        bytes: &mut Vec<u8>,
        path: &mut String,
    ) -> Result<(), String> {
        match *self.ty(ty) {
            Type::Vector { scalar, comps: 1 } => {
                let raw = parse(scalar, value).map_err(|e| format!("`{path}`: {e}"))?;
                write(bytes, at, scalar, raw).map_err(|e| format!("`{path}` {e}"))
            }
            Type::Vector { .. } | Type::Matrix { .. } => {
                let leaves = self.layouts.leaves(ty).map_err(|f| f.message)?;
                let columns = match leaves.len() {
                    1 => vec![value],
                    n => elements(value, n as u64, path)?.iter().collect(),
                };
                for (leaf, column) in leaves.iter().zip(columns) {
                    let numbers = elements(column, u64::from(leaf.comps), path)?;
                    for (c, number) in (0u64..).zip(numbers) {
                        let raw = parse(leaf.scalar, number).map_err(|e| format!("`{path}`: {e}"))?;
                        let at = at + leaf.offset + c * u64::from(leaf.stride);
                        write(bytes, at, leaf.scalar, raw).map_err(|e| format!("`{path}` {e}"))?;
                    }
                }
                Ok(())
            }
            Type::Array { elem, len, .. } => {
                let list = match len {
                    0 => value.as_array().ok_or_else(|| format!("`{path}`: {value} is not an array"))?,
                    n => elements(value, u64::from(n), path)?,
                };
                let stride = self.layouts.stride(ty);
                let before = path.len();
                for (i, value) in (0u64..).zip(list) {
                    let _ = write!(path, "[{i}]");
                    self.parse(elem, value, at.saturating_add(i.saturating_mul(stride)), bytes, path)?;
                    path.truncate(before);
                }
                Ok(())
            }
            Type::Struct(ref s) => {
                let Some(object) = value.as_object() else {
                    // A block with one member may be given by that alone.
                    if let [member] = &*s.members {
                        let at = at + self.layouts.member(ty, 0);
                        return self.parse(member.ty, value, at, bytes, path);
                    }
                    return Err(format!(
                        "`{path}`: {value} is not an object with the members {}",
                        members(s)
                    ));
                };
                let before = path.len();
                for (name, value) in object {
                    let place =
                        s.members.iter().enumerate().position(|(i, m)| member_name(&m.name, i) == *name);
                    let Some(i) = place else {
                        return Err(format!("`{path}` has no member `{name}`; it has {}", members(s)));
                    };
                    let _ = write!(path, ".{name}");
                    let at = at.saturating_add(self.layouts.member(ty, i));
                    self.parse(s.members[i].ty, value, at, bytes, path)?;
                    path.truncate(before);
                }
                Ok(())
            }
            Type::Image(_) | Type::Sampler => Err(format!("`{path}` is not a number")),
        }
    }
}

/// Name of a member; those without a name are numbered.
fn member_name(name: &str, index: usize) -> String {
    if name.is_empty() { format!("_{index}") } else { name.to_string() }
}

fn members(s: &airfoil::ir::StructType) -> String {
    let names = s.members.iter().enumerate().map(|(i, m)| member_name(&m.name, i));
    names.collect::<Vec<_>>().join(", ")
}

/// The elements of an array that has as many as there must be.
fn elements<'v>(value: &'v Value, n: u64, path: &str) -> Result<&'v [Value], String> {
    let list = value.as_array().ok_or_else(|| format!("`{path}`: {value} is not an array of {n}"))?;
    if list.len() as u64 != n {
        return Err(format!("`{path}` has {n} elements, but {} are given", list.len()));
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(scalar: Scalar, raw: u64) -> String {
        let mut out = String::new();
        print(&mut out, scalar, raw);
        out
    }

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        let floats = [0.1f32, -0.0, 1e-45, f32::MAX, 16777217.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let odd = [0x7fc0_0001u32, 0xffc0_0000];
        for raw in floats.map(f32::to_bits).into_iter().chain(odd).map(u64::from) {
            let printed = text(Scalar::Float32, raw);
            let value: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(parse(Scalar::Float32, &value), Ok(raw), "{printed}");
        }
        for (scalar, raw, printed) in [
            (Scalar::Int32, 0xffff_ffff, "-1"),
            (Scalar::Uint32, 0xffff_ffff, "4294967295"),
            (Scalar::Int64, 1 << 63, "-9223372036854775808"),
            (Scalar::Uint64, u64::MAX, "18446744073709551615"),
            (Scalar::Float32, u64::from(0.1f32.to_bits()), "0.1"),
            (Scalar::Float64, 0.1f64.to_bits(), "0.1"),
            (Scalar::Float16, 0x3c00, "1.0"),
            (Scalar::Bool, 1, "true"),
            (Scalar::Int8, 0x80, "-128"),
        ] {
            assert_eq!(text(scalar, raw), printed);
            assert_eq!(parse(scalar, &serde_json::from_str(printed).unwrap()), Ok(raw), "{printed}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for (scalar, value) in [
            (Scalar::Int8, json!(128)),
            (Scalar::Uint32, json!(-1)),
            (Scalar::Uint32, json!(1.5)),
            (Scalar::Bool, json!(2)),
            (Scalar::Float32, json!("much")),
            (Scalar::Int32, json!("nan")),
            (Scalar::Float32, json!(null)),
            (Scalar::Float16, json!("0x10000")),
        ] {
            assert!(parse(scalar, &value).is_err(), "{value}");
        }
    }

    #[test]
    fn typed_arrays() {
        let (scalar, bytes) = typed(&json!({"type": "u16", "data": [1, [2, 3]]})).unwrap().unwrap();
        assert_eq!((scalar, bytes), (Scalar::Uint16, vec![1, 0, 2, 0, 3, 0]));
        assert!(typed(&json!({"type": "u16"})).is_none());
        assert!(typed(&json!({"type": "q8", "data": []})).unwrap().is_err());
    }
}
