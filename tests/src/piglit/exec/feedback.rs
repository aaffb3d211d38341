//! Transform feedback: draws whose vertices are captured in buffers.

use super::{Stop, World, fail};
use crate::gl::types::{Number, Shape, shape};
use airfoil_interp::pipeline::Drawn;

impl World<'_> {
    /// Writes the captured vertices of a draw, one after the other from the start of the buffers.
    pub(super) fn capture(&mut self, drawn: &Drawn) -> Result<(), Stop> {
        let feedback = &self.linked.reflection.transform_feedback;
        for varying in &feedback.varyings {
            let Some(shape) = shape(varying.ty) else {
                return fail(format!("`{}` is captured as a whole", varying.name));
            };
            if shape.bits != 32 {
                return Err(Stop::Skip("captured values of 64 bits".into()));
            }
            let buffer = feedback.buffers.iter().find(|b| b.buffer == varying.buffer);
            let (Some(stride), Some(bytes)) =
                (buffer.map(|b| b.stride as usize), self.feedback.get_mut(&varying.buffer))
            else {
                return fail(format!("unknown feedback buffer {}", varying.buffer));
            };
            for (n, vertex) in drawn.captured.iter().enumerate() {
                let mut at = n * stride + varying.offset as usize;
                for column in 0..varying.size.max(1) * shape.columns {
                    for c in 0..shape.rows {
                        let (slot, component) = match varying.packed {
                            true => ((varying.component + column) / 4, (varying.component + column) % 4),
                            false => (column, varying.component + c),
                        };
                        let slot = varying.slot.and_then(|s| s.offset(slot));
                        let word = slot.and_then(|s| vertex.get(s, component));
                        // Values that do not fit are not written.
                        if let Some(to) = bytes.get_mut(at..at + 4) {
                            to.copy_from_slice(&word.unwrap_or(0).to_le_bytes());
                        }
                        at += 4;
                    }
                }
            }
        }
        self.primitives = drawn.primitives;
        Ok(())
    }

    pub(super) fn probe_feedback(
        &self,
        shape: Shape,
        buffer: u32,
        number: usize,
        want: u64,
    ) -> Result<(), Stop> {
        let width = shape.bits as usize / 8;
        let at = number.saturating_mul(width);
        let bytes = self.feedback.get(&buffer).and_then(|b| b.get(at..at.saturating_add(width)));
        let Some(bytes) = bytes else {
            return fail(format!("feedback buffer {buffer} has no value {number}"));
        };
        let mut raw = [0; 8];
        raw[..width].copy_from_slice(bytes);
        let got = u64::from_le_bytes(raw);
        let float = |x: u64| match shape.bits {
            64 => f64::from_bits(x),
            _ => f64::from(f32::from_bits(x as u32)),
        };
        let good = match shape.number {
            Number::Float => (float(got) - float(want)).abs() <= self.tolerance[0],
            _ => got == want,
        };
        match (good, shape.number) {
            (true, _) => Ok(()),
            (_, Number::Float) => {
                fail(format!("value {number} of buffer {buffer} is {}, not {}", float(got), float(want)))
            }
            _ => fail(format!("value {number} of buffer {buffer} is {got}, not {want}")),
        }
    }
}
