//! Instructions of generated shaders.

use super::vars::has_workgroups;
use super::{Choices, Generator};
use crate::alu::{ALU_OPS, AluFlags, AluInfo, AluOp, AluProps, Base};
use crate::enums::*;
use crate::ids::{InstrId, VarId};
use crate::instr::*;
use crate::intrinsic::*;
use crate::slot::Slot;
use crate::tex::{Tex, TexOp, TexSrc};
use crate::types::{ImageType, Type, TypeId};
use crate::value::{Swizzle, Ty};

/// Whether to generate an intrinsic in a stage and form: where it is legal and the interpreter defines its result.
fn allows(op: IntrinsicOp, stage: Stage, form: Form) -> bool {
    use IntrinsicOp as Op;
    if !op.forms().contains(form.into()) || !op.stages().contains(stage.into()) {
        return false;
    }
    let variables = form == Form::Variables;
    match op {
        Op::load_per_vertex_input => stage != Stage::Fragment,
        Op::load_output => matches!(stage, Stage::TessControl | Stage::Fragment),
        Op::load_per_vertex_output => stage == Stage::TessControl,
        Op::store_output => !has_workgroups(stage),
        Op::deref_atomic | Op::deref_atomic_swap => variables,
        Op::barrier => has_workgroups(stage) || stage == Stage::TessControl,
        // Generated with the functions that have parameters.
        Op::load_param => false,
        _ if op.has(IntrinsicFlags::QUAD) => stage == Stage::Fragment,
        _ => op.system_value().is_none() || !variables,
    }
}

impl<C: Choices> Generator<'_, C> {
    /// One instruction with the operands that it needs.
    pub(super) fn instruction(&mut self) {
        match self.below(20) {
            0..9 => self.alu(),
            9..11 => self.load_deref(),
            11 | 12 => self.store_deref(Modes::all()),
            13 => self.copy(),
            14 => self.tex(),
            15 => self.call(),
            16 => {
                let ty = self.random_ty();
                self.constant(ty);
            }
            _ => {
                let op = self.pick(INTRINSIC_OPS);
                if allows(op, self.shader.stage, self.shader.form) {
                    self.intrinsic(op);
                }
            }
        }
    }

    // ---- ALU ----

    fn alu(&mut self) {
        let op = self.pick(ALU_OPS);
        let info = op.info();
        if info.props.contains(AluProps::QUAD) && self.shader.stage != Stage::Fragment {
            return;
        }
        let bits = self.alu_width(info);
        let comps = if info.result.comps == 0 { 1 + self.below(4) as u8 } else { info.result.comps };
        let result_bits = match info.result.bits {
            0 if !info.props.contains(AluProps::SIZED) => bits,
            0 if info.result.base == Base::Float => self.pick(&[16, 32, 32, 64]),
            0 => self.pick(&[8, 16, 32, 32, 64]),
            fixed => fixed,
        };
        let ty = Ty::new(comps, result_bits);
        let mut srcs = Vec::new();
        for (i, o) in info.operands.iter().enumerate() {
            let (value, from) = self.value_bits(if o.bits == 0 { bits } else { o.bits });
            let mut swizzle = Swizzle::IDENTITY;
            for lane in 0..info.operand_comps(i, comps) as usize {
                let keep = lane < from.comps as usize && !self.one_in(3);
                let c = if keep { lane } else { self.below(from.comps.into()) as usize };
                swizzle = swizzle.with(lane, c);
            }
            srcs.push(Src { value, swizzle });
        }
        let mut alu = Alu::new(op, comps, &srcs);
        if self.one_in(4) {
            alu.flags = AluFlags::from_bits_truncate(self.below(16) as u8);
        }
        self.value_of(InstrKind::Alu(alu), ty);
    }

    /// A width for the unsized operands of an operation.
    fn alu_width(&mut self, info: &AluInfo) -> u8 {
        let unsized_ones = || info.operands.iter().chain([&info.result]).filter(|o| o.bits == 0);
        let sized = info.props.contains(AluProps::SIZED);
        let operands = || info.operands.iter().filter(|o| o.bits == 0);
        let float = if sized {
            operands().any(|o| o.base == Base::Float)
        } else {
            unsized_ones().any(|o| o.base == Base::Float)
        };
        if float {
            self.pick(&[16, 32, 32, 32, 64])
        } else if unsized_ones().all(|o| o.base == Base::Any)
            || matches!(info.name, "iand" | "ior" | "ixor" | "inot")
        {
            self.pick(&[1, 8, 16, 32, 32, 64])
        } else {
            self.pick(&[8, 16, 32, 32, 32, 64])
        }
    }

    // ---- derefs ----

    fn deref(&mut self, kind: DerefKind, ty: TypeId, modes: Modes) -> InstrId {
        self.push(InstrKind::Deref(Deref { kind, ty, modes }), Ty::DEREF)
    }

    fn deref_var(&mut self, var: VarId) -> (InstrId, TypeId, Modes) {
        let v = &self.shader.vars[var];
        let (ty, mode) = (v.ty, v.mode);
        (self.deref(DerefKind::Var(var), ty, mode), ty, mode)
    }

    /// Memory that derefs of data reach in the form of the shader.
    fn data_modes(&self) -> Modes {
        let temporary = Modes::FUNCTION_TEMP | Modes::SHADER_TEMP;
        if self.shader.form != Form::Variables {
            return temporary;
        }
        let buffers = Modes::UBO | Modes::SSBO | Modes::PUSH_CONST | Modes::SHARED;
        temporary | buffers | Modes::IN | Modes::OUT | Modes::SYSTEM_VALUE
    }

    /// Loads the parameters; those that are derefs are cast to what they are.
    pub(super) fn load_params(&mut self) {
        for (i, p) in self.params.clone().into_iter().enumerate() {
            let load = Intrinsic::new(IntrinsicOp::load_param, &[]).with(Index::Param, i as u32);
            match p.pointee {
                None => _ = self.value_of(InstrKind::Intrinsic(load), p.ty),
                Some((ty, modes)) => {
                    let parent = self.push(InstrKind::Intrinsic(load), p.ty);
                    let deref = self.deref(DerefKind::Cast { parent, stride: 0 }, ty, modes);
                    if let Some((deref, ty, _)) = self.descend((deref, ty, modes), |_| false)
                        && let Some(shape) = self.shader.types.value_ty(ty)
                    {
                        self.load(deref, shape);
                    }
                }
            }
        }
    }

    /// An index below `len`, which is at least 1.
    fn index(&mut self, len: u32) -> InstrId {
        if len > 1 && self.one_in(3) {
            let (last, value) = (self.imm(len - 1), self.value(Ty::B32));
            return self.alu_of(AluOp::umin, &[value, last], Ty::B32);
        }
        let n = self.below(len);
        self.imm(n)
    }

    /// Goes down from a deref to a scalar, a vector, or a type that will do; `None` if there is none.
    fn descend(
        &mut self,
        (mut deref, mut ty, modes): (InstrId, TypeId, Modes),
        stop: impl Fn(&Type) -> bool,
    ) -> Option<(InstrId, TypeId, Modes)> {
        loop {
            if stop(&self.shader.types[ty]) {
                return Some((deref, ty, modes));
            }
            let parent = deref;
            match self.shader.types[ty].clone() {
                Type::Struct(s) => {
                    let field = self.below(s.members.len() as u32);
                    ty = s.members[field as usize].ty;
                    deref = self.deref(DerefKind::Struct { parent, field }, ty, modes);
                }
                Type::Vector { comps, .. } if comps == 1 || !self.one_in(4) => {
                    return Some((deref, ty, modes));
                }
                Type::Image(_) | Type::Sampler => return None,
                _ => {
                    let len = self.shader.types.num_elements(ty)?;
                    // Run-time arrays: the buffers of tests are larger than this.
                    let index = self.index(if len == 0 { 4 } else { len });
                    ty = self.shader.types.element(ty)?;
                    deref = self.deref(DerefKind::Array { parent, index }, ty, modes);
                }
            }
        }
    }

    /// A deref of a scalar or vector in some of the memory that the form allows.
    fn data_deref(&mut self, modes: Modes) -> Option<(InstrId, TypeId, Modes)> {
        let allowed = modes & self.data_modes();
        let vars = self.reachable_vars(|m| allowed.contains(m));
        if vars.is_empty() {
            return None;
        }
        let var = self.pick(&vars);
        let (mut deref, ty, mode) = self.deref_var(var);
        if self.options.casts && mode == Modes::FUNCTION_TEMP && self.one_in(8) {
            deref = self.deref(DerefKind::Cast { parent: deref, stride: 0 }, ty, mode);
            if self.one_in(2) {
                let index = self.imm(0);
                deref = self.deref(DerefKind::PtrAsArray { parent: deref, index }, ty, mode);
            }
        }
        self.descend((deref, ty, mode), |_| false)
    }

    fn load(&mut self, deref: InstrId, shape: Ty) {
        let access = if self.one_in(6) { self.access() } else { Access::empty() };
        let load = Intrinsic::new(IntrinsicOp::load_deref, &[deref]).with(Index::Access, access);
        self.value_of(InstrKind::Intrinsic(load), shape);
    }

    fn access(&mut self) -> Access {
        self.pick(&[
            Access::COHERENT,
            Access::COHERENT | Access::RESTRICT,
            Access::VOLATILE,
            Access::IN_BOUNDS,
        ])
    }

    fn load_deref(&mut self) {
        let Some((deref, ty, _)) = self.data_deref(Modes::all()) else { return };
        if let Some(shape) = self.shader.types.value_ty(ty) {
            self.load(deref, shape);
        }
    }

    /// Memory that can be written.
    fn writable(modes: Modes) -> Modes {
        modes & (Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::OUT | Modes::SSBO | Modes::SHARED)
    }

    pub(super) fn store_deref(&mut self, modes: Modes) {
        let Some((deref, ty, _)) = self.data_deref(Self::writable(modes)) else { return };
        let Some(shape) = self.shader.types.value_ty(ty) else { return };
        let value = self.value(shape);
        let full = u32::from(shape.full_mask());
        let mask = if self.one_in(3) { self.below(full + 1) } else { full };
        let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, value]).with(Index::WriteMask, mask);
        self.push(InstrKind::Intrinsic(store), Ty::NONE);
    }

    /// Copies between two places of one type, now and then all elements by a wildcard.
    fn copy(&mut self) {
        let allowed = self.data_modes();
        let vars = self.reachable_vars(|m| Self::writable(allowed).contains(m));
        if vars.is_empty() {
            return;
        }
        let var = self.pick(&vars);
        let (mut a, mut ty, modes) = self.deref_var(var);
        let (mut b, _, _) = self.deref_var(var);
        // One buffer of an array.
        while modes.intersects(Modes::UBO | Modes::SSBO)
            && let Type::Array { elem, len, .. } = self.shader.types[ty].clone()
        {
            let index = {
                let element = self.below(len);
                self.imm(element)
            };
            ty = elem;
            a = self.deref(DerefKind::Array { parent: a, index }, ty, modes);
            b = self.deref(DerefKind::Array { parent: b, index }, ty, modes);
        }
        if let (Type::Array { elem, len, .. }, true) = (self.shader.types[ty].clone(), self.one_in(2))
            && len != 0
        {
            ty = elem;
            a = self.deref(DerefKind::ArrayWildcard { parent: a }, ty, modes);
            b = self.deref(DerefKind::ArrayWildcard { parent: b }, ty, modes);
        }
        if matches!(self.shader.types[ty], Type::Array { len: 0, .. }) || self.has_runtime_array(ty) {
            return;
        }
        let copy = Intrinsic::new(IntrinsicOp::copy_deref, &[a, b]);
        self.push(InstrKind::Intrinsic(copy), Ty::NONE);
    }

    fn has_runtime_array(&self, ty: TypeId) -> bool {
        match &self.shader.types[self.shader.types.without_arrays(ty)] {
            Type::Struct(s) => {
                s.members.last().is_some_and(|m| self.shader.types.num_elements(m.ty) == Some(0))
            }
            _ => false,
        }
    }

    fn call(&mut self) {
        if self.callees.is_empty() {
            return;
        }
        let callees = self.callees.clone();
        let callee = self.pick(&callees);
        let mut args = smallvec::SmallVec::new();
        for p in self.shader.functions[callee].params.clone() {
            match p.pointee {
                None => args.push(self.value(p.ty)),
                Some((ty, modes)) => {
                    let vars = self.reachable_vars(|m| modes.contains(m));
                    let Some(var) = vars.into_iter().find(|&v| self.shader.vars[v].ty == ty) else { return };
                    args.push(self.deref_var(var).0);
                }
            }
        }
        self.push(InstrKind::Call(Box::new(Call { callee, args })), Ty::NONE);
    }

    // ---- intrinsics ----

    /// Writes an output or buffer in the form `slots`.
    pub(super) fn store_lowered(&mut self) {
        let op = if has_workgroups(self.shader.stage) || self.one_in(2) {
            IntrinsicOp::store_ssbo
        } else {
            IntrinsicOp::store_output
        };
        if allows(op, self.shader.stage, self.shader.form) {
            self.intrinsic(op);
        }
    }

    fn intrinsic(&mut self, op: IntrinsicOp) {
        use IntrinsicOp as Op;
        let info = op.info();
        let mut image = None;
        let mut srcs: Vec<InstrId> = Vec::new();
        let mut result = info.result.map_or(Ty::NONE, |r| self.shape_for(r));
        let is_io = info.indices.contains(&Index::Io);
        let component = if is_io { self.below(2) as u8 } else { 0 };
        if is_io && !result.is_none() {
            result.comps = result.comps.min(4 - component);
        }
        let atomic = info.indices.contains(&Index::Atomic);
        if atomic {
            result = Ty::B32;
        }
        match op {
            // Made by functions of their own.
            Op::load_deref | Op::store_deref | Op::copy_deref => return,
            Op::convert_alu_types | Op::convert_air => return self.convert(op),
            _ => {}
        }
        let mut stored = result;
        for (o, name) in info.operands.iter().zip(info.operand_names) {
            let value = if o.deref {
                match *name {
                    "block" => self.block_deref(op),
                    "image" => {
                        let found = self.image_deref(op);
                        image = found.map(|(_, i)| i);
                        found.map(|(d, _)| d)
                    }
                    "texture" => self
                        .opaque(Modes::UNIFORM, |t| matches!(t, Type::Image(i) if i.shadow))
                        .map(|(d, _)| d),
                    _ => self.special_deref(op).map(|(d, shape)| {
                        if info.result.is_some_and(|r| r.fixed().is_none()) {
                            result = shape;
                        }
                        d
                    }),
                }
            } else if o.same {
                Some(self.value(result))
            } else {
                Some(self.operand(op, name, *o, result, image, component, &mut stored))
            };
            let Some(value) = value else { return };
            srcs.push(value);
        }
        if let (Op::image_size, Some(i)) = (op, image) {
            let comps = if i.dim == Dim::Cube { 2 } else { i.dim.coord_comps() };
            result = Ty::new(comps + u8::from(i.arrayed), 32);
        } else if let (Op::image_load, Some(i)) = (op, image) {
            result = Ty::new(4, i.sampled.bits());
            stored = result;
        }
        let mut intrinsic = Intrinsic::new(op, &srcs);
        for &index in info.indices {
            let bits = self.index_bits(op, index, stored, image, component);
            let _ = intrinsic.try_set(index, bits);
        }
        if result.is_none() {
            self.push(InstrKind::Intrinsic(intrinsic), Ty::NONE);
        } else {
            self.value_of(InstrKind::Intrinsic(intrinsic), result);
        }
    }

    /// A shape that fits an operand or result.
    fn shape_for(&mut self, shape: OperandShape) -> Ty {
        let ty = self.random_ty();
        let bits = match (shape.bits, shape.base) {
            (0, Base::Float) => self.pick(&[16, 32, 64]),
            (0, _) => ty.bits,
            (bits, _) => bits,
        };
        Ty::new(if shape.comps == 0 { ty.comps } else { shape.comps }, bits)
    }

    /// An operand that is not a deref.
    #[allow(clippy::too_many_arguments)]
    fn operand(
        &mut self,
        op: IntrinsicOp,
        name: &str,
        shape: OperandShape,
        result: Ty,
        image: Option<ImageType>,
        component: u8,
        stored: &mut Ty,
    ) -> InstrId {
        let image_op = image.is_some();
        match name {
            "coord" => {
                let comps =
                    image.map_or(2, |i| i.dim.coord_comps() + u8::from(i.arrayed && i.dim != Dim::Cube));
                self.value(Ty::new(comps, 32))
            }
            "sample" if image_op => self.imm(0),
            "lod" => self.imm(0),
            "data" | "compare" if !image_op => self.value(result),
            "data" => self.value(Ty::B32),
            "compare_data" => self.value(Ty::new(2, 32)),
            "value" => {
                *stored = match image {
                    Some(i) => Ty::new(4, i.sampled.bits()),
                    None => self.shape_for(shape),
                };
                if op.info().indices.contains(&Index::Io) {
                    stored.comps = stored.comps.min(4 - component);
                }
                self.value(*stored)
            }
            // Slots are counted in the I/O semantics; bytes must stay within the buffers of tests.
            "offset" if shape.base == Base::Uint => {
                if op.info().indices.contains(&Index::Io) {
                    return self.imm(0);
                }
                let is_claimed = op.info().indices.contains(&Index::Align);
                self.offset_part = if is_claimed { self.pick(&[0, 0, 4, 12]) } else { 0 };
                let n = self.below(8) * 16 + u32::from(self.offset_part);
                self.imm(n)
            }
            "vertex" | "invocation" => {
                let n = self.below(3);
                self.imm(n)
            }
            _ => {
                let ty = self.shape_for(shape);
                self.value(ty)
            }
        }
    }

    fn index_bits(
        &mut self,
        op: IntrinsicOp,
        index: Index,
        stored: Ty,
        image: Option<ImageType>,
        component: u8,
    ) -> u32 {
        let scalar = match image {
            Some(i) => i.sampled,
            None if stored.bits == 1 => Scalar::Bool,
            None => self.pick(&[Scalar::Any, Scalar::int(stored.bits, false)]),
        };
        match index {
            Index::Component => component.into(),
            Index::WriteMask => {
                let full = u32::from(stored.full_mask());
                if self.one_in(3) { self.below(full + 1) } else { full }
            }
            Index::Access | Index::SrcAccess => {
                if self.one_in(4) {
                    self.access().pack()
                } else {
                    0
                }
            }
            Index::Align => {
                let mul = self.pick(&[1, 4, 4, 16]);
                Align { mul, offset: self.offset_part % mul }.pack()
            }
            Index::Io => {
                let mut io = IoSemantics::new(Slot(Slot::GENERIC + self.below(8) as u8));
                io.num_slots = self.pick(&[1, 1, 1, 4]);
                io.medium_precision = self.one_in(6);
                io.invariant = self.one_in(6);
                io.pack()
            }
            Index::DestType | Index::SrcType => scalar.pack(),
            Index::Interp => self.pick(&[Interpolation::Smooth, Interpolation::NoPerspective]).pack(),
            Index::Dim => image.map_or(0, |i| i.dim.pack()),
            Index::Array => image.map_or(0, |i| u32::from(i.arrayed)),
            Index::Format => image.map_or(0, |i| i.format.pack()),
            Index::Atomic if op.name().ends_with("_swap") => AtomicOp::Cmpxchg.pack(),
            Index::Atomic => {
                let ops = [AtomicOp::Iadd, AtomicOp::Imin, AtomicOp::Umax, AtomicOp::Ixor, AtomicOp::Xchg];
                self.pick(&ops).pack()
            }
            Index::ExecutionScope => self.pick(&[Scope::Workgroup, Scope::Subgroup, Scope::None]).pack(),
            Index::MemoryScope => self.any::<Scope>().pack(),
            Index::MemoryModes => (Modes::SHARED | Modes::SSBO).pack(),
            Index::Semantics => (Semantics::ACQUIRE | Semantics::RELEASE).pack(),
            Index::Reduce => {
                let float = matches!(stored.bits, 16 | 32 | 64) && self.one_in(2);
                if float { ReduceOp::Fadd.pack() } else { ReduceOp::Umax.pack() }
            }
            Index::Cluster => self.pick(&[0, 0, 4, 8]),
            Index::Rounding => self.any::<RoundingMode>().pack(),
            Index::Stream | Index::Saturate | Index::Param => 0,
        }
    }

    fn convert(&mut self, op: IntrinsicOp) {
        let scalars = &Scalar::ALL[2..];
        let (from, to) = (self.pick(scalars), self.pick(scalars));
        let (value, ty) = self.value_bits(from.bits());
        let convert = Intrinsic::new(op, &[value])
            .with(Index::SrcType, from)
            .with(Index::DestType, to)
            .with(Index::Rounding, self.pick(&[RoundingMode::Undef, RoundingMode::Rte, RoundingMode::Rtz]))
            .with(Index::Saturate, self.one_in(2));
        self.value_of(InstrKind::Intrinsic(convert), ty.with_bits(to.bits()));
    }

    /// A deref of a whole block, or of an element of an array of blocks.
    fn block_deref(&mut self, op: IntrinsicOp) -> Option<InstrId> {
        let mode = if op == IntrinsicOp::load_ubo { Modes::UBO } else { Modes::SSBO };
        let vars = self.reachable_vars(|m| m == mode);
        let var = self.pick(&vars);
        let whole = self.deref_var(var);
        let is_block = |t: &Type| matches!(t, Type::Struct(s) if s.block);
        self.descend(whole, is_block).map(|(d, _, _)| d)
    }

    /// A variable, or an element of an array, whose type is of a kind.
    fn opaque(&mut self, mode: Modes, fits: impl Fn(&Type) -> bool) -> Option<(InstrId, Type)> {
        let mut vars = self.reachable_vars(|m| m == mode);
        vars.retain(|&v| fits(&self.shader.types[self.shader.types.without_arrays(self.shader.vars[v].ty)]));
        if vars.is_empty() {
            return None;
        }
        let var = self.pick(&vars);
        let whole = self.deref_var(var);
        let (deref, ty, _) = self.descend(whole, |t| matches!(t, Type::Image(_) | Type::Sampler))?;
        Some((deref, self.shader.types[ty].clone()))
    }

    fn image_deref(&mut self, op: IntrinsicOp) -> Option<(InstrId, ImageType)> {
        use IntrinsicOp as Op;
        let atomic = matches!(op, Op::image_atomic | Op::image_atomic_swap);
        let fits = |t: &Type| match t {
            Type::Image(i) => {
                (!atomic || matches!(i.format, ImageFormat::R32ui | ImageFormat::R32i))
                    && (op == Op::image_samples) == (i.dim == Dim::Ms)
            }
            _ => false,
        };
        match self.opaque(Modes::IMAGE, fits)? {
            (deref, Type::Image(i)) => Some((deref, i)),
            _ => None,
        }
    }

    /// The deref of an operation that needs a particular type, and the shape of the pointee.
    fn special_deref(&mut self, op: IntrinsicOp) -> Option<(InstrId, Ty)> {
        use IntrinsicOp as Op;
        let modes = match op {
            Op::deref_atomic | Op::deref_atomic_swap => Modes::SSBO | Modes::SHARED,
            Op::deref_buffer_array_length => Modes::SSBO,
            _ => Modes::IN,
        };
        let vars = self.reachable_vars(|m| modes.contains(m));
        if vars.is_empty() {
            return None;
        }
        let var = self.pick(&vars);
        let whole = self.deref_var(var);
        let runtime = op == Op::deref_buffer_array_length;
        let (deref, ty, _) = self.descend(whole, |t| runtime && matches!(t, Type::Array { len: 0, .. }))?;
        if runtime {
            return matches!(self.shader.types[ty], Type::Array { len: 0, .. }).then_some((deref, Ty::B32));
        }
        let shape = self.shader.types.value_ty(ty)?;
        let integer = matches!(
            self.shader.types[ty],
            Type::Vector { scalar: Scalar::Uint32 | Scalar::Int32, comps: 1 }
        );
        (modes == Modes::IN || integer).then_some((deref, shape))
    }

    // ---- textures ----

    fn tex(&mut self) {
        let op = self.pick(TexOp::ALL);
        let Some((texture, Type::Image(i))) = self.opaque(Modes::UNIFORM, |t| matches!(t, Type::Image(_)))
        else {
            return;
        };
        let samples = !op.is_fetch() && (!op.is_query() || op == TexOp::Lod);
        let multisampled = i.dim == Dim::Ms;
        let fits = match op {
            TexOp::TxfMs | TexOp::Samples => multisampled,
            TexOp::Txf => !multisampled && i.dim != Dim::Cube && !i.shadow,
            TexOp::Txs => true,
            TexOp::QueryLevels => !multisampled && !matches!(i.dim, Dim::Buffer | Dim::Rect),
            TexOp::Tg4 => matches!(i.dim, Dim::D2 | Dim::Cube | Dim::Rect),
            _ => !multisampled && i.dim != Dim::Buffer && (i.dim != Dim::Rect || op == TexOp::Tex),
        };
        if !fits || (op.is_quad() && self.shader.stage != Stage::Fragment) {
            return;
        }
        let mut tex = Tex::new(op, i.dim, i.sampled);
        (tex.arrayed, tex.shadow) = (i.arrayed, i.shadow);
        tex.set_src(TexSrc::Texture, texture);
        if samples {
            let sampler = if i.combined {
                texture
            } else {
                let Some((sampler, _)) = self.opaque(Modes::UNIFORM, |t| *t == Type::Sampler) else { return };
                sampler
            };
            tex.set_src(TexSrc::Sampler, sampler);
        }
        let plain = i.dim.coord_comps();
        if samples || op.is_fetch() {
            tex.set_src(TexSrc::Coord, self.value(Ty::new(tex.coord_comps(), 32)));
        }
        let compares = i.shadow && samples && op != TexOp::Lod;
        if compares {
            tex.set_src(TexSrc::Comparator, self.value(Ty::B32));
        }
        let roles: &[TexSrc] = match op {
            TexOp::Txb => &[TexSrc::Bias],
            TexOp::Txl | TexOp::Txf | TexOp::Txs
                if !multisampled && !matches!(i.dim, Dim::Buffer | Dim::Rect) =>
            {
                &[TexSrc::Lod]
            }
            TexOp::TxfMs => &[TexSrc::MsIndex],
            _ => &[],
        };
        for &role in roles {
            let value = if op == TexOp::Txb || op == TexOp::Txl { self.value(Ty::B32) } else { self.imm(0) };
            tex.set_src(role, value);
        }
        if op == TexOp::Txd {
            for role in [TexSrc::Ddx, TexSrc::Ddy] {
                tex.set_src(role, self.value(Ty::new(plain, 32)));
            }
        }
        if samples && op != TexOp::Lod && i.dim != Dim::Cube && self.one_in(4) {
            tex.set_src(TexSrc::Offset, self.constant_offset(plain));
        }
        if op == TexOp::Tg4 {
            tex.component = if i.shadow { 0 } else { self.below(4) as u8 };
            if i.dim == Dim::D2 && tex.src(TexSrc::Offset).is_none() && self.one_in(3) {
                tex.offsets = Some([[0, 1], [-8, 7], [1, 0], [0, 0]]);
            }
        }
        tex.non_uniform = self.one_in(6);
        tex.relaxed = self.one_in(6);
        let size = if i.dim == Dim::Cube { 2 } else { plain } + u8::from(i.arrayed);
        let (comps, dest) = match op {
            TexOp::Txs => (size, Scalar::Int32),
            TexOp::Lod => (2, Scalar::Float32),
            TexOp::QueryLevels | TexOp::Samples => (1, Scalar::Int32),
            _ if compares && op != TexOp::Tg4 => (1, i.sampled),
            _ => (4, i.sampled),
        };
        tex.dest_type = dest;
        tex.residency = !op.is_query() && self.one_in(12);
        let (comps, bits) = if tex.residency { (1, 32) } else { (comps, dest.bits()) };
        self.value_of(InstrKind::Tex(Box::new(tex)), Ty::new(comps, bits));
    }

    fn constant_offset(&mut self, comps: u8) -> InstrId {
        let ty = Ty::new(comps, 32);
        let mut lanes = [0; 4];
        for lane in &mut lanes[..comps as usize] {
            *lane = u64::from(self.below(15)).wrapping_sub(7) & 0xffff_ffff;
        }
        self.value_of(InstrKind::Const(lanes), ty)
    }
}
