//! Builder: creates instructions at a cursor.
//!
//! Constant operands are folded, operations that are one of their operands become it, and moves that change nothing are
//! dropped while building, unless the builder is [`raw`](Builder::raw). One method per ALU operation comes from
//! [`Builder::alu`] with the operation; the common ones have short methods.

mod identities;
mod locals;
mod loops;
mod math;
mod shared;
mod textures;

pub use locals::{LocalValues, OuterLocals};
pub use math::Columns;

use crate::alu::{AluFlags, AluOp, AluShape, alu_methods, short_method};
use crate::body::{Body, Cursor};
use crate::enums::*;
use crate::ids::{BlockId, CfId, FuncId, InstrId, VarId};
use crate::instr::*;
use crate::intrinsic::IntrinsicOp;
use crate::shader::Shader;
use crate::tex::Tex;
use crate::types::{Type, TypeId, Types};
use crate::value::{Lanes, MAX_COMPONENTS, Swizzle, Ty, bit_mask};
use smallvec::SmallVec;

/// Creates instructions one after the other at a position of a body.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The body that is built.
    pub body: &'a mut Body,
    /// Position of the next instruction; moves past each insertion.
    pub cursor: Cursor,
    /// Source location of new instructions.
    pub loc: Loc,
    /// Flags of new ALU instructions.
    pub flags: AluFlags,
    /// Whether nothing is simplified: operations on constants stay operations, and moves that change nothing are kept.
    pub raw: bool,
    /// Earlier instructions, if equal ones are [shared](Self::share_values).
    shared: Option<shared::Shared>,
}

/// One method for each operation, scalars spread over vectors. Conversions have [`Builder::convert`], which takes the
/// width of the result.
impl Builder<'_> {
    alu_methods!();
}

impl<'a> Builder<'a> {
    /// A builder at a position.
    pub fn at(body: &'a mut Body, cursor: Cursor) -> Builder<'a> {
        Builder { body, cursor, loc: Loc::NONE, flags: AluFlags::empty(), raw: false, shared: None }
    }

    /// A builder before an instruction, with that instruction's source location.
    pub fn before(body: &'a mut Body, instr: InstrId) -> Builder<'a> {
        let loc = body[instr].loc;
        Builder { loc, ..Builder::at(body, Cursor::Before(instr)) }
    }

    /// A builder after an instruction, with that instruction's source location.
    pub fn after(body: &'a mut Body, instr: InstrId) -> Builder<'a> {
        let loc = body[instr].loc;
        Builder { loc, ..Builder::at(body, Cursor::After(instr)) }
    }

    /// A builder at the end of the entry block.
    pub fn at_end(body: &'a mut Body) -> Builder<'a> {
        let last = body.root().last;
        let cursor = body.before_jump(last);
        Builder::at(body, cursor)
    }

    /// The block of the next instruction.
    pub fn block(&self) -> BlockId {
        self.body.block_at(self.cursor)
    }

    /// Puts in an instruction as it is.
    pub fn insert(&mut self, instr: Instr) -> InstrId {
        let id = self.body.insert(self.cursor, instr.at(self.loc));
        self.cursor = Cursor::After(id);
        id
    }

    /// Shape of a value.
    pub fn ty(&self, value: InstrId) -> Ty {
        self.body[value].ty
    }

    // ---- constants ----

    /// A constant of raw lanes; bits above the width are cut off.
    pub fn constant(&mut self, ty: Ty, mut lanes: Lanes) -> InstrId {
        for (i, l) in lanes.iter_mut().enumerate() {
            *l = if i < ty.comps as usize { *l & bit_mask(u32::from(ty.bits)) } else { 0 };
        }
        self.insert_shared(Instr::new(InstrKind::Const(lanes), ty))
    }

    /// All components zero.
    pub fn zero(&mut self, ty: Ty) -> InstrId {
        self.constant(ty, [0; MAX_COMPONENTS])
    }

    /// A scalar of `bits` bits.
    pub fn imm(&mut self, bits: u8, value: u64) -> InstrId {
        self.constant(Ty::new(1, bits), [value, 0, 0, 0])
    }

    /// A 32-bit integer.
    pub fn imm_u32(&mut self, value: u32) -> InstrId {
        self.imm(32, u64::from(value))
    }

    /// A float of `bits` bits.
    pub fn imm_float(&mut self, bits: u8, value: f64) -> InstrId {
        self.imm(bits, crate::alu::f64_to_bits(value, u32::from(bits)))
    }

    /// A 32-bit float.
    pub fn imm_f32(&mut self, value: f32) -> InstrId {
        self.imm(32, u64::from(value.to_bits()))
    }

    /// A boolean.
    pub fn imm_bool(&mut self, value: bool) -> InstrId {
        self.imm(1, u64::from(value))
    }

    /// An undefined value.
    pub fn undef(&mut self, ty: Ty) -> InstrId {
        self.insert_shared(Instr::new(InstrKind::Undef, ty))
    }

    /// A constant scalar's bits, if the value is one.
    pub fn scalar_const(&self, value: InstrId) -> Option<u64> {
        let i = &self.body[value];
        i.as_const().filter(|_| i.ty.comps == 1).map(|c| c[0])
    }

    /// The value of a condition, if it is a constant and the builder may drop the side that is not taken.
    pub fn known_condition(&self, condition: InstrId) -> Option<bool> {
        self.scalar_const(condition).filter(|_| !self.raw).map(|bits| bits != 0)
    }

    // ---- ALU ----

    /// An ALU operation. The shape of the result follows from the operands; `result_bits` is needed for
    /// conversions only. Folded if all operands are constant.
    pub fn alu_srcs(
        &mut self,
        op: AluOp,
        comps: Option<u8>,
        result_bits: Option<u8>,
        srcs: &[Src],
    ) -> InstrId {
        let AluShape { ty, bits, .. } =
            op.info().shape(srcs.iter().map(|s| self.ty(s.value)), comps, result_bits);
        let whole = |s: &Src| self.ty(s.value) == ty && s.swizzle.is_identity(ty.comps as usize);
        if op == AluOp::mov && !self.raw && whole(&srcs[0]) {
            return srcs[0].value;
        }
        self.alu_of_shape(op, ty, bits, srcs)
    }

    /// An ALU operation other than a move with a result of shape `ty` on operands of `bits` bits (those whose width
    /// is not fixed). Folded if all operands are constant.
    pub fn alu_of_shape(&mut self, op: AluOp, ty: Ty, bits: u8, srcs: &[Src]) -> InstrId {
        if let Some(lanes) = self.fold(op, ty, u32::from(bits), srcs) {
            return self.constant(ty, lanes);
        }
        if !self.raw
            && let Some(src) = identities::identity(op, ty, srcs, |s| self.body[s.value].as_const().copied())
        {
            return self.alu_srcs(AluOp::mov, Some(ty.comps), None, &[src]);
        }
        let mut alu = Alu::new(op, ty.comps, srcs);
        alu.flags = self.flags;
        self.insert_shared(Instr::new(InstrKind::Alu(alu), ty))
    }

    fn fold(&self, op: AluOp, ty: Ty, bits: u32, srcs: &[Src]) -> Option<Lanes> {
        if self.raw {
            return None;
        }
        let mut values: SmallVec<[Lanes; 4]> = SmallVec::new();
        for (i, s) in srcs.iter().enumerate() {
            let lanes = self.body[s.value].as_const()?;
            let n = op.info().operand_comps(i, ty.comps) as usize;
            values.push(std::array::from_fn(|l| if l < n { lanes[s.swizzle.get(l)] } else { 0 }));
        }
        op.eval(bits, ty, &values)
    }

    /// An ALU operation on whole values. Scalars are spread over vectors, as in GLSL.
    pub fn alu(&mut self, op: AluOp, values: &[InstrId]) -> InstrId {
        let info = op.info();
        let AluShape { ty, bits, comps } = info.shape(values.iter().map(|&v| self.ty(v)), None, None);
        let mut srcs: SmallVec<[Src; MAX_COMPONENTS]> = SmallVec::new();
        for (&v, o) in values.iter().zip(info.operands) {
            let spread = o.comps == 0 && self.ty(v).comps == 1;
            let swizzle = if spread { Swizzle::splat(0, comps as usize) } else { Swizzle::IDENTITY };
            srcs.push(Src { value: v, swizzle });
        }
        if op == AluOp::mov && !self.raw {
            return values[0];
        }
        self.alu_of_shape(op, ty, bits, &srcs)
    }

    /// A conversion to `bits` bits.
    pub fn convert(&mut self, op: AluOp, value: InstrId, bits: u8) -> InstrId {
        self.alu_srcs(op, Some(self.ty(value).comps), Some(bits), &[value.into()])
    }

    /// A value's components rearranged: lane `i` is component `swizzle[i]`.
    pub fn swizzle(&mut self, value: InstrId, lanes: &[u8]) -> InstrId {
        let src = Src { value, swizzle: Swizzle::from_lanes(lanes) };
        self.alu_srcs(AluOp::mov, Some(lanes.len() as u8), None, &[src])
    }

    /// One component of a value.
    pub fn channel(&mut self, value: InstrId, c: usize) -> InstrId {
        self.swizzle(value, &[c as u8])
    }

    /// A vector of scalars (one to four).
    pub fn vec(&mut self, scalars: &[InstrId]) -> InstrId {
        let srcs: SmallVec<[Src; 4]> = scalars.iter().map(|&v| v.into()).collect();
        self.vec_srcs(&srcs)
    }

    /// A vector whose components are the first lanes of `srcs` (one to four).
    pub fn vec_srcs(&mut self, srcs: &[Src]) -> InstrId {
        // All lanes of one value are a swizzle of it.
        if srcs.len() == 1 || !self.raw && srcs.iter().all(|s| s.value == srcs[0].value) {
            let lanes: SmallVec<[u8; 4]> = srcs.iter().map(|s| s.swizzle.get(0) as u8).collect();
            return self.swizzle(srcs[0].value, &lanes);
        }
        let op = match srcs.len() {
            2 => AluOp::vec2,
            3 => AluOp::vec3,
            _ => AluOp::vec4,
        };
        self.alu_srcs(op, None, None, srcs)
    }

    /// `value` with component `c` (a constant) replaced by the scalar `x`.
    pub fn vector_insert(&mut self, value: InstrId, x: InstrId, c: usize) -> InstrId {
        let n = self.ty(value).comps as usize;
        if n == 1 {
            return x;
        }
        let srcs: SmallVec<[Src; 4]> =
            (0..n).map(|i| if i == c { x.into() } else { Src::comp(value, i) }).collect();
        self.vec_srcs(&srcs)
    }

    /// Component `index` (an integer value) of a vector; out of range gives the last component.
    pub fn vector_extract_dynamic(&mut self, value: InstrId, index: InstrId) -> InstrId {
        let n = self.ty(value).comps as usize;
        if let Some(c) = self.scalar_const(index) {
            return self.channel(value, (c as usize).min(n - 1));
        }
        let bits = self.ty(index).bits;
        let mut result = self.channel(value, n - 1);
        for c in (0..n - 1).rev() {
            let (x, i) = (self.channel(value, c), self.imm(bits, c as u64));
            let here = self.ieq(index, i);
            result = self.bcsel(here, x, result);
        }
        result
    }

    /// `value` with component `index` (an integer value) replaced by `x`; out of range changes nothing.
    pub fn vector_insert_dynamic(&mut self, value: InstrId, x: InstrId, index: InstrId) -> InstrId {
        let n = self.ty(value).comps as usize;
        if let Some(c) = self.scalar_const(index) {
            return if (c as usize) < n { self.vector_insert(value, x, c as usize) } else { value };
        }
        let ty = Ty::new(n as u8, self.ty(index).bits);
        let lanes = self.constant(ty, [0, 1, 2, 3]);
        let here = self.alu(AluOp::ieq, &[lanes, index]);
        self.alu(AluOp::bcsel, &[here, x, value])
    }

    /// The vector padded with undefined components or cut to `comps` components.
    pub fn resize(&mut self, value: InstrId, comps: u8) -> InstrId {
        let ty = self.ty(value);
        if ty.comps >= comps {
            return self.swizzle(value, &[0, 1, 2, 3][..comps as usize]);
        }
        let undef = self.undef(Ty::new(1, ty.bits));
        let srcs: SmallVec<[Src; 4]> = (0..comps as usize)
            .map(|i| if i < ty.comps as usize { Src::comp(value, i) } else { undef.into() })
            .collect();
        self.vec_srcs(&srcs)
    }

    // ---- derefs ----

    /// A deref of a variable.
    pub fn deref_var(
        &mut self,
        shader_vars: &slotmap::SlotMap<VarId, crate::var::Variable>,
        var: VarId,
    ) -> InstrId {
        let v = &shader_vars[var];
        self.deref(DerefKind::Var(var), v.ty, v.mode)
    }

    /// A deref of a given kind.
    pub fn deref(&mut self, kind: DerefKind, ty: TypeId, modes: Modes) -> InstrId {
        self.insert_shared(Instr::new(InstrKind::Deref(Deref { kind, ty, modes }), Ty::DEREF))
    }

    /// Type and modes of a deref; `None` for other values.
    pub fn pointee(&self, deref: InstrId) -> Option<(TypeId, Modes)> {
        self.body[deref].as_deref().map(|d| (d.ty, d.modes))
    }

    /// A deref of an element.
    ///
    /// # Panics
    /// If `parent` is not a deref of an array, matrix or vector.
    pub fn deref_array(&mut self, types: &mut Types, parent: InstrId, index: InstrId) -> InstrId {
        match self.try_deref_array(types, parent, index) {
            Some(deref) => deref,
            None => panic!("`deref_array` of a value without elements"),
        }
    }

    /// A deref of an element, for readers of untrusted code; `None` if `parent` is not a deref of an array,
    /// matrix or vector.
    pub fn try_deref_array(&mut self, types: &mut Types, parent: InstrId, index: InstrId) -> Option<InstrId> {
        let (ty, modes) = self.pointee(parent)?;
        let elem = types.element(ty)?;
        Some(self.deref(DerefKind::Array { parent, index }, elem, modes))
    }

    /// A deref of an element with a constant index.
    ///
    /// # Panics
    /// If `parent` is not a deref of an array, matrix or vector.
    pub fn deref_array_imm(&mut self, types: &mut Types, parent: InstrId, index: u32) -> InstrId {
        let index = self.imm_u32(index);
        self.deref_array(types, parent, index)
    }

    /// A deref of a member.
    ///
    /// # Panics
    /// If `parent` is not a deref of a structure with that member.
    pub fn deref_struct(&mut self, types: &Types, parent: InstrId, field: u32) -> InstrId {
        match self.try_deref_struct(types, parent, field) {
            Some(deref) => deref,
            None => panic!("`deref_struct` of a value without member {field}"),
        }
    }

    /// A deref of a member, for readers of untrusted code; `None` if `parent` is not a deref of a structure
    /// with that member.
    pub fn try_deref_struct(&mut self, types: &Types, parent: InstrId, field: u32) -> Option<InstrId> {
        let (ty, modes) = self.pointee(parent)?;
        let Type::Struct(s) = &types[ty] else { return None };
        let member = s.members.get(field as usize)?.ty;
        Some(self.deref(DerefKind::Struct { parent, field }, member, modes))
    }

    /// Reads a scalar or vector.
    pub fn load_deref(&mut self, deref: InstrId, ty: Ty) -> InstrId {
        self.intrinsic(IntrinsicOp::load_deref, ty, &[deref])
    }

    /// Writes all components of a scalar or vector.
    pub fn store_deref(&mut self, deref: InstrId, value: InstrId) -> InstrId {
        let mask = u32::from(self.ty(value).full_mask());
        let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, value]);
        self.insert_intrinsic(store.with(crate::intrinsic::Index::WriteMask, mask), Ty::NONE)
    }

    /// Copies a variable of any type.
    pub fn copy_deref(&mut self, dst: InstrId, src: InstrId) -> InstrId {
        self.intrinsic(IntrinsicOp::copy_deref, Ty::NONE, &[dst, src])
    }

    // ---- other instructions ----

    /// An intrinsic with all indices zero.
    pub fn intrinsic(&mut self, op: IntrinsicOp, ty: Ty, srcs: &[InstrId]) -> InstrId {
        self.insert_intrinsic(Intrinsic::new(op, srcs), ty)
    }

    /// An intrinsic.
    pub fn insert_intrinsic(&mut self, intrinsic: Intrinsic, ty: Ty) -> InstrId {
        self.insert(Instr::new(InstrKind::Intrinsic(intrinsic), ty))
    }

    /// Reads a system value.
    pub fn load_system_value(&mut self, sv: crate::intrinsic::SystemValue) -> InstrId {
        self.intrinsic(sv.load_op(), sv.ty(), &[])
    }

    /// A texture instruction.
    pub fn tex(&mut self, tex: Tex, ty: Ty) -> InstrId {
        self.insert(Instr::new(InstrKind::Tex(Box::new(tex)), ty))
    }

    /// A phi; the cursor must be among the phis of a block.
    pub fn phi(&mut self, ty: Ty, srcs: &[PhiSrc]) -> InstrId {
        self.insert(Instr::new(InstrKind::Phi(srcs.into()), ty))
    }

    /// A call.
    pub fn call(&mut self, callee: FuncId, args: &[InstrId]) -> InstrId {
        self.insert(Instr::new(InstrKind::Call(Box::new(Call { callee, args: args.into() })), Ty::NONE))
    }

    // ---- control flow ----

    /// Ends the block with a jump and deletes the rest of the region after the cursor.
    pub fn jump(&mut self, jump: Jump) {
        let block = self.block();
        let at_end = self.cursor == Cursor::BlockEnd(block)
            || self.body.last_instr(block).is_some_and(|l| self.cursor == Cursor::After(l))
            || self.body.first_instr(block).is_none();
        let id = if at_end && self.body.next_cf(block).is_none() {
            self.body.insert_jump(block, jump)
        } else {
            self.body.truncate(self.cursor, jump)
        };
        self.body.set_loc(id, self.loc);
        self.cursor = Cursor::BlockEnd(block);
    }

    /// Starts an `if`; the cursor moves into its `then` region.
    pub fn push_if(&mut self, cond: InstrId) -> CfId {
        let cf = self.body.insert_if(self.cursor, cond);
        self.go_to_region(cf, false);
        cf
    }

    /// Goes to the end of the `else` region of an `if`.
    pub fn push_else(&mut self, cf: CfId) {
        self.go_to_region(cf, true);
    }

    /// Leaves an `if` or loop: the cursor moves to the start of the block after it.
    pub fn pop(&mut self, cf: CfId) {
        let next = self.body.cf(cf).next();
        self.cursor = self.body.after_phis(next);
    }

    /// Starts a loop; the cursor moves into its body.
    pub fn push_loop(&mut self) -> CfId {
        let cf = self.body.insert_loop(self.cursor);
        self.go_to_region(cf, false);
        cf
    }

    fn go_to_region(&mut self, cf: CfId, els: bool) {
        let last = match self.body.cf(cf) {
            crate::body::Cf::If(n) if els => n.els().last,
            crate::body::Cf::If(n) => n.then().last,
            crate::body::Cf::Loop(n) => n.body().last,
        };
        self.cursor = Cursor::BlockEnd(last);
    }

    /// A phi after an `if` that selects between the values of the sides that do not jump.
    pub fn if_phi(&mut self, cf: CfId, then: InstrId, els: InstrId) -> Option<InstrId> {
        let n = self.body.as_if(cf)?;
        let (a, b, next) = (n.then().last, n.els().last, n.next());
        let srcs: SmallVec<[PhiSrc; 2]> = [(a, then), (b, els)]
            .into_iter()
            .filter(|&(pred, _)| self.body.jump(pred).is_none())
            .map(|(pred, value)| PhiSrc { pred, value })
            .collect();
        let ty = self.ty(then);
        let at = self.body.after_phis(next);
        let phi = self.body.insert(at, Instr::new(InstrKind::Phi(srcs), ty).at(self.loc));
        self.cursor = self.body.after_phis(next);
        Some(phi)
    }
}

impl Shader {
    /// A builder at the end of a function's last block.
    pub fn builder(&mut self, function: FuncId) -> Option<Builder<'_>> {
        Some(Builder::at_end(&mut self.functions.get_mut(function)?.body))
    }
}
