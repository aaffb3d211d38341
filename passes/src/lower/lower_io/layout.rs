//! Layout of memory without an explicit one: workgroup memory and the default uniform block. The rules are
//! those of std430 (OpenGL 4.6 section 7.6.2.2): a vector of three components is aligned like one of four, an
//! array's stride is its element size rounded up, a structure is aligned like its strictest member. Explicit
//! offsets and strides take precedence.

use airfoil_ir::{Diagnostic, Modes, Shader, StructType, Type, TypeId, Types, VarId, Variable};
use rustc_hash::FxHashMap;

/// Size and alignment in bytes.
pub(super) type SizeAlign = (u32, u32);

/// Sizes and alignments of types, computed once each.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    known: FxHashMap<TypeId, SizeAlign>,
}

fn round_up(n: u32, to: u32) -> u32 {
    n.checked_next_multiple_of(to.max(1)).unwrap_or(u32::MAX)
}

fn vector(bits: u8, comps: u8) -> SizeAlign {
    let bytes = if bits == 1 { 4 } else { u32::from(bits) / 8 };
    let lanes = if comps == 3 { 4 } else { u32::from(comps) };
    (bytes * u32::from(comps), bytes * lanes)
}

impl Layouts {
    /// Size and alignment of a type.
    pub(super) fn of(&mut self, types: &Types, ty: TypeId) -> SizeAlign {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let layout = match &types[ty] {
            Type::Vector { scalar, comps } => vector(scalar.bits(), *comps),
            Type::Matrix { scalar, cols, rows, stride: 0, .. } => {
                let (size, align) = vector(scalar.bits(), *rows);
                (round_up(size, align) * u32::from(*cols), align)
            }
            Type::Matrix { scalar, .. } => (types.size(ty), vector(scalar.bits(), 4).1),
            Type::Array { elem, len, .. } => {
                let align = self.of(types, *elem).1;
                (self.stride(types, ty).saturating_mul(*len), align)
            }
            Type::Struct(s) => {
                let (mut end, mut align) = (0, 1);
                for field in 0..s.members.len() {
                    let (size, a) = self.of(types, s.members[field].ty);
                    let at = s.members[field].offset.unwrap_or_else(|| round_up(end, a));
                    end = end.max(at.saturating_add(size));
                    align = align.max(a);
                }
                (round_up(end, align), align)
            }
            Type::Image(_) | Type::Sampler => (0, 1),
        };
        self.known.insert(ty, layout);
        layout
    }

    /// Bytes between elements of an array or columns of a matrix without explicit layout.
    pub(super) fn stride(&mut self, types: &Types, ty: TypeId) -> u32 {
        match types[ty] {
            Type::Array { stride, .. } | Type::Matrix { stride, .. } if stride != 0 => stride,
            Type::Array { elem, .. } => {
                let (size, align) = self.of(types, elem);
                round_up(size, align)
            }
            Type::Matrix { scalar, rows, .. } => {
                let (size, align) = vector(scalar.bits(), rows);
                round_up(size, align)
            }
            _ => 0,
        }
    }

    /// Byte offset of a member.
    pub(super) fn member(&mut self, types: &Types, s: &StructType, field: usize) -> u32 {
        let mut end = 0;
        for (i, m) in s.members.iter().enumerate() {
            let (size, align) = match m.offset {
                // Offsets are explicit for all members or for none.
                Some(offset) if i == field => return offset,
                Some(_) => continue,
                None => self.of(types, m.ty),
            };
            let at = round_up(end, align);
            if i == field {
                return at;
            }
            end = at.saturating_add(size);
        }
        end
    }
}

/// Assigns offsets to the variables of one mode, in declaration order; returns the total number of bytes. Blocks in
/// workgroup memory all begin at offset 0.
pub(super) fn assign(shader: &mut Shader, mode: Modes) -> Result<u32, Diagnostic> {
    let mut layouts = Layouts::default();
    let is_block = |v: &Variable| v.is_workgroup_block(&shader.types);
    let blocks = shader.vars.values().filter(|v| v.mode == mode && is_block(v));
    let mut end = blocks.map(|v| layouts.of(&shader.types, v.ty).0).max().unwrap_or(0);
    let ids: Vec<VarId> = shader.vars.iter().filter(|(_, v)| v.mode == mode).map(|(id, _)| id).collect();
    for id in ids {
        let v = &shader.vars[id];
        if shader.types.is_opaque(v.ty) {
            continue;
        }
        if v.is_workgroup_block(&shader.types) {
            shader.vars[id].offset = 0;
            continue;
        }
        let (size, align) = layouts.of(&shader.types, v.ty);
        let at = round_up(end, align);
        end = at.saturating_add(size);
        if end > 1 << 30 {
            return Err(Diagnostic::error(
                "E0313",
                format!("variable `{}` exceeds the address space", v.name),
            ));
        }
        shader.vars[id].offset = at;
    }
    Ok(end)
}
