//! Calls of `air.*` functions: their names, declarations, attributes and fast-math flags.

use super::FunctionEmitter;
use crate::module::{
    Attr, AttrIndex, AttrKind, AttrSet, CallOptions, FastMath, Module, Type, TypeId, UnnamedAddr, Value,
};
use crate::select::options::FastMathMode;
use smallvec::SmallVec;
use std::fmt::{self, Write};

/// What a called function does, for its attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing but compute.
    Pure,
    /// Computes with values of other invocations.
    Group,
    /// Reads through its arguments.
    Reads,
    /// Reads through its arguments and needs the whole quad.
    ReadsQuad,
    /// Reads and writes through its arguments.
    Writes,
    /// Waits for other invocations.
    Waits,
    /// Anything else.
    Any,
}

/// Number of effects.
pub(crate) const EFFECTS: usize = 7;

impl FunctionEmitter<'_> {
    // ---- calls ----

    /// Calls an `air.*` function. `key` tells functions of one base name apart; the text behind the base name is made only
    /// when the function is first declared.
    pub(crate) fn air(
        &mut self,
        base: &'static str,
        key: u64,
        ret: TypeId,
        args: &[Value],
        effect: Effect,
        suffix: impl FnOnce(&Module) -> String,
    ) -> Value {
        self.air_with(base, key, ret, args, effect, FastMath::NONE, suffix)
    }

    /// The same with fast-math flags.
    #[allow(clippy::too_many_arguments)] // the parts of a call
    pub(crate) fn air_with(
        &mut self,
        base: &'static str,
        key: u64,
        ret: TypeId,
        args: &[Value],
        effect: Effect,
        flags: FastMath,
        suffix: impl FnOnce(&Module) -> String,
    ) -> Value {
        let callee = match self.state.functions.get(&(base, key)) {
            Some(&callee) => callee,
            None => {
                let params: SmallVec<[TypeId; 12]> = args.iter().map(|&a| self.b.type_of(a)).collect();
                let mut name = String::with_capacity(48);
                name.push_str(base);
                name.push_str(&suffix(self.b.module));
                let attrs = self.call_attributes(effect, &params);
                let callee = self.b.module.declare(&name, ret, &params, attrs);
                if let Some(function) = self.b.module.function_mut(callee) {
                    function.unnamed_addr = UnnamedAddr::Local;
                }
                self.state.functions.insert((base, key), callee);
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

    /// Attributes of a declaration; handles that are only read say so.
    pub(crate) fn call_attributes(&mut self, effect: Effect, params: &[TypeId]) -> AttrSet {
        if !matches!(effect, Effect::Reads | Effect::ReadsQuad | Effect::Writes) {
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
        let on_pointers: &[Attr] = if effect == Effect::Writes { &both[..1] } else { &both };
        let flags = effect_attributes(effect);
        let mut lists: SmallVec<[(AttrIndex, &[Attr]); 6]> = SmallVec::new();
        lists.push((AttrIndex::FUNCTION, flags));
        lists.extend(pointers.iter().map(|&i| (AttrIndex::param(i), on_pointers)));
        self.b.module.attr_set(&lists)
    }

    /// `air.<base>.<type of ret>` on floats, with the flags that apply.
    pub(crate) fn float_call(
        &mut self,
        base: &'static str,
        ret: TypeId,
        args: &[Value],
        flags: FastMath,
    ) -> Value {
        let key = ret.index() as u64;
        self.air_with(base, key, ret, args, Effect::Pure, flags, |m| format!(".{}", suffix(m, ret)))
    }

    /// `air.<base>.<s|u>.<type>` on integers.
    pub(crate) fn int_call(
        &mut self,
        base: &'static str,
        signed: bool,
        ret: TypeId,
        args: &[Value],
    ) -> Value {
        let key = ret.index() as u64 * 2 + u64::from(signed);
        let sign = if signed { "s" } else { "u" };
        self.air(base, key, ret, args, Effect::Pure, |m| format!(".{sign}.{}", suffix(m, ret)))
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

/// `f32`, `v4i32` and so on.
pub(crate) fn suffix(m: &Module, ty: TypeId) -> Suffix {
    let types = m.types();
    let scalar = types.scalar(ty);
    let letter = if types.is_fp(scalar) { 'f' } else { 'i' };
    Suffix { len: types.vector_len(ty), letter, bits: types.bits(scalar) }
}

/// The type part of a function's name, as text when it is put into the name.
pub(crate) struct Suffix {
    len: Option<u32>,
    letter: char,
    bits: u32,
}

impl fmt::Display for Suffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(len) = self.len {
            write!(f, "v{len}")?;
        }
        f.write_char(self.letter)?;
        self.bits.fmt(f)
    }
}

/// Attributes of a function.
fn effect_attributes(effect: Effect) -> &'static [Attr] {
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
        Effect::Pure => PURE,
        Effect::Group => GROUP,
        Effect::Reads => READS,
        Effect::ReadsQuad => READS_QUAD,
        Effect::Writes => WRITES,
        Effect::Waits => WAITS,
        Effect::Any => ANY,
    }
}
