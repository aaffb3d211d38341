//! The kinds of changes and constructs that passes report, read and need: the manager skips runs that cannot find
//! anything by them.

use airfoil_ir::analysis::Keeps;
use airfoil_ir::{InstrGroup, Shader};
use bitflags::bitflags;

bitflags! {
    /// Kinds of changes of a shader. [`Pass::run`](crate::Pass::run) returns those that it made, and
    /// [`PassInfo::reads`](crate::PassInfo::reads) are those after which the pass may find something new.
    ///
    /// A pass may report more than it changed, never less; the manager's checks compare the report with the shader.
    ///
    /// # Examples
    /// ```
    /// use airfoil_ir::analysis::Keeps;
    /// use airfoil_passes::Changes;
    ///
    /// let made = Changes::UNUSED | Changes::VALUES;
    /// assert!(made.is_progress() && !Changes::AGAIN.is_progress());
    /// // Dominance and loops stay valid while blocks stay, and liveness while code does.
    /// assert_eq!(made.kept(), Keeps::CONTROL_FLOW);
    /// assert_eq!((made | Changes::CONTROL_FLOW).kept(), Keeps::empty());
    /// assert_eq!(Changes::VARIABLES.kept(), Keeps::all());
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[must_use]
    pub struct Changes: u8 {
        /// Unused instructions were removed. Such a removal may also be reported by the kind of the instruction.
        const UNUSED = 1;
        /// ALU operations, constants, undefined values and phis; operands of any instruction; conditions.
        const VALUES = 2;
        /// Derefs, loads, stores, other intrinsics, texture operations and calls.
        const MEMORY = 4;
        /// Declarations of variables.
        const VARIABLES = 8;
        /// Blocks, ifs, loops, jumps and the list of functions.
        const CONTROL_FLOW = 16;
        /// The form, and declarations and facts about the stage.
        const INFO = 32;
        /// Not a change: a second run directly after this one may find more. Without it the manager skips the pass
        /// until another one changes something that it reads.
        const AGAIN = 64;
    }
}

impl Changes {
    /// Nothing changed.
    pub const NONE: Changes = Changes::empty();
    /// The code of functions.
    pub const CODE: Changes = Changes::ALL.difference(Changes::VARIABLES).difference(Changes::INFO);
    /// Instructions, but neither control flow nor declarations.
    pub const INSTRUCTIONS: Changes = Changes::CODE.difference(Changes::CONTROL_FLOW);
    /// All kinds except control flow.
    pub const ALL_BUT_CONTROL_FLOW: Changes = Changes::ALL.difference(Changes::CONTROL_FLOW);
    /// All kinds.
    pub const ALL: Changes = Changes::all().difference(Changes::AGAIN);

    /// These changes if `made`, otherwise none.
    pub const fn when(self, made: bool) -> Changes {
        if made { self } else { Changes::NONE }
    }

    /// Whether anything changed.
    pub const fn is_progress(self) -> bool {
        self.intersects(Changes::ALL)
    }

    /// Analyses that are still valid after these changes.
    pub fn kept(self) -> Keeps {
        if !self.intersects(Changes::CODE) {
            Keeps::all()
        } else if !self.intersects(Changes::CONTROL_FLOW) {
            Keeps::CONTROL_FLOW
        } else {
            Keeps::empty()
        }
    }
}

/// Names a set of constructs after the groups of instructions that bodies count.
macro_rules! constructs {
    ($($(#[doc = $doc:literal])+ $name:ident = $bit:literal, $text:literal, $group:ident;)+) => {
        bitflags! {
            /// Constructs whose presence a function knows without a walk. A pass that finds its work in them
            /// [needs](crate::PassInfo::needs) one of them; the step `on{has=...}` of a pipeline runs where there is one.
            ///
            /// # Examples
            /// ```
            /// use airfoil_ir::{Builder, Function, Shader, Stage, Ty};
            /// use airfoil_passes::Constructs;
            ///
            /// let mut shader = Shader::new("main", Stage::Vertex);
            /// let mut main = Function::new("main");
            /// Builder::at_end(&mut main.body).undef(Ty::B32);
            /// shader.add_function(main);
            /// let found = |text| Constructs::parse(text).map(|set| set.found_in(&shader));
            /// assert_eq!((found("phi|undef"), found("phi"), found("phis")), (Some(true), Some(false), None));
            /// // A pass that needs nothing runs everywhere.
            /// assert!(Constructs::empty().found_in(&shader));
            /// ```
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct Constructs: u8 {
                $($(#[doc = $doc])+ const $name = $bit;)+
                /// Ifs and loops.
                const CONTROL_FLOW = 128;
            }
        }

        impl Constructs {
            /// The constructs by name.
            pub const NAMES: &'static [(&'static str, Constructs)] =
                &[$(($text, Constructs::$name),)+ ("control_flow", Constructs::CONTROL_FLOW)];

            /// Whether a shader has one of these constructs. True for the empty set.
            pub fn found_in(self, shader: &Shader) -> bool {
                self.is_empty() || shader.functions.values().any(|f| {
                    $((self.contains(Constructs::$name) && f.body.has(InstrGroup::$group)))||+
                        || (self.contains(Constructs::CONTROL_FLOW) && f.body.num_cfs() > 0)
                })
            }
        }
    };
}

constructs! {
    /// Derefs of local variables.
    LOCAL_DEREF = 1, "local_deref", LocalDeref;
    /// All other derefs.
    OTHER_DEREF = 2, "other_deref", OtherDeref;
    /// `copy_deref`.
    COPY = 4, "copy", Copy;
    /// Undefined values.
    UNDEF = 8, "undef", Undef;
    /// Phis.
    PHI = 16, "phi", Phi;
    /// Jumps.
    JUMP = 32, "jump", Jump;
    /// Calls.
    CALL = 64, "call", Call;
}

impl Constructs {
    /// Derefs of any variable.
    pub const DEREF: Constructs = Constructs::LOCAL_DEREF.union(Constructs::OTHER_DEREF);

    /// The set of names joined by `|`, `None` if one is unknown.
    pub fn parse(text: &str) -> Option<Constructs> {
        text.split('|').try_fold(Constructs::empty(), |set, word| {
            Constructs::NAMES.iter().find(|(name, _)| *name == word).map(|(_, bit)| set | *bit)
        })
    }

    /// The names, joined by `|`.
    pub fn text(self) -> String {
        let names = Constructs::NAMES.iter().filter(|(_, bit)| self.contains(*bit)).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join("|")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructs_read_back() {
        for &(name, bit) in Constructs::NAMES {
            assert_eq!((Constructs::parse(name), bit.text()), (Some(bit), name.to_string()));
        }
        assert_eq!(Constructs::parse("phi|copy").map(Constructs::text).as_deref(), Some("copy|phi"));
        assert_eq!(Constructs::parse("phis"), None);
    }

    #[test]
    fn declarations_are_consistent() {
        // A removal of an unused instruction may be reported by the kind of the instruction.
        for entry in crate::registry::Registry::builtin().iter() {
            let reads = entry.info().reads;
            let instrs = Changes::VALUES | Changes::MEMORY;
            assert!(!reads.contains(Changes::UNUSED) || reads.contains(instrs), "{}", entry.name());
            // A pass that is skipped does not produce a form.
            assert!(entry.info().leaves.is_none() || entry.info().needs.is_empty(), "{}", entry.name());
        }
    }
}
