//! Uniforms outside blocks: the default uniform block as a buffer, resources, atomic counters.

use super::home::{Data, Home};
use super::{LIMIT, MALFORMED, Module, Res, error, fail};
use crate::hir::VarId;
use crate::link::layout::Rules;
use crate::types::{OpaqueKind, Type};
use airfoil_ir::{Access, Member, Modes, Scalar, StructType, TypeId, Variable};

/// Bytes of a counter.
const COUNTER_BYTES: u32 = 4;

/// Bytes between elements of arrays of scalars in the default block, which is laid out as std140.
const ARRAY_STRIDE: u32 = 16;

impl Module<'_> {
    /// A uniform outside blocks.
    pub fn uniform(&mut self, id: VarId) -> Res<Home> {
        let unit = self.unit;
        let var = &unit[id];
        let is_counter = |t: Type| t.as_opaque().is_some_and(|o| o.kind == OpaqueKind::AtomicCounter);
        if is_counter(unit.types.without_arrays(var.ty)) {
            return self.counter(id);
        }
        let leaves = self.num_leaves(var.ty)?;
        let mut data = Data::None;
        if self.has_data(var.ty)? {
            let block = self.default_block()?;
            let Some(&(_, field)) = self.default_members.iter().find(|(v, _)| *v == id) else {
                let name = &unit.names[var.name];
                return fail(MALFORMED, format!("the uniform {name} has no offset in the default block"));
            };
            if leaves == 0 {
                return Ok(Home::Member(block, field));
            }
            data = Data::Member(block, field);
        }
        let (first, len) = self.make_leaves(var)?;
        Ok(Home::Opaque { first, len, data })
    }

    /// The buffer of the default uniform block; assigns its members their homes when it is created.
    fn default_block(&mut self) -> Res<airfoil_ir::VarId> {
        if let Some(var) = self.default_block {
            return Ok(var);
        }
        let unit = self.unit;
        let Some(block) = &unit.default_block else {
            return fail(MALFORMED, "the shader has uniforms and is not linked");
        };
        let mut members = Vec::with_capacity(block.members.len());
        let mut ids = Vec::with_capacity(block.members.len());
        for &(id, offset) in &block.members {
            let var = &unit[id];
            if !self.has_data(var.ty)? {
                continue;
            }
            let ty = if var.qualifiers.subroutine.is_some() {
                self.numbers(var.ty, ARRAY_STRIDE)?
            } else {
                let layout = self.layout(var.ty, Rules::DEFAULT_BLOCK)?;
                self.explicit_type(var.ty, &layout)?
            };
            let precision = var.qualifiers.precision.0;
            members.push(Member {
                offset: Some(offset),
                precision,
                ..Member::new(&unit.names[var.name], ty)
            });
            ids.push(id);
        }
        let ty = self.shader.types.intern(airfoil_ir::Type::Struct(StructType {
            name: "gl_DefaultUniformBlock".into(),
            members: members.into(),
            block: true,
        }));
        let mut made = Variable::new("gl_DefaultUniforms", ty, Modes::UBO);
        made.binding = Some(block.binding);
        made.access = Access::NON_WRITEABLE;
        let made = self.shader.add_var(made);
        self.default_block = Some(made);
        for (field, id) in (0u32..).zip(ids) {
            if self.num_leaves(unit[id].ty)? == 0 {
                self.homes[id.0 as usize] = Home::Member(made, field);
            }
            self.default_members.push((id, field));
        }
        Ok(made)
    }

    /// An atomic counter: a number in the buffer of its binding.
    fn counter(&mut self, id: VarId) -> Res<Home> {
        let unit = self.unit;
        let binding = (unit[id].place.set, unit[id].place.binding);
        let mut list: Vec<(u32, VarId)> = Vec::new();
        for (i, var) in unit.vars.iter().enumerate() {
            let counter = unit.types.without_arrays(var.ty).as_opaque();
            if counter.is_some_and(|o| o.kind == OpaqueKind::AtomicCounter)
                && !var.qualifiers.storage.is_param()
                && (var.place.set, var.place.binding) == binding
            {
                list.push((var.place.offset.unwrap_or(0), VarId(i as u32)));
            }
        }
        list.sort();
        let mut members = Vec::with_capacity(list.len());
        for &(offset, v) in &list {
            let ty = self.numbers(unit[v].ty, COUNTER_BYTES)?;
            members.push(Member { offset: Some(offset), ..Member::new(&unit.names[unit[v].name], ty) });
        }
        let number = unit[id].qualifiers.layout.binding.unwrap_or(0);
        let name = format!("gl_AtomicCounterBuffer{number}");
        let ty = self.shader.types.intern(airfoil_ir::Type::Struct(StructType {
            name: name.as_str().into(),
            members: members.into(),
            block: true,
        }));
        let mut made = Variable::new(&name, ty, Modes::SSBO);
        (made.set, made.binding) = binding;
        let made = self.shader.add_var(made);
        for (field, (_, v)) in list.into_iter().enumerate() {
            self.homes[v.0 as usize] = Home::Member(made, field as u32);
        }
        Ok(self.homes[id.0 as usize])
    }

    /// The type with unsigned integers for atomic counters, and for subroutines, which are held as indices.
    fn numbers(&mut self, ty: Type, bytes: u32) -> Res<TypeId> {
        let Some(array) = self.unit.types.as_array(ty) else {
            return Ok(self.shader.types.vector(Scalar::Uint32, 1));
        };
        let elem = self.numbers(array.elem, bytes)?;
        let stride = match &self.shader.types[elem] {
            airfoil_ir::Type::Array { len, stride, .. } => stride.checked_mul(*len),
            _ => Some(bytes),
        };
        let stride = stride.ok_or_else(|| error(LIMIT, "an array of uniforms is too large"))?;
        Ok(self.shader.types.intern(airfoil_ir::Type::Array { elem, len: array.len, stride }))
    }
}
