//! Rules of versions and platforms, and the OS that a library loads from.

use super::{Finding, Options};
use crate::inspect::Inspection;
use crate::metallib::{Library, Platform};
use crate::rules::Rule;
use crate::target::{AirVersion, LanguageVersion, Os, RELEASES, Release, Target};

/// The deployment target in a triple, whatever the spelling of the architecture.
fn target_of(triple: &str) -> Option<Target> {
    let (_, rest) = triple.split_once("-apple-")?;
    format!("air64-apple-{rest}").parse().ok()
}

/// The OS that the container names.
fn declared(library: &Library<'_>) -> Option<Target> {
    let header = &library.header;
    if !header.container.has_platform() {
        return None;
    }
    let os = Os::ALL.into_iter().find(|os| os.platform() == header.platform.0)?;
    Target::new(os, header.os).ok()
}

/// The versions that a release supports.
fn limits(target: &Target) -> (AirVersion, LanguageVersion) {
    let newest = Target::new(target.os(), target.version()).unwrap_or(*target);
    (newest.air(), newest.language())
}

/// AIR version as Metal prints it.
fn word(air: AirVersion) -> String {
    format!("0x{:04x}{:04x}", air.major, air.minor)
}

pub(super) fn findings(
    library: &Library<'_>,
    modules: &[Option<&Inspection>],
    options: &Options,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let triples: Vec<Option<Target>> = modules.iter().map(|m| m.and_then(|m| target_of(&m.triple))).collect();
    let first = declared(library).or_else(|| triples.iter().flatten().next().copied());
    let os = options.os.or(first);
    for (at, function) in library.functions.iter().enumerate() {
        let entry = &function.entry;
        let mut report = |rule, message: String| {
            found.push(Finding::new(rule, message).in_function(entry.name).at(function.offset));
        };
        if let Some(os) = &os {
            let (air, language) = limits(os);
            let (rule, of) =
                if at == 0 { (Rule::LibraryAir, "the library") } else { (Rule::FunctionAir, "the function") };
            if entry.air > air {
                let words = (word(entry.air), word(air));
                report(
                    rule,
                    format!(
                        "{of} has AIR {} ({}), but {os} supports {air} ({})",
                        entry.air, words.0, words.1
                    ),
                );
            }
            let rule = if at == 0 { Rule::LibraryLanguage } else { Rule::FunctionLanguage };
            if entry.language > language {
                report(rule, format!("{of} has Metal {}, but {os} supports {language}", entry.language));
            }
        }
        let (Some(module), Some(triple)) = (modules[at], triples[at]) else { continue };
        if let Some(os) = &os {
            let newer = triple.version().major > os.version().major;
            if triple.os() == os.os() && newer && triple.air() > os.air() {
                report(Rule::TripleOs, format!("the triple `{}` is for a newer OS than {os}", module.triple));
            }
            if triple.os() != os.os() {
                report(
                    Rule::Platform,
                    format!("the triple `{}` is not for {}", module.triple, os.os().title()),
                );
            }
        }
        let header = &library.header;
        let named = Platform(triple.os().platform());
        if header.container.has_platform()
            && header.platform != named
            && options.os.is_some_and(|os| os.os() == triple.os())
        {
            report(Rule::Platform, format!("the triple is for {named}, the header for {}", header.platform));
        }
        let arch = module.triple.split('-').next().unwrap_or_default();
        let number = entry.air.major * 10 + entry.air.minor;
        if let Some(suffix) = arch.strip_prefix("air64_v")
            && suffix != number.to_string()
        {
            report(Rule::ArchSpelling, format!("`{arch}` in the triple of a module of AIR {}", entry.air));
        }
    }
    found
}

/// The first release that loads all functions of a library, by AIR version, language version and triples; `None` if no known
/// release does.
pub fn loads_from(library: &Library<'_>, modules: &[Inspection]) -> Option<(Os, &'static Release)> {
    let triples: Vec<Target> = modules.iter().filter_map(|m| target_of(&m.triple)).collect();
    let os = declared(library).or(triples.first().copied())?.os();
    let loads = |release: &&Release| {
        let functions = &library.functions;
        let air =
            functions.iter().all(|f| f.entry.air <= release.air && f.entry.language <= release.language);
        let newest = triples.iter().map(Target::air).max();
        air && release.first_version(os).is_some() && newest.is_none_or(|air| air <= release.air)
    };
    RELEASES.iter().find(loads).map(|release| (os, release))
}
