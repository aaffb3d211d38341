//! Sections of the specifications, which messages cite.

use crate::target::Target;

macro_rules! rules {
    ($( $(#[doc = $doc:literal])+ $rule:ident = $vertex:literal, $fragment:literal; )+) => {
        /// A section of both specifications.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Rule { $( $(#[doc = $doc])+ $rule, )+ }

        impl Rule {
            /// Its number.
            const fn section(self, target: Target) -> &'static str {
                match (self, target) {
                    $( (Rule::$rule, Target::Vertex) => $vertex, (Rule::$rule, Target::Fragment) => $fragment, )+
                }
            }
        }
    };
}

rules! {
    /// Grammar and reserved words.
    Grammar = "2.14.2", "3.11.2";
    /// Declarations of names.
    Variables = "2.14.3", "3.11.3";
    /// Attributes.
    Attributes = "2.14.3.1", "3.11.3.1";
    /// Parameters and their bindings.
    Parameters = "2.14.3.2", "3.11.3.2";
    /// Results.
    Results = "2.14.3.4", "3.11.3.4";
    /// Limits on resources.
    Limits = "2.14.3.7", "3.11.3.6";
    /// Operands and their suffixes.
    Operands = "2.14.4.1", "3.11.4.1";
    /// Accesses to arrays of parameters.
    Arrays = "2.14.4.2", "3.11.4.2";
    /// Destinations and write masks.
    Destinations = "2.14.4.3", "3.11.4.3";
    /// Options.
    Options = "2.14.4.5", "3.11.4.5";
    /// Position-invariant programs and, of fragment programs, fog.
    FixedFunctions = "2.14.4.5.1", "3.11.4.5.1";
    /// Precision hints.
    Precision = "2.14.4.5", "3.11.4.5.2";
    /// Texture instructions.
    Textures = "2.14.5", "3.11.6";
    /// The instruction SWZ.
    Swizzle = "2.14.5.26", "3.11.5.28";
}

impl Rule {
    /// The end of a message: `(ARB_vertex_program section 2.14.2)`.
    pub fn cite(self, target: Target) -> String {
        format!("({} section {})", target.extension(), self.section(target))
    }
}
