//! The trait of passes, their declared properties, typed options.

use crate::changes::{Changes, Constructs};
use crate::manager::Context;
use crate::stages::stage_buffer::BufferLayout;
use airfoil_ir::{Body, Diagnostic, Form, Shader, Slot, Types};
use std::borrow::Cow;

/// The results of a shader that a pass is meant to change, because it serves another convention than the source's.
/// All else must stay, and is compared when shaders are executed before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// All stay. Outputs may be added.
    Stay,
    /// Outputs at these slots change or go.
    Outputs(&'static [Slot]),
    /// Inputs are read from elsewhere or mean something else, so that all that follows from them changes.
    All,
}

/// The declared properties of a pass.
#[derive(Debug)]
pub struct PassInfo {
    /// Name in pipelines.
    pub name: Cow<'static, str>,
    /// Its effect, in one line.
    pub summary: Cow<'static, str>,
    /// Forms that it takes.
    pub takes: &'static [Form],
    /// Form that it leaves; `None` = the one that it took.
    pub leaves: Option<Form>,
    /// Kinds of changes after which a run may find something that the run before it did not find.
    pub reads: Changes,
    /// Constructs without which it has nothing to do; empty if it has to run to find out.
    pub needs: Constructs,
    /// It may round results that are not `exact` differently: their last bits need not stay.
    pub rounds: bool,
    /// Computed NaNs may have other bits afterwards; integers computed from them may differ, too.
    pub nan_bits: bool,
    /// The results of the shader that it is meant to change.
    pub results: Results,
    /// Options, with their defaults.
    pub options: &'static [OptionInfo],
    /// The module's documentation, shown by `airfoil explain`.
    pub doc: Cow<'static, str>,
}

impl PassInfo {
    /// A pass that takes and leaves any form and reads all changes. `doc` is the source text of the pass's file
    /// (`include_str!`); its `//!` lines are the documentation.
    pub const fn new(name: &'static str, summary: &'static str, doc: &'static str) -> PassInfo {
        PassInfo::of(Cow::Borrowed(name), Cow::Borrowed(summary), Cow::Borrowed(doc))
    }

    /// As [`new`](PassInfo::new), for a pass whose name is known at run time only. `doc` is source text, too: lines
    /// that begin with `//!`.
    pub const fn of(name: Cow<'static, str>, summary: Cow<'static, str>, doc: Cow<'static, str>) -> PassInfo {
        PassInfo {
            name,
            summary,
            takes: &[Form::Variables, Form::Slots, Form::Target],
            leaves: None,
            reads: Changes::ALL,
            needs: Constructs::empty(),
            rounds: false,
            nan_bits: false,
            results: Results::Stay,
            options: &[],
            doc,
        }
    }

    /// Limits the forms that the pass takes.
    pub const fn takes(mut self, forms: &'static [Form]) -> PassInfo {
        self.takes = forms;
        self
    }

    /// Says which form the pass leaves.
    pub const fn leaves(mut self, form: Form) -> PassInfo {
        self.leaves = Some(form);
        self
    }

    /// Declares the kinds of changes after which the pass may find something new.
    pub const fn reads(mut self, reads: Changes) -> PassInfo {
        self.reads = reads;
        self
    }

    /// Declares the constructs without which the pass has nothing to do.
    pub const fn needs(mut self, needs: Constructs) -> PassInfo {
        self.needs = needs;
        self
    }

    /// Says that the pass may round results that are not `exact` differently.
    pub const fn rounds(mut self) -> PassInfo {
        self.rounds = true;
        self
    }

    /// Says that NaNs which are computed may get other bits.
    pub const fn nan_bits(mut self) -> PassInfo {
        self.nan_bits = true;
        self
    }

    /// Declares the results of the shader that the pass is meant to change.
    pub const fn results(mut self, results: Results) -> PassInfo {
        self.results = results;
        self
    }

    /// Lists the options.
    pub const fn options(mut self, options: &'static [OptionInfo]) -> PassInfo {
        self.options = options;
        self
    }
}

/// An option of a pass.
#[derive(Debug)]
pub struct OptionInfo {
    /// Name in pipelines.
    pub name: &'static str,
    /// Returns the default, as text.
    pub default: fn() -> String,
    /// Its meaning, in one line.
    pub summary: &'static str,
}

/// Options that can be set by name; declared by [`pass_options!`](crate::pass_options).
pub trait PassOptions: Default {
    /// The options with their defaults.
    const OPTIONS: &'static [OptionInfo];

    /// Sets an option from text.
    ///
    /// # Errors
    /// A message about the invalid name or value.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String>;

    /// The options that differ from their defaults, as text that [`set`](PassOptions::set) reads.
    fn settings(&self) -> Vec<(&'static str, String)>;
}

/// Declares the options of a pass: a structure with defaults whose fields can be set by name.
///
/// ```
/// airfoil_passes::pass_options! {
///     /// Options of an example.
///     pub struct Options {
///         /// Most instructions to move.
///         limit: u32 = 8,
///         /// Whether loads may move.
///         loads: bool = false,
///     }
/// }
/// use airfoil_passes::PassOptions;
/// let mut o = Options::default();
/// o.set("limit", "3").unwrap();
/// assert_eq!((o.limit, o.loads), (3, false));
/// assert!(o.set("limit", "many").is_err() && o.set("size", "1").is_err());
/// ```
#[macro_export]
macro_rules! pass_options {
    ($(#[doc = $doc:literal])+ pub struct $name:ident {
        $( $(#[doc = $fdoc:literal])+ $field:ident: $ty:ty = $default:expr, )*
    }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $( $(#[doc = $fdoc])+ pub $field: $ty, )* }

        impl Default for $name {
            fn default() -> Self {
                $name { $( $field: $default, )* }
            }
        }

        impl $crate::PassOptions for $name {
            const OPTIONS: &'static [$crate::OptionInfo] = &[$( $crate::OptionInfo {
                name: stringify!($field),
                default: || $crate::OptionValue::text(&$default),
                summary: concat!($($fdoc),+).trim_ascii(),
            }, )*];

            fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
                match name {
                    $( stringify!($field) => {
                        self.$field = $crate::OptionValue::parse(value)
                            .map_err(|e| format!("option `{name}`: {e}"))?;
                        Ok(())
                    } )*
                    _ => {
                        let names: Vec<&str> = Self::OPTIONS.iter().map(|o| o.name).collect();
                        Err(format!("no option `{name}`; there are: {}", names.join(", ")))
                    }
                }
            }

            fn settings(&self) -> Vec<(&'static str, String)> {
                let default = Self::default();
                let mut list = Vec::new();
                $( if self.$field != default.$field {
                    list.push((stringify!($field), $crate::OptionValue::text(&self.$field)));
                } )*
                list
            }
        }
    };
}

/// A type that an option can have.
pub trait OptionValue: Sized {
    /// The value of a text.
    ///
    /// # Errors
    /// A message that describes the expected value.
    fn parse(text: &str) -> Result<Self, String>;

    /// The text that [`parse`](OptionValue::parse) reads back to this value.
    fn text(&self) -> String;
}

impl OptionValue for u32 {
    fn parse(text: &str) -> Result<u32, String> {
        text.parse().map_err(|_| format!("expected a number, found `{text}`"))
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for bool {
    fn parse(text: &str) -> Result<bool, String> {
        match text {
            "true" | "yes" | "1" => Ok(true),
            "false" | "no" | "0" => Ok(false),
            _ => Err(format!("expected true or false, found `{text}`")),
        }
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for airfoil_ir::Modes {
    fn parse(text: &str) -> Result<airfoil_ir::Modes, String> {
        use airfoil_ir::NamedFlags;
        let mut bits = 0;
        for part in text.split('|').filter(|p| !p.is_empty()) {
            match airfoil_ir::Modes::NAMES.iter().find(|(n, _)| *n == part) {
                Some(&(_, bit)) => bits |= bit,
                None => return Err(format!("`{part}` is not a mode; expected modes as in `in|out|ubo`")),
            }
        }
        Ok(airfoil_ir::Modes::from_bits_lossy(bits))
    }

    fn text(&self) -> String {
        use airfoil_ir::NamedFlags;
        let set = airfoil_ir::Modes::NAMES.iter().filter(|(_, bit)| self.bits() & bit == *bit);
        set.map(|(name, _)| *name).collect::<Vec<_>>().join("|")
    }
}

/// A pass over a shader.
///
/// Passes are values: their options are their fields. They keep no state between runs.
pub trait Pass: std::fmt::Debug + Send + Sync {
    /// The declared properties.
    fn info(&self) -> &PassInfo;

    /// Runs the pass. Returns the kinds of its changes: [`Changes::NONE`] if and only if the shader is as it was.
    ///
    /// # Errors
    /// A located diagnostic if the shader cannot be expressed in the output form of the pass. The shader may then be
    /// half changed and must be dropped.
    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic>;

    /// The options that differ from their defaults: [`PassOptions::settings`] of passes with options.
    fn options(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The same pass without one of its rules, for tools that search for a wrong rule; `None` if it has no such rule.
    fn without_rule(&self, _rule: &str) -> Option<Box<dyn Pass>> {
        None
    }
}

/// A pass over all shaders of a pipeline at once, where one end of an interface depends on the other.
///
/// It looks at the shaders and chooses passes for each of them, which the manager runs like any others: they are
/// dumped, timed, validated, checked by execution and found by bisection under their own names.
pub trait ProgramPass: std::fmt::Debug + Send + Sync {
    /// The declaration of the pass.
    fn info(&self) -> &PassInfo;

    /// The passes that the shaders require.
    ///
    /// # Errors
    /// A diagnostic if the shaders together cannot be lowered.
    fn steps(&self, shaders: &[Shader]) -> Result<ProgramSteps, Diagnostic>;
}

/// The choice of a [`ProgramPass`].
#[derive(Debug, Default)]
pub struct ProgramSteps {
    /// Passes in order, each with the index of its shader.
    pub passes: Vec<(usize, Box<dyn Pass>)>,
    /// Per shader the buffers that it shares with other stages; empty if the pass assigns none.
    pub buffers: Vec<Vec<BufferLayout>>,
}

/// Runs `f` over the body of every function, with the types of the shader, and joins the changes.
///
/// # Errors
/// Those of `f`.
pub fn try_each_body(
    shader: &mut Shader,
    mut f: impl FnMut(&mut Types, &mut Body) -> Result<Changes, Diagnostic>,
) -> Result<Changes, Diagnostic> {
    let Shader { types, functions, .. } = shader;
    functions
        .values_mut()
        .try_fold(Changes::NONE, |changes, function| Ok(changes | f(types, &mut function.body)?))
}

/// Applies to every function the changes that `plan` finds, which sees the whole shader; `None` if there is nothing to
/// change. Returns whether there were changes.
pub fn plan_each_body<P>(
    shader: &mut Shader,
    plan: impl Fn(&Shader, &Body) -> Option<P>,
    apply: impl Fn(&mut Body, P),
) -> bool {
    let mut changed = false;
    let ids: Vec<_> = shader.functions.keys().collect();
    for id in ids {
        if let Some(plan) = plan(shader, &shader.functions[id].body) {
            apply(&mut shader.functions[id].body, plan);
            changed = true;
        }
    }
    changed
}

/// Runs `f` over the body of every function and joins the changes.
pub fn each_body(shader: &mut Shader, mut f: impl FnMut(&mut Body) -> Changes) -> Changes {
    shader.functions.values_mut().fold(Changes::NONE, |changes, function| changes | f(&mut function.body))
}
