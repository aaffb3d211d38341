//! Rules of the functions and variables of a module.

use super::Lint;
use super::entries::{node, value};
use super::sizes::layout;
use crate::module::{CastOp, Const, Linkage, Op, Type, TypeId, ValueKind, Visibility};
use crate::rules::Rule;
use std::collections::HashSet;

/// Starts of the names of LLVM functions with a rule of their own.
const INTRINSICS: &[(&str, Rule)] = &[
    ("llvm.exp10.", Rule::MissingIntrinsic),
    ("llvm.ldexp.", Rule::MissingIntrinsic),
    ("llvm.sadd.with.overflow.", Rule::OverflowIntrinsic),
    ("llvm.uadd.with.overflow.", Rule::OverflowIntrinsic),
    ("llvm.ssub.with.overflow.", Rule::OverflowIntrinsic),
    ("llvm.usub.with.overflow.", Rule::OverflowIntrinsic),
    ("llvm.smul.with.overflow.", Rule::OverflowIntrinsic),
    ("llvm.umul.with.overflow.", Rule::OverflowIntrinsic),
    ("llvm.trap", Rule::Trap),
    ("llvm.debugtrap", Rule::Trap),
    ("llvm.ubsantrap", Rule::Trap),
    ("llvm.smax.", Rule::RecentIntrinsic),
    ("llvm.smin.", Rule::RecentIntrinsic),
    ("llvm.umax.", Rule::RecentIntrinsic),
    ("llvm.umin.", Rule::RecentIntrinsic),
    ("llvm.abs.", Rule::RecentIntrinsic),
    ("llvm.fshl.", Rule::RecentIntrinsic),
    ("llvm.fshr.", Rule::RecentIntrinsic),
    ("llvm.sadd.sat.", Rule::RecentIntrinsic),
    ("llvm.uadd.sat.", Rule::RecentIntrinsic),
    ("llvm.ssub.sat.", Rule::RecentIntrinsic),
    ("llvm.usub.sat.", Rule::RecentIntrinsic),
    ("llvm.sshl.sat.", Rule::RecentIntrinsic),
    ("llvm.ushl.sat.", Rule::RecentIntrinsic),
    ("air.simdgroup_async_copy_", Rule::UnavailableFunction),
];

/// Bytes of a variable in threadgroup memory. Apple's modules declare more in total: variables share memory.
pub(crate) const THREADGROUP_MEMORY: u64 = 32 << 10;

impl Lint<'_> {
    pub(super) fn symbols(&mut self) {
        let m = self.m;
        let entries: HashSet<u32> = self.entries().iter().map(|e| e.index).collect();
        for (index, function) in (0u32..).zip(m.functions()) {
            let name = m.text(function.name);
            if function.body.is_none() {
                if let Some((_, rule)) = INTRINSICS.iter().find(|i| name.starts_with(i.0)) {
                    self.report(*rule, name, "it is called");
                }
                self.matrix_pointee(name, function.ty);
                continue;
            }
            let visible = matches!(function.linkage, Linkage::External | Linkage::WeakAny)
                && function.visibility == Visibility::Default;
            // Tables of tensors and stitching functions are found by their sections.
            if visible && !entries.contains(&index) && function.section.is_none() && !entries.is_empty() {
                self.report(Rule::VisibleHelper, name, "a helper that other modules see: make it internal");
            }
        }
        self.samplers();
        for global in m.globals().filter(|g| g.space == 3) {
            let bytes = layout(m, global.ty).0;
            if bytes > THREADGROUP_MEMORY {
                let name = m.text(global.name);
                let message = format!(
                    "threadgroup variable `@{name}` of {bytes} bytes, expected at most {THREADGROUP_MEMORY}"
                );
                self.report(Rule::ThreadgroupMemory, "", message);
            }
        }
    }

    /// `air.simdgroup_matrix_8x8_load.v64f32.p1f32` has a pointer to float.
    fn matrix_pointee(&mut self, name: &str, ty: TypeId) {
        let m = self.m;
        let Some(rest) = name.strip_prefix("air.simdgroup_matrix_8x8_") else { return };
        let Some((_, pointer)) = rest.rsplit_once(".p") else { return };
        let wanted = pointer.trim_start_matches(|c: char| c.is_ascii_digit());
        let Type::Function { params, .. } = m.types().get(ty) else { return };
        for &param in m.types().list(params) {
            let Some(pointee) = m.types().pointee(param) else { continue };
            let found = match m.types().get(pointee) {
                Type::Half => "f16",
                Type::BFloat => "bf16",
                Type::Float => "f32",
                _ => "",
            };
            if found != wanted {
                let message = format!("the pointee is `{}`", crate::ll::type_text(m, pointee));
                self.report(Rule::MatrixPointee, name, message);
            }
        }
    }

    /// Globals that become samplers are in the list of sampler states.
    fn samplers(&mut self) {
        let m = self.m;
        let named = m.metadata().named().iter().find(|n| m.text(n.name) == "air.sampler_states");
        let states = named.map_or(&[][..], |n| n.nodes.as_slice());
        let listed: HashSet<u32> = states
            .iter()
            .flat_map(|&md| node(m, md))
            .filter_map(|&md| self.global_of(value(m, md)?))
            .collect();
        let mut missing: Vec<u32> = Vec::new();
        for at in 0..m.constants().len() as u32 {
            let Const::Cast(CastOp::BitCast, from) = m.constants().get(at) else { continue };
            if !self.is_handle(m.constants().ty(at), "struct._sampler_t") {
                continue;
            }
            if let Some(global) = self.global_of(from)
                && !listed.contains(&global)
                && !missing.contains(&global)
            {
                missing.push(global);
            }
        }
        for function in m.functions() {
            let Some(body) = &function.body else { continue };
            for inst in body.insts().iter().filter(|i| i.op == Op::Cast(CastOp::BitCast)) {
                if self.is_handle(inst.ty, "struct._sampler_t")
                    && let Some(global) = self.global_of(body.value(inst, 0))
                    && !listed.contains(&global)
                    && !missing.contains(&global)
                {
                    missing.push(global);
                }
            }
        }
        for global in missing {
            let name = m.global(global).map_or("", |g| m.text(g.name));
            let message = format!("the constant sampler `@{name}` is not in `!air.sampler_states`");
            self.report(Rule::SamplerState, "", message);
        }
    }

    /// The global that a constant leads to.
    fn global_of(&self, mut value: crate::module::Value) -> Option<u32> {
        loop {
            match (value.kind(), self.m.constant(value)) {
                (ValueKind::Global(index), _) => return Some(index),
                (_, Some(Const::Cast(_, inner))) => value = inner,
                (_, Some(Const::Gep(list) | Const::PlainGep(list))) => value = *list.first()?,
                _ => return None,
            }
        }
    }

    /// Whether a type is a pointer to a struct with a name, or with the name that a reader numbers.
    pub(super) fn is_handle(&self, ty: TypeId, name: &str) -> bool {
        self.handle_name(ty).is_some_and(|found| {
            found == name || found.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// Name of the struct that a pointer leads to.
    pub(super) fn handle_name(&self, ty: TypeId) -> Option<&str> {
        match self.m.types().get(self.m.types().pointee(ty)?) {
            Type::Opaque { name } | Type::Named { name, .. } => Some(self.m.text(name)),
            _ => None,
        }
    }
}
