//! Entry points as their metadata has them.

use super::Lint;
use crate::module::{Md, MdKind, Module, Type, TypeId, Value, ValueKind};

/// Named nodes whose operands are entry points.
const STAGES: [&str; 7] =
    ["air.vertex", "air.fragment", "air.kernel", "air.object", "air.mesh", "air.visible", "air.intersection"];

/// An entry point.
pub(super) struct Entry<'m> {
    /// Stage, such as `vertex`.
    pub(super) stage: &'m str,
    /// Name of the function.
    pub(super) name: &'m str,
    /// Index of the function.
    pub(super) index: u32,
    /// Result type.
    pub(super) ret: TypeId,
    /// Parameter types.
    pub(super) params: &'m [TypeId],
    /// Nodes of the results.
    pub(super) outputs: &'m [Md],
    /// Nodes of the arguments.
    pub(super) inputs: &'m [Md],
}

/// Operands of a node.
pub(super) fn node(m: &Module, md: Md) -> &[Md] {
    match md.kind() {
        MdKind::Node(index) => m.metadata().node(index),
        _ => &[],
    }
}

/// A metadata string.
pub(super) fn text(m: &Module, md: Md) -> Option<&str> {
    match md.kind() {
        MdKind::String(index) => Some(m.text(*m.metadata().strings().get(index as usize)?)),
        _ => None,
    }
}

/// A value in metadata.
pub(super) fn value(m: &Module, md: Md) -> Option<Value> {
    match md.kind() {
        MdKind::Value(index) => m.metadata().values().get(index as usize).copied(),
        _ => None,
    }
}

/// The number after a key of a node.
pub(super) fn number_after(m: &Module, operands: &[Md], key: &str) -> Option<i64> {
    let at = operands.iter().position(|&md| text(m, md) == Some(key))?;
    m.int_value(value(m, *operands.get(at + 1)?)?)
}

/// Whether a node has a string.
pub(super) fn has(m: &Module, operands: &[Md], key: &str) -> bool {
    operands.iter().any(|&md| text(m, md) == Some(key))
}

impl<'m> Lint<'m> {
    /// The entry points whose first operand is a function.
    pub(super) fn entries(&self) -> Vec<Entry<'m>> {
        let m = self.m;
        let mut entries = Vec::new();
        for named in m.metadata().named() {
            let Some(stage) = STAGES.into_iter().find(|&stage| stage == m.text(named.name)) else { continue };
            for &entry in &named.nodes {
                let operands = node(m, entry);
                let function = operands.first().and_then(|&md| value(m, md));
                let Some(ValueKind::Function(index)) = function.map(Value::kind) else { continue };
                let Some(function) = m.functions().get(index as usize) else { continue };
                let Type::Function { ret, params } = m.types().get(function.ty) else { continue };
                let list = |at: usize| operands.get(at).map_or(&[][..], |&md| node(m, md));
                entries.push(Entry {
                    stage: stage.trim_start_matches("air."),
                    name: m.text(function.name),
                    index,
                    ret,
                    params: m.types().list(params),
                    outputs: list(1),
                    inputs: list(2),
                });
            }
        }
        entries
    }
}
