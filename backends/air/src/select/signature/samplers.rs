//! Constant samplers: samplers whose state is known when the shader is compiled, such as Vulkan's immutable samplers.
//!
//! A state is a 64-bit word, and in newer modules a second one. How the module holds it depends on the target
//! ([`SamplerEncoding`]): as an integer that is cast to a pointer, or in a variable that `!air.sampler_states` lists.

use super::SignatureBuilder;
use super::pieces::SamplerSource;
use crate::module::{CastOp, GlobalVar, Module, TypeId, Value};
use crate::select::errors::TARGET;
use crate::select::plan::usage::Use;
use crate::select::reflection::ConstantSampler;
use crate::select::sampler_state::{Lod, SamplerState};
use crate::select::types::CONSTANT;
use crate::target::SamplerEncoding;
use airfoil_ir::Diagnostic;

/// The constant of a sampler, and the variable that the metadata lists.
fn constant(
    m: &mut Module,
    state: &SamplerState,
    encoding: SamplerEncoding,
    number: usize,
) -> (Value, Option<Value>) {
    let handle = m.opaque("struct._sampler_t");
    let ty = m.pointer(handle, CONSTANT);
    let [first, second] = state.words(encoding);
    let value = match encoding {
        SamplerEncoding::IntToPtr => {
            let word = m.i64(first as i64);
            return (m.const_cast(CastOp::IntToPtr, word, ty), None);
        }
        SamplerEncoding::Word => m.i64(first as i64),
        SamplerEncoding::WordPair => {
            let pair = m.array(TypeId::I64, 2);
            m.data(pair, &[first, second])
        }
    };
    let name = match number {
        0 => "__air_sampler_state".to_owned(),
        n => format!("__air_sampler_state.{n}"),
    };
    let (name, content) = (m.str(&name), m.module_type(value));
    let global = m.add_global(GlobalVar {
        constant: true,
        align: 8,
        ..GlobalVar::new(name, content, CONSTANT, value)
    });
    (m.const_cast(CastOp::BitCast, global, ty), Some(global))
}

impl SignatureBuilder<'_> {
    /// Makes the constant samplers that the function uses.
    pub(crate) fn constant_samplers(&mut self) {
        let encoding = self.options.target.sampler_encoding();
        let mut made: Vec<(SamplerState, Value)> = Vec::new();
        let mut list: Vec<ConstantSampler> = Vec::new();
        for (id, v) in &self.shader.vars {
            let Some(state) = self.options.bindings.constant_sampler(v) else { continue };
            if !self.usage.uses(id).contains(Use::SAMPLER) {
                continue;
            }
            if state.lod_bias != Lod(0) && encoding != SamplerEncoding::WordPair {
                let message = "a constant sampler with a bias of levels needs macOS 26";
                self.errors.push(Diagnostic::error(TARGET, message));
            }
            let value = match made.iter().find(|(s, _)| s == state) {
                Some(&(_, value)) => value,
                None => {
                    let number = self.out.sampler_states.len();
                    let (value, listed) = constant(self.m, state, encoding, number);
                    self.out.sampler_states.extend(listed);
                    made.push((*state, value));
                    value
                }
            };
            self.out.samplers.insert(id, SamplerSource::Constant(value));
            let name = self.name(&v.name, "sampler", list.len() as u32);
            list.push(ConstantSampler { set: v.set, binding: v.binding, name, state: *state });
        }
        list.sort_by_key(|s| (s.set, s.binding));
        self.out.reflection.constant_samplers = list;
    }
}
