//! Describes the version or extension that an unavailable built-in requires.

use crate::version::{Avail, Language, Version};
use airfoil_ir::Stage;

/// The name of a stage in messages.
pub(super) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::TessControl => "tessellation control",
        Stage::TessEval => "tessellation evaluation",
        Stage::Geometry => "geometry",
        Stage::Fragment => "fragment",
        Stage::Compute => "compute",
        Stage::Task => "task",
        Stage::Mesh => "mesh",
    }
}

/// "needs GLSL 1.30 or GL_EXT_x", from where something is available; `None` if nothing of this kind of language has it. Only
/// extensions that can be enabled are named.
pub(super) fn needs<'a>(lang: &Language, avails: impl Iterator<Item = &'a Avail>) -> Option<String> {
    let mut version: Option<u16> = None;
    let mut removed: Option<u16> = None;
    let mut ways: Vec<String> = Vec::new();
    let es = lang.version.is_es();
    for avail in avails {
        let since = if es { avail.es } else { avail.desktop };
        let until = if es { avail.es_until } else { avail.core_until };
        if Avail::since(avail.desktop, avail.es).holds(lang.version, Default::default()) {
            removed = removed.max(Some(until).filter(|&u| u <= lang.version.number));
        } else if since != crate::version::NEVER {
            version = Some(version.map_or(since, |v| v.min(since)));
        }
        for ext in avail.exts {
            let name = ext.name().to_string();
            if ext.is_available(lang.version) && !ways.contains(&name) {
                ways.push(name);
            }
        }
    }
    if let Some(number) = version {
        ways.insert(0, Version { number, profile: lang.version.profile }.to_string());
    }
    let needs = match ways.as_slice() {
        [] => None,
        [one] => Some(format!("needs {one}")),
        [most @ .., last] => Some(format!("needs {} or {last}", most.join(", "))),
    };
    match removed {
        // A built-in of an extension by the same name is something else.
        Some(number) => {
            let version = Version { number, profile: lang.version.profile };
            Some(format!("was removed in {version}"))
        }
        None => needs,
    }
}
