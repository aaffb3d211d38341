//! The levels at which a suite compiles the shaders that it executes.

use super::outputs::Outputs;
use airfoil::OptLevel;

/// One level, or both ends, which have to give the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// One.
    One(OptLevel),
    /// O0 and O2.
    #[default]
    Both,
}

impl Levels {
    /// The levels in order.
    pub fn list(self) -> Vec<OptLevel> {
        match self {
            Levels::One(level) => vec![level],
            Levels::Both => vec![OptLevel::O0, OptLevel::O2],
        }
    }
}

/// The choices that specifications leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chance {
    /// Bits of undefined values.
    pub undefined: u64,
    /// Where clocks begin.
    pub clock: u64,
}

impl Chance {
    /// Another one than the default.
    const OTHER: Chance = Chance { undefined: 0x5a5a_5a5a_5a5a_5a5a, clock: 1 << 20 };
}

/// Executes something at each level, and compares the results; errors name the level if there are several.
///
/// # Errors
/// The first one of an execution, or `differ` of a difference.
pub fn at_each<E>(
    levels: Levels,
    mut run: impl FnMut(OptLevel, Chance) -> Result<Outputs, E>,
    say: impl Fn(E, &str) -> E,
    differ: impl FnOnce(String) -> E,
) -> Result<(), E> {
    let mut first: Option<Outputs> = None;
    for level in levels.list() {
        let outputs = run(level, Chance::default()).map_err(|e| match levels {
            Levels::One(_) => e,
            Levels::Both => say(e, &format!("at {level:?}: ")),
        })?;
        match &first {
            None => first = Some(outputs),
            Some(first) if first.difference(&outputs, None).is_some() => {
                // Results that depend on undefined values may differ.
                let chance = run(OptLevel::O0, Chance::OTHER).ok();
                if let Some(difference) = first.difference(&outputs, chance.as_ref()) {
                    return Err(differ(format!("O0 and O2 differ: {difference}")));
                }
            }
            Some(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_levels_have_to_agree() {
        let with = |levels, words: [u8; 2]| {
            let run = |level, chance| {
                let mut outputs = Outputs::default();
                let undefined = words[1] == 7 && chance == Chance::OTHER;
                outputs.add_bytes(
                    "b",
                    vec![if undefined { 9 } else { words[usize::from(level == OptLevel::O2)] }],
                );
                if words == [0, 0] { Err("no".to_string()) } else { Ok(outputs) }
            };
            at_each(levels, run, |e, at| format!("{at}{e}"), |difference| difference)
        };
        assert_eq!(with(Levels::Both, [1, 1]), Ok(()));
        assert_eq!(with(Levels::Both, [1, 2]), Err("O0 and O2 differ: b: byte 0 is 0x1 and 0x2".into()));
        assert_eq!(with(Levels::Both, [1, 7]), Ok(()));
        assert_eq!(with(Levels::One(OptLevel::O0), [1, 2]), Ok(()));
        assert_eq!(with(Levels::Both, [0, 0]), Err("at O0: no".into()));
        assert_eq!(with(Levels::One(OptLevel::O2), [0, 0]), Err("no".into()));
    }
}
