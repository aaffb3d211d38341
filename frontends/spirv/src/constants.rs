//! Constants and specialisation constants.

use crate::alu::{Order, alu_of};
use crate::error::*;
use crate::state::{ConstValue, Def, Kind, Reader, SConst, TyIx};
use crate::words::Inst;
use airfoil_ir::*;
use spirv::{BuiltIn, Decoration, Op};

/// Most scalars and vectors in the initial values of all variables.
const MAX_LEAVES: u64 = 1 << 21;

impl<'w> Reader<'w> {
    pub fn constant(&mut self, inst: Inst<'w>, op: Op) -> Res<()> {
        let (ty, id) = (self.type_of(inst.word(1)?)?, inst.word(2)?);
        let value = match op {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                if self.shape(ty)? != Ty::BOOL {
                    bail!(TYPE, "Op{op:?} makes booleans only");
                }
                let given = if matches!(op, Op::SpecConstantTrue | Op::SpecConstantFalse) {
                    self.spec_value(id)
                } else {
                    None
                };
                let value = given.map_or(matches!(op, Op::ConstantTrue | Op::SpecConstantTrue), |v| v != 0);
                ConstValue::Lanes([u64::from(value), 0, 0, 0])
            }
            Op::Constant | Op::SpecConstant => {
                let shape = self.shape(ty)?;
                if shape.comps != 1 || shape.bits == 1 {
                    return fail(TYPE, "OpConstant makes numbers only");
                }
                let low = u64::from(inst.word(3)?);
                let high = if shape.bits == 64 { u64::from(inst.word(4)?) } else { 0 };
                let mut raw = low | (high << 32);
                if op == Op::SpecConstant {
                    raw = self.spec_value(id).unwrap_or(raw);
                }
                ConstValue::Lanes([raw & bit_mask(u32::from(shape.bits)), 0, 0, 0])
            }
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(inst, ty)?,
            Op::ConstantNull => ConstValue::Null,
            Op::Undef => ConstValue::Undef,
            Op::SpecConstantOp => self.spec_op(inst, ty)?,
            _ => bail!(UNSUPPORTED, "Op{op:?} is not supported"),
        };
        if self
            .decoration(id, Decoration::BuiltIn)
            .is_some_and(|d| d.operand() == BuiltIn::WorkgroupSize as u32)
        {
            self.workgroup_size = Some(id);
        }
        let open = self.stays_open(inst, op, id);
        self.define(id, Def::Const(self.consts.len() as u32))?;
        self.consts.push(SConst { at: inst.at as u32, open, ..SConst::new(ty, value) });
        Ok(())
    }

    /// Value that the options give to a specialisation constant.
    pub fn spec_value(&self, id: u32) -> Option<u64> {
        let spec_id = self.decoration(id, Decoration::SpecId)?.operand();
        self.options.spec.iter().rev().find(|(i, _)| *i == spec_id).map(|&(_, v)| v)
    }

    fn composite(&mut self, inst: Inst<'w>, ty: TyIx) -> Res<ConstValue> {
        let ids = inst.rest(3);
        let Some((n, _)) = self.parts(ty) else {
            bail!(TYPE, "{} is not a composite type", self.show_type(ty));
        };
        if n as usize != ids.len() {
            bail!(TYPE, "{} has {n} parts, not {}", self.show_type(ty), ids.len());
        }
        let shape = self.types[ty as usize].shape;
        if !shape.is_none() {
            let mut lanes = [0; 4];
            for (lane, &id) in lanes.iter_mut().zip(ids) {
                let c = self.const_index(id)?;
                if self.types[self.consts[c as usize].ty as usize].shape != shape.with_comps(1) {
                    bail!(TYPE, "{} does not fit into {}", self.show(id), self.show_type(ty));
                }
                *lane = self.lanes_of(c).unwrap_or_default()[0];
            }
            return Ok(ConstValue::Lanes(lanes));
        }
        let first = self.const_parts.len() as u32;
        for (i, &id) in ids.iter().enumerate() {
            let c = self.const_index(id)?;
            self.const_as(c, self.part(ty, i as u32)?)?;
            self.const_parts.push(c);
        }
        Ok(ConstValue::Parts(first))
    }

    /// Whether two types hold the same scalars in the same order, whatever their names and layouts.
    ///
    /// Types that take too long to compare (they can name each other many times over) count as different.
    fn same_shape(&self, a: TyIx, b: TyIx) -> bool {
        const MAX_STEPS: u32 = 1 << 12;
        let mut todo: smallvec::SmallVec<[(TyIx, TyIx); 8]> = smallvec::smallvec![(a, b)];
        let mut steps = 0;
        while let Some((a, b)) = todo.pop() {
            let (x, y) = (&self.types[a as usize], &self.types[b as usize]);
            if a == b || (!x.shape.is_none() && x.shape == y.shape) {
                continue;
            }
            steps += 1;
            let parts = match (self.parts(a), self.parts(b)) {
                (Some((n, _)), Some((m, _))) if n == m && x.shape == y.shape && steps < MAX_STEPS => n,
                _ => return false,
            };
            let uniform =
                !matches!((self.kind(a), self.kind(b)), (Kind::Struct { .. }, _) | (_, Kind::Struct { .. }));
            steps += if uniform { 0 } else { parts };
            for i in 0..if uniform { parts.min(1) } else { parts } {
                match (self.part(a, i), self.part(b, i)) {
                    (Ok(x), Ok(y)) => todo.push((x, y)),
                    _ => return false,
                }
            }
        }
        true
    }

    /// Index of the constant with an ID.
    pub fn const_index(&self, id: u32) -> Res<u32> {
        match self.id(id).def {
            Def::Const(c) => Ok(c),
            _ => fail(ID, format!("{} is not a constant", self.show(id))),
        }
    }

    /// Bits of a scalar or vector constant.
    pub fn lanes_of(&self, c: u32) -> Option<Lanes> {
        let c = &self.consts[c as usize];
        match c.value {
            ConstValue::Lanes(l) => Some(l),
            ConstValue::Null | ConstValue::Undef if !self.types[c.ty as usize].shape.is_none() => {
                Some([0; 4])
            }
            _ => None,
        }
    }

    /// As [`Reader::lanes_of`] with its current value: the constants that it depends on do not stay open.
    pub fn fixed_lanes(&self, c: u32) -> Option<Lanes> {
        self.fix(c);
        self.lanes_of(c)
    }

    /// Bits of a scalar or vector constant, by id; it does not stay open.
    pub fn const_lanes(&self, id: u32) -> Option<Lanes> {
        self.fixed_lanes(self.const_index(id).ok()?)
    }

    /// A constant as a number of 32 bits; it does not stay open.
    pub fn const_u32(&self, id: u32) -> Option<u32> {
        let c = self.const_index(id).ok()?;
        matches!(self.kind(self.consts[c as usize].ty), Kind::Int { .. }).then_some(())?;
        u32::try_from(self.fixed_lanes(c)?[0]).ok()
    }

    /// Part `i` of a constant composite.
    pub fn const_part(&mut self, c: u32, i: u32) -> Res<u32> {
        let SConst { ty, value, .. } = self.consts[c as usize];
        let part = self.part(ty, i)?;
        let value = match value {
            ConstValue::Parts(first) => return Ok(self.const_parts[(first + i) as usize]),
            ConstValue::Lanes(l) => ConstValue::Lanes([l[i as usize & 3], 0, 0, 0]),
            other => other,
        };
        self.consts.push(SConst::new(part, value));
        Ok(self.consts.len() as u32 - 1)
    }

    // ---- OpSpecConstantOp ----

    /// The value of a constant, which must be of the type (apart from layout): its number of parts follows
    /// from the type.
    fn const_as(&self, c: u32, ty: TyIx) -> Res<ConstValue> {
        let SConst { ty: have, value, .. } = self.consts[c as usize];
        if have != ty && !self.same_shape(have, ty) {
            bail!(TYPE, "{} does not fit into {}", self.show_type(have), self.show_type(ty));
        }
        Ok(value)
    }

    fn spec_op(&mut self, inst: Inst<'w>, ty: TyIx) -> Res<ConstValue> {
        let opcode = inst.word(3)?;
        let Some(op) = Op::from_u32(opcode) else { bail!(UNSUPPORTED, "operation {opcode} is not known") };
        let args = inst.rest(4);
        match op {
            Op::CompositeExtract => {
                let mut c = self.const_index(inst.word(4)?)?;
                for &i in inst.rest(5) {
                    c = self.const_part(c, i)?;
                }
                self.const_as(c, ty)
            }
            Op::CompositeInsert => {
                let (object, into) = (self.const_index(inst.word(4)?)?, self.const_index(inst.word(5)?)?);
                let c = self.const_insert(object, into, inst.rest(6))?;
                self.const_as(c, ty)
            }
            Op::VectorShuffle => {
                let (a, b) = (self.const_index(inst.word(4)?)?, self.const_index(inst.word(5)?)?);
                let n = self.shape(self.consts[a as usize].ty)?.comps as usize;
                let (a, b) = (self.lanes_of(a).unwrap_or_default(), self.lanes_of(b).unwrap_or_default());
                let mut lanes = [0; 4];
                for (lane, &i) in lanes.iter_mut().zip(inst.rest(6)) {
                    let i = i as usize;
                    *lane = if i < n { a[i] } else { b.get(i.wrapping_sub(n)).copied().unwrap_or(0) };
                }
                Ok(ConstValue::Lanes(lanes))
            }
            Op::Select => {
                let cond = self.const_index(inst.word(4)?)?;
                let (a, b) = (self.const_index(inst.word(5)?)?, self.const_index(inst.word(6)?)?);
                let cond_shape = self.shape(self.consts[cond as usize].ty)?;
                let bits = self.lanes_of(cond).unwrap_or_default();
                if cond_shape.comps == 1 {
                    return self.const_as(if bits[0] != 0 { a } else { b }, ty);
                }
                let (a, b) = (self.lanes_of(a).unwrap_or_default(), self.lanes_of(b).unwrap_or_default());
                Ok(ConstValue::Lanes(std::array::from_fn(|i| if bits[i] != 0 { a[i] } else { b[i] })))
            }
            Op::UConvert
            | Op::SConvert
            | Op::FConvert
            | Op::ConvertFToS
            | Op::ConvertFToU
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::QuantizeToF16 => {
                let alu = match op {
                    Op::UConvert => AluOp::u2u,
                    Op::SConvert => AluOp::i2i,
                    Op::FConvert => AluOp::f2f,
                    Op::ConvertFToS => AluOp::f2i,
                    Op::ConvertFToU => AluOp::f2u,
                    Op::ConvertSToF => AluOp::i2f,
                    Op::ConvertUToF => AluOp::u2f,
                    _ => AluOp::fquantize2f16,
                };
                self.spec_alu(op, alu, Order::Straight, args, ty)
            }
            _ => match alu_of(op) {
                Some((alu, order)) => self.spec_alu(op, alu, order, args, ty),
                None => bail!(UNSUPPORTED, "OpSpecConstantOp with Op{op:?} is not supported"),
            },
        }
    }

    fn spec_alu(&mut self, op: Op, alu: AluOp, order: Order, args: &[u32], ty: TyIx) -> Res<ConstValue> {
        let result = self.shape(ty)?;
        let info = alu.info();
        if args.len() != info.operands.len() {
            bail!(TYPE, "Op{op:?} has {} operands, not {}", info.operands.len(), args.len());
        }
        let mut lanes: smallvec::SmallVec<[Lanes; 4]> = smallvec::SmallVec::new();
        let mut bits = u32::from(result.bits);
        for (&id, operand) in args.iter().zip(info.operands) {
            let c = self.const_index(id)?;
            let shape = self.shape(self.consts[c as usize].ty)?;
            let fits = operand.bits == 0 || operand.bits == shape.bits || alu_takes_any_width(alu);
            if shape.comps != result.comps && operand.comps == 0 || !fits {
                bail!(TYPE, "{} does not fit Op{op:?}", self.show(id));
            }
            if operand.bits == 0 {
                bits = u32::from(shape.bits);
            }
            lanes.push(self.lanes_of(c).unwrap_or_default());
        }
        if order == Order::Swapped {
            lanes.swap(0, 1);
        }
        match alu.eval(bits, result, &lanes) {
            Some(l) => Ok(ConstValue::Lanes(l)),
            None => bail!(UNSUPPORTED, "OpSpecConstantOp with Op{op:?} is not supported"),
        }
    }

    fn const_insert(&mut self, object: u32, into: u32, path: &[u32]) -> Res<u32> {
        let [i, rest @ ..] = path else {
            self.const_as(object, self.consts[into as usize].ty)?;
            return Ok(object);
        };
        if path.len() > 255 {
            return fail(LIMIT, "the path into a composite is too long");
        }
        let SConst { ty, value, .. } = self.consts[into as usize];
        let (n, _) = self.parts(ty).ok_or_else(|| error(TYPE, "no composite to insert into"))?;
        if *i >= n || n > 1 << 16 {
            bail!(TYPE, "{} has no part {i}", self.show_type(ty));
        }
        let value = if self.types[ty as usize].shape.is_none() {
            let parts: Vec<u32> = (0..n).map(|k| self.const_part(into, k)).collect::<Res<_>>()?;
            let inner = self.const_insert(object, parts[*i as usize], rest)?;
            let first = self.const_parts.len() as u32;
            self.const_parts.extend(parts);
            self.const_parts[(first + i) as usize] = inner;
            ConstValue::Parts(first)
        } else {
            let mut lanes = match value {
                ConstValue::Lanes(l) => l,
                _ => [0; 4],
            };
            lanes[*i as usize & 3] = self.lanes_of(object).unwrap_or_default()[0];
            ConstValue::Lanes(lanes)
        };
        self.consts.push(SConst::new(ty, value));
        Ok(self.consts.len() as u32 - 1)
    }

    // ---- initial values ----

    /// A constant as the initial value of a variable of a type.
    pub fn initializer_of(&mut self, id: u32, ty: TyIx) -> Res<Constant> {
        let c = self.const_index(id)?;
        self.const_as(c, ty)?;
        self.initializer(c)
    }

    /// A constant as the initial value of a variable.
    pub fn initializer(&mut self, c: u32) -> Res<Constant> {
        self.constant_leaves += 1;
        if self.constant_leaves > MAX_LEAVES {
            bail!(LIMIT, "initial values have more than {MAX_LEAVES} elements");
        }
        self.fix(c);
        let SConst { ty, value, .. } = self.consts[c as usize];
        Ok(match value {
            ConstValue::Lanes(l) => Constant::Value(l),
            ConstValue::Null | ConstValue::Undef => Constant::Zero,
            ConstValue::Parts(first) => {
                let n = self.parts(ty).map_or(0, |p| p.0);
                // Types nest up to 255 deep: a plain loop takes the least stack.
                let mut parts = Vec::with_capacity(n as usize);
                for i in first..first + n {
                    parts.push(self.initializer(self.const_parts[i as usize])?);
                }
                Constant::Composite(parts.into())
            }
        })
    }

    /// A variable that is never written and holds the constant.
    pub fn const_var(&mut self, c: u32) -> Res<VarId> {
        if let Some(var) = self.consts[c as usize].var {
            return Ok(var);
        }
        let ty = self.ir_type(self.consts[c as usize].ty)?;
        let mut var = Variable::new("const", ty, Modes::SHADER_TEMP);
        var.access = Access::NON_WRITEABLE;
        var.initializer = Some(self.initializer(c)?);
        let var = self.shader.add_var(var);
        self.consts[c as usize].var = Some(var);
        Ok(var)
    }
}

/// Operations whose second operand has 32 bits in the IR but any width in SPIR-V.
fn alu_takes_any_width(alu: AluOp) -> bool {
    matches!(alu, AluOp::ishl | AluOp::ishr | AluOp::ushr)
}
