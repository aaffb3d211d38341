//! Checks around a pass.

use super::{Options, compare};
use crate::pipeline::PassStep;
use crate::{Changes, Context, PassInfo};
use airfoil_ir::validate::validate as violations;
use airfoil_ir::{Diagnostic, Shader, text};

type Checked = Result<(), Vec<Diagnostic>>;

/// Whether the shader is in a form that the pass takes.
pub(super) fn takes(info: &PassInfo, shader: &Shader) -> Checked {
    if info.takes.contains(&shader.form) {
        return Ok(());
    }
    let forms: Vec<&str> = info.takes.iter().map(|f| airfoil_ir::Named::name(*f)).collect();
    let message = format!(
        "pass `{}` takes a shader in form {}, but this one is in form {}",
        info.name,
        forms.join(" or "),
        shader.form
    );
    Err(vec![Diagnostic::error("E0811", message).help("the order of the pipeline is wrong")])
}

/// Whether the pass left the form that it declares.
pub(super) fn leaves(info: &PassInfo, shader: &Shader) -> Checked {
    match info.leaves {
        Some(form) if form != shader.form => Err(vec![Diagnostic::error(
            "E0811",
            format!("pass `{}` says that it leaves form {form}, but left {}", info.name, shader.form),
        )]),
        _ => Ok(()),
    }
}

/// Validates; `when` names the step of the pipeline in the message.
pub(super) fn validate(shader: &Shader, when: &str) -> Checked {
    let found = violations(shader);
    if found.is_empty() {
        return Ok(());
    }
    Err(found.into_iter().map(|v| Diagnostic::error("E0810", format!("{when}: {v}"))).collect())
}

/// Runs a pass that is skipped on a copy of the shader: it must not find anything.
pub(super) fn skipped(step: &PassStep, shader: &Shader, context: &mut Context) -> Checked {
    let mut copy = shader.clone();
    let changes = step.pass().run(&mut copy, context).map_err(|d| vec![d])?;
    if !changes.is_progress() {
        return Ok(());
    }
    let change = first_change(&text::print(shader), &text::print(&copy));
    let message =
        format!("pass `{}` was skipped, but {change}; its `reads` or `needs` lack a kind", step.text());
    Err(vec![Diagnostic::error("E0823", message)])
}

/// The shader before a pass.
pub(super) struct Before {
    shader: Option<(Shader, String)>,
}

impl Before {
    pub fn new(options: &Options, shader: &Shader, context: &mut Context) -> Before {
        if options.check_analyses {
            // All of them, so that every claim is tested.
            for (id, function) in &shader.functions {
                let analyses = context.analyses(id);
                analyses.dominance(&function.body);
                analyses.post_dominance(&function.body);
                analyses.loops(&function.body);
                analyses.liveness(&function.body);
                analyses.divergence(&function.body);
                analyses.uses(&function.body);
            }
        }
        Before { shader: options.check_changes.then(|| (shader.clone(), text::print(shader))) }
    }

    pub fn check(
        self,
        options: &Options,
        info: &PassInfo,
        changes: Changes,
        shader: &Shader,
        context: &mut Context,
    ) -> Checked {
        if options.validate {
            validate(shader, &format!("after pass `{}`", info.name))?;
        }
        if let Some((old, before)) = self.shader {
            let after = text::print(shader);
            let error = |message| Err(vec![Diagnostic::error("E0812", message)]);
            match changes.is_progress() {
                false if before != after => {
                    let change = first_change(&before, &after);
                    return error(format!("pass `{}` reports no changes, but {change}", info.name));
                }
                true if before == after => {
                    return error(format!("pass `{}` reports {changes:?}, but changed nothing", info.name));
                }
                _ => {}
            }
            if let Some(missing) = compare::unreported(&old, shader, changes) {
                return error(format!("pass `{}` reports {changes:?}, but {missing}", info.name));
            }
        }
        if options.check_analyses {
            let claimed = changes.kept();
            for (id, function) in &shader.functions {
                context.analyses(id).verify(&function.body, claimed).map_err(|e| {
                    vec![Diagnostic::error("E0813", format!("pass `{}`: analyses {e}", info.name))]
                })?;
            }
        }
        Ok(())
    }
}

/// The first line that differs, as "turns `a` into `b`".
pub(super) fn first_change(before: &str, after: &str) -> String {
    let mut a = before.lines();
    let mut b = after.lines();
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => return format!("turns `{}` into `{}`", x.trim(), y.trim()),
            (Some(x), None) => return format!("removes `{}`", x.trim()),
            (None, Some(y)) => return format!("adds `{}`", y.trim()),
            (None, None) => return "changes nothing that text shows".into(),
        }
    }
}
