//! Storage buffers and atomic counters: filled and probed.

use super::super::command::Command;
use super::{Stop, World, fail};
use crate::gl::types::{Number, Shape};
use airfoil_interp::texture::Compare;

impl World<'_> {
    pub(super) fn buffer(&mut self, command: &Command) -> Result<(), Stop> {
        let missing = |n: &u32| Stop::Fail(format!("unknown buffer {n}"));
        match command {
            Command::Ssbo(binding, size) => {
                let buffer = self.resources.add_buffer(vec![0; *size]);
                self.storage.insert(*binding, buffer);
            }
            Command::SsboData(binding, at, data) => {
                let buffer = *self.storage.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = &mut self.resources.buffers[buffer].bytes;
                match bytes.get_mut(*at..at.saturating_add(data.len())) {
                    Some(to) => to.copy_from_slice(data),
                    None => return fail("the data does not fit into the buffer"),
                }
            }
            Command::ProbeSsbo(shape, binding, at, compare, want) => {
                let buffer = *self.storage.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = &self.resources.buffers[buffer].bytes;
                let width = shape.bits as usize / 8;
                for (n, &want) in want.iter().enumerate() {
                    let from = at.saturating_add(n * width);
                    let Some(got) = bytes.get(from..from.saturating_add(width)) else {
                        return fail(format!("byte {from} is outside of the buffer"));
                    };
                    let mut raw = [0; 8];
                    raw[..width].copy_from_slice(got);
                    self.compare_numbers(*shape, *compare, u64::from_le_bytes(raw), want, from)?;
                }
            }
            Command::Counters(binding, count) => {
                let buffer = self.resources.add_buffer(vec![0; count * 4]);
                self.counters.insert(*binding, buffer);
            }
            Command::Counter(binding, index, value) => {
                let buffer = *self.counters.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = &mut self.resources.buffers[buffer].bytes;
                match bytes.chunks_exact_mut(4).nth(*index) {
                    Some(to) => to.copy_from_slice(&value.to_le_bytes()),
                    None => return fail(format!("unknown counter {index}")),
                }
            }
            Command::ProbeCounter(binding, index, compare, want) => {
                let buffer = *self.counters.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = self.resources.buffers[buffer].bytes.chunks_exact(4).nth(*index);
                let Some(got) = bytes.and_then(|b| b.try_into().ok()).map(u32::from_le_bytes) else {
                    return fail(format!("unknown counter {index}"));
                };
                if !compare.test(f64::from(got), f64::from(*want)) {
                    return fail(format!("counter {index} is {got}, not {compare:?} {want}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn compare_numbers(
        &self,
        shape: Shape,
        compare: Compare,
        got: u64,
        want: u64,
        at: usize,
    ) -> Result<(), Stop> {
        let value = |bits: u64| match (shape.number, shape.bits) {
            (Number::Float, 64) => f64::from_bits(bits),
            (Number::Float, _) => f64::from(f32::from_bits(bits as u32)),
            (Number::Int, 32) => f64::from(bits as u32 as i32),
            _ => bits as f64,
        };
        let good = match (shape.number, compare) {
            (Number::Float, Compare::Equal) => (value(got) - value(want)).abs() <= self.tolerance[0],
            (Number::Float, Compare::NotEqual) => (value(got) - value(want)).abs() > self.tolerance[0],
            (_, Compare::Equal) => got == want,
            (_, Compare::NotEqual) => got != want,
            _ => compare.test(value(got), value(want)),
        };
        if good {
            Ok(())
        } else {
            fail(format!("byte {at} is {}, not {compare:?} {}", value(got), value(want)))
        }
    }
}
