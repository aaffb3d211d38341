//! Inputs and outputs of the stage, built-in ones included.

use super::home::{Computed, Home};
use super::{Lowerer, MALFORMED, Module, Res, UNSUPPORTED, Value, fail, shape_of};
use crate::builtin::BuiltinVar;
use crate::builtin::variable::BuiltinIo;
use crate::hir::{self, Placement, PrecisionHint, Qualifiers, Storage};
use crate::link::count::Counter;
use crate::link::interface::{block_of, is_located_array, vertex_type};
use crate::link::locations::block_slots;
use crate::types::{Field, Type};
use airfoil_ir::{
    Access, AluOp, Constant, InstrId, Interpolation, Modes, Slot, Stage, SystemValue, Ty, TypeId, Variable,
};

/// The object of an input or output: a variable, or a member of a block.
struct Io<'a> {
    name: &'a str,
    ty: Type,
    qualifiers: &'a Qualifiers,
    place: Placement,
    builtin: Option<BuiltinVar>,
    /// Lengths of the arrays around the block, the outermost first.
    dims: &'a [u32],
    /// The outermost array of the type holds one element per vertex.
    per_vertex: bool,
    input: bool,
}

impl Module<'_> {
    /// An input or output other than a block.
    pub fn interface_variable(&mut self, id: hir::VarId) -> Res<Home> {
        let unit = self.unit;
        let var = &unit[id];
        let home = self.make_io(&Io {
            name: &unit.names[var.name],
            ty: var.ty,
            qualifiers: &var.qualifiers,
            place: var.place,
            builtin: var.builtin,
            dims: &[],
            per_vertex: vertex_type(unit, var) != var.ty,
            input: var.qualifiers.storage == Storage::In,
        })?;
        if let (Storage::InOut, Home::Var(var)) = (var.qualifiers.storage, home) {
            self.shader.vars[var].fetched = true;
        }
        Ok(home)
    }

    /// The variable of a member of an input or output block. The arrays around the block move to the member.
    pub fn block_member(&mut self, id: hir::VarId, field: u32) -> Res<airfoil_ir::VarId> {
        let Home::Block(first) = self.homes[id.0 as usize] else {
            return fail(MALFORMED, "only interface blocks have such members");
        };
        let at = (first + field) as usize;
        if let Some(made) = self.block_members[at] {
            return Ok(made);
        }
        let unit = self.unit;
        let var = &unit[id];
        let mut dims: smallvec::SmallVec<[u32; 2]> = smallvec::SmallVec::new();
        let mut inner = var.ty;
        while let Some(array) = unit.types.as_array(inner) {
            dims.push(array.len);
            inner = array.elem;
        }
        let Some(block) = unit.types.as_struct(inner) else {
            return fail(MALFORMED, "an interface block without block type");
        };
        let f = &block.fields[field as usize];
        let member = &unit.names[f.name];
        let name = match (f.builtin, block.name) {
            (None, Some(block)) => format!("{}.{member}", &unit.names[block]),
            _ => member.to_string(),
        };
        let home = self.make_io(&Io {
            name: &name,
            ty: f.ty,
            qualifiers: &f.qualifiers,
            place: var.field_places.get(field as usize).copied().unwrap_or_default(),
            builtin: f.builtin,
            dims: &dims,
            per_vertex: false,
            input: var.qualifiers.storage == Storage::In,
        })?;
        let (Home::Var(made) | Home::Packed(made, _)) = home else {
            return fail(UNSUPPORTED, format!("{member} is not supported as member of a block"));
        };
        if var.qualifiers.patch {
            self.shader.vars[made].patch = true;
        }
        self.block_members[at] = Some(made);
        Ok(made)
    }

    /// An array of blocks that has a location is one variable, as its elements come one after the other.
    pub fn block_array(&mut self, id: hir::VarId) -> Res<Home> {
        let unit = self.unit;
        let var = &unit[id];
        let Some((block, first)) = block_of(unit, var).and_then(|s| Some((s, s.fields.first()?))) else {
            return fail(MALFORMED, "an interface block without members");
        };
        if var.field_places.iter().any(|p| p.component != 0) {
            let message = "components of members of an array of blocks that has a location are not supported";
            return fail(UNSUPPORTED, message);
        }
        let qualifiers = Qualifiers {
            invariant: block.fields.iter().any(|f| f.qualifiers.invariant),
            // Members may need more than the first one.
            precision: block.fields.iter().map(|f| f.qualifiers.precision).reduce(both).unwrap_or_default(),
            patch: var.qualifiers.patch,
            ..first.qualifiers.clone()
        };
        let discrete = self.is_discrete(first.ty);
        self.make_io(&Io {
            name: block.name.map_or("", |n| &unit.names[n]),
            ty: var.ty,
            qualifiers: &Qualifiers {
                interpolation: discrete.then_some(Interpolation::Flat).or(qualifiers.interpolation),
                ..qualifiers
            },
            place: var.field_places.first().copied().unwrap_or_default(),
            builtin: None,
            dims: &[],
            per_vertex: false,
            input: var.qualifiers.storage == Storage::In,
        })
    }

    fn make_io(&mut self, io: &Io<'_>) -> Res<Home> {
        let stage = self.unit.stage;
        let mut ty = if io.place.packed { self.packed_type(io)? } else { self.ir_type(io.ty)? };
        for &len in io.dims.iter().rev() {
            ty = self.shader.types.array(ty, len);
        }
        let mut slot = io.place.slot;
        if let Some(builtin) = io.builtin {
            match builtin.io(stage) {
                BuiltinIo::Slot(s) => slot = slot.or(Some(s)),
                BuiltinIo::System(SystemValue::view_index) if self.unit.layout.views == Some(1) => {
                    let mut made = Variable::new(io.name, ty, Modes::SHADER_TEMP);
                    made.initializer = Some(Constant::Zero);
                    return Ok(Home::Var(self.shader.add_var(made)));
                }
                BuiltinIo::System(sv) => return self.system_value(io, ty, sv),
                _ if slot.is_some() => {}
                _ => {
                    return fail(UNSUPPORTED, format!("{} is not supported in the {stage} stage", io.name));
                }
            }
        }
        let q = io.qualifiers;
        let mode = match slot {
            Some(_) if io.input => Modes::IN,
            Some(_) => Modes::OUT,
            // Nothing on the other side: reads are undefined, writes go nowhere.
            None if io.place.dead => Modes::SHADER_TEMP,
            None => return fail(MALFORMED, format!("{} has no location", io.name)),
        };
        let mut made = Variable::new(io.name, ty, mode);
        made.precision = q.precision.0;
        if mode == Modes::SHADER_TEMP {
            return Ok(Home::Var(self.shader.add_var(made)));
        }
        made.location = slot;
        made.component = io.place.component;
        made.index = io.place.index;
        made.interpolation = self.interpolation(io);
        made.sampling = q.sampling.unwrap_or_default();
        made.invariant = q.invariant;
        let levels =
            matches!(slot, Some(Slot::TESS_LEVEL_INNER | Slot::TESS_LEVEL_OUTER | Slot::BOUNDING_BOX));
        // One slot holds all levels.
        made.compact = matches!(slot, Some(Slot::TESS_LEVEL_INNER | Slot::TESS_LEVEL_OUTER));
        made.patch = q.patch || levels || slot.is_some_and(|s| s.as_patch().is_some());
        let stream = q.layout.stream.or(self.unit.layout.stream).unwrap_or(0);
        made.stream = if stage == Stage::Geometry && !io.input { (stream & 3) as u8 } else { 0 };
        if io.place.packed {
            return Ok(Home::Packed(self.shader.add_var(made), io.per_vertex));
        }
        Ok(Home::Var(self.shader.add_var(made)))
    }

    /// The vectors of an array of scalars with four elements per slot.
    fn packed_type(&mut self, io: &Io<'_>) -> Res<TypeId> {
        let types = &self.unit.types;
        let (own, vertices) = match types.as_array(io.ty).filter(|_| io.per_vertex) {
            Some(array) => (array.elem, Some(array.len)),
            None => (io.ty, None),
        };
        let Type::Vector { base, .. } = types.without_arrays(own) else {
            return fail(MALFORMED, "only arrays of scalars share locations");
        };
        let vector = self.ir_type(Type::vector(base, 4))?;
        let ty = self.shader.types.array(vector, types.array_elements(own).div_ceil(4));
        Ok(vertices.map_or(ty, |len| self.shader.types.array(ty, len)))
    }

    fn interpolation(&self, io: &Io<'_>) -> Interpolation {
        let flat = io.input && self.unit.stage == Stage::Fragment && self.is_discrete(io.ty);
        if flat { Interpolation::Flat } else { io.qualifiers.interpolation.unwrap_or_default() }
    }

    /// Integers and doubles are never interpolated (GLSL 4.60 section 4.3.4).
    fn is_discrete(&self, ty: Type) -> bool {
        let base = self.unit.types.without_arrays(ty).base();
        base.is_some_and(|b| !b.is_float() || b.bits() == 64)
    }

    fn system_value(&mut self, io: &Io<'_>, ty: TypeId, sv: SystemValue) -> Res<Home> {
        let mut made = Variable::new(io.name, ty, Modes::SYSTEM_VALUE);
        made.system_value = Some(sv);
        made.precision = io.qualifiers.precision.0;
        let want = sv.ty();
        let elem = self.unit.types.as_array(io.ty).map(|a| a.elem);
        if shape_of(io.ty) == Some(want) {
            return Ok(Home::Var(self.shader.add_var(made)));
        }
        // The sample mask is an array of one element and a number in the IR.
        if let Some(elem) = elem.filter(|&e| shape_of(e) == Some(want)) {
            made.ty = self.ir_type(elem)?;
            return Ok(Home::Single(self.shader.add_var(made)));
        }
        let have = shape_of(io.ty);
        let how = match have {
            Some(have) if have == Ty::new(1, 64) && want == Ty::new(4, 32) => Computed::Mask64,
            Some(have) if have.bits == want.bits && have.comps < want.comps => Computed::Cut,
            _ => return fail(UNSUPPORTED, format!("{} of this type is not supported", io.name)),
        };
        let scalar = if want.bits == 1 { airfoil_ir::Scalar::Bool } else { airfoil_ir::Scalar::Uint32 };
        made.ty = self.shader.types.vector(scalar, want.comps);
        Ok(Home::Computed(how, self.shader.add_var(made)))
    }
}

/// The common hint of both, or none.
fn both(a: PrecisionHint, b: PrecisionHint) -> PrecisionHint {
    if a == b { a } else { PrecisionHint::default() }
}

impl Lowerer<'_, '_> {
    /// Saves the contents of the framebuffer before the fragment writes (`gl_LastFragData`, `gl_LastFragColorARM`).
    pub fn framebuffer_fetch(&mut self) -> Res<()> {
        let unit = self.m.unit;
        for (i, var) in unit.vars.iter().enumerate() {
            if !var.used || !var.builtin.is_some_and(|b| matches!(b.io(unit.stage), BuiltinIo::Fetch)) {
                continue;
            }
            let name = &unit.names[var.name];
            let ty = self.m.ir_type(var.ty)?;
            let mut before = Variable::new(name, ty, Modes::OUT);
            before.location = var.place.slot.or(Slot::generic(0));
            before.precision = var.qualifiers.precision.0;
            before.fetched = true;
            let before = self.m.shader.add_var(before);
            let kept = self.m.shader.add_var(Variable::new(name, ty, Modes::SHADER_TEMP));
            self.m.set_home(hir::VarId(i as u32), Home::Var(kept));
            let (from, to) = (self.var_deref(before), self.var_deref(kept));
            let value = self.load_from(from, var.ty, Access::empty())?;
            self.store_to(to, var.ty, value, Access::empty())?;
        }
        Ok(())
    }

    /// Inputs of fragments that are arrays of blocks with a location, whose members are interpolated in different ways: all
    /// members of all elements are inputs of their own, and are combined at the start.
    pub fn mixed_block_arrays(&mut self) -> Res<()> {
        let unit = self.m.unit;
        if unit.stage != Stage::Fragment {
            return Ok(());
        }
        for (i, var) in unit.vars.iter().enumerate() {
            let Some(block) = block_of(unit, var) else { continue };
            let way = |f: &Field| {
                let flat = self.m.is_discrete(f.ty).then_some(Interpolation::Flat);
                (flat.or(f.qualifiers.interpolation).unwrap_or_default(), f.qualifiers.sampling)
            };
            let mixed = block.fields.windows(2).any(|pair| way(&pair[0]) != way(&pair[1]))
                || var.field_places.iter().any(|p| p.component != 0);
            let dead = var.field_places.iter().all(|p| p.dead);
            if !mixed || dead || var.qualifiers.storage != Storage::In || !is_located_array(unit, var) {
                continue;
            }
            let id = hir::VarId(i as u32);
            let name = block.name.map_or("", |n| &unit.names[n]);
            let ty = self.m.ir_type(var.ty)?;
            let whole = self.m.shader.add_var(Variable::new(name, ty, Modes::SHADER_TEMP));
            self.m.set_home(id, Home::Var(whole));
            let to = self.var_deref(whole);
            let stride = block_slots(unit, &mut Counter::new(&unit.types), id);
            self.gather_elements(var, (to, var.ty), &mut 0, stride)?;
        }
        Ok(())
    }

    /// Reads the inputs for the elements of an array of blocks; `at` is the location of the next one, from the first on.
    fn gather_elements(
        &mut self,
        var: &hir::Variable,
        (to, ty): (InstrId, Type),
        at: &mut u32,
        stride: u32,
    ) -> Res<()> {
        let unit = self.m.unit;
        if let Some(array) = unit.types.as_array(ty) {
            for n in 0..array.len {
                let n = self.b.imm_u32(n);
                let element = self.element_deref(to, n)?;
                self.gather_elements(var, (element, array.elem), at, stride)?;
            }
            return Ok(());
        }
        let fields = block_of(unit, var).map_or(&[][..], |s| &s.fields);
        for (n, (f, place)) in (0u32..).zip(fields.iter().zip(&var.field_places)) {
            let home = self.m.make_io(&Io {
                name: &unit.names[f.name],
                ty: f.ty,
                qualifiers: &f.qualifiers,
                place: Placement { slot: place.slot.and_then(|s| s.offset(*at)), ..*place },
                builtin: None,
                dims: &[],
                per_vertex: false,
                input: true,
            })?;
            let Home::Var(from) = home else { return fail(MALFORMED, "a member must be an input") };
            let (from, to) = (self.var_deref(from), self.member_deref(to, ty, n)?);
            let value = self.load_from(from, f.ty, Access::empty())?;
            self.store_to(to, f.ty, value, Access::empty())?;
        }
        *at += stride;
        Ok(())
    }

    /// The value of a built-in that has another shape than its system value.
    pub fn computed(&mut self, how: Computed, deref: InstrId, ty: Type) -> Res<Value> {
        let shape = self.b.pointee(deref).and_then(|(ty, _)| self.m.shader.types.value_ty(ty));
        let (Some(shape), Some(want)) = (shape, shape_of(ty)) else {
            return fail(MALFORMED, "a system value must be a scalar or vector");
        };
        let v = self.b.load_deref(deref, shape);
        Ok(Value::Ssa(match how {
            Computed::Mask64 => {
                let low = self.b.swizzle(v, &[0, 1]);
                self.b.alu(AluOp::pack_64_2x32, &[low])
            }
            Computed::Cut => self.b.resize(v, want.comps),
        }))
    }
}
