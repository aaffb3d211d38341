//! Variables in the debug information: a `DILocalVariable` for each argument of the function that the source names and for each
//! variable that stayed in memory, and the call of `llvm.dbg.value` or `llvm.dbg.declare` that says where it is.
//!
//! The intrinsic has the form of LLVM 5, with an offset as the second argument. Later readers know that form and drop the offset when
//! it is zero; LLVM 5 aborts on the later form.
//!
//! ```text
//! call void @llvm.dbg.value(metadata <2 x float> %a1, i64 0, metadata !20, metadata !21), !dbg !22
//! !20 = !DILocalVariable(name: "uv", arg: 2, scope: !18, file: !17, line: 16, type: !19)
//! ```

use super::types::{Context, Layout};
use crate::module::{
    Attr, AttrIndex, AttrKind, Builder, CallOptions, Location, Md, Module, TypeId as AirType, Value, di,
};
use crate::select::body::Emit;
use crate::select::signature::{Interface, Maker};
use airfoil_ir::{Loc, Modes, Scalar, TypeId};

/// Type of an argument, as the source has it.
pub(crate) enum SourceType {
    /// A scalar or vector.
    Value(Scalar, u8),
    /// A pointer to memory of this type.
    Memory(TypeId, Layout),
    /// A texture, sampler or the like: Metal's name.
    Handle(String),
}

/// An argument that the source names.
pub(crate) struct SourceArgument {
    argument: u32,
    name: String,
    ty: SourceType,
}

impl Maker<'_> {
    /// Whether it is of use what the source calls an argument.
    pub(crate) fn keeps_sources(&self) -> bool {
        self.options.debug.is_some() && self.options.names
    }

    /// Keeps name and type that an argument has in the source, if they are of use; it has none if the name is empty.
    pub(crate) fn source(&mut self, argument: u32, source: impl FnOnce() -> (String, SourceType)) {
        if self.keeps_sources() {
            let (name, ty) = source();
            if !name.is_empty() {
                self.out.sources.push(SourceArgument { argument, name, ty });
            }
        }
    }
}

/// Declares an intrinsic.
fn intrinsic(m: &mut Module, name: &str, params: &[AirType]) -> Value {
    let attrs = [AttrKind::NO_UNWIND, AttrKind::READ_NONE, AttrKind::SPECULATABLE].map(Attr::Flag);
    let attrs = m.attr_set(&[(AttrIndex::FUNCTION, &attrs)]);
    m.declare(name, AirType::VOID, params, attrs)
}

impl super::Places<'_> {
    /// A variable; `argument` is zero, or the number of the argument, from 1.
    pub(super) fn variable(&self, m: &mut Module, name: &str, argument: u32, line: u32, ty: Md) -> Md {
        /// The alignment is a field.
        const HAS_ALIGNMENT: u64 = 2;
        let name = m.md_str(name).word();
        let (scope, file) = (self.subprogram.word(), self.node.word());
        let record =
            [HAS_ALIGNMENT, scope, name, file, u64::from(line), ty.word(), u64::from(argument), 0, 0];
        m.md_debug(di::LOCAL_VAR, &record, false)
    }

    /// Says that a variable has a value from here on.
    pub(super) fn say(&mut self, b: &mut Builder<'_>, value: Value, variable: Md) {
        const METADATA: AirType = AirType::METADATA;
        let intrinsic = *self.says_value.get_or_insert_with(|| {
            intrinsic(b.module, "llvm.dbg.value", &[METADATA, AirType::I64, METADATA, METADATA])
        });
        let expression = self.expression(b.module);
        let value = b.metadata_of(value);
        let arguments = [value, b.module.i64(0), Value::metadata(variable), Value::metadata(expression)];
        b.call_with(intrinsic, &arguments, CallOptions { tail: false, ..CallOptions::default() });
    }

    /// Says that a variable is in memory for the whole function.
    fn say_memory(&mut self, b: &mut Builder<'_>, pointer: Value, variable: Md) {
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
    fn locate_at_head(&mut self, b: &mut Builder<'_>) {
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

impl Emit<'_> {
    /// Names the arguments. They belong to the line of the function's head.
    pub(crate) fn name_arguments(&mut self) {
        let Some(mut places) = self.places.take() else { return };
        let face: &Interface = self.face;
        for SourceArgument { argument, name, ty } in &face.sources {
            let mut c = Context { m: self.b.module, layouts: self.layouts, types: &self.shader.types };
            let ty = match *ty {
                SourceType::Value(scalar, comps) => places.types.value(c.m, scalar, comps),
                SourceType::Handle(ref name) => places.types.handle(c.m, name),
                SourceType::Memory(ty, layout) => {
                    let to = places.types.memory(&mut c, ty, layout);
                    places.types.pointer(c.m, to)
                }
            };
            let variable = places.variable(self.b.module, name, argument + 1, places.line, ty);
            places.say(&mut self.b, Value::arg(*argument), variable);
        }
        places.locate_at_head(&mut self.b);
        self.places = Some(places);
    }

    /// Names the variables of the function that stayed in memory, by `llvm.dbg.declare`, whose form all readers share.
    pub(crate) fn name_memory(&mut self) {
        let Some(mut places) = self.places.take() else { return };
        places.locate(&mut self.b, Loc::NONE);
        for (var, &pointer) in &self.memory {
            let Some(v) = self.shader.vars.get(var).filter(|v| v.mode == Modes::FUNCTION_TEMP) else {
                continue;
            };
            // Constant ones are the module's.
            if v.name.is_empty() || !self.options.names || pointer.is_module_level() {
                continue;
            }
            let mut c = Context { m: self.b.module, layouts: self.layouts, types: &self.shader.types };
            let ty = places.types.memory(&mut c, v.ty, Layout::Private);
            let variable = places.variable(self.b.module, &v.name, 0, 0, ty);
            places.say_memory(&mut self.b, pointer, variable);
        }
        places.locate_at_head(&mut self.b);
        self.places = Some(places);
    }
}
