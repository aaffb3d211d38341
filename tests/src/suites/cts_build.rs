//! `cts-build`: cases of VK-GL-CTS are built; nothing is executed.

use super::build::{self, Builder, Link, Request, Source};
use crate::cts::Dialect;
use crate::cts::case::{Case, Expect, Kind, Requirement};
use crate::cts::specialize::{self, ShaderText, Unfit};
use crate::report::{Answer, Verdict};

/// Group of results of an expectation.
pub fn group(expect: Expect) -> &'static str {
    match expect {
        Expect::Pass | Expect::BuildSuccessful => "must build",
        Expect::CompileFail => "compile_fail",
        Expect::LinkFail | Expect::CompileOrLinkFail => "link_fail",
        Expect::ValidationFail => "validation_fail",
    }
}

/// Limits that cases require: all targets of today have them.
const LIMITS: &[(&str, i64)] = &[
    ("GL_MAX_VERTEX_IMAGE_UNIFORMS", 8),
    ("GL_MAX_VERTEX_ATOMIC_COUNTERS", 8),
    ("GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS", 8),
    ("GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS", 8),
];

/// Judges one case.
pub fn run(case: &Case, dialect: Dialect, builder: &dyn Builder) -> Answer {
    for requirement in &case.requirements {
        match requirement {
            // Tests of behaviour that ES 3 implementations need not have pass at once.
            Requirement::OnlyEs100 => return Answer::plain(Verdict::Passed),
            Requirement::OneDrawBuffer => {
                return Answer::plain(Verdict::Skipped(
                    "needs an implementation with one colour output".into(),
                ));
            }
            Requirement::Limit { name, above } => {
                let limit = LIMITS.iter().find(|(n, _)| n == name).map_or(0, |(_, limit)| *limit);
                if limit <= *above {
                    return Answer::plain(Verdict::Skipped(format!("needs {name} above {above}")));
                }
            }
            Requirement::FullEs100 => {}
        }
    }
    let mut logs = String::new();
    for values in &case.values {
        let supported = |name: &str| builder.supports_extension(name, case.version.es);
        let programs = match specialize::programs(case, values, dialect, &supported) {
            Ok(programs) => programs,
            Err(Unfit::Extension(names)) => {
                return Answer::plain(Verdict::Skipped(format!("needs {names}")));
            }
            Err(Unfit::Broken(reason)) => return Answer::plain(Verdict::Failed(reason)),
        };
        let separable = matches!(case.kind, Kind::Pipeline(_));
        let mut pipeline = Vec::new();
        for (n, program) in programs.into_iter().enumerate() {
            let request = request(case, program, dialect, separable);
            let verdict = builder.build(&request);
            logs += &build::describe(&request, &verdict);
            match judge(case, &verdict) {
                Verdict::Passed => {}
                other => return Answer { verdict: other, log: logs },
            }
            if let Kind::Pipeline(all) = &case.kind {
                pipeline.push((request, all.get(n).map_or(Vec::new(), |p| p.active.clone())));
            }
        }
        // A program that was not built has no pipeline.
        if separable && matches!(case.expect, Expect::Pass | Expect::BuildSuccessful | Expect::ValidationFail)
        {
            match judge_pipeline(case.expect, builder.validate_pipeline(&pipeline)) {
                Verdict::Passed => {}
                other => return Answer { verdict: other, log: logs },
            }
        }
    }
    Answer { verdict: Verdict::Passed, log: logs }
}

fn judge_pipeline(expect: Expect, verdict: Option<build::Verdict>) -> Verdict {
    let fails = expect == Expect::ValidationFail;
    match verdict {
        None if fails => Verdict::Skipped("the programs build; pipelines are not validated".into()),
        None => Verdict::Passed,
        Some(build::Verdict::Ok) if fails => Verdict::Failed("the pipeline is accepted".into()),
        Some(build::Verdict::Ok) => Verdict::Passed,
        Some(_) if fails => Verdict::Passed,
        Some(verdict) => Verdict::Failed(format!("pipeline: {}", verdict.summary())),
    }
}

fn request(case: &Case, program: Vec<ShaderText>, dialect: Dialect, separable: bool) -> Request {
    Request {
        sources: program.into_iter().map(|s| Source { stage: s.stage, text: s.text }).collect(),
        default_version: Some(if case.version.es { "100" } else { "110" }.into()),
        link: if separable { Link::Separable } else { Link::Yes },
        vulkan: dialect == Dialect::Vk,
        assign: false,
    }
}

fn judge(case: &Case, verdict: &build::Verdict) -> Verdict {
    use build::Verdict as Built;
    let lenient = case.requirements.contains(&Requirement::FullEs100);
    match (case.expect, verdict) {
        (_, Built::Unsupported { .. }) => Verdict::Failed(verdict.summary()),
        (Expect::Pass | Expect::BuildSuccessful | Expect::ValidationFail, Built::Ok)
        | (Expect::CompileFail, Built::CompileError { .. })
        | (Expect::LinkFail, Built::LinkError { .. })
        | (Expect::CompileOrLinkFail, Built::CompileError { .. } | Built::LinkError { .. }) => {
            Verdict::Passed
        }
        (Expect::Pass | Expect::BuildSuccessful, _) if lenient => {
            Verdict::Skipped(format!("ES 1.00 does not demand it: {}", verdict.summary()))
        }
        (Expect::CompileFail, Built::LinkError { .. }) => {
            Verdict::Failed(format!("refused, but only at link: {}", verdict.summary()))
        }
        (Expect::LinkFail, Built::CompileError { .. }) => {
            Verdict::Failed(format!("refused before link: {}", verdict.summary()))
        }
        _ => Verdict::Failed(verdict.summary()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::fake::Fake;
    use super::*;
    use crate::cts::parser;
    use std::path::Path;

    fn verdict(items: &str, vertex: &str) -> Verdict {
        let text = format!("case c {items} vertex \"\"{vertex}\"\" fragment \"\"f\"\" end");
        let file = parser::parse(Path::new("a.test"), Dialect::Gls, &|_| Ok(text.clone())).unwrap();
        run(&file.cases[0], Dialect::Gls, &Fake).verdict
    }

    fn fails(verdict: &Verdict, reason: &str) -> bool {
        matches!(verdict, Verdict::Failed(r) if r.contains(reason))
    }

    #[test]
    fn expectations() {
        assert_eq!(verdict("", "good"), Verdict::Passed);
        assert_eq!(verdict("expect build_successful", "good"), Verdict::Passed);
        assert_eq!(verdict("expect compile_fail", "bad"), Verdict::Passed);
        assert_eq!(verdict("expect link_fail", "unlinked"), Verdict::Passed);
        assert_eq!(verdict("expect compile_or_link_fail", "bad"), Verdict::Passed);
        assert_eq!(verdict("expect compile_or_link_fail", "unlinked"), Verdict::Passed);
        assert!(fails(&verdict("", "bad"), "vertex: 0:3: error: bad"));
        assert!(fails(&verdict("", "exotic"), "GL_exotic"));
        assert!(fails(&verdict("expect compile_fail", "good"), "accepted"));
        assert!(fails(&verdict("expect compile_fail", "unlinked"), "only at link"));
        assert!(fails(&verdict("expect link_fail", "bad"), "before link"));
        assert!(fails(&verdict("", "${NOTHING}"), "${NOTHING}"));
    }

    #[test]
    fn requirements() {
        let skipped = |items: &str, vertex: &str| matches!(verdict(items, vertex), Verdict::Skipped(_));
        assert!(skipped("require extension { 'GL_no' }", "good"));
        assert_eq!(verdict("require extension { 'GL_no' | 'GL_yes' }", "good"), Verdict::Passed);
        assert!(skipped("require limit 'GL_MAX_VERTEX_IMAGE_UNIFORMS' > 100", "good"));
        assert_eq!(verdict("require limit 'GL_MAX_VERTEX_IMAGE_UNIFORMS' > 0", "good"), Verdict::Passed);
        assert!(skipped("require full_glsl_es_100_support", "bad"));
        assert_eq!(verdict("require only_glsl_es_100_support", "bad"), Verdict::Passed);
        assert!(skipped("require exactly_one_draw_buffer", "good"));
    }

    #[test]
    fn pipelines_build_at_most() {
        let read = |source: &str| {
            let text = format!(
                "case c expect validation_fail
                   pipeline_program active_stages {{ vertex }} vertex \"\"{source}\"\" end end"
            );
            let file = parser::parse(Path::new("a.test"), Dialect::Gls, &|_| Ok(text.clone())).unwrap();
            run(&file.cases[0], Dialect::Gls, &Fake).verdict
        };
        assert!(matches!(read("good"), Verdict::Skipped(_)));
        assert!(matches!(read("unlinked"), Verdict::Failed(_)));
    }
}
