//! Dispatches instructions to the files that translate them.

use crate::error::*;
use crate::glsl::is_packing;
use crate::state::{Def, ExtSet, FunctionTranslator, Line, Val, flag};
use airfoil_ir::*;
use spirv::Op;

impl FunctionTranslator<'_, '_> {
    pub fn instruction(&mut self) -> Res<()> {
        let inst = self.inst;
        let Some(op) = inst.op() else { bail!(UNSUPPORTED, "{} is not supported", inst.name()) };
        self.b.flags = AluFlags::empty();
        match op {
            Op::Line => {
                self.set_line(inst.word(1)?, inst.word(2)?);
                return Ok(());
            }
            Op::NoLine => {
                self.set_line(0, 0);
                return Ok(());
            }
            Op::Nop | Op::SelectionMerge | Op::LoopMerge => return Ok(()),
            Op::ExtInst => {
                return match self.r.id(inst.word(3)?).def {
                    Def::Ext(ExtSet::Glsl) => {
                        self.set_flags()?;
                        if !is_packing(inst.word(4)?) {
                            self.set_relaxed();
                        }
                        self.glsl()
                    }
                    Def::Ext(ExtSet::DebugInfo) => self.debug_info(),
                    Def::Ext(ExtSet::NonSemantic) => Ok(()),
                    _ => fail(ID, "OpExtInst names no instruction set"),
                };
            }
            _ => {}
        }
        self.set_flags()?;
        match op {
            Op::Phi => self.phi(),
            Op::FunctionCall => self.call(),
            Op::Variable => self.local_variable(),
            Op::Load => self.op_load(),
            Op::Store => self.op_store(),
            Op::CopyMemory => self.op_copy_memory(),
            Op::AccessChain | Op::InBoundsAccessChain => self.op_access_chain(false),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.op_access_chain(true),
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => self.pointer_op(op),
            Op::ArrayLength => self.op_array_length(),
            Op::ImageTexelPointer => self.op_texel_pointer(),
            Op::Undef => {
                let ty = self.r.type_of(inst.word(1)?)?;
                self.set(Val::Undef, ty)
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => self.op_copy(),
            Op::CompositeConstruct => self.op_construct(),
            Op::CompositeExtract => self.op_extract(),
            Op::CompositeInsert => self.op_insert(),
            Op::VectorShuffle => self.op_shuffle(),
            Op::VectorExtractDynamic => self.op_extract_dynamic(),
            Op::VectorInsertDynamic => self.op_insert_dynamic(),
            Op::Select => {
                self.set_relaxed();
                self.op_select()
            }
            Op::Transpose
            | Op::MatrixTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::OuterProduct => {
                self.set_relaxed();
                self.matrix_op(op)
            }
            Op::ConvertFToU
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::UConvert
            | Op::SConvert
            | Op::FConvert
            | Op::SatConvertSToU
            | Op::SatConvertUToS => {
                self.set_relaxed();
                self.conversion(op)
            }
            Op::Bitcast => self.op_bitcast(),
            Op::ConvertPtrToU | Op::ConvertUToPtr => self.op_convert_pointer(op),
            Op::SampledImage => self.op_sampled_image(),
            Op::Image => self.op_image(),
            Op::EmitVertex | Op::EndPrimitive | Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                let stream = match inst.words.get(1) {
                    Some(&id) => self.r.const_u32(id).filter(|&s| s < 4),
                    None => Some(0),
                };
                let Some(stream) = stream else { return fail(TYPE, "the stream must be a constant below 4") };
                let emit = matches!(op, Op::EmitVertex | Op::EmitStreamVertex);
                let op = if emit { IntrinsicOp::emit_vertex } else { IntrinsicOp::end_primitive };
                self.check_stage(op)?;
                self.b.insert_intrinsic(Intrinsic::new(op, &[]).with(Index::Stream, stream), Ty::NONE);
                Ok(())
            }
            Op::DemoteToHelperInvocation => {
                self.check_stage(IntrinsicOp::demote)?;
                self.b.intrinsic(IntrinsicOp::demote, Ty::NONE, &[]);
                Ok(())
            }
            Op::IsHelperInvocationEXT => {
                self.check_stage(IntrinsicOp::is_helper_invocation)?;
                let v = self.b.intrinsic(IntrinsicOp::is_helper_invocation, Ty::BOOL, &[]);
                self.set_ssa(v)
            }
            Op::SetMeshOutputsEXT => {
                self.check_stage(IntrinsicOp::set_mesh_outputs)?;
                let (v, p) = (self.int(inst.word(1)?)?, self.int(inst.word(2)?)?);
                self.b.intrinsic(IntrinsicOp::set_mesh_outputs, Ty::NONE, &[v, p]);
                Ok(())
            }
            Op::LifetimeStart | Op::LifetimeStop | Op::AssumeTrueKHR => Ok(()),
            Op::ControlBarrier | Op::MemoryBarrier => self.barrier(op),
            Op::ReadClockKHR => self.read_clock(),
            Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => {
                let begins = op == Op::BeginInvocationInterlockEXT;
                let op = if begins { IntrinsicOp::begin_interlock } else { IntrinsicOp::end_interlock };
                self.check_stage(op)?;
                self.b.intrinsic(op, Ty::NONE, &[]);
                Ok(())
            }
            Op::ImageSparseTexelsResident => self.op_texels_resident(),
            _ if self.is_image_op(op) => self.image_op(op),
            _ if self.is_atomic(op) => self.atomic(op),
            _ if self.is_subgroup_op(op) => self.subgroup_op(op),
            _ => {
                self.set_relaxed();
                self.alu_op(op)
            }
        }
    }

    /// Fails if the stage does not have an operation.
    pub fn check_stage(&self, op: IntrinsicOp) -> Res<()> {
        let stage = self.r.shader.stage;
        if !op.stages().contains(stage.into()) {
            bail!(UNSUPPORTED, "{} is not legal in a {stage} shader", self.inst.name());
        }
        Ok(())
    }

    /// Flags of the ALU instructions that this instruction becomes.
    fn set_flags(&mut self) -> Res<()> {
        let Some(&id) = self.inst.words.get(2) else { return Ok(()) };
        let flags = self.r.id(id).flags;
        if flags & (flag::EXACT | flag::NSW | flag::NUW) != 0 {
            self.b.flags.set(AluFlags::EXACT, flags & flag::EXACT != 0);
            self.b.flags.set(AluFlags::NSW, flags & flag::NSW != 0);
            self.b.flags.set(AluFlags::NUW, flags & flag::NUW != 0);
        }
        Ok(())
    }

    /// The hint of RelaxedPrecision for an instruction that computes numbers. It is about the result and the operands
    /// (SPIR-V 2.14), so it is not set for instructions that read addresses, coordinates or the bits of its operands.
    fn set_relaxed(&mut self) {
        let relaxed = self.inst.words.get(2).is_some_and(|&id| self.r.id(id).flags & flag::RELAXED != 0);
        self.b.flags.set(AluFlags::RELAXED, relaxed);
    }

    fn set_line(&mut self, file: u32, line: u32) {
        self.r.line = Line { file, line };
        self.b.loc = self.r.loc();
    }

    /// Lines of NonSemantic.Shader.DebugInfo; the rest means nothing to the code.
    fn debug_info(&mut self) -> Res<()> {
        /// DebugFunctionDefinition.
        const FUNCTION: u32 = 101;
        /// DebugLine and DebugNoLine.
        const LINE: u32 = 103;
        const NO_LINE: u32 = 104;
        match self.inst.word(4)? {
            LINE => {
                let (source, line) = (self.inst.word(5)?, self.inst.word(6)?);
                if let (Def::DebugSource(file), Some(line)) = (self.r.id(source).def, self.r.const_u32(line))
                {
                    self.set_line(file, line);
                }
            }
            NO_LINE => self.set_line(0, 0),
            FUNCTION => {
                if let Def::DebugFunction(line) = self.r.id(self.inst.word(5)?).def {
                    let loc = self.r.loc_of(line);
                    self.r.shader.functions[self.func].loc = loc;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
