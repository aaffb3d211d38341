//! Places: objects that can be indexed, read and written.

use super::stores::Stored;
use super::types::access_of;
use super::value::Vector;
use super::{Columns, Leaf, Lowerer, MALFORMED, Place, PlaceKind, Res, UNSUPPORTED, Value, fail};
use crate::hir::{ExprId, ExprKind, Swizzle};
use crate::link::layout::Rules;
use crate::shapes::{columns_of, shape_of, value_bits};
use crate::types::{Base, OpaqueKind, Reference, Type};
use airfoil_ir::{Access, AluOp, DerefKind, Index, InstrId, Intrinsic, IntrinsicOp, Jump, Src, Ty, Variable};
use airfoil_ir::{Modes, VarId};
use smallvec::SmallVec;

/// Arrays up to this length are walked element by element; longer ones by a loop.
const UNROLL: u32 = 16;

impl Place {
    /// A place in memory.
    pub fn memory(deref: InstrId, ty: Type) -> Place {
        Place { kind: PlaceKind::Deref(deref), ty, access: Access::empty() }
    }

    /// A computed value.
    pub fn value(value: Value, ty: Type) -> Place {
        let kind = match value {
            Value::Memory(d) => PlaceKind::Deref(d),
            value => PlaceKind::Value(value),
        };
        Place { kind, ty, access: Access::empty() }
    }
}

impl PlaceKind {
    /// A component of a vector that is an SSA value.
    fn component(local: u32, c: u8) -> PlaceKind {
        PlaceKind::Swizzle { of: Vector::Local(local), swizzle: Swizzle { comps: [c; 4], len: 1 } }
    }
}

impl Lowerer<'_, '_> {
    /// The place of an expression, evaluated once; for anything but an l-value, the value.
    pub fn place(&mut self, id: ExprId) -> Res<Place> {
        let e = self.m.unit[id];
        match e.kind {
            ExprKind::Var(var) => self.var_place(var),
            ExprKind::Field(of, field) => {
                let of = self.place(of)?;
                self.field(of, field)
            }
            ExprKind::Index(of, index) => {
                let inner = self.m.unit.types.without_arrays(self.m.unit[of].ty);
                let of = self.place(of)?;
                let non_uniform = self.m.survey.is_non_uniform(index);
                let index = self.index_value(index)?;
                let mut element = self.element(of, index)?;
                let block = self.m.unit.types.as_struct(inner).is_some_and(|s| s.block);
                if non_uniform && (block || inner.as_opaque().is_some()) {
                    element.access |= Access::NON_UNIFORM;
                }
                Ok(element)
            }
            ExprKind::Swizzle(of, swizzle) => {
                let of = self.place(of)?;
                self.swizzle_place(of, swizzle)
            }
            ExprKind::NonUniform(of) => self.place(of),
            ExprKind::Dereference(of) => {
                let address = self.ssa(of)?;
                self.referenced(address, e.ty)
            }
            _ => Ok(Place::value(self.expr(id)?, e.ty)),
        }
    }

    /// The block at an address.
    fn referenced(&mut self, address: InstrId, ty: Type) -> Res<Place> {
        let reference = self.m.unit.types.as_struct(ty).and_then(|s| s.reference);
        let Some(Reference { packing, matrix, .. }) = reference else {
            return fail(MALFORMED, "a reference must refer to a block");
        };
        let layout = self.m.layout(ty, Rules { packing, matrix })?;
        let ir = self.m.explicit_type(ty, &layout)?;
        let cast = DerefKind::Cast { parent: address, stride: 0 };
        Ok(Place::memory(self.b.deref(cast, ir, Modes::GLOBAL), ty))
    }

    /// An index as a 32-bit integer.
    fn index_value(&mut self, index: ExprId) -> Res<InstrId> {
        let v = self.ssa(index)?;
        let signed = self.m.unit[index].ty.base().is_some_and(Base::is_signed);
        Ok(self.as_32_bits(v, signed))
    }

    /// An integer as one of 32 bits.
    pub fn as_32_bits(&mut self, v: InstrId, signed: bool) -> InstrId {
        if self.b.ty(v).bits == 32 {
            return v;
        }
        self.b.convert(if signed { AluOp::i2i } else { AluOp::u2u }, v, 32)
    }

    /// A member.
    pub fn field(&mut self, of: Place, field: u32) -> Res<Place> {
        let Type::Struct(id) = of.ty else { return fail(MALFORMED, "only structures have members") };
        let unit = self.m.unit;
        let Some(f) = unit.types.structs[id.0 as usize].fields.get(field as usize) else {
            return fail(MALFORMED, "a member that does not exist");
        };
        let access = of.access | access_of(f.qualifiers.memory);
        let kind = match of.kind {
            PlaceKind::Deref(d) => PlaceKind::Deref(self.member_deref(d, of.ty, field)?),
            PlaceKind::Block { var, path } => {
                let member = self.m.block_member(var, field)?;
                let mut d = self.var_deref(member);
                for &index in &path {
                    d = self.element_deref(d, index)?;
                }
                if unit[var].field_places.get(field as usize).is_some_and(|p| p.packed) {
                    PlaceKind::Packed { deref: d, per_vertex: false, at: None }
                } else {
                    PlaceKind::Deref(d)
                }
            }
            PlaceKind::Opaque { mut first, path, data, .. } => {
                for f in &unit.types.structs[id.0 as usize].fields[..field as usize] {
                    first += self.m.num_leaves(f.ty)?;
                }
                let len = self.m.num_leaves(f.ty)?;
                let data = match data {
                    Some(d) if self.m.has_data(f.ty)? => Some(self.member_deref(d, of.ty, field)?),
                    _ => None,
                };
                match data {
                    Some(d) if len == 0 => PlaceKind::Deref(d),
                    _ => PlaceKind::Opaque { first, len, path, data },
                }
            }
            _ => return fail(MALFORMED, "only structures have members"),
        };
        Ok(Place { kind, ty: f.ty, access })
    }

    /// Deref of a member.
    pub fn member_deref(&mut self, deref: InstrId, ty: Type, field: u32) -> Res<InstrId> {
        let Type::Struct(id) = ty else { return fail(MALFORMED, "only structures have members") };
        let index = self.m.member_index(id, field)?;
        match index.and_then(|i| self.b.try_deref_struct(&self.m.shader.types, deref, i)) {
            Some(d) => Ok(d),
            None => fail(MALFORMED, "a member that is not in memory"),
        }
    }

    /// Deref of an element.
    pub fn element_deref(&mut self, deref: InstrId, index: InstrId) -> Res<InstrId> {
        match self.b.try_deref_array(&mut self.m.shader.types, deref, index) {
            Some(d) => Ok(d),
            None => fail(MALFORMED, "an element of what has no elements"),
        }
    }

    /// An element of an array, column of a matrix or component of a vector.
    pub fn element(&mut self, of: Place, index: InstrId) -> Res<Place> {
        let Some(ty) = self.m.unit.types.element(of.ty) else {
            return fail(MALFORMED, "an element of what has no elements");
        };
        let kind = match of.kind {
            PlaceKind::Deref(d) => PlaceKind::Deref(self.element_deref(d, index)?),
            PlaceKind::Single(d) => PlaceKind::Deref(d),
            PlaceKind::Local(first) => self.local_element(first, of.ty, index),
            PlaceKind::Packed { deref, per_vertex: true, at } => {
                PlaceKind::Packed { deref: self.element_deref(deref, index)?, per_vertex: false, at }
            }
            PlaceKind::Packed { deref, at, .. } => self.packed_element(deref, at, index, ty)?,
            PlaceKind::Block { var, mut path } => {
                path.push(index);
                PlaceKind::Block { var, path }
            }
            PlaceKind::Opaque { first, len, mut path, data } => {
                path.push(index);
                let data = match data {
                    Some(d) => Some(self.element_deref(d, index)?),
                    None => None,
                };
                PlaceKind::Opaque { first, len, path, data }
            }
            PlaceKind::Swizzle { of: Vector::Local(local), swizzle } => {
                match self.b.scalar_const(index).filter(|&c| c < u64::from(swizzle.len)) {
                    Some(c) => PlaceKind::component(local, swizzle.comps[c as usize]),
                    None => {
                        let v = self.load_local(local);
                        let v = self.b.swizzle(v, swizzle.as_slice());
                        PlaceKind::Value(Value::Ssa(self.b.vector_extract_dynamic(v, index)))
                    }
                }
            }
            PlaceKind::Swizzle { of: Vector::Memory(deref), swizzle } => {
                let lanes = swizzle.comps.map(u64::from);
                let lanes = self.b.constant(Ty::new(swizzle.len, 32), lanes);
                let index = self.b.vector_extract_dynamic(lanes, index);
                PlaceKind::Deref(self.element_deref(deref, index)?)
            }
            PlaceKind::Value(Value::Ssa(v)) => {
                PlaceKind::Value(Value::Ssa(self.b.vector_extract_dynamic(v, index)))
            }
            PlaceKind::Value(Value::Matrix(m)) => {
                PlaceKind::Value(Value::Ssa(self.column_dynamic(&m, index)))
            }
            PlaceKind::Value(_) => return fail(MALFORMED, "an element of what has no elements"),
        };
        Ok(Place { kind, ty, access: of.access })
    }

    /// Element `index`, of type `ty`, of an array of scalars that are packed four to a vector, from scalar `at` on.
    fn packed_element(
        &mut self,
        deref: InstrId,
        at: Option<InstrId>,
        index: InstrId,
        ty: Type,
    ) -> Res<PlaceKind> {
        let scalars = self.b.imm_u32(self.m.unit.types.array_elements(ty));
        let first = self.b.imul(index, scalars);
        let at = at.map_or(first, |at| self.b.iadd(at, first));
        if self.m.unit.types.as_array(ty).is_some() {
            return Ok(PlaceKind::Packed { deref, per_vertex: false, at: Some(at) });
        }
        let (two, three) = (self.b.imm_u32(2), self.b.imm_u32(3));
        let (vector, component) = (self.b.ushr(at, two), self.b.iand(at, three));
        let vector = self.element_deref(deref, vector)?;
        Ok(PlaceKind::Deref(self.element_deref(vector, component)?))
    }

    /// Copies a packed array to memory of its type, or the other way round if `store`.
    fn copy_packed(&mut self, place: &Place, memory: InstrId, store: bool) -> Res<()> {
        if let (PlaceKind::Packed { .. }, Some(array)) = (&place.kind, self.m.unit.types.as_array(place.ty)) {
            return self.each_element(array.len, &mut |l, index| {
                let (element, memory) = (l.element(place.clone(), index)?, l.element_deref(memory, index)?);
                l.copy_packed(&element, memory, store)
            });
        }
        let inner = Place::memory(memory, place.ty);
        let (to, from) = if store { (place, &inner) } else { (&inner, place) };
        let value = self.load(from)?;
        self.store(to, value)
    }

    /// Column `index` of a matrix; out of range gives the last.
    fn column_dynamic(&mut self, m: &[InstrId], index: InstrId) -> InstrId {
        let last = m.len() - 1;
        if let Some(c) = self.b.scalar_const(index) {
            return m[(c as usize).min(last)];
        }
        let mut result = m[last];
        for (c, &column) in m[..last].iter().enumerate().rev() {
            let c = self.b.imm_u32(c as u32);
            let here = self.b.ieq(index, c);
            result = self.b.bcsel(here, column, result);
        }
        result
    }

    fn load_local(&mut self, local: u32) -> InstrId {
        self.m.locals.load(self.b.body, local)
    }

    /// A column of a matrix or component of a vector that is a value. Those with an index that varies are only read.
    fn local_element(&mut self, first: u32, ty: Type, index: InstrId) -> PlaceKind {
        let known = self.b.scalar_const(index);
        if let Some((n, _)) = columns_of(ty) {
            if let Some(c) = known.filter(|&c| c < u64::from(n)) {
                return PlaceKind::Local(first + c as u32);
            }
            let columns: Columns = (0..u32::from(n)).map(|c| self.load_local(first + c)).collect();
            return PlaceKind::Value(Value::Ssa(self.column_dynamic(&columns, index)));
        }
        let size = shape_of(ty).map_or(1, |shape| shape.comps);
        match known.filter(|&c| c < u64::from(size)) {
            Some(c) => PlaceKind::component(first, c as u8),
            None => {
                let v = self.load_local(first);
                PlaceKind::Value(Value::Ssa(self.b.vector_extract_dynamic(v, index)))
            }
        }
    }

    fn swizzle_place(&mut self, of: Place, swizzle: Swizzle) -> Res<Place> {
        let Type::Vector { base, size } = of.ty else {
            return fail(MALFORMED, "only vectors have components");
        };
        let ty = Type::vector(base, swizzle.len);
        let distinct = swizzle.as_slice().iter().fold(0u8, |mask, &c| mask | 1 << c).count_ones();
        let kind = match of.kind {
            // `x.x` of a scalar is the scalar itself.
            PlaceKind::Deref(d) if size == 1 && swizzle.len == 1 => PlaceKind::Deref(d),
            PlaceKind::Deref(deref) if size > 1 && distinct == u32::from(swizzle.len) => {
                PlaceKind::Swizzle { of: Vector::Memory(deref), swizzle }
            }
            PlaceKind::Swizzle { of, swizzle: inner } if distinct == u32::from(swizzle.len) => {
                let comps = swizzle.comps.map(|c| inner.comps[usize::from(c & 3)]);
                PlaceKind::Swizzle { of, swizzle: Swizzle { comps, len: swizzle.len } }
            }
            PlaceKind::Local(local) if size == 1 && swizzle.len == 1 => PlaceKind::Local(local),
            PlaceKind::Local(local) if size > 1 && distinct == u32::from(swizzle.len) => {
                PlaceKind::Swizzle { of: Vector::Local(local), swizzle }
            }
            _ => {
                let Value::Ssa(v) = self.load(&of)? else {
                    return fail(MALFORMED, "only vectors have components");
                };
                PlaceKind::Value(Value::Ssa(self.b.swizzle(v, swizzle.as_slice())))
            }
        };
        Ok(Place { kind, ty, access: of.access })
    }

    // ---- derefs of places ----

    /// Deref of a place in memory: for atomics and interpolation.
    pub fn deref(&mut self, place: &Place) -> Res<InstrId> {
        match &place.kind {
            PlaceKind::Deref(d) => Ok(*d),
            PlaceKind::Swizzle { of: Vector::Memory(deref), swizzle } if swizzle.len == 1 => {
                let index = self.b.imm_u32(u32::from(swizzle.comps[0]));
                self.element_deref(*deref, index)
            }
            PlaceKind::Opaque { first, len: 1, path, .. } => self.leaf_deref(*first, path),
            _ => fail(UNSUPPORTED, "this operand is not in memory"),
        }
    }

    /// Deref of a resource.
    pub fn leaf_deref(&mut self, leaf: u32, path: &[InstrId]) -> Res<InstrId> {
        let mut d = match self.m.leaves[leaf as usize] {
            Leaf::Var(var) => self.var_deref(var),
            Leaf::Param(d) => d,
        };
        for &index in path {
            d = self.element_deref(d, index)?;
        }
        Ok(d)
    }

    /// Derefs of a texture (image, counter, sampler) and of the sampler that comes with it.
    pub fn opaque(&mut self, id: ExprId) -> Res<(InstrId, Option<InstrId>)> {
        match self.expr(id)? {
            Value::Opaque { texture, sampler } => Ok((texture, sampler)),
            _ => fail(MALFORMED, "this operand is not opaque"),
        }
    }

    /// A variable of the function for intermediate values.
    pub fn temp(&mut self, ty: Type, name: &str) -> Res<InstrId> {
        let ir = self.m.ir_type(ty)?;
        let var = self.m.shader.add_local(self.func, name, ir);
        Ok(self.var_deref(var))
    }

    /// Deref of a variable, created once at the start of the function.
    pub fn var_deref(&mut self, var: VarId) -> InstrId {
        if let Some(&d) = self.derefs.get(var) {
            return d;
        }
        let Variable { ty, mode, .. } = self.m.shader.vars[var];
        let instr = airfoil_ir::Instr::new(
            airfoil_ir::InstrKind::Deref(airfoil_ir::Deref { kind: DerefKind::Var(var), ty, modes: mode }),
            Ty::DEREF,
        );
        let d = self.b.body.insert(self.start, instr);
        if self.b.cursor == self.start {
            self.b.cursor = airfoil_ir::Cursor::After(d);
        }
        self.start = airfoil_ir::Cursor::After(d);
        self.derefs.insert(var, d);
        d
    }

    // ---- loads and stores ----

    /// The value at a place.
    pub fn load(&mut self, place: &Place) -> Res<Value> {
        match &place.kind {
            PlaceKind::Value(v) => Ok(v.clone()),
            &PlaceKind::Deref(d) => self.load_from(d, place.ty, place.access),
            &PlaceKind::Swizzle { of, swizzle } => {
                let base = place.ty.base().unwrap_or(Base::Float);
                let v = match of {
                    Vector::Memory(deref) => self.load_vector(deref, base, place.access)?,
                    Vector::Local(local) => self.load_local(local),
                };
                Ok(Value::Ssa(self.b.swizzle(v, swizzle.as_slice())))
            }
            &PlaceKind::Local(first) => match columns_of(place.ty) {
                Some((n, _)) => {
                    let columns = (0..u32::from(n)).map(|c| self.load_local(first + c));
                    Ok(Value::Matrix(columns.collect()))
                }
                None => Ok(Value::Ssa(self.load_local(first))),
            },
            &PlaceKind::Single(d) => {
                let Some(elem) = self.m.unit.types.element(place.ty) else {
                    return fail(MALFORMED, "an array without elements");
                };
                let value = self.load_from(d, elem, place.access)?;
                let temp = self.temp(place.ty, "")?;
                let zero = self.b.imm_u32(0);
                let to = self.element_deref(temp, zero)?;
                self.store_to(to, elem, value, Access::empty())?;
                Ok(Value::Memory(temp))
            }
            PlaceKind::Packed { .. } => {
                let temp = self.temp(place.ty, "")?;
                self.copy_packed(place, temp, false)?;
                Ok(Value::Memory(temp))
            }
            PlaceKind::Opaque { first, len, path, data } => match (place.ty, *data) {
                (Type::Opaque(o), _) if *len == 1 => {
                    let texture = self.leaf_deref(*first, path)?;
                    Ok(opaque_value(o.kind, texture))
                }
                (_, Some(d)) => Ok(Value::Memory(d)),
                _ => fail(UNSUPPORTED, "arrays and structures of opaque types are no values"),
            },
            PlaceKind::Block { .. } => fail(UNSUPPORTED, "an interface block is not a value"),
        }
    }

    /// Reads memory of any type. Arrays and structures stay where they are.
    pub fn load_from(&mut self, deref: InstrId, ty: Type, access: Access) -> Res<Value> {
        match ty {
            Type::Vector { base, .. } => Ok(Value::Ssa(self.load_vector(deref, base, access)?)),
            Type::Matrix { base, cols, .. } => {
                let mut columns = Columns::new();
                for c in 0..u32::from(cols) {
                    let index = self.b.imm_u32(c);
                    let d = self.element_deref(deref, index)?;
                    columns.push(self.load_vector(d, base, access)?);
                }
                Ok(Value::Matrix(columns))
            }
            Type::Reference(_) => Ok(Value::Ssa(self.load_vector(deref, Base::Uint64, access)?)),
            Type::Opaque(o) => Ok(opaque_value(o.kind, deref)),
            // The order of volatile and coherent accesses is that of the source.
            Type::Array(_) | Type::Struct(_) if access.intersects(Access::VOLATILE | Access::COHERENT) => {
                let temp = self.temp(ty, "")?;
                self.copy(temp, deref, ty, Access::empty(), access)?;
                Ok(Value::Memory(temp))
            }
            Type::Array(_) | Type::Struct(_) => Ok(Value::Memory(deref)),
            Type::Void | Type::Error => fail(MALFORMED, "a value without type"),
        }
    }

    fn load_vector(&mut self, deref: InstrId, base: Base, access: Access) -> Res<InstrId> {
        let shape = self.b.pointee(deref).and_then(|(ty, _)| self.m.shader.types.value_ty(ty));
        let Some(shape) = shape else { return fail(MALFORMED, "a vector that is none in memory") };
        let load = Intrinsic::new(IntrinsicOp::load_deref, &[deref]).with(Index::Access, access);
        let v = self.b.insert_intrinsic(load, shape);
        if shape.bits == value_bits(base) {
            return Ok(v);
        }
        // Booleans in buffers are numbers.
        let zero = self.b.zero(Ty::new(1, shape.bits));
        Ok(self.b.ine(v, zero))
    }

    /// Writes a value to a place.
    pub fn store(&mut self, place: &Place, value: Value) -> Res<()> {
        match place.kind {
            PlaceKind::Deref(d) => self.store_to(d, place.ty, value, place.access),
            PlaceKind::Swizzle { of: Vector::Memory(deref), swizzle } => {
                let Value::Ssa(v) = value else { return fail(MALFORMED, "a vector is expected") };
                self.store_components(deref, swizzle, v, place.access)
            }
            PlaceKind::Local(first) => {
                match value {
                    Value::Ssa(v) => self.m.locals.store(first, v),
                    Value::Matrix(columns) => {
                        (first..).zip(columns).for_each(|(local, v)| self.m.locals.store(local, v));
                    }
                    _ => return fail(MALFORMED, "a scalar, vector or matrix is expected"),
                }
                Ok(())
            }
            PlaceKind::Swizzle { of: Vector::Local(local), swizzle } => {
                let Value::Ssa(v) = value else { return fail(MALFORMED, "a vector is expected") };
                let old = self.load_local(local);
                let comps = usize::from(self.b.ty(old).comps);
                let mut lanes: SmallVec<[Src; 4]> = (0..comps).map(|c| Src::comp(old, c)).collect();
                for (i, &c) in swizzle.as_slice().iter().enumerate() {
                    lanes[usize::from(c)] = Src::comp(v, i);
                }
                let whole = self.b.vec_srcs(&lanes);
                self.m.locals.store(local, whole);
                Ok(())
            }
            PlaceKind::Single(d) => {
                let (Some(elem), Value::Memory(from)) = (self.m.unit.types.element(place.ty), value) else {
                    return fail(MALFORMED, "an array is expected");
                };
                let zero = self.b.imm_u32(0);
                let from = self.element_deref(from, zero)?;
                let v = self.load_from(from, elem, Access::empty())?;
                self.store_to(d, elem, v, place.access)
            }
            PlaceKind::Packed { .. } => match value {
                Value::Memory(from) => self.copy_packed(place, from, true),
                _ => fail(MALFORMED, "an array is expected"),
            },
            PlaceKind::Opaque { data: Some(d), .. } => self.store_to(d, place.ty, value, place.access),
            PlaceKind::Block { .. } | PlaceKind::Opaque { .. } | PlaceKind::Value(_) => {
                fail(MALFORMED, "not an l-value")
            }
        }
    }

    fn store_components(&mut self, deref: InstrId, swizzle: Swizzle, v: InstrId, access: Access) -> Res<()> {
        let shape = self.b.pointee(deref).and_then(|(ty, _)| self.m.shader.types.value_ty(ty));
        let Some(shape) = shape else { return fail(MALFORMED, "a vector that is none in memory") };
        let v = self.memory_bits(v, shape.bits);
        let undef = self.b.undef(Ty::new(1, shape.bits));
        let mut lanes: SmallVec<[Src; 4]> = SmallVec::from_elem(undef.into(), usize::from(shape.comps));
        let mut mask = 0;
        for (i, &c) in swizzle.as_slice().iter().enumerate() {
            lanes[usize::from(c)] = Src::comp(v, i);
            mask |= 1 << c;
        }
        let whole = self.b.vec_srcs(&lanes);
        self.store_masked(deref, whole, mask, access);
        Ok(())
    }

    fn store_masked(&mut self, deref: InstrId, v: InstrId, mask: u32, access: Access) {
        let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, v])
            .with(Index::WriteMask, mask)
            .with(Index::Access, access);
        self.b.insert_intrinsic(store, Ty::NONE);
    }

    /// Booleans become numbers in buffers.
    fn memory_bits(&mut self, v: InstrId, bits: u8) -> InstrId {
        if self.b.ty(v).bits == 1 && bits != 1 { self.b.convert(AluOp::b2i, v, bits) } else { v }
    }

    /// Writes memory of any type.
    pub fn store_to(&mut self, deref: InstrId, ty: Type, value: Value, access: Access) -> Res<()> {
        match value {
            Value::Ssa(v) => {
                let pointee = self.b.pointee(deref);
                let shape = pointee.and_then(|(ty, _)| self.m.shader.types.value_ty(ty));
                let Some(shape) = shape else { return fail(MALFORMED, "a vector that is none in memory") };
                let v = self.memory_bits(v, shape.bits);
                self.store_masked(deref, v, u32::from(shape.full_mask()), access);
                Ok(())
            }
            Value::Matrix(columns) => {
                for (c, &v) in columns.iter().enumerate() {
                    let index = self.b.imm_u32(c as u32);
                    let d = self.element_deref(deref, index)?;
                    self.store_masked(d, v, u32::from(self.b.ty(v).full_mask()), access);
                }
                Ok(())
            }
            Value::Memory(from) => self.copy(deref, from, ty, access, Access::empty()),
            Value::Void | Value::Opaque { .. } => fail(MALFORMED, "this value cannot be stored"),
        }
    }

    /// Copies an array or structure.
    pub fn copy(
        &mut self,
        to: InstrId,
        from: InstrId,
        ty: Type,
        access: Access,
        src_access: Access,
    ) -> Res<()> {
        let same = self.b.pointee(to).map(|p| p.0) == self.b.pointee(from).map(|p| p.0);
        if same || !self.m.has_bools(ty)? {
            let copy = Intrinsic::new(IntrinsicOp::copy_deref, &[to, from])
                .with(Index::Access, access)
                .with(Index::SrcAccess, src_access);
            self.b.insert_intrinsic(copy, Ty::NONE);
            return Ok(());
        }
        // Booleans change their width.
        match ty {
            Type::Array(id) => {
                let array = self.m.unit.types.get_array(id);
                self.each_element(array.len, &mut |l, index| {
                    let (to, from) = (l.element_deref(to, index)?, l.element_deref(from, index)?);
                    l.copy(to, from, array.elem, access, src_access)
                })
            }
            Type::Struct(id) => {
                let unit = self.m.unit;
                for (i, f) in unit.types.structs[id.0 as usize].fields.iter().enumerate() {
                    if self.m.has_data(f.ty)? {
                        let t = self.member_deref(to, ty, i as u32)?;
                        let s = self.member_deref(from, ty, i as u32)?;
                        self.copy(t, s, f.ty, access, src_access)?;
                    }
                }
                Ok(())
            }
            _ => {
                let v = self.load_from(from, ty, src_access)?;
                self.store_to(to, ty, v, access)
            }
        }
    }

    /// Makes the code of `f` for every index: as a loop if there are many.
    pub fn each_element(&mut self, len: u32, f: &mut dyn FnMut(&mut Self, InstrId) -> Res<()>) -> Res<()> {
        if len <= UNROLL {
            for i in 0..len {
                let index = self.b.imm_u32(i);
                f(self, index)?;
            }
            return Ok(());
        }
        let counter = self.temp(Type::UINT, "i")?;
        let zero = self.b.imm_u32(0);
        self.b.store_deref(counter, zero);
        let cf = self.open_loop(Stored::default());
        let i = self.b.load_deref(counter, Ty::B32);
        let end = self.b.imm_u32(len);
        let done = self.b.uge(i, end);
        let exit = self.open_if(done);
        self.jump(Jump::Break);
        self.close_if(exit);
        f(self, i)?;
        let one = self.b.imm_u32(1);
        let next = self.b.iadd(i, one);
        self.b.store_deref(counter, next);
        self.close_loop(cf);
        Ok(())
    }

    /// Memory of its own that holds a copy of a value.
    pub fn snapshot(&mut self, value: Value, ty: Type) -> Res<Value> {
        let Value::Memory(from) = value else { return Ok(value) };
        let temp = self.temp(ty, "")?;
        self.copy(temp, from, ty, Access::empty(), Access::empty())?;
        Ok(Value::Memory(temp))
    }
}

/// The value of something opaque.
fn opaque_value(kind: OpaqueKind, texture: InstrId) -> Value {
    Value::Opaque { texture, sampler: (kind == OpaqueKind::Sampled).then_some(texture) }
}
