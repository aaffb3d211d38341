//! Constants: one block at module level, in table order.

use super::Writer;
use super::bits::signed;
use super::codes::{block, constant};
use crate::module::{Const, TypeId};

impl Writer<'_> {
    pub(super) fn constants(&mut self) {
        let module = self.module;
        let table = module.constants();
        if table.is_empty() {
            return;
        }
        self.bits.enter(block::CONSTANTS, 4);
        let mut current: Option<TypeId> = None;
        for index in 0..table.len() as u32 {
            let ty = table.ty(index);
            if current != Some(ty) {
                self.bits.record(constant::SETTYPE, &[ty.index() as u64]);
                current = Some(ty);
            }
            match table.get(index) {
                Const::Null => self.bits.record(constant::NULL, &[]),
                Const::Undef => self.bits.record(constant::UNDEF, &[]),
                Const::Poison => self.bits.record(constant::POISON, &[]),
                Const::Int(value) => self.bits.record(constant::INTEGER, &[signed(value)]),
                Const::Float(bits) => self.bits.record(constant::FLOAT, &[bits]),
                Const::Data(elements) => self.bits.record(constant::DATA, elements),
                Const::Aggregate(elements) => {
                    self.bits.begin(constant::AGGREGATE, elements.len());
                    for &element in elements {
                        let id = self.id(element);
                        self.bits.op(u64::from(id));
                    }
                }
                Const::Cast(op, value) => {
                    let from = module.module_type(value).index() as u64;
                    let id = u64::from(self.id(value));
                    self.bits.record(constant::CE_CAST, &[op as u64, from, id]);
                }
                Const::Wide(words) => {
                    self.bits.record_of(constant::WIDE_INTEGER, words.iter().map(|&w| signed(w as i64)));
                }
                Const::Binary(op, flags, operands) => {
                    self.bits.begin(constant::CE_BINOP, if flags == 0 { 3 } else { 4 });
                    self.bits.op(u64::from(op.code()));
                    for &operand in operands {
                        let id = self.id(operand);
                        self.bits.op(u64::from(id));
                    }
                    if flags != 0 {
                        self.bits.op(u64::from(flags));
                    }
                }
                constant @ (Const::Gep(operands) | Const::PlainGep(operands)) => {
                    let source =
                        operands.first().and_then(|&p| module.types().pointee(module.module_type(p)));
                    let code = match constant {
                        Const::Gep(_) => constant::CE_INBOUNDS_GEP,
                        _ => constant::CE_GEP,
                    };
                    self.bits.begin(code, operands.len() * 2 + 1);
                    self.bits.op(source.unwrap_or(TypeId::VOID).index() as u64);
                    for &operand in operands {
                        let id = self.id(operand);
                        self.bits.op(module.module_type(operand).index() as u64);
                        self.bits.op(u64::from(id));
                    }
                }
            }
        }
        self.bits.exit();
    }
}
