//! Airfoil as the [`Builder`] that the suites judge.

use super::build::{Builder, Link, Request, Verdict};
use airfoil::{Diagnostic, Severity, Stage};
use airfoil_glsl::extension::Ext;
use airfoil_glsl::info_log;
use airfoil_glsl::internals::{PreprocessOptions, preprocess};
use airfoil_glsl::limits::Limits;
use airfoil_glsl::link::{self, LinkOptions, PipelineProgram};
use airfoil_glsl::version::{NEVER, Profile, Version};
use airfoil_glsl::{Options, Unit, compile};

/// The compiler of this build.
///
/// # Errors
/// When it reads no GLSL: never.
pub fn open() -> Result<Box<dyn Builder>, String> {
    Ok(Box::new(Airfoil::default()))
}

/// Airfoil with the limits of Metal and of desktop drivers: the minima of the specifications are 0 for many resources of early
/// stages, and suites assume that there are some.
struct Airfoil {
    limits: Limits,
    es_limits: Limits,
}

impl Default for Airfoil {
    fn default() -> Self {
        let [limits, es_limits] = [Limits::DESKTOP, Limits::ES].map(airfoil::metal_limits);
        Airfoil { limits, es_limits }
    }
}

/// A version as `#version` writes it.
pub fn parse_version(text: &str) -> Option<Version> {
    let mut words = text.split_whitespace();
    let number: u16 = words.next()?.parse().ok()?;
    let profile = match words.next() {
        Some("es") => Profile::Es,
        Some("compatibility") => Profile::Compatibility,
        Some("core") => Profile::Core,
        None if number == 100 => Profile::Es,
        None if number < 140 => Profile::Compatibility,
        None => Profile::Core,
        Some(_) => return None,
    };
    Some(Version { number, profile })
}

/// Codes of faults of single tokens.
const OF_TOKENS: &[&str] = &["E0604", "E0605"];

impl Airfoil {
    /// The checked shaders of a request, and how they are linked.
    fn units(&self, request: &Request) -> Result<(Vec<Unit>, LinkOptions), Verdict> {
        let default_version = request.default_version.as_deref().and_then(parse_version);
        let mut units = Vec::new();
        for source in &request.sources {
            let options = Options {
                vulkan: request.vulkan,
                default_version,
                limits: self.limits.clone(),
                es_limits: self.es_limits.clone(),
                ..Options::new(source.stage)
            };
            match compile(&[&source.text], &options) {
                Ok(compiled) => units.push(compiled.unit),
                Err(faults) => {
                    return Err(Verdict::CompileError { stage: source.stage, log: info_log(&faults) });
                }
            }
        }
        let es = units.iter().any(|u| u.version.is_es());
        let options = LinkOptions {
            separable: request.link == Link::Separable,
            limits: if es { self.es_limits.clone() } else { self.limits.clone() },
            ..LinkOptions::default()
        };
        Ok((units, options))
    }
}

impl Builder for Airfoil {
    fn build(&self, request: &Request) -> Verdict {
        let (units, options) = match self.units(request) {
            Ok(compiled) => compiled,
            Err(verdict) => return verdict,
        };
        if request.link == Link::No {
            return Verdict::Ok;
        }
        match airfoil_glsl::link(units, &options) {
            Ok(_) => Verdict::Ok,
            Err(faults) => Verdict::LinkError { log: info_log(&faults) },
        }
    }

    fn validate_pipeline(&self, programs: &[(Request, Vec<Stage>)]) -> Option<Verdict> {
        let mut linked = Vec::with_capacity(programs.len());
        for (request, stages) in programs {
            let (units, options) = match self.units(request) {
                Ok(compiled) => compiled,
                Err(verdict) => return Some(verdict),
            };
            match link::link(units, &options) {
                Ok(program) => {
                    linked.push((program, stages.iter().fold(0, |all, &s| all | link::stage_bit(s))))
                }
                Err(faults) => return Some(Verdict::LinkError { log: info_log(&faults) }),
            }
        }
        let programs: Vec<_> =
            linked.iter().map(|(program, stages)| PipelineProgram { program, stages: *stages }).collect();
        Some(match link::validate_pipeline(&programs) {
            Ok(()) => Verdict::Ok,
            Err(faults) => Verdict::LinkError { log: info_log(&faults) },
        })
    }

    fn supports_extension(&self, name: &str, es: bool) -> bool {
        Ext::find(name).is_some_and(|ext| {
            let since = if es { ext.info().es } else { ext.info().desktop };
            ext.is_supported() && since != NEVER
        })
    }

    fn preprocess(&self, request: &Request) -> Option<Verdict> {
        for source in &request.sources {
            let options = PreprocessOptions {
                default_version: request.default_version.as_deref().and_then(parse_version),
                vulkan: request.vulkan,
                stage: Some(source.stage),
                ..PreprocessOptions::default()
            };
            let pre = preprocess(&[&source.text], &options);
            // Preprocessing does not check tokens: a number without a valid type is accepted.
            let faults = pre.diagnostics.finish(&pre.lines);
            let refused = |d: &Diagnostic| d.severity == Severity::Error && !OF_TOKENS.contains(&d.code);
            if faults.iter().any(refused) {
                let log = info_log(&faults);
                return Some(Verdict::CompileError { stage: source.stage, log });
            }
        }
        Some(Verdict::Ok)
    }
}
