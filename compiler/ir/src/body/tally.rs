//! How many instructions of some groups a body holds. Every edit keeps the numbers, so that a pass knows without a
//! walk that there is nothing for it to do: most shaders have no calls, copies or early jumps, and none has locals
//! any more when the clean-ups repeat.

use crate::enums::Modes;
use crate::instr::{Instr, InstrKind};
use crate::intrinsic::IntrinsicOp;

/// Groups of instructions that a body counts.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{InstrGroup, text};
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "v" {
///   fn main {
///     function_temp float[2] t
///     %t = deref_var &t
///     %all = deref_array_wildcard %t[*]
///   }
/// }"#)?;
/// let body = shader.entry_body().unwrap();
/// // There is work for a pass on local variables, but not for an inliner.
/// assert_eq!(body.count_of(InstrGroup::LocalDeref), 2);
/// assert!(!body.has(InstrGroup::Call));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstrGroup {
    /// Derefs of locals.
    LocalDeref,
    /// All other derefs.
    OtherDeref,
    /// `copy_deref`.
    Copy,
    /// Undefined values.
    Undef,
    /// Phis.
    Phi,
    /// Jumps.
    Jump,
    /// Calls.
    Call,
    /// Everything else.
    Other,
}

impl InstrGroup {
    /// All groups, in the order of their numbers.
    pub const ALL: [InstrGroup; 8] = [
        InstrGroup::LocalDeref,
        InstrGroup::OtherDeref,
        InstrGroup::Copy,
        InstrGroup::Undef,
        InstrGroup::Phi,
        InstrGroup::Jump,
        InstrGroup::Call,
        InstrGroup::Other,
    ];

    /// The group of an instruction.
    pub fn of(kind: &InstrKind) -> InstrGroup {
        match kind {
            InstrKind::Deref(d) if d.modes.intersects(Modes::FUNCTION_TEMP | Modes::SHADER_TEMP) => {
                InstrGroup::LocalDeref
            }
            InstrKind::Deref(_) => InstrGroup::OtherDeref,
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::copy_deref => InstrGroup::Copy,
            InstrKind::Undef => InstrGroup::Undef,
            InstrKind::Phi(_) => InstrGroup::Phi,
            InstrKind::Jump(_) => InstrGroup::Jump,
            InstrKind::Call(_) => InstrGroup::Call,
            InstrKind::Alu(_) | InstrKind::Const(_) | InstrKind::Intrinsic(_) | InstrKind::Tex(_) => {
                InstrGroup::Other
            }
        }
    }
}

/// The numbers of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally([u32; InstrGroup::ALL.len()]);

impl Tally {
    /// The numbers of some instructions.
    pub fn of<'a>(instrs: impl Iterator<Item = &'a Instr>) -> Tally {
        let mut tally = Tally::default();
        instrs.for_each(|i| tally.add(InstrGroup::of(&i.kind)));
        tally
    }

    /// The count of a group.
    pub fn get(&self, group: InstrGroup) -> usize {
        self.0[group as usize] as usize
    }

    pub fn add(&mut self, group: InstrGroup) {
        self.0[group as usize] += 1;
    }

    pub fn take(&mut self, group: InstrGroup) {
        self.0[group as usize] -= 1;
    }

    pub fn change(&mut self, from: InstrGroup, to: InstrGroup) {
        self.take(from);
        self.add(to);
    }
}
