//! Variables in the debug information: a `DILocalVariable` for each argument of the function that the source names and for each
//! variable that stayed in memory, and the call of `llvm.dbg.value` or `llvm.dbg.declare` with its value or location.
//!
//! The intrinsic has the form of LLVM 5, with an offset as the second argument. Later readers know that form and drop the offset when
//! it is zero; LLVM 5 aborts on the later form.
//!
//! ```text
//! call void @llvm.dbg.value(metadata <2 x float> %a1, i64 0, metadata !20, metadata !21), !dbg !22
//! !20 = !DILocalVariable(name: "uv", arg: 2, scope: !18, file: !17, line: 16, type: !19)
//! ```

use super::locations::Locations;
use crate::module::{
    Attr, AttrIndex, AttrKind, Builder, CallOptions, Location, Md, Module, TypeId as AirType, Value, di,
};

/// Declares an intrinsic.
fn intrinsic(m: &mut Module, name: &str, params: &[AirType]) -> Value {
    let attrs = [AttrKind::NO_UNWIND, AttrKind::READ_NONE, AttrKind::SPECULATABLE].map(Attr::Flag);
    let attrs = m.attr_set(&[(AttrIndex::FUNCTION, &attrs)]);
    m.declare(name, AirType::VOID, params, attrs)
}

impl Locations<'_> {
    /// A variable; `argument` is the index of an argument from 1, or zero.
    pub(crate) fn variable(&self, m: &mut Module, name: &str, argument: u32, line: u32, ty: Md) -> Md {
        /// The alignment is a field.
        const HAS_ALIGNMENT: u64 = 2;
        let name = m.md_str(name).word();
        let (scope, file) = (self.subprogram.word(), self.node.word());
        let record =
            [HAS_ALIGNMENT, scope, name, file, u64::from(line), ty.word(), u64::from(argument), 0, 0];
        m.md_debug(di::LOCAL_VAR, &record, false)
    }

    /// Emits that a variable has a value from here on.
    pub(crate) fn set_value(&mut self, b: &mut Builder<'_>, value: Value, variable: Md) {
        const METADATA: AirType = AirType::METADATA;
        let intrinsic = *self.says_value.get_or_insert_with(|| {
            intrinsic(b.module, "llvm.dbg.value", &[METADATA, AirType::I64, METADATA, METADATA])
        });
        let expression = self.expression(b.module);
        let value = b.metadata_of(value);
        let arguments = [value, b.module.i64(0), Value::metadata(variable), Value::metadata(expression)];
        b.call_with(intrinsic, &arguments, CallOptions { tail: false, ..CallOptions::default() });
    }

    /// Emits that a variable is in memory for the whole function.
    pub(crate) fn declare_memory(&mut self, b: &mut Builder<'_>, pointer: Value, variable: Md) {
        let intrinsic = intrinsic(b.module, "llvm.dbg.declare", &[AirType::METADATA; 3]);
        let expression = self.expression(b.module);
        let pointer = b.metadata_of(pointer);
        let arguments = [pointer, Value::metadata(variable), Value::metadata(expression)];
        b.call_with(intrinsic, &arguments, CallOptions { tail: false, ..CallOptions::default() });
    }

    /// The expression that changes nothing.
    fn expression(&mut self, m: &mut Module) -> Md {
        /// Version 3 of expressions, in the bits above the first.
        const VERSION: u64 = 3 << 1;
        *self.expression.get_or_insert_with(|| m.md_debug(di::EXPRESSION, &[VERSION], false))
    }

    /// Gives the instructions from `first` on the line of the function.
    pub(crate) fn locate_at_head(&mut self, b: &mut Builder<'_>) {
        let first = std::mem::replace(&mut self.done, b.body().insts().len());
        let place = Location {
            inst: 0,
            line: self.line,
            column: 0,
            scope: self.subprogram,
            inlined_at: Md::NULL,
            implicit: false,
        };
        b.locate(first, place);
    }
}
