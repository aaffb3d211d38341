//! Types of variables: without layout for locals and interfaces, with explicit layout for buffers.
//!
//! Opaque members of structures are not part of the structure's type: they are resources of their own.

use super::type_cache::StructInfo;
use super::{LIMIT, Leaf, MALFORMED, Module, Res, UNSUPPORTED, error, fail, scalar_of};
use crate::hir::{self, Memory};
use crate::link::layout::{Rules, Shape, TypeLayout};
use crate::types::{Base, Opaque, OpaqueKind, StructId, Type};
use airfoil_ir::{Access, Dim, ImageFormat, ImageType, Member, Modes, Scalar, StructType, TypeId, Variable};
use smallvec::SmallVec;
use std::sync::Arc;

/// Most resources that the opaque members of one variable may make.
const MAX_LEAVES: u32 = 4096;
/// Limits of the IR on nesting and members of types.
const MAX_DEPTH: u32 = 255;
const MAX_MEMBERS: u32 = 1 << 20;

/// Qualifiers of memory accesses.
pub fn access_of(memory: Memory) -> Access {
    const TABLE: [(Memory, Access); 6] = [
        (Memory::COHERENT, Access::COHERENT),
        (Memory::VOLATILE, Access::VOLATILE),
        (Memory::RESTRICT, Access::RESTRICT),
        (Memory::READONLY, Access::NON_WRITEABLE),
        (Memory::WRITEONLY, Access::NON_READABLE),
        (Memory::NON_UNIFORM, Access::NON_UNIFORM),
    ];
    TABLE.iter().filter(|(m, _)| memory.contains(*m)).fold(Access::empty(), |all, &(_, a)| all | a)
}

/// Memory where resources of an opaque type live.
pub fn opaque_mode(opaque: Opaque) -> Modes {
    match opaque.kind {
        OpaqueKind::Image => Modes::IMAGE,
        OpaqueKind::AtomicCounter => Modes::SSBO,
        OpaqueKind::Sampled | OpaqueKind::Texture | OpaqueKind::Sampler | OpaqueKind::Subpass => {
            Modes::UNIFORM
        }
    }
}

impl Module<'_> {
    /// The type of a variable without explicit layout.
    pub fn ir_type(&mut self, ty: Type) -> Res<TypeId> {
        match ty {
            Type::Vector { base, size } => Ok(self.shader.types.vector(scalar_of(base), size)),
            Type::Matrix { base, cols, rows } => Ok(self.matrix(base, cols, rows, 0, false)),
            Type::Array(id) => {
                if let Some(&known) = self.types.arrays.get(&ty) {
                    return Ok(known);
                }
                let array = self.unit.types.get_array(id);
                let elem = self.ir_type(array.elem)?;
                let made = self.shader.types.array(elem, array.len);
                self.types.arrays.insert(ty, made);
                Ok(made)
            }
            Type::Struct(id) => Ok(self.struct_info(id)?.ty),
            Type::Opaque(o) => Ok(self.opaque_type(o, ImageFormat::Unknown)),
            Type::Reference(_) => Ok(self.shader.types.vector(Scalar::Uint64, 1)),
            Type::Void | Type::Error => fail(MALFORMED, "a variable without type"),
        }
    }

    fn matrix(&mut self, base: Base, cols: u8, rows: u8, stride: u32, row_major: bool) -> TypeId {
        let scalar = scalar_of(base);
        self.shader.types.intern(airfoil_ir::Type::Matrix { scalar, cols, rows, stride, row_major })
    }

    /// The type of a resource.
    pub fn opaque_type(&mut self, opaque: Opaque, format: ImageFormat) -> TypeId {
        let storage = opaque.kind == OpaqueKind::Image;
        match opaque.kind {
            OpaqueKind::Sampler => self.shader.types.intern(airfoil_ir::Type::Sampler),
            OpaqueKind::AtomicCounter => self.shader.types.vector(Scalar::Uint32, 1),
            _ => self.shader.types.intern(airfoil_ir::Type::Image(ImageType {
                dim: if opaque.external { Dim::D2 } else { opaque.dim },
                arrayed: opaque.arrayed,
                shadow: opaque.shadow,
                sampled: scalar_of(opaque.sampled),
                storage,
                combined: opaque.kind == OpaqueKind::Sampled,
                format: if storage { format } else { ImageFormat::Unknown },
            })),
        }
    }

    fn struct_info(&mut self, id: StructId) -> Res<&StructInfo> {
        let at = id.0 as usize;
        if self.types.structs.len() <= at {
            self.types.structs.resize(self.unit.types.structs.len().max(at + 1), None);
        }
        if self.types.structs[at].is_none() {
            let info = self.make_struct(id)?;
            self.types.structs[at] = Some(info);
        }
        self.types.structs[at].as_ref().ok_or_else(|| error(MALFORMED, "a structure without type"))
    }

    fn make_struct(&mut self, id: StructId) -> Res<StructInfo> {
        let unit = self.unit;
        let Some(s) = unit.types.structs.get(id.0 as usize) else {
            return fail(MALFORMED, "a structure that does not exist");
        };
        let mut info = StructInfo {
            ty: self.shader.types.vector(Scalar::Bool, 1),
            leaves: 0,
            data: false,
            bools: false,
            map: None,
        };
        let mut members = Vec::with_capacity(s.fields.len());
        let mut map: Vec<Option<u32>> = Vec::with_capacity(s.fields.len());
        for f in &s.fields {
            info.leaves = info.leaves.saturating_add(self.num_leaves(f.ty)?);
            info.bools |= self.has_bools(f.ty)?;
            if !self.has_data(f.ty)? {
                map.push(None);
                continue;
            }
            info.data = true;
            map.push(Some(members.len() as u32));
            let precision = f.qualifiers.precision.0;
            members.push(Member { precision, ..Member::new(&unit.names[f.name], self.ir_type(f.ty)?) });
        }
        if members.len() != s.fields.len() {
            info.map = Some(map.into());
        }
        let name = s.name.map_or("", |n| &unit.names[n]);
        info.ty = self.shader.types.intern(airfoil_ir::Type::Struct(StructType {
            name: name.into(),
            members: members.into(),
            block: false,
        }));
        Ok(info)
    }

    /// Resources that the opaque parts of a type make.
    pub fn num_leaves(&mut self, ty: Type) -> Res<u32> {
        let n = match self.unit.types.without_arrays(ty) {
            Type::Opaque(_) => 1,
            Type::Struct(id) => self.struct_info(id)?.leaves,
            _ => 0,
        };
        if n > MAX_LEAVES { fail(LIMIT, "a structure has too many opaque members") } else { Ok(n) }
    }

    /// Whether a type holds anything but opaque parts.
    pub fn has_data(&mut self, ty: Type) -> Res<bool> {
        Ok(match self.unit.types.without_arrays(ty) {
            Type::Opaque(_) => false,
            // A structure without members cannot be declared.
            Type::Struct(id) => self.struct_info(id)?.data,
            _ => true,
        })
    }

    /// Whether a type holds booleans, which look different in buffers.
    pub fn has_bools(&mut self, ty: Type) -> Res<bool> {
        Ok(match self.unit.types.without_arrays(ty) {
            Type::Struct(id) => self.struct_info(id)?.bools,
            other => other.base() == Some(Base::Bool),
        })
    }

    /// Index of a member in the type of its structure; `None` if it is opaque.
    pub fn member_index(&mut self, id: StructId, field: u32) -> Res<Option<u32>> {
        let info = self.struct_info(id)?;
        Ok(match &info.map {
            Some(map) => map.get(field as usize).copied().flatten(),
            None => Some(field),
        })
    }

    /// The type of something in a buffer.
    pub fn explicit_type(&mut self, ty: Type, layout: &Arc<TypeLayout>) -> Res<TypeId> {
        let block = matches!(ty, Type::Struct(id) if self.unit.types.structs[id.0 as usize].block);
        match (ty, &layout.shape) {
            (Type::Vector { base: Base::Bool, size }, _) => {
                return Ok(self.shader.types.vector(Scalar::Uint32, size));
            }
            (Type::Vector { .. } | Type::Opaque(_) | Type::Reference(_), _) => return self.ir_type(ty),
            (Type::Matrix { base, cols, rows }, Shape::Matrix { stride, row_major }) => {
                return Ok(self.matrix(base, cols, rows, *stride, *row_major));
            }
            _ => {}
        }
        let key = (Arc::as_ptr(layout) as usize, block);
        if let Some(&known) = self.types.explicit.get(&key) {
            return Ok(known);
        }
        let unit = self.unit;
        let made = match (ty, &layout.shape) {
            (Type::Array(id), Shape::Array { stride, elem, .. }) => {
                let array = unit.types.get_array(id);
                let elem = self.explicit_type(array.elem, elem)?;
                let whole = airfoil_ir::Type::Array { elem, len: array.len, stride: *stride };
                self.shader.types.intern(whole)
            }
            (Type::Struct(id), Shape::Struct { members: places, .. }) => {
                let s = &unit.types.structs[id.0 as usize];
                let mut members = Vec::with_capacity(s.fields.len());
                for (f, place) in s.fields.iter().zip(places) {
                    if self.has_data(f.ty)? {
                        let ty = self.explicit_type(f.ty, &place.layout)?;
                        let (offset, precision) = (Some(place.offset), f.qualifiers.precision.0);
                        members.push(Member { offset, precision, ..Member::new(&unit.names[f.name], ty) });
                    }
                }
                self.shader.types.intern(airfoil_ir::Type::Struct(StructType {
                    name: s.name.map_or("", |n| &unit.names[n]).into(),
                    members: members.into(),
                    block: s.block,
                }))
            }
            _ => return fail(MALFORMED, "a layout that does not fit its type"),
        };
        self.types.explicit.insert(key, made);
        Ok(made)
    }

    /// The layout of a type.
    pub fn layout(&mut self, ty: Type, rules: Rules) -> Res<Arc<TypeLayout>> {
        self.layouts.of(ty, rules).map_err(|e| error(LIMIT, format!("a type is too large: {e}")))
    }

    /// Types of the resources for the opaque parts of a type, in order of declaration, arrays around them included;
    /// with the suffixes of their names to the variable's.
    pub fn leaf_types(&mut self, ty: Type, format: ImageFormat) -> Res<Vec<(String, TypeId, Modes)>> {
        let mut out = Vec::new();
        self.num_leaves(ty)?;
        self.collect_leaves(ty, format, &mut SmallVec::new(), &mut String::new(), &mut out)?;
        Ok(out)
    }

    fn collect_leaves(
        &mut self,
        ty: Type,
        format: ImageFormat,
        dims: &mut SmallVec<[u32; 4]>,
        name: &mut String,
        out: &mut Vec<(String, TypeId, Modes)>,
    ) -> Res<()> {
        let unit = self.unit;
        match ty {
            Type::Array(id) => {
                let array = unit.types.get_array(id);
                dims.push(array.len);
                self.collect_leaves(array.elem, format, dims, name, out)?;
                dims.pop();
            }
            Type::Struct(id) => {
                if self.struct_info(id)?.leaves == 0 {
                    return Ok(());
                }
                for f in &unit.types.structs[id.0 as usize].fields {
                    let len = name.len();
                    name.push('.');
                    name.push_str(&unit.names[f.name]);
                    let format = f.qualifiers.layout.format.unwrap_or(format);
                    self.collect_leaves(f.ty, format, dims, name, out)?;
                    name.truncate(len);
                }
            }
            Type::Opaque(o) => {
                let mut made = self.opaque_type(o, format);
                for &len in dims.iter().rev() {
                    made = self.shader.types.array(made, len);
                }
                out.push((name.clone(), made, opaque_mode(o)));
            }
            _ => {}
        }
        Ok(())
    }

    /// Rejects types that are beyond the limits of the IR.
    pub fn check_types(&self) -> Res<()> {
        let mut sizes: Vec<(u32, u32)> = Vec::with_capacity(self.shader.types.len());
        for (_, ty) in self.shader.types.iter() {
            let parts = |t: TypeId| sizes.get(t.index()).copied().unwrap_or_default();
            let (depth, members) = match ty {
                airfoil_ir::Type::Array { elem, .. } => parts(*elem),
                airfoil_ir::Type::Struct(s) => s
                    .members
                    .iter()
                    .map(|m| parts(m.ty))
                    .fold((0, 1u32), |(d, n), (e, m): (u32, u32)| (d.max(e), n.saturating_add(m))),
                _ => (0, 1),
            };
            if depth + 1 > MAX_DEPTH || members > MAX_MEMBERS {
                return fail(LIMIT, "a type is nested too deep or has too many members");
            }
            sizes.push((depth + 1, members));
        }
        Ok(())
    }

    /// Makes the resources of the opaque parts of a variable; returns the first in [`Module::leaves`] and how many
    /// there are. Bindings are consecutive in order of declaration.
    pub fn make_leaves(&mut self, var: &hir::Variable) -> Res<(u32, u32)> {
        let q = &var.qualifiers;
        let types = self.leaf_types(var.ty, q.layout.format.unwrap_or_default())?;
        let first = self.leaves.len() as u32;
        let n = types.len() as u32;
        let mut binding = var.place.binding;
        for (suffix, ty, mode) in types {
            if mode == Modes::SSBO {
                return fail(UNSUPPORTED, "atomic counters as members of structures are not supported");
            }
            let name = format!("{}{suffix}", &self.unit.names[var.name]);
            let mut made = Variable::new(&name, ty, mode);
            made.set = var.place.set;
            made.binding = binding;
            made.access = access_of(q.memory);
            made.precision = q.precision.0;
            made.offset = q.layout.input_attachment.unwrap_or(0);
            let elements = self.array_elements(ty);
            binding = binding.map(|b| b.saturating_add(elements));
            let made = self.shader.add_var(made);
            self.leaves.push(Leaf::Var(made));
        }
        Ok((first, n))
    }

    /// Elements of an array, nested ones multiplied; 1 for anything but an array.
    fn array_elements(&self, mut ty: TypeId) -> u32 {
        let mut n = 1u32;
        while let airfoil_ir::Type::Array { elem, len, .. } = self.shader.types[ty] {
            n = n.saturating_mul(len.max(1));
            ty = elem;
        }
        n
    }
}
