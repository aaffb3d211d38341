//! Options of programs: one table.

use crate::rule::Rule;
use crate::target::Programs;

/// The equation of the fog that a fragment program applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fog {
    /// `ARB_fog_linear`.
    Linear,
    /// `ARB_fog_exp`.
    Exp,
    /// `ARB_fog_exp2`.
    Exp2,
}

impl Fog {
    /// Instructions that the application of fog reserves.
    pub fn instructions(self) -> u32 {
        match self {
            Fog::Linear => 2,
            Fog::Exp => 3,
            Fog::Exp2 => 4,
        }
    }
}

/// The effect of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The position is that of the fixed functions.
    PositionInvariant,
    /// Fog is applied.
    Fog(Fog),
    /// A hint for the precision, which has no effect; whether it asks for the best one.
    Precision(bool),
    /// Texture targets that compare depths.
    Shadow,
    /// Several output colors.
    DrawBuffers,
}

/// A row: name, programs, effect.
pub const OPTIONS: &[(&str, Programs, Effect)] = &[
    ("ARB_position_invariant", Programs::Vertex, Effect::PositionInvariant),
    ("ARB_fog_linear", Programs::Fragment, Effect::Fog(Fog::Linear)),
    ("ARB_fog_exp", Programs::Fragment, Effect::Fog(Fog::Exp)),
    ("ARB_fog_exp2", Programs::Fragment, Effect::Fog(Fog::Exp2)),
    ("ARB_precision_hint_fastest", Programs::Fragment, Effect::Precision(false)),
    ("ARB_precision_hint_nicest", Programs::Fragment, Effect::Precision(true)),
    ("ARB_fragment_program_shadow", Programs::Fragment, Effect::Shadow),
    ("ARB_draw_buffers", Programs::Fragment, Effect::DrawBuffers),
    ("ATI_draw_buffers", Programs::Fragment, Effect::DrawBuffers),
];

/// The options of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptionSet {
    /// The position is that of the fixed functions.
    pub position_invariant: bool,
    /// Fog.
    pub fog: Option<Fog>,
    /// Precision hint.
    pub nicest: Option<bool>,
    /// Targets that compare depths.
    pub shadow: bool,
    /// Several output colors.
    pub draw_buffers: bool,
}

impl OptionSet {
    /// Adds an option; the rule and its words if it is in conflict with one that is there.
    pub fn add(&mut self, effect: Effect) -> Result<(), (Rule, &'static str)> {
        match effect {
            Effect::PositionInvariant => self.position_invariant = true,
            Effect::Fog(fog) => {
                if self.fog.is_some_and(|other| other != fog) {
                    return Err((Rule::FixedFunctions, "a program cannot have two fog options"));
                }
                self.fog = Some(fog);
            }
            Effect::Precision(nicest) => {
                if self.nicest.is_some_and(|other| other != nicest) {
                    return Err((Rule::Precision, "a program cannot have both precision hints"));
                }
                self.nicest = Some(nicest);
            }
            Effect::Shadow => self.shadow = true,
            Effect::DrawBuffers => self.draw_buffers = true,
        }
        Ok(())
    }
}
