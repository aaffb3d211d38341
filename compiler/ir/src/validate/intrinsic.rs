//! Intrinsics: operands, result and indices by the table, and the additional rules of single operations.

use super::deref::{same_shape, spans_blocks};
use super::vars::io_range;
use super::{FunctionChecker, Rule};
use crate::alu::Base;
use crate::enums::{AtomicOp, Dim, Modes, Scalar};
use crate::ids::InstrId;
use crate::instr::{Deref, Intrinsic};
use crate::intrinsic::{Index, IndexKind, IntrinsicOp, MemoryAccess, MemoryAction};
use crate::types::Type;
use crate::value::Ty;

/// Memory that a shader cannot write.
const READ_ONLY: Modes = Modes::IN
    .union(Modes::UNIFORM)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::SYSTEM_VALUE)
    .union(Modes::SPEC_CONST);

/// Memory whose accesses name a whole block.
const BLOCKS: Modes = Modes::UBO.union(Modes::SSBO);

impl FunctionChecker<'_> {
    pub(super) fn check_intrinsic(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let info = i.op.info();
        for ((&v, shape), name) in i.srcs().iter().zip(info.operands).zip(info.operand_names) {
            let operand = self.ty(v);
            // Operands that must be derefs are looked at with the derefs, missing values with the values.
            let fits = shape.deref || operand.is_none() || {
                shape.accepts(operand, ty)
                    && (shape.base != Base::Float || shape.base.has_width(operand.bits))
            };
            self.expect(fits, Rule::IntrinsicOperand, id, format_args!("{name} cannot have shape {operand}"));
        }
        if let Some(shape) = info.result {
            let fits = shape.accepts(ty, ty) && (shape.base != Base::Float || shape.base.has_width(ty.bits));
            self.expect(fits, Rule::IntrinsicResult, id, format_args!("the result cannot have shape {ty}"));
        }
        self.check_indices(id, i);
        self.check_memory(id, i, ty);
        match i.op {
            IntrinsicOp::load_param => {
                let param = self.function.params.get(i.param() as usize);
                let fits = param.is_some_and(|p| p.ty == ty);
                self.expect(fits, Rule::LoadParam, id, "the function has no such parameter");
            }
            op if op.memory().is_some_and(|m| m.modes == Modes::IMAGE) => self.check_image(id, i, ty),
            _ => {}
        }
    }

    /// The value to which a write mask or a source type applies.
    fn stored(&self, i: &Intrinsic, result: Ty) -> Ty {
        let names = i.op.info().operand_names;
        names.iter().position(|&n| n == "value").map_or(result, |at| self.ty(i.src(at)))
    }

    fn check_indices(&mut self, id: InstrId, i: &Intrinsic) {
        let result = self.ty(id);
        let value = self.stored(i, result);
        for &index in i.op.info().indices {
            let bits = i.indices().get(i.op, index).unwrap_or(0);
            let known = match index.kind() {
                IndexKind::Enum(name) => name(bits).is_some(),
                IndexKind::Flags(names) => names.iter().fold(bits, |b, &(_, bit)| b & !bit) == 0,
                _ => true,
            };
            self.expect(known, Rule::IndexValue, id, format_args!("{} holds no value", index.name()));
            match index {
                Index::WriteMask => {
                    let fits = value.comps > 4 || bits & !u32::from(value.full_mask()) == 0;
                    self.expect(
                        fits,
                        Rule::WriteMask,
                        id,
                        "the mask names components that the value has not",
                    );
                }
                Index::Align => {
                    let a = i.align();
                    let fits = a.mul.is_power_of_two() && a.mul <= 2048 && a.offset < a.mul;
                    self.expect(fits, Rule::Alignment, id, "no alignment");
                }
                Index::Io => self.check_io(id, i, value),
                Index::DestType => self.check_width(id, i, i.dest_type(), result),
                Index::SrcType => self.check_width(id, i, i.src_type(), value),
                Index::Cluster => {
                    let c = i.cluster();
                    self.expect(
                        c == 0 || c.is_power_of_two(),
                        Rule::IndexValue,
                        id,
                        "clusters are powers of two",
                    );
                }
                Index::Atomic => {
                    let swap = i.op.memory().is_some_and(|m| m.action == MemoryAction::Exchange);
                    let ok = swap || i.atomic_op() != AtomicOp::Cmpxchg;
                    self.expect(ok, Rule::IndexValue, id, "compare and exchange needs the operation for it");
                }
                _ => {}
            }
        }
    }

    fn check_width(&mut self, id: InstrId, i: &Intrinsic, scalar: Scalar, value: Ty) {
        let convert = matches!(i.op, IntrinsicOp::convert_alu_types | IntrinsicOp::convert_air);
        let fits =
            if scalar == Scalar::Any { !convert } else { value.is_none() || scalar.bits() == value.bits };
        self.expect(fits, Rule::ScalarWidth, id, format_args!("{scalar} and a value of shape {value}"));
    }

    fn check_io(&mut self, id: InstrId, i: &Intrinsic, value: Ty) {
        let io = i.io();
        let mut fits = io.num_slots > 0 && io_range(io.location, u32::from(io.num_slots));
        fits &= i.component() + u32::from(value.comps) <= 4;
        // The offset is the last operand of all of them.
        if let Some(lanes) = i.srcs().last().and_then(|&v| self.body[v].as_const()) {
            fits &= lanes[0] < u64::from(io.num_slots);
        }
        self.expect(fits, Rule::IoRange, id, "slots or components are out of range");
    }

    fn pointee(&self, v: InstrId) -> Option<(&Deref, &Type)> {
        let d = self.body[v].as_deref()?;
        Some((d, self.type_of(d.ty)?))
    }

    /// Memory accesses: shapes, types and modes of the pointees.
    fn check_memory(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(memory) = i.memory() else { return };
        let action = memory.action;
        if let Some(block) = memory.block {
            if i.op == IntrinsicOp::deref_buffer_array_length {
                let fits = self.pointee(block).is_none_or(|(_, t)| matches!(t, Type::Array { len: 0, .. }));
                self.expect(fits, Rule::DerefOperand, id, "the deref does not point at a run-time array");
            } else if BLOCKS.contains(memory.modes) {
                self.check_block(id, block, memory.modes);
            } else if memory.offset.is_none() {
                self.check_pointee(id, memory, block, ty);
            }
            if action.writes() && memory.modes == Modes::all() {
                self.check_writable(id, block);
            }
        }
        // Data, compared value and result of an atomic have one width; `compare_data` holds two values.
        if action.is_atomic() && i.op != IntrinsicOp::image_atomic_swap {
            let names = i.op.info().operand_names;
            let same = i.srcs().iter().zip(names).filter(|(_, n)| matches!(**n, "data" | "compare"));
            let fits = same.fold(true, |ok, (&v, _)| ok && self.ty(v).bits == ty.bits);
            self.expect(fits, Rule::IntrinsicOperand, id, "data and result of an atomic must have one width");
        }
    }

    /// An access to the whole pointee of a deref.
    fn check_pointee(&mut self, id: InstrId, memory: MemoryAccess, deref: InstrId, ty: Ty) {
        let accessed = match (memory.action, memory.value) {
            (MemoryAction::Size, _) => return,
            (MemoryAction::Copy, Some(source)) => {
                let sides =
                    self.pointee(deref).zip(self.pointee(source)).map(|((a, _), (b, _))| (a.ty, b.ty));
                let fits = sides.is_none_or(|(a, b)| same_shape(&self.shader.types, a, b));
                self.expect(fits, Rule::CopyTypes, id, "the two sides have different types");
                let spans = |v| self.pointee(v).is_some_and(|(d, _)| spans_blocks(&self.shader.types, d));
                let one = !spans(deref) && !spans(source);
                self.expect(one, Rule::CopyBlocks, id, "the copy spans several buffers");
                return;
            }
            (MemoryAction::Store, Some(value)) => self.ty(value),
            _ => ty,
        };
        let shape = self.pointee(deref).map(|(d, _)| self.shader.types.value_ty(d.ty));
        let fits = shape.is_none_or(|s| s == Some(accessed));
        self.expect(fits, Rule::AccessShape, id, "the deref points at another shape");
    }

    fn check_writable(&mut self, id: InstrId, deref: InstrId) {
        let modes = self.pointee(deref).map(|(d, _)| d.modes);
        let ok = modes.is_none_or(|m| m.is_empty() || !READ_ONLY.contains(m));
        self.expect(ok, Rule::ReadOnly, id, "this memory cannot be written");
    }

    /// `block` operands point at a whole block.
    fn check_block(&mut self, id: InstrId, block: InstrId, mode: Modes) {
        let Some((d, ty)) = self.pointee(block) else { return };
        let fits = d.modes == mode && matches!(ty, Type::Struct(s) if s.block);
        self.expect(fits, Rule::DerefOperand, id, "it does not point at a block of the right kind");
    }

    fn check_image(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(&deref) = i.srcs().first() else { return };
        let (dim, array) = (i.dim(), i.array());
        let image = self.pointee(deref).map(|(_, t)| match t {
            Type::Image(t) => t.dim == dim && t.arrayed == array,
            _ => false,
        });
        self.expect(
            image != Some(false),
            Rule::DerefOperand,
            id,
            "it does not point at an image of this shape",
        );
        if i.op == IntrinsicOp::image_size {
            let comps = size_comps(dim, array);
            self.expect(
                ty.comps == comps,
                Rule::IntrinsicResult,
                id,
                format_args!("a size has {comps} components"),
            );
        } else if i.op != IntrinsicOp::image_samples {
            // Faces and layers of cubes count together.
            let comps = dim.coord_comps() + u8::from(array && dim != Dim::Cube);
            let fits = self.ty(i.src(1)).comps == comps;
            self.expect(
                fits,
                Rule::IntrinsicOperand,
                id,
                format_args!("coordinates have {comps} components"),
            );
        }
    }
}

/// Components of the size of an image or texture: the faces of a cube are squares.
pub(super) fn size_comps(dim: Dim, array: bool) -> u8 {
    let comps = if dim == Dim::Cube { 2 } else { dim.coord_comps() };
    comps + u8::from(array)
}
