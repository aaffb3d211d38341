//! The source texts that a module carries: `OpSource` and `OpSourceContinued` (SPIR-V 3.52.2), `DebugSource` and
//! `DebugSourceContinued` of NonSemantic.Shader.DebugInfo.100.

use crate::words::{HEADER, Inst, check_header, string};
use rustc_hash::FxHashMap;
use spirv::Op;

/// Instructions of the extended set.
const DEBUG_SOURCE: u32 = 35;
const DEBUG_SOURCE_CONTINUED: u32 = 102;

/// Name and text of each source that the module has the text of, in order; the same name once. What is malformed ends
/// the search: [`read`](crate::read) says what is wrong.
pub fn sources(words: &[u32]) -> Vec<(String, String)> {
    let Ok((words, _)) = check_header(words) else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    let mut strings: FxHashMap<u32, String> = FxHashMap::default();
    let mut set = None;
    let mut at = HEADER;
    while let Ok(inst) = Inst::at(&words, at) {
        at = inst.end();
        let id = |i: usize| inst.rest(i).first().copied();
        let text = |i: usize| string(inst.rest(i)).map(|(text, _)| text);
        let named = |i: usize| id(i).and_then(|id| strings.get(&id)).cloned();
        match inst.op() {
            Some(Op::String) => {
                if let (Some(id), Some(text)) = (id(1), text(2)) {
                    strings.insert(id, text);
                }
            }
            Some(Op::ExtInstImport) if text(2).is_some_and(|t| t == "NonSemantic.Shader.DebugInfo.100") => {
                set = id(1);
            }
            Some(Op::Source) => {
                if let Some(text) = text(4) {
                    found.push((named(3).unwrap_or_default(), text));
                }
            }
            Some(Op::SourceContinued) => {
                if let (Some((_, source)), Some(text)) = (found.last_mut(), text(1)) {
                    source.push_str(&text);
                }
            }
            Some(Op::ExtInst) if set.is_some() && id(3) == set => match id(4) {
                Some(DEBUG_SOURCE) => {
                    if let Some(text) = named(6) {
                        found.push((named(5).unwrap_or_default(), text));
                    }
                }
                Some(DEBUG_SOURCE_CONTINUED) => {
                    if let (Some((_, source)), Some(text)) = (found.last_mut(), named(5)) {
                        source.push_str(&text);
                    }
                }
                _ => {}
            },
            // No source stands behind the first function.
            Some(Op::Function) => break,
            _ => {}
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|(name, _)| seen.insert(name.clone()));
    found
}
