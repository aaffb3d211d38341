//! Results of texture lookups.

use super::Builder;
use crate::enums::DepthMode;
use crate::ids::InstrId;
use crate::intrinsic::IntrinsicOp;
use crate::value::Ty;

impl Builder<'_> {
    /// The four components of a lookup that compares depths, from the result of the comparison; `texture` is the deref of the
    /// texture, whose mode matters for [`DepthMode::State`].
    pub fn depth_vector(&mut self, r: InstrId, texture: InstrId, mode: DepthMode) -> InstrId {
        let lanes = match mode {
            DepthMode::Luminance => [r, r, r, self.imm_f32(1.0)],
            DepthMode::Intensity => [r; 4],
            DepthMode::Alpha => {
                let zero = self.imm_f32(0.0);
                [zero, zero, zero, r]
            }
            DepthMode::Red => {
                let zero = self.imm_f32(0.0);
                [r, zero, zero, self.imm_f32(1.0)]
            }
            DepthMode::State => {
                return self.intrinsic(IntrinsicOp::depth_texture_mode, Ty::new(4, 32), &[r, texture]);
            }
        };
        self.vec(&lanes)
    }
}
