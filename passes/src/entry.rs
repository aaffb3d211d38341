//! Entries of the registry, and the macro that declares them.

use crate::{OptionInfo, Pass, PassInfo, PassOptions, ProgramPass};

/// An option given in a pipeline, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the option.
    pub name: String,
    /// Value.
    pub value: String,
}

/// A pass with its options set.
#[derive(Debug)]
pub enum Made {
    /// A pass over one shader.
    Shader(Box<dyn Pass>),
    /// A pass over all shaders of a pipeline.
    Program(Box<dyn ProgramPass>),
}

/// A pass, or the index of the wrong setting and a message.
type MakeResult = Result<Made, (usize, String)>;

/// A registered pass.
#[derive(Debug)]
pub struct Entry {
    info: fn() -> &'static PassInfo,
    options: &'static [OptionInfo],
    make: fn(&[Setting]) -> MakeResult,
}

impl Entry {
    /// A pass without options.
    pub const fn plain<P: Pass + Default + 'static>() -> Entry {
        Entry { info: || P::default().info(), options: &[], make: make_plain::<P> }
    }

    /// A pass with options, declared by [`pass_options!`](crate::pass_options).
    pub const fn with_options<P: Pass + PassOptions + 'static>() -> Entry {
        Entry { info: || P::default().info(), options: P::OPTIONS, make: make_with_options::<P> }
    }

    /// A pass over all shaders of a pipeline, with options.
    pub const fn program<P: ProgramPass + PassOptions + 'static>() -> Entry {
        Entry { info: || P::default().info(), options: P::OPTIONS, make: make_program::<P> }
    }

    /// The declaration of the pass.
    pub fn info(&self) -> &'static PassInfo {
        (self.info)()
    }

    /// Name in pipelines.
    pub fn name(&self) -> &'static str {
        self.info().name
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
        (self.make)(settings)
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
    set_all::<P>(settings).map(|pass| Made::Shader(Box::new(pass)))
}

fn make_program<P: ProgramPass + PassOptions + 'static>(settings: &[Setting]) -> MakeResult {
    set_all::<P>(settings).map(|pass| Made::Program(Box::new(pass)))
}

fn make_plain<P: Pass + Default + 'static>(settings: &[Setting]) -> MakeResult {
    match settings.first() {
        Some(s) => Err((0, format!("no option `{}`; the pass has none", s.name))),
        None => Ok(Made::Shader(Box::new(P::default()))),
    }
}

/// Passes that belong together: a folder of `passes/src`.
#[derive(Clone, Debug)]
pub struct Group {
    /// Heading in lists and in the manual.
    pub name: &'static str,
    /// Purpose, in one sentence.
    pub summary: &'static str,
    /// The passes, by name.
    pub passes: Vec<&'static Entry>,
}

/// Declares the modules of a folder of passes and registers each pass: `module::Pass;`, with options
/// `module::Pass { options };`, for a pass over all shaders of a pipeline `module::Pass { program };`.
macro_rules! passes {
    (@entry $pass:path) => { $crate::registry::Entry::plain::<$pass>() };
    (@entry $pass:path, options) => { $crate::registry::Entry::with_options::<$pass>() };
    (@entry $pass:path, program) => { $crate::registry::Entry::program::<$pass>() };
    ($name:literal: $summary:literal; $( $module:ident :: $pass:ident $({ $options:ident })? ; )+) => {
        $( pub mod $module; )+

        /// The passes of this folder.
        static PASSES: &[$crate::registry::Entry] =
            &[$( $crate::registry::passes!(@entry $module::$pass $(, $options)?), )+];

        /// The group of this folder.
        pub(crate) fn group() -> $crate::registry::Group {
            $crate::registry::Group { name: $name, summary: $summary, passes: PASSES.iter().collect() }
        }
    };
}
pub(crate) use passes;
