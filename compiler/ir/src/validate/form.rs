//! What the form of a shader forbids: one way of doing input and output at a time.

use super::{FunctionChecker, Rule};
use crate::enums::{Form, Modes};
use crate::instr::{DerefKind, InstrKind};
use crate::intrinsic::IntrinsicOp;
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

/// Operations on slots and byte offsets, which do not mix with derefs of the same memory.
fn is_lowered(op: IntrinsicOp) -> bool {
    use IntrinsicOp as Op;
    matches!(
        op,
        Op::load_input
            | Op::load_per_vertex_input
            | Op::load_interpolated_input
            | Op::load_output
            | Op::load_per_vertex_output
            | Op::store_output
            | Op::store_per_vertex_output
            | Op::load_barycentric_pixel
            | Op::load_barycentric_centroid
            | Op::load_barycentric_sample
            | Op::load_barycentric_at_sample
            | Op::load_barycentric_at_offset
            | Op::load_ubo
            | Op::load_ssbo
            | Op::store_ssbo
            | Op::ssbo_atomic
            | Op::ssbo_atomic_swap
            | Op::get_ssbo_size
            | Op::load_push_constant
            | Op::load_uniform
            | Op::load_shared
            | Op::store_shared
            | Op::shared_atomic
            | Op::shared_atomic_swap
            | Op::load_global
            | Op::store_global
            | Op::global_atomic
            | Op::global_atomic_swap
    )
}

impl FunctionChecker<'_> {
    pub(super) fn check_form(&mut self) {
        let body = self.body;
        let form = self.shader.form;
        for id in body.all_instrs() {
            match &body[id].kind {
                InstrKind::Intrinsic(i) => {
                    let ok = match i.op {
                        IntrinsicOp::convert_air => form == Form::Target,
                        IntrinsicOp::deref_buffer_array_length => form == Form::Variables,
                        op => form != Form::Variables || !is_lowered(op),
                    };
                    self.expect(ok, Rule::FormOperation, id, format_args!("not in the form {form}"));
                    // A block is an operand of the operations on blocks only.
                    if form != Form::Variables && !is_lowered(i.op) {
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
