//! Rules of the intrinsics that give the value of a source variable (LLVM 5, docs/SourceLevelDebugging:
//! `llvm.dbg.value` and `llvm.dbg.declare`). LLVM 5 reads their operands without checking their kinds, and aborts if
//! they are something else.

use super::{Checker, Dialect};
use crate::module::{Body, Function, Inst, Md, MdKind, Type, TypeId, Value, ValueKind, di};
use crate::rules::Rule;

/// The intrinsics and their parameters.
const INTRINSICS: [(&str, &[TypeId]); 2] = [
    ("llvm.dbg.value", &[TypeId::METADATA, TypeId::I64, TypeId::METADATA, TypeId::METADATA]),
    ("llvm.dbg.declare", &[TypeId::METADATA, TypeId::METADATA, TypeId::METADATA]),
];

impl Checker<'_> {
    /// Metadata is an argument of these intrinsics alone.
    pub(super) fn metadata_parameters(&mut self, function: &Function) {
        let (m, types) = (self.m, self.m.types());
        let Type::Function { ret, params } = types.get(function.ty) else { return };
        let name = m.text(function.name);
        let params = types.list(params);
        let fits = match INTRINSICS.iter().find(|i| i.0 == name) {
            Some((_, known)) if self.dialect < Dialect::Llvm14 => {
                ret == TypeId::VOID && params == *known && function.body.is_none()
            }
            // Later versions of LLVM have other operands, and more of these functions.
            _ if self.dialect >= Dialect::Llvm14 && name.starts_with("llvm.dbg.") => true,
            _ => !params.contains(&TypeId::METADATA),
        };
        self.require_as(Rule::DebugCall, fits, || {
            format!("function `@{name}` takes metadata otherwise than the debug intrinsics of LLVM 5")
        });
    }

    /// Values that are metadata belong to the function.
    pub(super) fn locals(&mut self, function: &Function, body: &Body) {
        let params = match self.m.types().get(function.ty) {
            Type::Function { params, .. } => params.len(),
            _ => 0,
        };
        for &value in body.locals() {
            let exists = match value.kind() {
                ValueKind::Inst(i) => body.insts().get(i as usize).is_some_and(|i| i.ty != TypeId::VOID),
                ValueKind::Arg(i) => (i as usize) < params,
                _ => false,
            };
            self.require(exists, || format!("metadata of {value:?}, which is not a value of the function"));
        }
    }

    /// A call that has metadata among its arguments.
    pub(super) fn debug_call(&mut self, body: &Body, inst: &Inst, at: u32) {
        let args: Vec<Value> = body.call_args(inst).collect();
        let [.., variable, expression] = args[..] else { return };
        let record = |value: Value| match value.as_metadata().map(Md::kind) {
            Some(MdKind::Node(node)) => self.m.metadata().debug(node).map(|d| d.0),
            _ => None,
        };
        let (variable, expression) = (record(variable), record(expression));
        self.require_as(
            Rule::DebugCall,
            variable == Some(di::LOCAL_VAR) && expression == Some(di::EXPRESSION),
            || "the operands are no variable and expression",
        );
        if let [_, offset, _, _] = args[..] {
            let zero = self.m.int_value(offset) == Some(0);
            self.require_as(
                Rule::DebugCall,
                zero,
                || "the offset is not zero: readers after LLVM 5 drop such a call",
            );
        }
        let places = body.locations();
        let place = places.get(places.partition_point(|l| l.inst < at));
        self.require_as(
            Rule::DebugCall,
            place.is_some_and(|l| l.inst == at && l.scope != Md::NULL),
            || "a debug intrinsic without a place in the source",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::module::*;
    use crate::validate::validate;

    /// A function that gives an argument's value, with a mistake.
    fn messages(offset: i64, variable: u8, value: Value, placed: bool) -> Vec<String> {
        let mut m = Module::new("test", "air64-apple-macosx13.0.0");
        let params = [TypeId::METADATA, TypeId::I64, TypeId::METADATA, TypeId::METADATA];
        let say = m.declare("llvm.dbg.value", TypeId::VOID, &params, AttrSet::NONE);
        let f = m.define("f", TypeId::VOID, &[TypeId::I32], Linkage::External);
        let scope = m.md_node(&[]);
        let null = Md::NULL.word();
        let variable = m.md_debug(variable, &[2, scope.word(), null, null, 0, null, 1, 0, 0], false);
        let expression = m.md_debug(di::EXPRESSION, &[3 << 1], false);
        let mut b = m.build(f);
        let entry = b.block();
        b.start(entry);
        let value = b.metadata_of(value);
        let offset = b.module.i64(offset);
        b.call(say, &[value, offset, Value::metadata(variable), Value::metadata(expression)]);
        if placed {
            let inlined_at = Md::NULL;
            b.locate(0, Location { inst: 0, line: 1, column: 0, scope, inlined_at, implicit: false });
        }
        b.ret_void();
        b.finish();
        validate(&m).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_rule_has_its_message() {
        let arg = Value::arg(0);
        assert_eq!(messages(0, di::LOCAL_VAR, arg, true), Vec::<String>::new());
        for (found, part) in [
            (messages(4, di::LOCAL_VAR, arg, true), "the offset is not zero"),
            (messages(0, di::LABEL, arg, true), "the operands are no variable and expression"),
            (messages(0, di::LOCAL_VAR, Value::arg(1), true), "metadata of Arg(1), which is not a value"),
            (messages(0, di::LOCAL_VAR, arg, false), "without a place in the source"),
        ] {
            assert!(found.len() == 1 && found[0].contains(part), "wanted only {part:?}, found {found:?}");
        }
    }
}
