//! Tests of the checker: snippets in some version and stage, with the verdict of the specification.

mod compared;
mod constants;
mod declarations;
mod expressions;
mod options;
mod references;
mod statements;

use crate::compile::Options;
use crate::hir::{Constant, Unit};
use crate::limits::Limits;
use crate::operators::eval_conversion;
use crate::preprocess::{PreprocessOptions, preprocess};
use crate::types::{Base, Type, TypeTable};
use airfoil_ir::{Severity, Stage};

/// Checks a shader; the errors in order of the source.
fn check(stage: Stage, version: &str, source: &str) -> Result<Unit, Vec<String>> {
    check_as(version, source, &Options::new(stage))
}

/// Checks a shader with the given options.
fn check_as(version: &str, source: &str, how: &Options) -> Result<Unit, Vec<String>> {
    let (stage, vulkan) = (how.stage, how.vulkan);
    let text = format!("#version {version}\n{source}");
    let options = PreprocessOptions { stage: Some(stage), vulkan, ..PreprocessOptions::default() };
    let mut pre = preprocess(&[&text], &options);
    let mut diags = std::mem::take(&mut pre.diagnostics);
    let bump = bumpalo::Bump::new();
    let tree = crate::parse::parse(&bump, &mut pre, &mut diags);
    let limits = Limits::default();
    let (unit, found) = crate::check::check(
        crate::check::Source {
            stage,
            version: pre.version,
            vulkan,
            extensions: pre.extensions,
            names: pre.names,
            lines: pre.lines,
            pragmas: pre.pragmas,
            enforce_es100_limits: how.enforce_es100_limits,
            spec: how.spec.clone(),
            open: Vec::new(),
            stop: Default::default(),
        },
        &tree,
        &limits,
    );
    diags.append(found);
    let errors: Vec<String> = diags
        .finish(&unit.lines)
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| d.message)
        .collect();
    if errors.is_empty() { Ok(unit) } else { Err(errors) }
}

/// Checks rows of source and expectation: empty = accepted, else words of the one and only message.
fn verdicts(stage: Stage, version: &str, rows: &[(&str, &str)]) {
    verdicts_as(version, rows, &Options::new(stage));
}

/// The same with options.
fn verdicts_as(version: &str, rows: &[(&str, &str)], how: &Options) {
    let mut wrong = Vec::new();
    for (source, want) in rows {
        let shown: String = source.chars().take(300).collect();
        match check_as(version, source, how) {
            Ok(_) if want.is_empty() => {}
            Ok(_) => wrong.push(format!("{version}: accepted, but should say '{want}': {shown}")),
            Err(got) if !want.is_empty() && got.len() == 1 && got[0].contains(want) => {}
            Err(got) => wrong.push(format!("{version}: wanted '{want}', got {got:?}: {shown}")),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The scalars of constant variable `name` as numbers.
fn constant_of(version: &str, source: &str, name: &str) -> Option<Vec<f64>> {
    let unit = check(Stage::Fragment, version, source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let symbol = unit.names.get(name)?;
    let var = unit.vars.iter().find(|v| v.name == symbol)?;
    Some(numbers(&unit[var.constant?], &unit.types))
}

fn numbers(constant: &Constant, types: &TypeTable) -> Vec<f64> {
    let mut bases = Vec::new();
    collect_bases(types, constant.ty, &mut bases);
    assert_eq!(bases.len(), constant.scalars.len(), "a constant has the scalars of its type");
    let number = |(&base, &x): (&Base, &u64)| f64::from_bits(eval_conversion(base, Base::Double, x));
    bases.iter().zip(constant.scalars.iter()).map(number).collect()
}

fn collect_bases(types: &TypeTable, ty: Type, out: &mut Vec<Base>) {
    match ty {
        Type::Array(id) => {
            let array = types.get_array(id);
            (0..array.len).for_each(|_| collect_bases(types, array.elem, out));
        }
        Type::Struct(id) => {
            types.structs[id.0 as usize].fields.iter().for_each(|f| collect_bases(types, f.ty, out));
        }
        _ => {
            let n = types.components(ty) as usize;
            out.extend(std::iter::repeat_n(ty.base().unwrap_or(Base::Bool), n));
        }
    }
}
