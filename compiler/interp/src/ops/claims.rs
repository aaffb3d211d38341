//! Claims about instructions, checked while they are executed: the stages and effects of an intrinsic's row, and `align=`.
//!
//! Passes rely on these claims when they move, merge or remove an instruction, so an instruction that does more than its row
//! declares, or a lowering that promises an alignment that an offset does not have, is a bug of Airfoil.

use crate::fault::Fault;
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::world::World;
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{Intrinsic, IntrinsicOp, Modes};

/// Memory that may be written while a shader runs.
const WRITTEN: Modes = Modes::SSBO
    .union(Modes::SHARED)
    .union(Modes::GLOBAL)
    .union(Modes::TASK_PAYLOAD)
    .union(Modes::SHADER_TEMP)
    .union(Modes::FUNCTION_TEMP)
    .union(Modes::OUT);

/// The effects that are observed. Values of other invocations are read as `SUBGROUP`, those of a quad, too.
const OBSERVED: IntrinsicFlags = IntrinsicFlags::WRITES
    .union(IntrinsicFlags::READS)
    .union(IntrinsicFlags::TERMINATES)
    .union(IntrinsicFlags::SUBGROUP);

impl<W: World> Group<'_, W> {
    /// The row of an intrinsic has the stage that executes.
    pub(crate) fn claims_stage(&self, i: &Intrinsic) -> Result<(), Fault> {
        let stage = self.shader.stage;
        match i.op.stages().contains(stage.into()) {
            true => Ok(()),
            false => Err(Fault::undefined(format!("`{}` is not legal in {stage} shaders", i.op.name()))),
        }
    }

    /// The row of an intrinsic has the effects that its execution had.
    pub(crate) fn claims_effects(&mut self, i: &Intrinsic) -> Result<(), Fault> {
        let mut seen = std::mem::replace(&mut self.effects, IntrinsicFlags::empty());
        if std::mem::take(&mut self.regs.crossed) {
            seen |= IntrinsicFlags::SUBGROUP;
        }
        let mut declared = i.op.info().flags;
        if declared.intersects(IntrinsicFlags::QUAD | IntrinsicFlags::CONVERGENT) {
            declared |= IntrinsicFlags::SUBGROUP;
        }
        let more = (seen & OBSERVED) - declared;
        match more.is_empty() {
            true => Ok(()),
            false => Err(Fault::undefined(format!(
                "`{}` has an effect that its row does not declare: {}",
                i.op.name(),
                more.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// Records that the memory of an object is read.
    pub(crate) fn reads(&mut self, object: u32) {
        let mode = self.memory.objects.get(object as usize).map_or(Modes::GLOBAL, |o| o.mode);
        if mode.intersects(WRITTEN) {
            self.effects |= IntrinsicFlags::READS;
        }
    }

    /// The byte offset of an access has the alignment that the instruction promises. Offsets that are undefined or out of
    /// bounds may be anything.
    pub(crate) fn claims_alignment(&self, i: &Intrinsic, offset: Reg) -> Result<(), Fault> {
        let align = i.align();
        if align.mul <= 1 {
            return Ok(());
        }
        for lane in lanes(self.active) {
            let value = self.get(offset, lane);
            let at = value.bits[0];
            if value.undef & 1 == 0 && at % u64::from(align.mul) != u64::from(align.offset) {
                return Err(Fault::undefined(format!(
                    "byte {at} is not aligned as `align={}{}` promises",
                    align.mul,
                    if align.offset == 0 { String::new() } else { format!("+{}", align.offset) }
                )));
            }
        }
        Ok(())
    }
}

/// The operand that is the byte offset of an access with `align=`. Addresses are those of the application, whose promise is
/// not checked.
pub(crate) fn offset_operand(op: IntrinsicOp) -> Option<usize> {
    use IntrinsicOp as O;
    match op {
        O::load_ubo | O::load_ssbo => Some(1),
        O::store_ssbo => Some(2),
        O::load_push_constant | O::load_uniform | O::load_shared => Some(0),
        O::store_shared => Some(1),
        _ => None,
    }
}
