//! System values: built-in arguments of the function, and values computed from them.

use super::FunctionEmitter;
use crate::functions::Air;
use crate::module::{TypeId, Value};
use crate::select::errors;
use crate::select::plan::builtin_args::{BuiltinArg, Elem};
use crate::select::types::Class;
use airfoil_ir::{Diagnostic, InstrId, Primitive, SystemValue};

impl FunctionEmitter<'_> {
    pub(crate) fn builtin_arg_value(&mut self, builtin: BuiltinArg) -> Option<Value> {
        self.sig.builtin_args[builtin as usize].map(|argument| self.b.arg(argument))
    }

    pub(crate) fn system_value(&mut self, id: InstrId, sv: SystemValue) {
        use SystemValue as S;
        if let (S::workgroup_size, Some(size)) = (sv, self.shader.info.fixed_workgroup_size()) {
            let value = self.constant(&size.map(u64::from), 32, Class::Int);
            return self.set(id, value, Class::Int);
        }
        match sv {
            S::device_index => {
                let zero = self.b.module.i32(0);
                return self.set(id, zero, Class::Int);
            }
            S::helper_invocation => {
                let value = self.is_helper();
                return self.set(id, value, Class::Int);
            }
            _ => {}
        }
        let arguments = BuiltinArg::of(sv);
        if arguments.is_empty() {
            let message = format!("Metal has no value for `{}`", sv.name());
            self.errors.push(
                Diagnostic::error(errors::OPERATION, message)
                    .at(errors::place(self.shader, self.loc))
                    .help("pass it in a buffer, by the pass that lowers system values"),
            );
            return self.set_undef(id);
        }
        let stages = arguments[0].0.info().stages;
        if !stages.contains(&self.shader.stage) {
            let message = format!("`{}` does not exist in {} functions", sv.name(), self.shader.stage);
            return self.error_value(id, errors::OPERATION, message);
        }
        let Some(first) = self.builtin_arg_value(arguments[0].0) else { return self.set_undef(id) };
        let value = match sv {
            S::vertex_id_zero_base | S::instance_id => {
                // Metal's indices include the base.
                let base = arguments.get(1).and_then(|r| self.builtin_arg_value(r.0));
                match base {
                    Some(base) => self.b.sub(first, base),
                    None => first,
                }
            }
            S::sample_pos => self.sample_position(first),
            // Metal has two coordinates in quads (the third is zero) and three in triangles.
            S::tess_coord if self.shader.info.input_primitive == Primitive::Quads => {
                let pair = self.value_type(Class::Float, 32, 2);
                let zero = self.b.module.null(pair);
                self.shuffle(first, zero, &[0, 1, 2])
            }
            S::subgroup_eq_mask
            | S::subgroup_ge_mask
            | S::subgroup_gt_mask
            | S::subgroup_le_mask
            | S::subgroup_lt_mask => self.lane_mask(sv, first),
            _ => first,
        };
        let class = match arguments[0].0.info().elem {
            Elem::Float => Class::Float,
            _ if sv == S::sample_pos => Class::Float,
            _ => Class::Int,
        };
        self.set(id, value, class);
    }

    pub(crate) fn sample_position(&mut self, sample: Value) -> Value {
        let ret = self.value_type(Class::Float, 32, 2);
        let zero = self.b.module.i32(0);
        self.air(Air::get_sample_position, ret, &[sample, zero])
    }

    /// Masks of lanes relative to the own one, from its number.
    fn lane_mask(&mut self, sv: SystemValue, lane: Value) -> Value {
        use SystemValue as S;
        let lane = self.zext(lane, TypeId::I64);
        let one = self.b.module.i64(1);
        let ones = self.b.module.i64(-1);
        let own = self.b.shl(one, lane);
        let below = self.b.sub(own, one);
        let mask = match sv {
            S::subgroup_eq_mask => own,
            S::subgroup_lt_mask => below,
            S::subgroup_le_mask => self.b.or(below, own),
            S::subgroup_ge_mask => self.b.xor(below, ones),
            _ => {
                let up_to = self.b.or(below, own);
                self.b.xor(up_to, ones)
            }
        };
        self.mask_words(mask)
    }

    /// A 64-bit mask as four words.
    pub(crate) fn mask_words(&mut self, mask: Value) -> Value {
        let pair = self.value_type(Class::Int, 32, 2);
        let words = self.bitcast(mask, pair);
        let zero = self.b.module.null(pair);
        self.shuffle(words, zero, &[0, 1, 2, 3])
    }

    pub(crate) fn is_helper(&mut self) -> Value {
        self.air(Air::simd_is_helper_thread, TypeId::I1, &[])
    }
}
