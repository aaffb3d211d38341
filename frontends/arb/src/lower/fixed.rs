//! Parts of the fixed functions that options add to a program.

use super::Lowerer;
use crate::option::Fog;
use airfoil_ir::{AluFlags, InstrId, Ty};

impl Lowerer<'_> {
    /// The position of `ARB_position_invariant`: the same exact operations as `ftransform` of GLSL.
    pub(super) fn position(&mut self) {
        let (Some(position), Some(attribute)) = (self.vars.position, self.unit.fixed.attribute) else {
            return;
        };
        let columns: Vec<InstrId> =
            self.unit.fixed.params.iter().map(|&param| self.parameter(param)).collect();
        let vertex = self.attribute(attribute);
        self.b.flags = AluFlags::EXACT;
        if let Some(product) = self.b.matrix_times_vector(&columns, vertex) {
            self.b.store_deref(position, product);
        }
        self.b.flags = AluFlags::empty();
    }

    /// The fog of the options `ARB_fog_*`: the clamped output color is blended with the color of the fog, but for its alpha
    /// (OpenGL 1.3 section 3.10).
    pub(super) fn fog(&mut self) {
        let Some(mode) = self.unit.options.fog else { return };
        let color =
            self.unit.results.iter().position(|r| r.row == crate::result::FRAGMENT_COLOR && r.index == 0);
        let color = color.and_then(|n| self.vars.results[n]);
        let (Some(output), Some(color), Some(coordinate)) =
            (self.vars.fogged, color, self.unit.fixed.attribute)
        else {
            return;
        };
        let &[parameters, fog_color] = &self.unit.fixed.params[..] else { return };
        let (parameters, fog_color) = (self.parameter(parameters), self.parameter(fog_color));
        let coordinate = self.attribute(coordinate);
        let coordinate = self.b.channel(coordinate, 0);
        let factor = self.fog_factor(mode, coordinate, parameters);
        let color = self.b.load_deref(color, Ty::new(4, 32));
        let color = self.b.fsat(color);
        let one = self.b.imm_f32(1.0);
        let rest = self.b.fsub(one, factor);
        let (own, fog) = (self.b.fmul(color, factor), self.b.fmul(fog_color, rest));
        let blended = self.b.fadd(own, fog);
        let alpha = self.b.channel(color, 3);
        let blended = self.b.vector_insert(blended, alpha, 3);
        self.b.store_deref(output, blended);
    }

    /// The part of the color that is not fog.
    fn fog_factor(&mut self, mode: Fog, coordinate: InstrId, parameters: InstrId) -> InstrId {
        let factor = match mode {
            Fog::Linear => {
                let (end, scale) = (self.b.channel(parameters, 2), self.b.channel(parameters, 3));
                let rest = self.b.fsub(end, coordinate);
                self.b.fmul(rest, scale)
            }
            Fog::Exp | Fog::Exp2 => {
                let density = self.b.channel(parameters, 0);
                let mut exponent = self.b.fmul(density, coordinate);
                if mode == Fog::Exp2 {
                    exponent = self.b.fmul(exponent, exponent);
                }
                let base = self.b.imm_f32(-std::f32::consts::LOG2_E);
                let exponent = self.b.fmul(exponent, base);
                self.b.fexp2(exponent)
            }
        };
        self.b.fsat(factor)
    }
}
