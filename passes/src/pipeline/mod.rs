//! Pipelines: passes in order, as data and as text. A whole compile is one pipeline, the *compile plan*.
//!
//! ```text
//! pipeline = step { "," step }                     a comma may follow the last step
//! step     = name [ options ]                      a pass; or a preset, which is replaced by its steps
//!          | "loop" [ options ] "(" pipeline ")"   repeated until a round changes nothing
//!          | "on" options "(" pipeline ")"         for some shaders
//!          | "group" "(" pipeline ")" "then" "(" pipeline ")"
//! options  = "{" name "=" value { "," name "=" value } "}"
//! ```
//!
//! White space and line ends may separate all of these; `# ...` is a comment up to the end of the line.
//!
//! A pipeline runs on the shaders of one program, or on a single shader. Most passes work on each shader by itself;
//! those over several stages ([`ProgramPass`]) see all of them. The steps after `then` clean up the shaders that the
//! steps of the group changed.
//!
//! The option `max` of a loop bounds its rounds. `on` has the options `stages` and `has`, one of several
//! [constructs](Constructs): `on{stages=vertex|fragment, has=phi|undef}(dce)`.

mod parse;
mod print;

use crate::registry::Registry;
use crate::{Constructs, Pass, PassOptions, ProgramPass};
use airfoil_ir::{Diagnostic, Shader, Stage};
use parse::Parser;
use std::sync::Arc;

/// An order of passes.
///
/// # Examples
/// ```
/// use airfoil_passes::Pipeline;
///
/// let pipeline = Pipeline::parse("loop( cse,dce ), # until nothing changes\n dce,")?;
/// assert_eq!((pipeline.to_string().as_str(), pipeline.num_keys()), ("loop(cse, dce), dce", 2));
/// let both = Pipeline::parse("copy_prop")?.then(pipeline).repeated(Some(3));
/// assert_eq!(both.to_string(), "loop{max=3}(copy_prop, loop(cse, dce), dce)");
///
/// let fault = Pipeline::parse("dce,\nces").unwrap_err().to_string();
/// assert_eq!(fault, "2:1: error[E0802]: there is no pass `ces` (help: did you mean `cse`?)");
/// # Ok::<(), airfoil_ir::Diagnostic>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    steps: Vec<Step>,
    /// Text of every different pass with its options; [`PassStep::key`] is the index in it.
    keys: Vec<Arc<str>>,
}

/// A step of a pipeline.
///
/// # Examples
/// ```
/// use airfoil_passes::{Pipeline, Step};
///
/// let pipeline = Pipeline::parse("dce, on{stages=vertex}(loop(cse)), match_interfaces, group(dce) then(cse)")?;
/// let alone: Vec<bool> = pipeline.steps().iter().map(Step::is_per_shader).collect();
/// assert_eq!(alone, [true, true, false, false]);
/// // An included pipeline prints like a copy of its steps.
/// let twice = pipeline.clone().include(pipeline.clone().into());
/// assert!(matches!(twice.steps().last(), Some(Step::Include(_))));
/// assert_eq!(twice.to_string(), pipeline.clone().then(pipeline).to_string());
/// # Ok::<(), airfoil_ir::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub enum Step {
    /// A pass, on each shader.
    Pass(PassStep),
    /// Steps that repeat, on each shader.
    Loop(LoopStep),
    /// A pass over all shaders at once.
    Program(ProgramStep),
    /// Steps for some shaders.
    On(OnStep),
    /// Steps, and others that clean up the shaders which they changed.
    Group(GroupStep),
    /// The steps of another pipeline.
    Include(Arc<Pipeline>),
}

/// A pass with its options.
///
/// # Examples
/// ```
/// use airfoil_passes::{PassStep, Pipeline, Step, opt::peephole_select::PeepholeSelect};
///
/// let select = |limit| PassStep::new(Box::new(PeepholeSelect { limit, ..PeepholeSelect::default() }));
/// // 8 is the default.
/// assert_eq!([select(2).text(), select(8).text()], ["peephole_select{limit=2}", "peephole_select"]);
/// let pipeline = Pipeline::of_steps([select(2), select(8), select(2)]);
/// let key = |step: &Step| if let Step::Pass(pass) = step { Some(pass.key()) } else { None };
/// assert_eq!(pipeline.steps().iter().filter_map(key).collect::<Vec<_>>(), [0, 1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct PassStep {
    pass: Arc<dyn Pass>,
    text: Arc<str>,
    key: usize,
}

/// Steps that repeat until a round changes nothing.
///
/// # Examples
/// ```
/// use airfoil_passes::{Pipeline, Step};
///
/// let pipeline = Pipeline::parse("loop{max=2}(loop(cse, dce), dead_cf)")?;
/// let [Step::Loop(outer)] = pipeline.steps() else { panic!() };
/// assert_eq!((outer.bound, outer.head().as_str()), (Some(2), "loop{max=2}"));
/// let Step::Loop(inner) = &outer.steps[0] else { panic!() };
/// assert_eq!((inner.bound, inner.head().as_str(), inner.steps.len()), (None, "loop", 2));
/// # Ok::<(), airfoil_ir::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub struct LoopStep {
    /// Most rounds; `None` = the manager's own bound.
    pub bound: Option<u32>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A pass over all shaders of a pipeline, with its options.
///
/// # Examples
/// ```
/// use airfoil_passes::{Pipeline, Step, stages::match_interfaces::MatchInterfaces};
///
/// let parsed = Pipeline::parse("match_interfaces{previous=0.0.2.float32}")?;
/// let [Step::Program(step)] = parsed.steps() else { panic!() };
/// assert_eq!(step.pass().info().name, "match_interfaces");
/// assert!(step.pass().steps(&[])?.passes.is_empty());
/// // Options at their defaults are not part of the text.
/// let built = Pipeline::default().program_pass(MatchInterfaces::default());
/// assert!(matches!(built.steps(), [Step::Program(step)] if step.text() == "match_interfaces"));
/// # Ok::<(), airfoil_ir::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProgramStep {
    pass: Arc<dyn ProgramPass>,
    text: Arc<str>,
}

/// Steps for some shaders.
///
/// # Examples
/// ```
/// use airfoil_ir::{Shader, Stage};
/// use airfoil_passes::{Pipeline, Step};
///
/// let applies = |text: &str, stage| match Pipeline::parse(text).unwrap().steps() {
///     [Step::On(on)] => on.applies(&Shader::new("main", stage)),
///     _ => false,
/// };
/// assert!(applies("on{stages=vertex|mesh}(dce)", Stage::Mesh));
/// assert!(!applies("on{stages=vertex|mesh}(dce)", Stage::Fragment));
/// // A shader without functions has no loops.
/// assert!(!applies("on{stages=mesh, has=control_flow}(opt_loop)", Stage::Mesh));
/// ```
#[derive(Clone, Debug)]
pub struct OnStep {
    /// The stages; empty for all.
    pub stages: Vec<Stage>,
    /// Constructs of which the shader has one; empty for all shaders.
    pub has: Constructs,
    /// The steps.
    pub steps: Vec<Step>,
}

/// Steps, and others that clean up after them.
///
/// # Examples
/// ```
/// use airfoil_ir::{Builder, Function, Shader, Stage, Ty};
/// use airfoil_passes::{Manager, Pipeline, manager::Options};
///
/// let mut program = [Stage::Vertex, Stage::Fragment].map(|stage| Shader::new("main", stage));
/// let mut main = Function::new("main");
/// Builder::at_end(&mut main.body).undef(Ty::B32);
/// program[1].add_function(main);
/// let mut manager = Manager::new(Options { statistics: true, ..Options::default() });
/// assert!(manager.run_program(&Pipeline::parse("group(dce) then(cse)").unwrap(), &mut program).is_ok());
/// // Only the second shader has dead code, so only that one is cleaned up.
/// let runs: Vec<_> = manager.statistics().iter().map(|(pass, counts)| (pass, counts.runs)).collect();
/// assert_eq!(runs, [("dce", 2), ("cse", 1)]);
/// ```
#[derive(Clone, Debug)]
pub struct GroupStep {
    /// The steps.
    pub steps: Vec<Step>,
    /// Steps for each shader that those changed.
    pub cleanup: Vec<Step>,
}

impl PassStep {
    /// A pass that need not be registered, under its name and the options that differ from their defaults.
    pub fn new(pass: Box<dyn Pass>) -> PassStep {
        let text = print::options_text(&pass.info().name, &pass.options()).into();
        PassStep { pass: pass.into(), text, key: 0 }
    }

    /// The pass.
    pub fn pass(&self) -> &dyn Pass {
        &*self.pass
    }

    /// Name and options, as in the pipeline.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn set_key(&mut self, key: usize) {
        self.key = key;
    }

    /// Index that equal passes with equal options share within the pipeline.
    pub fn key(&self) -> usize {
        self.key
    }
}

impl ProgramStep {
    /// The pass.
    pub fn pass(&self) -> &dyn ProgramPass {
        &*self.pass
    }

    /// Name and options, as in the pipeline.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl OnStep {
    /// Whether the steps are for this shader.
    pub fn applies(&self, shader: &Shader) -> bool {
        (self.stages.is_empty() || self.stages.contains(&shader.stage)) && self.has.found_in(shader)
    }
}

impl Step {
    /// Whether the step works on one shader at a time, so that the shaders may be done one after the other.
    pub fn is_per_shader(&self) -> bool {
        match self {
            Step::Pass(_) | Step::Loop(_) => true,
            Step::Program(_) | Step::Group(_) => false,
            Step::On(on) => on.steps.iter().all(Step::is_per_shader),
            Step::Include(pipeline) => pipeline.steps.iter().all(Step::is_per_shader),
        }
    }
}

impl Pipeline {
    /// The pipeline of a text.
    ///
    /// # Errors
    /// The error, with line and column.
    pub fn parse(text: &str) -> Result<Pipeline, Diagnostic> {
        Pipeline::parse_with(text, Registry::builtin())
    }

    /// The pipeline of a text, with the passes of a registry.
    ///
    /// # Errors
    /// As [`Pipeline::parse`].
    pub fn parse_with(text: &str, registry: &Registry) -> Result<Pipeline, Diagnostic> {
        let mut pipeline = Pipeline::default();
        let steps = Parser::new(text, registry).pipeline(&mut pipeline, 0, false)?;
        pipeline.steps = steps;
        Ok(pipeline)
    }

    /// The pipeline of one pass, which need not be registered.
    pub fn of_pass(pass: Box<dyn Pass>) -> Pipeline {
        Pipeline::of_steps([PassStep::new(pass)])
    }

    /// This pipeline and then a pass for the shaders of some stages; for all of them without any stage.
    #[must_use]
    pub fn pass(mut self, stages: Vec<Stage>, mut step: PassStep) -> Pipeline {
        step.key = self.key(&step.text);
        let step = Step::Pass(step);
        self.steps.push(match stages.is_empty() {
            true => step,
            false => Step::On(OnStep { stages, has: Constructs::empty(), steps: vec![step] }),
        });
        self
    }

    /// This pipeline and then a pass over all shaders, with options.
    #[must_use]
    pub fn program_pass<P: ProgramPass + PassOptions + 'static>(mut self, pass: P) -> Pipeline {
        let text = print::options_text(&pass.info().name, &pass.settings()).into();
        self.steps.push(Step::Program(ProgramStep { pass: Arc::new(pass), text }));
        self
    }

    /// The pipeline of one pass over all shaders, which need not be registered.
    pub fn of_program_pass(pass: Box<dyn ProgramPass>) -> Pipeline {
        let text = pass.info().name.as_ref().into();
        let step = Step::Program(ProgramStep { pass: pass.into(), text });
        Pipeline { steps: vec![step], keys: Vec::new() }
    }

    /// Passes one after the other.
    pub fn of_steps(passes: impl IntoIterator<Item = PassStep>) -> Pipeline {
        let mut pipeline = Pipeline::default();
        for mut step in passes {
            step.key = pipeline.key(&step.text);
            pipeline.steps.push(Step::Pass(step));
        }
        pipeline
    }

    /// This pipeline and then another one.
    #[must_use]
    pub fn then(mut self, other: Pipeline) -> Pipeline {
        let keys: Vec<usize> = other.keys.iter().map(|text| self.key(text)).collect();
        let mut steps = other.steps;
        renumber(&mut steps, &keys);
        self.steps.append(&mut steps);
        self
    }

    /// This pipeline and then a shared one, whose steps are not copied.
    #[must_use]
    pub fn include(mut self, other: Arc<Pipeline>) -> Pipeline {
        self.steps.push(Step::Include(other));
        self
    }

    /// This pipeline and then a shared one for the shaders of some stages.
    #[must_use]
    pub fn on(mut self, stages: Vec<Stage>, other: Arc<Pipeline>) -> Pipeline {
        self.steps.push(Step::On(OnStep {
            stages,
            has: Constructs::empty(),
            steps: vec![Step::Include(other)],
        }));
        self
    }

    /// This pipeline as a group, with steps that clean up after it.
    #[must_use]
    pub fn cleaned_up_by(self, cleanup: Arc<Pipeline>) -> Pipeline {
        let group = GroupStep { steps: self.steps, cleanup: vec![Step::Include(cleanup)] };
        Pipeline { steps: vec![Step::Group(group)], keys: self.keys }
    }

    /// This pipeline in a loop.
    ///
    /// A loop works on one shader at a time: the manager panics if the pipeline has a group or a pass over all shaders.
    #[must_use]
    pub fn repeated(self, bound: Option<u32>) -> Pipeline {
        Pipeline { steps: vec![Step::Loop(LoopStep { bound, steps: self.steps })], keys: self.keys }
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many different passes (name and options) there are.
    pub fn num_keys(&self) -> usize {
        self.keys.len()
    }

    fn key(&mut self, text: &Arc<str>) -> usize {
        self.keys.iter().position(|k| k == text).unwrap_or_else(|| {
            self.keys.push(text.clone());
            self.keys.len() - 1
        })
    }
}

fn renumber(steps: &mut [Step], keys: &[usize]) {
    for step in steps {
        match step {
            Step::Pass(pass) => pass.key = keys[pass.key],
            Step::Loop(l) => renumber(&mut l.steps, keys),
            Step::On(on) => renumber(&mut on.steps, keys),
            Step::Group(group) => {
                renumber(&mut group.steps, keys);
                renumber(&mut group.cleanup, keys);
            }
            Step::Program(_) | Step::Include(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn error(text: &str) -> String {
        Pipeline::parse(text).map(|p| p.to_string()).expect_err("must be refused").to_string()
    }

    #[test]
    fn text_is_printed_back() {
        for text in [
            "",
            "dce",
            "dce, loop(copy_prop, loop{max=3}(cse, dce)), loop(on{has=local_deref}(dce))",
            "on{stages=vertex, has=copy|phi}(dce)",
            "peephole_select{limit=3, loads=true}, dce",
            "group(on{stages=vertex|mesh}(dce), lower_stages{patch_vertices=4}) then(loop(cse, dce))",
        ] {
            assert_eq!(Pipeline::parse(text).map(|p| p.to_string()).as_deref(), Ok(text));
        }
        let p =
            Pipeline::parse(" dce ,\n# comment\n loop( cse,dce, ) ,").map(|p| (p.to_string(), p.num_keys()));
        assert_eq!(p, Ok(("dce, loop(cse, dce)".into(), 2)));
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(
            error("dce, ces"),
            "1:6: error[E0802]: there is no pass `ces` (help: did you mean `cse`?)"
        );
        assert_eq!(error("dce,\n  loop cse"), "2:8: error[E0801]: expected `(` after `loop`, found `c`");
        assert_eq!(error("dce cse"), "1:5: error[E0801]: expected `,` between passes, found `c`");
        assert_eq!(
            error("loop(dce"),
            "1:9: error[E0801]: expected `)` or `,` in a list of passes, found the end"
        );
        assert_eq!(error("dce,,"), "1:5: error[E0801]: expected the name of a pass, found `,`");
        assert_eq!(error("loop{max=0}(dce)").find("1:6: error[E0803]"), Some(0));
        assert_eq!(error("dce{x=1}").find("1:5: error[E0803]: pass `dce`"), Some(0));
        assert!(error("peephole_select{limits=1}").ends_with("(help: did you mean `limit`?)"));
        assert_eq!(error("group(dce) cse").find("1:12: error[E0801]: expected `then`"), Some(0));
        assert_eq!(error("on(dce)").find("1:1: error[E0803]: `on` requires"), Some(0));
        assert_eq!(error("on{stages=pixel}(dce)").find("1:4: error[E0803]"), Some(0));
        assert_eq!(error("loop(lower_stages)").find("1:6: error[E0803]: pass `lower_stages` works"), Some(0));
        assert_eq!(error("é"), "1:1: error[E0801]: expected the name of a pass, found `é`");
        assert_eq!(error(&"loop(".repeat(1000)).find("1:161: error[E0801]: loops nest"), Some(0));
    }
}
