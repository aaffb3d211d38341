//! Calls of `air.*` functions: their names, declarations, attributes and fast-math flags.

use super::FunctionEmitter;
use crate::functions::{Air, AirFunction, CallEffect, NumberKind, Word};
use crate::module::{
    Attr, AttrIndex, AttrKind, AttrSet, CallOptions, FastMath, Type, TypeId, UnnamedAddr, Value,
};
use crate::select::errors;
use crate::select::options::FastMathMode;
use smallvec::SmallVec;
use std::fmt::Write;

impl FunctionEmitter<'_> {
    // ---- calls ----

    /// Calls an `air.*` function.
    pub(crate) fn air(&mut self, function: impl Into<AirFunction>, ret: TypeId, args: &[Value]) -> Value {
        self.air_with(function, ret, args, FastMath::NONE)
    }

    /// Calls an `air.*` function with fast-math flags, which apply if it returns floats.
    pub(crate) fn air_with(
        &mut self,
        function: impl Into<AirFunction>,
        ret: TypeId,
        args: &[Value],
        flags: FastMath,
    ) -> Value {
        let function = function.into();
        let callee = match self.state.functions.get(&function) {
            Some(&callee) => callee,
            None => {
                let callee = self.declare(function, ret, args);
                self.state.functions.insert(function, callee);
                callee
            }
        };
        let returns_float = self.b.module.types().is_fp(ret);
        let flags = if returns_float { flags } else { FastMath::NONE };
        // A tail call must not see the caller's own memory.
        let local = |&arg: &Value| {
            let ty = self.b.type_of(arg);
            matches!(self.b.module.types().get(ty), Type::Pointer { space: 0, .. })
        };
        let tail = !args.iter().any(local);
        self.b.call_with(callee, args, CallOptions { flags, tail, ..CallOptions::default() })
    }

    fn declare(&mut self, function: AirFunction, ret: TypeId, args: &[Value]) -> Value {
        let params: SmallVec<[TypeId; 12]> = args.iter().map(|&a| self.b.type_of(a)).collect();
        let version = self.options.target.air();
        let since = function.base.info().since;
        // Most functions have been gated before, with a message that names the feature.
        if version < since && self.errors.list.is_empty() {
            let message = format!("`{function}` requires AIR {since}; the target has AIR {version}");
            self.error(errors::TARGET, message);
        }
        let mut name = std::mem::take(&mut self.state.name);
        name.clear();
        let _ = write!(name, "{function}");
        let attrs = self.call_attributes(function.base.info().effect, &params);
        let callee = self.b.module.declare(&name, ret, &params, attrs);
        self.state.name = name;
        if let Some(function) = self.b.module.function_mut(callee) {
            function.unnamed_addr = UnnamedAddr::Local;
        }
        callee
    }

    /// Attributes of a declaration; handles that are only read are marked.
    pub(crate) fn call_attributes(&mut self, effect: CallEffect, params: &[TypeId]) -> AttrSet {
        if !matches!(effect, CallEffect::Reads | CallEffect::ReadsQuad | CallEffect::Writes) {
            let lists: [(AttrIndex, &[Attr]); 1] = [(AttrIndex::FUNCTION, effect_attributes(effect))];
            let module = &mut *self.b.module;
            return *self.state.attributes[effect as usize].get_or_insert_with(|| module.attr_set(&lists));
        }
        let pointers: SmallVec<[u32; 4]> = (0u32..)
            .zip(params)
            .filter(|(_, p)| self.b.module.types().is_pointer(**p))
            .map(|(i, _)| i)
            .collect();
        let both = [Attr::Flag(AttrKind::NO_CAPTURE), Attr::Flag(AttrKind::READ_ONLY)];
        let on_pointers: &[Attr] = if effect == CallEffect::Writes { &both[..1] } else { &both };
        let flags = effect_attributes(effect);
        let mut lists: SmallVec<[(AttrIndex, &[Attr]); 6]> = SmallVec::new();
        lists.push((AttrIndex::FUNCTION, flags));
        lists.extend(pointers.iter().map(|&i| (AttrIndex::param(i), on_pointers)));
        self.b.module.attr_set(&lists)
    }

    /// A function whose name has the type of the result.
    pub(crate) fn call_by_type(&mut self, base: Air, ret: TypeId, args: &[Value], flags: FastMath) -> Value {
        let function = base.of(self.b.module, ret);
        self.air_with(function, ret, args, flags)
    }

    /// A function of integers whose name has the sign and the type of the result.
    pub(crate) fn int_call(&mut self, base: Air, signed: bool, ret: TypeId, args: &[Value]) -> Value {
        let kind = if signed { NumberKind::Signed } else { NumberKind::Unsigned };
        let function = base.with([Word::number(self.b.module, kind, ret)]);
        self.air(function, ret, args)
    }

    /// Fast-math flags of arithmetic on floats of `bits` bits.
    pub(crate) fn flags(&self, exact: bool, bits: u8) -> FastMath {
        if exact {
            return FastMath::NONE;
        }
        let keep = self.shader.info.preserve_float_special & bits != 0;
        let base = FastMath::ARCP.with(FastMath::CONTRACT);
        match self.options.fast_math {
            FastMathMode::Precise => FastMath::NONE,
            FastMathMode::Relaxed if keep => base,
            FastMathMode::Relaxed => base.with(FastMath::NSZ),
            FastMathMode::Fast if keep => base,
            FastMathMode::Fast => FastMath::FAST,
        }
    }
}

/// Attributes of a function.
fn effect_attributes(effect: CallEffect) -> &'static [Attr] {
    const PURE: &[Attr] = &[Attr::Flag(AttrKind::NO_UNWIND), Attr::Flag(AttrKind::READ_NONE)];
    const GROUP: &[Attr] =
        &[Attr::Flag(AttrKind::CONVERGENT), Attr::Flag(AttrKind::NO_UNWIND), Attr::Flag(AttrKind::READ_NONE)];
    const READS: &[Attr] = &[
        Attr::Flag(AttrKind::ARG_MEM_ONLY),
        Attr::Flag(AttrKind::NO_UNWIND),
        Attr::Flag(AttrKind::READ_ONLY),
    ];
    const READS_QUAD: &[Attr] = &[
        Attr::Flag(AttrKind::ARG_MEM_ONLY),
        Attr::Flag(AttrKind::CONVERGENT),
        Attr::Flag(AttrKind::NO_UNWIND),
        Attr::Flag(AttrKind::READ_ONLY),
    ];
    const WRITES: &[Attr] = &[Attr::Flag(AttrKind::ARG_MEM_ONLY), Attr::Flag(AttrKind::NO_UNWIND)];
    const WAITS: &[Attr] = &[Attr::Flag(AttrKind::CONVERGENT), Attr::Flag(AttrKind::NO_UNWIND)];
    const ANY: &[Attr] = &[Attr::Flag(AttrKind::NO_UNWIND)];
    match effect {
        CallEffect::Pure => PURE,
        CallEffect::Group => GROUP,
        CallEffect::Reads => READS,
        CallEffect::ReadsQuad => READS_QUAD,
        CallEffect::Writes => WRITES,
        CallEffect::Waits => WAITS,
        CallEffect::Any => ANY,
    }
}
