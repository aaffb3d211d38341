//! The trait of passes, their declared properties, typed options.

use crate::changes::{Changes, Constructs};
use crate::manager::Context;
use crate::stages::stage_buffer::BufferLayout;
use airfoil_ir::{Body, Diagnostic, Form, Shader, Slot, Types};
use std::borrow::Cow;

/// The results of a shader that a pass is meant to change, because it serves another convention than the source's.
/// All else must stay, and is compared when shaders are executed before and after.
///
/// # Examples
/// ```
/// use airfoil_ir::Slot;
/// use airfoil_passes::{Results, registry::Registry};
///
/// let results = |pass| Registry::builtin().find(pass).map(|entry| entry.info().results);
/// // Positions in another clip space are the purpose of the pass; all other outputs are compared.
/// assert_eq!(results("lower_clip_space"), Some(Results::Outputs(&[Slot::POSITION])));
/// // Other attributes reach the shader, so that nothing can be compared.
/// assert_eq!(results("lower_vertex_formats"), Some(Results::All));
/// assert_eq!(results("algebraic"), Some(Results::Stay));
/// ```
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
///
/// # Examples
/// ```
/// use airfoil_ir::{Form, Shader, Stage};
/// use airfoil_passes::{Changes, Constructs, FunctionPass, Manager, PassInfo, Pipeline};
///
/// let info = PassInfo::new("fix_slots", "adjusts slots", "").takes(&[Form::Slots]).reads(Changes::MEMORY);
/// assert_eq!((info.needs, info.leaves), (Constructs::empty(), None));
/// let pass = FunctionPass::new(info, |_, _| Ok(Changes::NONE));
/// // The manager refuses shaders in other forms.
/// let mut shader = Shader::new("main", Stage::Vertex);
/// let faults = Manager::default().run(&Pipeline::of_pass(Box::new(pass)), &mut shader).unwrap_err();
/// assert!(faults[0].message.contains("takes a shader in form slots"));
/// ```
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
///
/// # Examples
/// ```
/// use airfoil_passes::registry::Registry;
///
/// let pass = Registry::builtin().find("peephole_select").unwrap();
/// let list: Vec<String> = pass.options().iter().map(|o| format!("{}={}", o.name, (o.default)())).collect();
/// assert_eq!(list.join(", "), "limit=8, loads=true, expensive=true, discard=true");
/// assert_eq!(pass.options()[0].summary, "Maximum number of counted instructions per side.");
/// ```
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
///
/// # Examples
/// ```
/// use airfoil_passes::{PassOptions, gl::lower_clip_space::LowerClipSpace};
///
/// let mut pass = LowerClipSpace::default();
/// pass.set("half_z", "yes")?;
/// pass.set("flip_y", "false")?;
/// // Only values that differ from the defaults are listed, in canonical form.
/// assert_eq!(pass.settings(), [("half_z", "true".to_string())]);
/// assert_eq!(pass.set("flip", "true").unwrap_err(), "no option `flip`; there are: flip_y, half_z");
/// # Ok::<(), String>(())
/// ```
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
///
/// # Examples
/// ```
/// use airfoil_passes::{OptionValue, PassOptions};
/// # #[derive(Clone, Debug, PartialEq, Eq)]
/// pub struct Kib(u32);
/// impl OptionValue for Kib {
///     fn parse(text: &str) -> Result<Kib, String> {
///         text.strip_suffix('k').ok_or("expected KiB as in `32k`".into()).and_then(u32::parse).map(Kib)
///     }
///     fn text(&self) -> String { format!("{}k", self.0) }
/// }
/// airfoil_passes::pass_options! {
/// #   /// Options of a pass.
///     pub struct Options {
/// #       /// Most memory.
///         memory: Kib = Kib(4),
///     }
/// }
/// assert_eq!(Options::default().set("memory", "4").unwrap_err(), "option `memory`: expected KiB as in `32k`");
/// ```
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
///
/// # Examples
/// ```
/// # use airfoil_ir::{Diagnostic, Shader, Stage};
/// # use airfoil_passes::{Changes, Context, Manager, Pass, PassInfo, Pipeline};
/// #[derive(Debug)]
/// struct FixWorkgroups([u32; 3]);
/// static INFO: PassInfo = PassInfo::new("fix_workgroups", "chooses the size of open workgroups", "");
/// impl Pass for FixWorkgroups {
///     fn info(&self) -> &PassInfo { &INFO }
///     fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
///         let open = shader.info.workgroup_size.is_none();
///         shader.info.workgroup_size.get_or_insert(self.0);
///         Ok(Changes::INFO.when(open))
///     }
/// }
/// let pipeline = Pipeline::of_pass(Box::new(FixWorkgroups([64, 1, 1])));
/// let mut runs = [0, 1].map(|_| Shader::new("main", Stage::Compute));
/// assert_eq!(Manager::default().run_program(&pipeline.repeated(None), &mut runs), Ok(Changes::INFO));
/// ```
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
///
/// # Examples
/// ```
/// # use airfoil_ir::{Diagnostic, Form, Shader, Stage};
/// # use airfoil_passes::{Manager, Pass, PassInfo, Pipeline, ProgramPass, ProgramSteps};
/// # use airfoil_passes::gl::lower_clip_space::LowerClipSpace;
/// # static INFO: PassInfo = PassInfo::new("flip_last", "flips positions of the last stage before the fragments", "");
/// # #[derive(Debug)]
/// struct FlipLast;
/// impl ProgramPass for FlipLast {
///     fn info(&self) -> &PassInfo { &INFO }
///     fn steps(&self, shaders: &[Shader]) -> Result<ProgramSteps, Diagnostic> {
///         let last = shaders.iter().rposition(|s| s.stage != Stage::Fragment);
///         let flip = LowerClipSpace { flip_y: true, half_z: false };
///         let passes = last.map(|at| (at, Box::new(flip) as Box<dyn Pass>)).into_iter().collect();
///         Ok(ProgramSteps { passes, ..ProgramSteps::default() })
///     }
/// }
/// let mut program = [Stage::Vertex, Stage::Geometry, Stage::Fragment].map(|stage| Shader::new("main", stage));
/// # program.iter_mut().for_each(|shader| shader.form = Form::Slots);
/// let mut manager = Manager::default();
/// assert!(manager.run_program(&Pipeline::of_program_pass(Box::new(FlipLast)), &mut program).is_ok());
/// assert_eq!((manager.last().unwrap().text(), manager.last_shader()), ("lower_clip_space{flip_y=true}", 1));
/// ```
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
///
/// # Examples
/// ```
/// use airfoil_ir::{Shader, Stage};
/// use airfoil_passes::{ProgramPass, stages::lower_stages::LowerStages};
///
/// let stages = [Stage::TessControl, Stage::TessEval, Stage::Fragment];
/// let steps = LowerStages::default().steps(&stages.map(|stage| Shader::new("main", stage)))?;
/// let passes: Vec<_> = steps.passes.iter().map(|(at, pass)| (*at, &*pass.info().name)).collect();
/// assert_eq!(passes, [(0, "tess_control_to_kernel"), (1, "tess_eval_inputs_from_buffers")]);
/// // The fragment stage shares no buffers.
/// assert_eq!(steps.buffers.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 0]);
/// # Ok::<(), airfoil_ir::Diagnostic>(())
/// ```
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
