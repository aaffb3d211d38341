//! The source texts that a module carries: `OpSource` and `OpSourceContinued` (SPIR-V 3.52.2), `DebugSource` and
//! `DebugSourceContinued` of NonSemantic.Shader.DebugInfo.100.

use crate::words::{HEADER, Inst, check_header, string};
use rustc_hash::FxHashMap;
use spirv::Op;

/// Instructions of the extended set.
const DEBUG_SOURCE: u32 = 35;
const DEBUG_SOURCE_CONTINUED: u32 = 102;

/// Name and text of each source that the module has the text of, in order, each name once. The search ends at the
/// first malformed instruction, which [`read`](crate::read) reports.
pub fn sources(words: &[u32]) -> Vec<(String, String)> {
    let Ok((words, _)) = check_header(words) else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    let mut strings: FxHashMap<u32, String> = FxHashMap::default();
    let mut set = None;
    let mut at = HEADER;
    while let Ok(inst) = Inst::at(&words, at) {
        at = inst.end();
        let id = |i: usize| inst.rest(i).first().copied();
        let text = |i: usize| string(inst.rest(i)).map(|(text, _)| text.to_string());
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
            // Sources precede the first function.
            Some(Op::Function) => break,
            _ => {}
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|(name, _)| seen.insert(name.clone()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(t: &str) -> Vec<u32> {
        let mut bytes = t.as_bytes().to_vec();
        bytes.resize(t.len() / 4 * 4 + 4, 0);
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    }

    fn inst(op: Op, operands: &[&[u32]]) -> Vec<u32> {
        let operands = operands.concat();
        [&[(operands.len() as u32 + 1) << 16 | op as u32], &operands[..]].concat()
    }

    fn module(insts: &[Vec<u32>]) -> Vec<u32> {
        [&[0x0723_0203, 0x0001_0500, 0, 100, 0], &insts.concat()[..]].concat()
    }

    fn named(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn op_source_and_what_continues_it() {
        let words = module(&[
            inst(Op::String, &[&[1], &text("a.frag")]),
            inst(Op::Source, &[&[2, 450, 1], &text("void ")]),
            inst(Op::SourceContinued, &[&text("main() {}")]),
            // Without a text, without a name, and the first file again.
            inst(Op::Source, &[&[2, 450, 1]]),
            inst(Op::Source, &[&[2, 450, 50], &text("b")]),
            inst(Op::Source, &[&[2, 450, 1], &text("other")]),
        ]);
        assert_eq!(sources(&words), named(&[("a.frag", "void main() {}"), ("", "b")]));
        let swapped: Vec<u32> = words.iter().map(|w| w.swap_bytes()).collect();
        assert!(!sources(&swapped).is_empty());
        for len in 0..words.len() {
            let _ = sources(&words[..len]);
        }
    }

    #[test]
    fn debug_source_and_what_continues_it() {
        let string = |id: u32, t: &str| inst(Op::String, &[&[id], &text(t)]);
        let words = module(&[
            inst(Op::ExtInstImport, &[&[9], &text("NonSemantic.Shader.DebugInfo.100")]),
            string(1, "a.hlsl"),
            string(2, "float4 "),
            string(3, "main();"),
            inst(Op::ExtInst, &[&[5, 6, 9, DEBUG_SOURCE, 1, 2]]),
            inst(Op::ExtInst, &[&[5, 7, 9, DEBUG_SOURCE_CONTINUED, 3]]),
            inst(Op::ExtInst, &[&[5, 8, 9, DEBUG_SOURCE, 3]]),
            inst(Op::Function, &[&[5, 10, 0, 11]]),
            inst(Op::Source, &[&[2, 450, 1], &text("after")]),
        ]);
        assert_eq!(sources(&words), named(&[("a.hlsl", "float4 main();")]));
    }
}
