//! Specialisation constants that stay open.

use crate::options::Options;
use crate::words::{HEADER, Inst};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::Op;
use std::cell::RefCell;

/// Ids of scalars that do not stay open.
pub(crate) type Fixed = FxHashSet<u32>;

/// Instructions that compute constants.
#[derive(Debug, Default)]
pub(crate) struct OpenCode {
    pub on: bool,
    pub words: Vec<u32>,
    /// Offset in `words`, by the offset of the constant in the module.
    pub at: FxHashMap<u32, usize>,
}

impl OpenCode {
    /// The code for a module; none unless the options request it.
    pub fn new(words: &[u32], bound: u32, options: &Options) -> OpenCode {
        let mut code = OpenCode { on: options.keep_spec_constants, ..OpenCode::default() };
        if !code.on {
            return code;
        }
        let mut at = HEADER;
        while let Ok(inst) = Inst::at(words, at) {
            at = inst.end();
            let (op, operands) = match inst.op() {
                Some(Op::Function) => break,
                Some(Op::SpecConstantOp) => (inst.words.get(3).copied(), inst.rest(4)),
                Some(Op::SpecConstantComposite) => (Some(Op::CompositeConstruct as u32), inst.rest(3)),
                _ => continue,
            };
            let (Some(op), Some(&ty)) = (op.filter(|&op| op <= 0xffff), inst.words.get(1)) else { continue };
            let id = bound + code.ids();
            code.at.insert(inst.at as u32, code.words.len());
            code.words.extend([(operands.len() as u32 + 3) << 16 | op, ty, id]);
            code.words.extend_from_slice(operands);
        }
        code
    }

    /// Number of ids that the code takes beyond the module's.
    pub fn ids(&self) -> u32 {
        self.at.len() as u32
    }
}

/// The constants that remain open while a module is read.
#[derive(Debug)]
pub(crate) struct Open<'w> {
    pub code: &'w OpenCode,
    pub fixed: &'w Fixed,
    /// Constants whose value was read.
    pub asked: RefCell<Vec<u32>>,
}

impl<'w> Open<'w> {
    pub fn new(code: &'w OpenCode, fixed: &'w Fixed) -> Open<'w> {
        Open { code, fixed, asked: RefCell::default() }
    }
}
