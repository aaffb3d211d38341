//! Gives an imported shader the locations that the linker assigned.

use super::blocks::{Moves, move_into_blocks};
use super::opaque::{is_mixed, split};
use crate::hir::{Imported, Placement, Unit};
use crate::link::globals::linked_name;
use crate::link::layout::{Layouts, Rules, Shape, TypeLayout};
use crate::shapes::scalar_of;
use crate::types::{Base, Type};
use airfoil_ir::{
    self as ir, Access, Diagnostic, Member, Modes, Scalar, Shader, StructType, TypeId, Variable,
};
use std::collections::BTreeMap;

/// Bytes of an atomic counter.
const COUNTER_BYTES: u32 = 4;

/// A variable that becomes a member: the byte offset of the member, its name and type.
type Part = (u32, ir::VarId, ir::Name, TypeId);

impl Imported {
    /// The shader of a linked unit.
    ///
    /// # Errors
    /// Code that cannot be moved to the default uniform block.
    pub fn placed(&self, unit: &Unit, name: &str) -> Result<Shader, Vec<Diagnostic>> {
        let mut shader = self.shader.clone();
        shader.name = name.into();
        let (mut uniforms, mut mixed): (Vec<Part>, Vec<ir::VarId>) = Default::default();
        let mut unused: Vec<ir::VarId> = Vec::new();
        let mut counters: BTreeMap<(u32, Option<u32>), Vec<Part>> = BTreeMap::new();
        for &(declared, id) in &self.vars {
            let place = unit[declared].place;
            let var = &mut shader.vars[id];
            match var.mode {
                Modes::IN | Modes::OUT => input_or_output(var, place, unit, declared),
                // No stage uses it.
                Modes::SSBO if self.counters.contains(&id) && place.binding.is_none() => {
                    shader.vars.remove(id);
                }
                Modes::SSBO if self.counters.contains(&id) => {
                    let (name, ty) = (var.name.clone(), var.ty);
                    let binding = (unit[declared].qualifiers.layout.binding.unwrap_or(0), place.binding);
                    let ty = numbers(&mut shader, ty);
                    counters.entry(binding).or_default().push((place.offset.unwrap_or(0), id, name, ty));
                }
                Modes::UNIFORM | Modes::IMAGE | Modes::UBO | Modes::SSBO => {
                    (var.set, var.binding, var.initializer) = (place.set, place.binding, None);
                    if var.name.is_empty() {
                        var.name = linked_name(unit, &unit[declared]).into();
                    }
                    let name = var.name.clone();
                    let is_split = is_mixed(&shader.types, var.ty);
                    if is_split {
                        mixed.push(id);
                    } else if var.mode != Modes::UNIFORM || shader.types.is_opaque(var.ty) {
                        continue;
                    }
                    match place.offset {
                        Some(offset) => {
                            let ty = member_type(&mut shader, unit, unit[declared].ty)?;
                            uniforms.push((offset, id, name, ty));
                        }
                        None => unused.push(id),
                    }
                }
                _ => {}
            }
        }
        split(&mut shader, &mixed).map_err(|fault| vec![fault])?;
        for id in unused {
            shader.vars.remove(id);
        }
        let mut moves = Moves::default();
        if let Some(block) = unit.default_block.as_ref().filter(|_| !uniforms.is_empty()) {
            let made = add_block(&mut shader, "gl_DefaultUniformBlock", uniforms, &mut moves);
            let var = Variable {
                binding: Some(block.binding),
                access: Access::NON_WRITEABLE,
                ..Variable::new("gl_DefaultUniforms", made, Modes::UBO)
            };
            let var = shader.add_var(var);
            moves.values_mut().for_each(|m| m.0 = var);
        }
        for ((number, binding), list) in counters {
            let name = format!("gl_AtomicCounterBuffer{number}");
            let mut own = Moves::default();
            let made = add_block(&mut shader, &name, list, &mut own);
            let var = Variable { binding, ..Variable::new(&name, made, Modes::SSBO) };
            let var = shader.add_var(var);
            moves.extend(own.into_iter().map(|(id, (_, field))| (id, (var, field))));
        }
        move_into_blocks(&mut shader, &moves).map_err(|fault| vec![fault])?;
        Ok(shader)
    }
}

/// The type of a member of the default uniform block.
fn member_type(shader: &mut Shader, unit: &Unit, ty: Type) -> Result<TypeId, Vec<Diagnostic>> {
    let layout = Layouts::new(&unit.types).of(ty, Rules::DEFAULT_BLOCK);
    let layout = layout.map_err(|why| vec![Diagnostic::error("E1124", format!("a uniform: {why}"))])?;
    Ok(explicit(shader, unit, ty, &layout))
}

fn input_or_output(var: &mut Variable, place: Placement, unit: &Unit, declared: crate::hir::VarId) {
    if unit[declared].builtin.is_none() && place.slot.is_some() {
        (var.location, var.component) = (place.slot, place.component);
    }
}

/// Declares the structure of a block; the block of each move is not known yet.
fn add_block(shader: &mut Shader, name: &str, mut parts: Vec<Part>, moves: &mut Moves) -> TypeId {
    parts.sort_by_key(|p| p.0);
    let member = |(offset, _, name, ty): &Part| Member { offset: Some(*offset), ..Member::new(name, *ty) };
    let members = parts.iter().map(member).collect();
    for (field, part) in (0u32..).zip(&parts) {
        moves.insert(part.1, (part.1, field));
    }
    shader.types.intern(ir::Type::Struct(StructType { name: name.into(), members, block: true }))
}

/// The type of counters in memory.
fn numbers(shader: &mut Shader, ty: TypeId) -> TypeId {
    match shader.types[ty] {
        ir::Type::Array { elem, len, .. } => {
            let elem = numbers(shader, elem);
            let stride = match &shader.types[elem] {
                ir::Type::Array { len, stride, .. } => stride.saturating_mul(*len),
                _ => COUNTER_BYTES,
            };
            shader.types.intern(ir::Type::Array { elem, len, stride })
        }
        _ => ty,
    }
}

/// Whether a type has anything but textures and images.
fn has_data(layout: &TypeLayout) -> bool {
    match &layout.shape {
        Shape::Opaque => false,
        Shape::Array { elem, .. } => has_data(elem),
        Shape::Struct { members, .. } => members.iter().any(|m| has_data(&m.layout)),
        Shape::Vector | Shape::Matrix { .. } => true,
    }
}

/// The type of data in memory. Types nest as deeply as a front end allows.
fn explicit(shader: &mut Shader, unit: &Unit, ty: Type, layout: &TypeLayout) -> TypeId {
    let made = match (ty, &layout.shape) {
        (Type::Array(id), Shape::Array { stride, elem, len }) => {
            let elem = explicit(shader, unit, unit.types.get_array(id).elem, elem);
            ir::Type::Array { elem, len: *len, stride: *stride }
        }
        (Type::Struct(id), Shape::Struct { members: places, .. }) => {
            let s = &unit.types.structs[id.0 as usize];
            let mut members = Vec::with_capacity(s.fields.len());
            // Textures and images are variables of their own.
            for (f, place) in s.fields.iter().zip(places).filter(|(_, place)| has_data(&place.layout)) {
                let ty = explicit(shader, unit, f.ty, &place.layout);
                members.push(Member { offset: Some(place.offset), ..Member::new(&unit.names[f.name], ty) });
            }
            let name = s.name.map_or("", |n| &unit.names[n]).into();
            ir::Type::Struct(StructType { name, members: members.into(), block: false })
        }
        (Type::Matrix { base, cols, rows }, Shape::Matrix { stride, row_major }) => {
            ir::Type::Matrix { scalar: scalar_of(base), cols, rows, stride: *stride, row_major: *row_major }
        }
        // Booleans are numbers in memory.
        (Type::Vector { base: Base::Bool, size }, _) => {
            ir::Type::Vector { scalar: Scalar::Uint32, comps: size }
        }
        (Type::Vector { base, size }, _) => ir::Type::Vector { scalar: scalar_of(base), comps: size },
        // Nothing else has a layout.
        _ => ir::Type::Vector { scalar: Scalar::Uint32, comps: 1 },
    };
    shader.types.intern(made)
}
