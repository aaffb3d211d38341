//! Visible functions: functions that others call through a table, with values as arguments and result.
//!
//! All arguments are declared, used or not: callers know the function by its signature.

use super::SignatureBuilder;
use super::pieces::{InputPiece, InputSource};
use crate::select::debug::types::SourceType;
use crate::select::errors::{INTERFACE, TARGET};
use crate::select::reflection::{InterfaceRole, InterfaceValue};
use crate::select::types::{Class, vector_name};
use crate::target::LanguageVersion;
use airfoil_ir::{Diagnostic, Modes, Name, Scalar, Slot, Type};
use smallvec::SmallVec;

impl SignatureBuilder<'_> {
    /// Inputs or outputs by location.
    fn values_of(&mut self, mode: Modes) -> Vec<(Slot, Scalar, u8, Name)> {
        let mut list = Vec::new();
        for v in self.shader.vars.values().filter(|v| v.mode == mode) {
            match (v.location, &self.shader.types[v.ty]) {
                (Some(slot), &Type::Vector { scalar, comps }) if matches!(scalar.bits(), 16 | 32) => {
                    list.push((slot, scalar, comps, v.name.clone()));
                }
                _ => {
                    let message = format!(
                        "`{}` of a visible function: expected a scalar or vector of 16 or 32 bits",
                        v.name
                    );
                    self.errors.push(Diagnostic::error(INTERFACE, message));
                }
            }
        }
        list.sort_by_key(|v| v.0.0);
        list
    }

    /// The arguments of a visible function.
    pub(crate) fn visible_inputs(&mut self) {
        if self.options.target.language() < LanguageVersion::new(2, 3) {
            self.errors.push(Diagnostic::error(TARGET, "visible functions need macOS 11 or iOS 14"));
        }
        for (slot, scalar, comps, name) in self.values_of(Modes::IN) {
            let (class, bits) = (Class::of(scalar), scalar.bits());
            let ty = self.values.get(self.m, class, bits, comps);
            let words = self.words(&["air.visible_input"]);
            let shown = self.name(&name, "argument", self.out.params.len() as u32);
            let type_name = vector_name(scalar, comps);
            let arg = self.arg(ty, SmallVec::new(), &words, type_name, &shown);
            self.source(arg, || (name, SourceType::Value(scalar, comps)));
            let (name, source) = (shown, InputSource::Argument(arg));
            self.out.inputs.push(InputPiece { slot, component: 0, comps, class, bits, source });
            self.reflect_input(InterfaceRole::VisibleInput, None, name, type_name);
        }
    }

    /// The result of a visible function. Called last: a visible function takes nothing but values.
    pub(crate) fn visible_outputs(&mut self) {
        let inputs = self.out.reflection.inputs.len();
        if self.out.params.len() != inputs {
            let resource = self.out.reflection.arguments.first().map(|a| format!("`{}`", a.name));
            let what = resource.unwrap_or_else(|| "a built-in value".to_owned());
            let message =
                format!("a visible function takes nothing but its arguments, and this one uses {what}");
            self.errors.push(Diagnostic::error(INTERFACE, message));
        }
        let shared = self
            .shader
            .vars
            .iter()
            .any(|(id, v)| v.mode == Modes::SHARED && self.usage.vars.contains_key(id));
        if shared || self.shader.info.shared_size != 0 {
            let message = "a visible function has no workgroup memory";
            self.errors.push(Diagnostic::error(INTERFACE, message));
        }
        for (slot, scalar, comps, _) in self.values_of(Modes::OUT) {
            let piece = self.piece(slot, scalar, comps);
            self.out.outputs.push(piece);
            let mut words = self.words(&["air.visible_output"]);
            let type_name = vector_name(scalar, comps);
            self.named(&mut words, type_name, "");
            self.out.output_words.push(words);
            let (name, type_name) = (Name::default(), Name::new_static(type_name));
            self.out.reflection.outputs.push(InterfaceValue {
                location: None,
                role: InterfaceRole::VisibleOutput,
                name,
                type_name,
            });
        }
    }
}
