//! Rules of global variables, functions, attributes, metadata and the call graph.

use super::{Checker, Dialect};
use crate::ll::type_text;
use crate::module::{
    Attr, AttrIndex, AttrKind, Const, Function, Linkage, Md, MdKind, Op, Type, TypeId, ValueKind,
};
use crate::rules::Rule;
use std::collections::HashSet;

/// Named nodes whose operands are entry points.
const STAGES: [&str; 7] =
    ["air.vertex", "air.fragment", "air.kernel", "air.object", "air.mesh", "air.visible", "air.intersection"];

/// LLVM intrinsics that Apple's back end aborts on; `air.*` functions replace them.
const REFUSED_INTRINSICS: [&str; 11] = [
    "llvm.sin.",
    "llvm.cos.",
    "llvm.tan.",
    "llvm.pow.",
    "llvm.powi.",
    "llvm.log10.",
    "llvm.minimum.",
    "llvm.maximum.",
    "llvm.nearbyint.",
    "llvm.roundeven.",
    "llvm.vector.reduce.",
];

impl Checker<'_> {
    pub(super) fn symbols(&mut self) {
        let m = self.m;
        let mut names = HashSet::new();
        for global in m.globals() {
            let name = m.text(global.name);
            self.require(names.insert(global.name), || format!("two symbols are named `@{name}`"));
            self.require(self.is_sized(global.ty), || {
                format!("global `@{name}` has type `{}`", type_text(m, global.ty))
            });
            // Objects of C++ that are template arguments have external symbols of address space 0 in Apple's modules.
            let later = self.dialect >= Dialect::Llvm14;
            let local = matches!(global.linkage, Linkage::Internal | Linkage::Private);
            let foreign = later && global.constant && (!local || name.starts_with("_ZTA"));
            let known = matches!(global.space, 2 | 3) || name.starts_with("llvm.");
            self.require_as(Rule::GlobalSpace, known || global.space == 0 && foreign, || {
                format!("global `@{name}` is in address space {}, where Metal has none", global.space)
            });
            self.require(global.align == 0 || global.align.is_power_of_two(), || {
                format!("global `@{name}`: alignment {} is not a power of two", global.align)
            });
            if let Some(init) = global.init {
                self.require(init.is_module_level() && m.module_type(init) == global.ty, || {
                    format!("global `@{name}`: the initial value is not of its type")
                });
                let undefined = matches!(m.constant(init), Some(Const::Undef | Const::Poison));
                self.require_as(Rule::SharedInitializer, global.space != 3 || undefined || later, || {
                    format!("threadgroup variable `@{name}` has an initial value")
                });
            }
        }
        for function in m.functions() {
            let name = m.text(function.name);
            self.require(names.insert(function.name), || format!("two symbols are named `@{name}`"));
            let defined = function.body.is_some();
            self.require(defined || function.linkage == Linkage::External, || {
                format!("function `@{name}` is internal but has no body")
            });
            self.require_as(
                Rule::CrashingIntrinsic,
                !REFUSED_INTRINSICS.iter().any(|&i| name.starts_with(i)),
                || format!("`@{name}` is not known to Metal; use an `air.*` function"),
            );
            self.metadata_parameters(function);
        }
    }

    pub(super) fn attributes(&mut self) {
        let table = self.m.attributes();
        for group in 0..table.group_count() as u32 {
            for &attr in table.group(group).1 {
                let (kind, value) = match attr {
                    Attr::Flag(kind) => (kind, None),
                    Attr::Type(kind, _) => {
                        let name = kind.name().unwrap_or("unknown");
                        self.report(format!("attribute `{name}` with a type is outside the dialect"));
                        continue;
                    }
                    Attr::Int(kind, value) => (kind, Some(value)),
                    Attr::Text(..) => continue,
                };
                let name = kind.name().unwrap_or("unknown");
                if kind.name().is_none() {
                    self.report_as(
                        Rule::UnknownAttribute,
                        format!("attribute of kind {}, which LLVM 14 does not have", kind.0),
                    );
                } else if kind > AttrKind::LAST_OF_LLVM_5 {
                    self.require_later(Rule::RecentAttribute, || format!("attribute `{name}`"));
                }
                self.require(kind.has_value() == value.is_some(), || {
                    format!("attribute `{name}` with a wrong number of values")
                });
                let aligned = kind != AttrKind::ALIGN || value.is_none_or(u64::is_power_of_two);
                self.require(aligned, || {
                    "attribute `align` with a value that is not a power of two".to_owned()
                });
            }
        }
        for (at, function) in self.m.functions().iter().enumerate() {
            self.function = Some(at);
            match self.m.types().get(function.ty) {
                Type::Function { params, .. } => self.attribute_places(function.attrs, params.len()),
                _ => self.report("takes any number of arguments, which no function in Metal does"),
            }
        }
        self.function = None;
    }

    /// The lists of a set must be for parameters that exist, and at most one for each.
    pub(super) fn attribute_places(&mut self, set: crate::module::AttrSet, params: usize) {
        let table = self.m.attributes();
        let mut seen = HashSet::new();
        for &group in table.set(set) {
            let index = table.group(group).0;
            let exists = index == AttrIndex::FUNCTION || index.0 as usize <= params;
            self.require(exists, || {
                format!("attributes for parameter {}, which does not exist", index.0 - 1)
            });
            self.require(seen.insert(index), || "two attribute lists for one place");
        }
    }

    // ---- metadata ----

    fn node(&self, md: Md) -> Option<&[Md]> {
        match md.kind() {
            MdKind::Node(i) if (i as usize) < self.m.metadata().node_count() => {
                Some(self.m.metadata().node(i))
            }
            _ => None,
        }
    }

    pub(super) fn metadata(&mut self) {
        let table = self.m.metadata();
        for &value in table.values() {
            self.require(value.is_module_level(), || "metadata refers to a value of a function body");
        }
        for named in table.named() {
            let name = self.m.text(named.name);
            for &node in &named.nodes {
                if !self.require(self.node(node).is_some(), || {
                    format!("`!{name}` has an operand that is not a node")
                }) {
                    continue;
                }
                if STAGES.contains(&name) {
                    self.entry(name, node);
                }
            }
        }
    }

    /// An entry node: function, outputs, inputs.
    fn entry(&mut self, stage: &str, node: Md) {
        let Some(operands) = self.node(node).map(<[Md]>::to_vec) else { return };
        let Some((at, function)) = operands.first().and_then(|&md| self.entry_function(md)) else {
            return self.report_as(
                Rule::EntryNode,
                format!("`!{stage}`: the first operand is not a function definition"),
            );
        };
        let Type::Function { ret, params } = self.m.types().get(function.ty) else { return };
        self.function = Some(at);
        let results = match self.m.types().get(ret) {
            Type::Void => 0,
            Type::Struct { fields, .. } | Type::Named { fields, .. } => fields.len(),
            _ => 1,
        };
        match operands.get(1).and_then(|&md| self.node(md)).map(<[Md]>::to_vec) {
            Some(outputs) => {
                let (all, len) = (outputs.iter().all(|&md| self.node(md).is_some()), outputs.len());
                self.require_as(Rule::EntryNode, all, || format!("`!{stage}`: an output is not a node"));
                self.require_as(Rule::EntryNode, len == results, || {
                    format!("`!{stage}`: {len} outputs for {results} returned values")
                });
            }
            None => self.report_as(
                Rule::EntryNode,
                format!("`!{stage}`: the second operand (outputs) is not a node"),
            ),
        }
        match operands.get(2).and_then(|&md| self.node(md)).map(<[Md]>::to_vec) {
            Some(inputs) => self.entry_inputs(stage, &inputs, params.len()),
            None => self
                .report_as(Rule::EntryNode, format!("`!{stage}`: the third operand (inputs) is not a node")),
        }
        self.function = None;
    }

    fn entry_function(&self, md: Md) -> Option<(usize, &Function)> {
        let MdKind::Value(i) = md.kind() else { return None };
        match self.m.metadata().values().get(i as usize)?.kind() {
            ValueKind::Function(i) => {
                let function = self.m.functions().get(i as usize)?;
                function.body.is_some().then_some((i as usize, function))
            }
            _ => None,
        }
    }

    fn entry_inputs(&mut self, stage: &str, inputs: &[Md], params: usize) {
        let len = inputs.len();
        self.require_as(Rule::EntryNode, len == params, || {
            format!("`!{stage}`: {len} inputs for {params} parameters")
        });
        let mut seen = vec![false; params];
        for (at, &input) in inputs.iter().enumerate() {
            let index = self.node(input).and_then(|ops| ops.first()).and_then(|md| match md.kind() {
                MdKind::Value(i) => self.m.int_value(*self.m.metadata().values().get(i as usize)?),
                _ => None,
            });
            match index.and_then(|i| usize::try_from(i).ok()) {
                Some(index) if index < params => {
                    let twice = std::mem::replace(&mut seen[index], true);
                    self.require_as(Rule::EntryNode, !twice, || {
                        format!("`!{stage}`: argument {index} is described twice")
                    });
                }
                Some(index) => self.report_as(
                    Rule::EntryNode,
                    format!("`!{stage}`: input for argument {index} of {params}"),
                ),
                None => self.report_as(
                    Rule::EntryNode,
                    format!("`!{stage}`: input {at} does not start with an argument number"),
                ),
            }
        }
    }

    // ---- call graph ----

    /// Metal has no recursion.
    pub(super) fn call_graph(&mut self) {
        let functions = self.m.functions();
        let calls: Vec<Vec<u32>> = functions
            .iter()
            .map(|f| {
                let Some(body) = &f.body else { return Vec::new() };
                let callee = |inst| match body.callee(inst).kind() {
                    ValueKind::Function(i) if (i as usize) < functions.len() => Some(i),
                    _ => None,
                };
                body.insts().iter().filter(|i| i.op == Op::Call).filter_map(callee).collect()
            })
            .collect();
        // 0: not seen, 1: being walked, 2: done.
        let mut state = vec![0u8; functions.len()];
        for root in 0..functions.len() {
            let mut stack = vec![(root, 0usize)];
            while let Some((at, next)) = stack.last_mut() {
                if *next == 0 {
                    if state[*at] != 0 {
                        stack.pop();
                        continue;
                    }
                    state[*at] = 1;
                }
                match calls[*at].get(*next) {
                    Some(&to) => {
                        *next += 1;
                        if state[to as usize] == 1 {
                            self.function = Some(*at);
                            let name = self.m.text(functions[to as usize].name);
                            self.report_as(Rule::Recursion, format!("recursive call of `@{name}`"));
                            self.function = None;
                        } else if state[to as usize] == 0 {
                            stack.push((to as usize, 0));
                        }
                    }
                    None => {
                        state[*at] = 2;
                        stack.pop();
                    }
                }
            }
        }
    }

    /// Whether a function's return type is the one given.
    pub(super) fn returns(&self, function: &Function, ty: TypeId) -> bool {
        matches!(self.m.types().get(function.ty), Type::Function { ret, .. } if ret == ty)
    }
}
