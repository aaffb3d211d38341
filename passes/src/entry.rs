//! Entries of the registry, and the macro that declares them.

use crate::{OptionInfo, Pass, PassInfo, PassOptions, ProgramPass};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// An option given in a pipeline, as text.
///
/// # Examples
/// ```
/// use airfoil_passes::registry::{Registry, Setting};
///
/// let setting = |name: &str, value: &str| Setting { name: name.into(), value: value.into() };
/// let entry = Registry::builtin().find("peephole_select").unwrap();
/// assert!(entry.make(&[setting("limit", "0"), setting("loads", "no")]).is_ok());
/// // The error has the index of the wrong one.
/// let fault = entry.make(&[setting("limit", "0"), setting("loads", "some")]).unwrap_err();
/// assert_eq!(fault, (1, "option `loads`: expected true or false, found `some`".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the option.
    pub name: String,
    /// Value.
    pub value: String,
}

/// A pass with its options set.
///
/// # Examples
/// ```
/// use airfoil_passes::registry::{Made, Registry};
///
/// let kind = |name| match Registry::builtin().find(name)?.make(&[]) {
///     Ok(Made::Shader(_)) => Some("one shader"),
///     Ok(Made::Program(_)) => Some("all shaders"),
///     Err(_) => None,
/// };
/// assert_eq!(kind("match_inputs"), Some("one shader"));
/// assert_eq!(kind("match_interfaces"), Some("all shaders"));
/// ```
#[derive(Clone, Debug)]
pub enum Made {
    /// A pass over one shader.
    Shader(Arc<dyn Pass>),
    /// A pass over all shaders of a pipeline.
    Program(Arc<dyn ProgramPass>),
}

impl Made {
    /// The declaration of the pass.
    pub fn info(&self) -> &PassInfo {
        match self {
            Made::Shader(pass) => pass.info(),
            Made::Program(pass) => pass.info(),
        }
    }
}

/// A pass, or the index of the wrong setting and a message.
type MakeResult = Result<Made, (usize, String)>;

/// A registered pass.
///
/// # Examples
/// ```
/// use airfoil_passes::registry::{Entry, Registry};
/// use airfoil_passes::{Pipeline, opt::dce::Dce};
///
/// let mut registry = Registry::builtin().clone();
/// // The name of a built-in pass is taken.
/// let fault = registry.add("Mine", "", Entry::plain::<Dce>()).unwrap_err();
/// assert_eq!(fault.message, "`dce` cannot be registered: there is a pass of this name");
/// let with_options = |entry: &&Entry| !entry.options().is_empty();
/// assert!(registry.iter().filter(with_options).any(|entry| entry.name() == "loop_unroll"));
/// ```
#[derive(Debug)]
pub struct Entry {
    options: &'static [OptionInfo],
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    /// A type, of which each step of a pipeline has its own value.
    Type { default: LazyLock<Made>, make: fn(&[Setting]) -> MakeResult },
    /// A value that all steps share.
    Value(Made),
}

impl Entry {
    /// A pass without options.
    pub const fn plain<P: Pass + Default + 'static>() -> Entry {
        Entry::of_type(&[], || Made::Shader(Arc::new(P::default())), make_plain::<P>)
    }

    /// A pass with options, declared by [`pass_options!`](crate::pass_options).
    pub const fn with_options<P: Pass + PassOptions + 'static>() -> Entry {
        Entry::of_type(P::OPTIONS, || Made::Shader(Arc::new(P::default())), make_with_options::<P>)
    }

    /// A pass over all shaders of a pipeline, with options.
    pub const fn program<P: ProgramPass + PassOptions + 'static>() -> Entry {
        Entry::of_type(P::OPTIONS, || Made::Program(Arc::new(P::default())), make_program::<P>)
    }

    /// A pass that is created at run time, such as a [`FunctionPass`](crate::FunctionPass). Pipelines cannot set
    /// options.
    pub fn value(pass: impl Pass + 'static) -> Entry {
        Entry { options: &[], origin: Origin::Value(Made::Shader(Arc::new(pass))) }
    }

    /// A pass over all shaders of a pipeline that is created at run time.
    pub fn program_value(pass: impl ProgramPass + 'static) -> Entry {
        Entry { options: &[], origin: Origin::Value(Made::Program(Arc::new(pass))) }
    }

    const fn of_type(
        options: &'static [OptionInfo],
        default: fn() -> Made,
        make: fn(&[Setting]) -> MakeResult,
    ) -> Entry {
        Entry { options, origin: Origin::Type { default: LazyLock::new(default), make } }
    }

    /// The declaration of the pass.
    pub fn info(&self) -> &PassInfo {
        match &self.origin {
            Origin::Type { default, .. } => default.info(),
            Origin::Value(made) => made.info(),
        }
    }

    /// Name in pipelines.
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// The options of the pass, with their defaults.
    pub fn options(&self) -> &'static [OptionInfo] {
        self.options
    }

    /// The pass with options set.
    ///
    /// # Errors
    /// The index of the wrong setting and a message.
    pub fn make(&self, settings: &[Setting]) -> Result<Made, (usize, String)> {
        match &self.origin {
            Origin::Type { make, .. } => make(settings),
            Origin::Value(made) => no_settings(settings).map(|()| made.clone()),
        }
    }
}

fn set_all<P: PassOptions>(settings: &[Setting]) -> Result<P, (usize, String)> {
    let mut pass = P::default();
    for (i, s) in settings.iter().enumerate() {
        pass.set(&s.name, &s.value).map_err(|e| (i, e))?;
    }
    Ok(pass)
}

fn make_with_options<P: Pass + PassOptions + 'static>(settings: &[Setting]) -> MakeResult {
    set_all::<P>(settings).map(|pass| Made::Shader(Arc::new(pass)))
}

fn make_program<P: ProgramPass + PassOptions + 'static>(settings: &[Setting]) -> MakeResult {
    set_all::<P>(settings).map(|pass| Made::Program(Arc::new(pass)))
}

fn make_plain<P: Pass + Default + 'static>(settings: &[Setting]) -> MakeResult {
    no_settings(settings).map(|()| Made::Shader(Arc::new(P::default())))
}

fn no_settings(settings: &[Setting]) -> Result<(), (usize, String)> {
    match settings.first() {
        Some(s) => Err((0, format!("no option `{}`; the pass has none", s.name))),
        None => Ok(()),
    }
}

/// Passes that belong together: a folder of `passes/src`.
///
/// # Examples
/// ```
/// use airfoil_passes::registry::Registry;
///
/// let groups = Registry::builtin().groups();
/// let group_of = |pass| groups.iter().find(|group| group.passes.iter().any(|entry| entry.name() == pass));
/// assert_eq!(group_of("dce").map(|group| &*group.name), Some("Optimization"));
/// assert_eq!(group_of("lower_fog").map(|group| &*group.name), Some("API conventions"));
/// // A preset is not in any group.
/// assert!(group_of("O2").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Group {
    /// Heading in lists and in the manual.
    pub name: Cow<'static, str>,
    /// Purpose, in one sentence.
    pub summary: Cow<'static, str>,
    /// The passes, by name.
    pub passes: Vec<Arc<Entry>>,
}

/// Declares the modules of a folder of passes and registers each pass: `module::Pass;`, with options
/// `module::Pass { options };`, for a pass over all shaders of a pipeline `module::Pass { program };`.
macro_rules! passes {
    (@entry $pass:path) => { $crate::registry::Entry::plain::<$pass>() };
    (@entry $pass:path, options) => { $crate::registry::Entry::with_options::<$pass>() };
    (@entry $pass:path, program) => { $crate::registry::Entry::program::<$pass>() };
    ($name:literal: $summary:literal; $( $module:ident :: $pass:ident $({ $options:ident })? ; )+) => {
        $( pub mod $module; )+

        /// The group of this folder.
        pub(crate) fn group() -> $crate::registry::Group {
            let passes = vec![
                $( std::sync::Arc::new($crate::registry::passes!(@entry $module::$pass $(, $options)?)), )+
            ];
            $crate::registry::Group { name: $name.into(), summary: $summary.into(), passes }
        }
    };
}
pub(crate) use passes;
