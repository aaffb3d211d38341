//! Passes that are functions.

use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{Diagnostic, Shader};
use std::fmt;

/// A pass that is a function or a closure, with its declaration.
///
/// ```
/// use airfoil_ir::{Diagnostic, text};
/// use airfoil_passes::registry::{Entry, Registry};
/// use airfoil_passes::{Changes, FunctionPass, Manager, PassInfo, Pipeline};
///
/// let info = PassInfo::of(format!("rename_{}", 1).into(), "renames the shader".into(), "".into());
/// let rename = FunctionPass::new(info, |shader, _| {
///     let changed = &*shader.name != "renamed";
///     shader.name = "renamed".into();
///     Ok(if changed { Changes::INFO } else { Changes::NONE })
/// });
///
/// let mut registry = Registry::builtin().clone();
/// registry.add("Mine", "Passes of this program.", Entry::value(rename))?;
/// let pipeline = Pipeline::parse_with("loop(rename_1, dce)", &registry)?;
/// let first = |faults: Vec<Diagnostic>| faults[0].clone();
/// let text = "foil 1\nshader vertex \"t\" {\n  form slots\n  fn main {\n  b0:\n  }\n}\n";
/// let mut shader = text::parse(text).map_err(first)?;
/// let _ = Manager::default().run(&pipeline, &mut shader).map_err(first)?;
/// assert_eq!(&*shader.name, "renamed");
/// # Ok::<(), Diagnostic>(())
/// ```
pub struct FunctionPass<F> {
    info: PassInfo,
    run: F,
}

impl<F> FunctionPass<F>
where
    F: Fn(&mut Shader, &mut Context) -> Result<Changes, Diagnostic> + Send + Sync,
{
    /// A pass that runs `run`, which returns the kinds of its changes as [`Pass::run`] does.
    pub fn new(info: PassInfo, run: F) -> FunctionPass<F> {
        FunctionPass { info, run }
    }
}

impl<F> fmt::Debug for FunctionPass<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionPass").field("info", &self.info).finish_non_exhaustive()
    }
}

impl<F> Pass for FunctionPass<F>
where
    F: Fn(&mut Shader, &mut Context) -> Result<Changes, Diagnostic> + Send + Sync,
{
    fn info(&self) -> &PassInfo {
        &self.info
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
        (self.run)(shader, context)
    }
}
