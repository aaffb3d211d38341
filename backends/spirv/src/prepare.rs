//! Lowering by passes before a shader is written: calls, and copies of parts of arrays.

use crate::errors::*;
use airfoil_ir::{DerefKind, Diagnostic, Form, Instr, InstrKind, Shader};
use airfoil_passes::Pipeline;
use airfoil_passes::manager::Manager;
use std::borrow::Cow;

/// The shader itself, or a copy that the writer accepts.
pub(crate) fn prepare(shader: &Shader) -> Result<Cow<'_, Shader>, Vec<Diagnostic>> {
    if shader.form != Form::Variables {
        let message = format!(
            "only shaders in form `variables` can be written as SPIR-V, found form `{}`",
            shader.form
        );
        return Err(vec![Diagnostic::error(NOT_WRITABLE, message)]);
    }
    let has = |found: fn(&Instr) -> bool| {
        shader.functions.values().any(|f| f.body.entries().any(|(_, instr)| found(instr)))
    };
    let mut steps = Vec::new();
    if has(|i| matches!(i.kind, InstrKind::Call(_))) {
        steps.extend(["lower_returns", "inline_functions"]);
    }
    if has(|i| i.as_deref().is_some_and(|d| matches!(d.kind, DerefKind::ArrayWildcard { .. }))) {
        steps.push("lower_var_copies");
    }
    if steps.is_empty() {
        return Ok(Cow::Borrowed(shader));
    }
    let pipeline = Pipeline::parse(&steps.join(", ")).map_err(|e| vec![e])?;
    let mut copy = shader.clone();
    let _ = Manager::default().run(&pipeline, &mut copy)?;
    Ok(Cow::Owned(copy))
}
