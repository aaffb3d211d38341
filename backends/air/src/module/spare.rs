//! Memory that a module leaves to the next one on the same thread when it is dropped: a module of the usual size allocates little.

use super::attributes::Attributes;
use super::inst::Body;
use super::intern::Strings;
use super::metadata::Metadata;
use super::types::Types;
use super::value::Constants;
use super::{Function, Module};
use std::cell::Cell;

/// Instructions of the largest body, and bytes of all strings and entries of all tables of the largest module, whose memory is kept.
const MAX_INSTRUCTIONS: usize = 1 << 12;
const MAX_TEXT: usize = 1 << 16;
const MAX_ENTRIES: usize = 1 << 16;

thread_local! {
    static SPARE: Cell<Option<Box<Spare>>> = const { Cell::new(None) };
}

/// Tables as those of an empty module.
pub(super) struct Spare {
    pub(super) types: Types,
    pub(super) strings: Strings,
    pub(super) constants: Constants,
    pub(super) metadata: Metadata,
    pub(super) attributes: Attributes,
    pub(super) functions: Vec<Function>,
    pub(super) symbols: Vec<u32>,
    pub(super) body: Option<Body>,
}

impl Spare {
    /// The tables of the last module, or new ones.
    pub(super) fn take() -> Spare {
        SPARE.try_with(Cell::take).ok().flatten().map_or_else(Spare::new, |spare| *spare)
    }

    fn new() -> Spare {
        Spare {
            types: Types::new(),
            strings: Strings::new(),
            constants: Constants::new(),
            metadata: Metadata::new(),
            attributes: Attributes::new(),
            functions: Vec::with_capacity(16),
            symbols: Vec::with_capacity(128),
            body: None,
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let mut bodies = self.functions.iter_mut().filter_map(|f| f.body.take());
        let body = bodies.next().or_else(|| self.spare_body.take());
        let large =
            bodies.next().is_some() || body.as_ref().is_some_and(|b| b.insts.len() > MAX_INSTRUCTIONS);
        let entries = self.constants.size() + self.metadata.size();
        if large || self.strings.size() > MAX_TEXT || entries > MAX_ENTRIES {
            return;
        }
        let mut spare = Spare {
            types: std::mem::take(&mut self.types),
            strings: std::mem::take(&mut self.strings),
            constants: std::mem::take(&mut self.constants),
            metadata: std::mem::take(&mut self.metadata),
            attributes: std::mem::take(&mut self.attributes),
            functions: std::mem::take(&mut self.functions),
            symbols: std::mem::take(&mut self.symbols),
            body,
        };
        spare.types.clear();
        spare.strings.clear();
        spare.constants.clear();
        spare.metadata.clear();
        spare.attributes.clear();
        spare.functions.clear();
        spare.symbols.clear();
        spare.body.iter_mut().for_each(Body::clear);
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|kept| kept.set(Some(Box::new(spare))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitcode;
    use crate::module::{FastMath, Linkage, TypeId};

    /// A function that returns a sum of its arguments and a constant, with metadata; `n` varies everything.
    fn module(n: u32) -> Module {
        let mut m = Module::new(format!("source{n}"), "air64-apple-macosx13.0.0");
        let ty = if n.is_multiple_of(2) { TypeId::FLOAT } else { m.vector(TypeId::FLOAT, 2 + n % 3) };
        let params: Vec<TypeId> = (0..=n).map(|_| ty).collect();
        let called = m.declare(&format!("air.f{n}"), ty, &[ty], Default::default());
        let function = m.define(&format!("main{n}"), ty, &params, Linkage::External);
        let undef = m.undef(ty);
        let mut b = m.build(function);
        let block = b.block();
        b.start(block);
        let sum = (0..=n).fold(undef, |sum, i| b.fadd(sum, b.arg(i), FastMath::NONE));
        let result = b.call(called, &[sum]);
        b.ret(result);
        b.finish();
        for i in 0..n {
            let number = m.md_i32(i as i32);
            let text = m.md_str(&format!("word{i}"));
            let node = m.md_node(&[number, text]);
            m.add_named_md(&format!("names{}", i % 3), node);
        }
        m
    }

    #[test]
    fn modules_do_not_depend_on_those_before() {
        for n in [3, 0, 40, 7, 1, 300, 2] {
            let written = bitcode::write(&module(n));
            let alone = std::thread::spawn(move || bitcode::write(&module(n))).join().expect("no panic");
            assert_eq!(written, alone, "module {n}");
        }
    }
}
