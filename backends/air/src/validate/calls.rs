//! Rules of `air.*` functions: declarations have the types that the table states for the module's version of AIR, and
//! promise no more about memory than the function keeps.

use super::Checker;
use crate::functions::{AirFunction, SignatureError};
use crate::module::{MdKind, Module, Type};
use crate::rules::Rule;
use crate::target::AirVersion;

impl Checker<'_> {
    /// Compares the declarations of functions with the table. Functions that the table lacks are not checked: Apple's
    /// compiler calls more of them.
    pub(super) fn air_functions(&mut self) {
        let m = self.m;
        let Some(version) = air_version(m) else { return };
        for function in m.functions().iter().filter(|f| f.body.is_none()) {
            let name = m.text(function.name);
            let Type::Function { ret, params } = m.types().get(function.ty) else { continue };
            let Some(known) = AirFunction::parse(name) else { continue };
            if let Err(error) = known.check(m, ret, m.types().list(params), version) {
                let rule = match error {
                    SignatureError::Version(_) => Rule::FunctionVersion,
                    SignatureError::Types(_) => Rule::Signature,
                };
                self.report_as(rule, format!("`@{name}`: {error}"));
            }
            let (promise, effect) = (self.promise(&[function.attrs]), known.base.info().effect);
            self.require_as(
                Rule::DeclaredEffect,
                !(promise.reads_nothing && effect.touches_memory()),
                || format!("`@{name}` accesses memory, but is declared `readnone`"),
            );
            self.require_as(Rule::DeclaredEffect, !(promise.writes_nothing && effect.writes()), || {
                format!("`@{name}` may write memory, but is declared `readonly`")
            });
        }
    }
}

/// The version in `!air.version`.
pub(crate) fn air_version(m: &Module) -> Option<AirVersion> {
    let table = m.metadata();
    let node = table.named().iter().find(|n| m.text(n.name) == "air.version")?.nodes.first()?;
    let MdKind::Node(node) = node.kind() else { return None };
    let number = |at: usize| {
        let MdKind::Value(index) = table.node(node).get(at)?.kind() else { return None };
        u16::try_from(m.int_value(*table.values().get(index as usize)?)?).ok()
    };
    Some(AirVersion::new(number(0)?, number(1)?))
}
