//! The restrictions of the form and the stage of a shader: one way of doing input and output at a time.

use super::{FunctionChecker, Rule};
use crate::enums::{Form, Modes};
use crate::instr::{DerefKind, InstrKind};
use crate::intrinsic::{Forms, IntrinsicOp};
use crate::types::Type;

/// Memory that slots and byte offsets reach in the form `slots`.
const LOWERED: Modes = Modes::IN
    .union(Modes::OUT)
    .union(Modes::SYSTEM_VALUE)
    .union(Modes::PUSH_CONST)
    .union(Modes::SHARED)
    .union(Modes::GLOBAL);

/// Blocks keep derefs, but only of the whole block.
const BLOCKS: Modes = Modes::UBO.union(Modes::SSBO);

impl FunctionChecker<'_> {
    pub(super) fn check_form(&mut self) {
        let body = self.body;
        let (form, stage) = (self.shader.form, self.shader.stage);
        for id in body.all_instrs() {
            match &body[id].kind {
                InstrKind::Intrinsic(i) => {
                    let forms = i.op.forms();
                    self.expect(
                        forms.contains(form.into()),
                        Rule::FormOperation,
                        id,
                        format_args!("not legal in form {form}"),
                    );
                    // Arguments and results of a visible function are inputs and outputs, whatever the stage.
                    let interface = matches!(i.op, IntrinsicOp::load_input | IntrinsicOp::store_output);
                    self.expect(
                        i.op.stages().contains(stage.into()) || (self.shader.info.visible && interface),
                        Rule::StageOperation,
                        id,
                        format_args!("not legal in a {stage} shader"),
                    );
                    // A block is an operand of the operations on blocks only.
                    if form != Form::Variables && forms.contains(Forms::VARIABLES) {
                        let blocks = i.srcs().iter().any(|&v| {
                            body.get(v).and_then(|d| d.as_deref()).is_some_and(|d| d.modes.intersects(BLOCKS))
                        });
                        self.expect(
                            !blocks,
                            Rule::FormDeref,
                            id,
                            format_args!("blocks are not accessed so in the form {form}"),
                        );
                    }
                }
                InstrKind::Deref(d) if form != Form::Variables => {
                    let part = d.modes.intersects(BLOCKS)
                        && match d.kind {
                            DerefKind::Var(_) => false,
                            DerefKind::Array { .. } => {
                                let whole = self
                                    .type_of(d.ty)
                                    .map(|_| &self.shader.types[self.shader.types.without_arrays(d.ty)]);
                                !matches!(whole, Some(Type::Struct(s)) if s.block)
                            }
                            _ => true,
                        };
                    let ok = !d.modes.intersects(LOWERED) && !part;
                    self.expect(
                        ok,
                        Rule::FormDeref,
                        id,
                        format_args!("no derefs of this memory in the form {form}"),
                    );
                }
                _ => {}
            }
        }
    }
}
