//! Texture lookups.

use super::Lowerer;
use crate::op::Op;
use crate::unit::Detail;
use airfoil_ir::{Dim, InstrId, Scalar, Tex, TexOp, TexSrc, Ty};

impl Lowerer<'_> {
    /// A lookup with four coordinates.
    pub(super) fn lookup(&mut self, op: Op, mut coordinates: InstrId, detail: Detail) -> Option<InstrId> {
        let Detail::Texture(unit, target) = detail else { return None };
        let texture = *self.vars.textures.get(&unit)?;
        let mut tex = Tex::new(TexOp::Tex, target.dim(), Scalar::Float32);
        tex.shadow = target.is_shadow();
        tex.set_src(TexSrc::Texture, texture);
        tex.set_src(TexSrc::Sampler, texture);
        if op == Op::Txb {
            tex.op = TexOp::Txb;
            tex.set_src(TexSrc::Bias, self.b.channel(coordinates, 3));
        }
        if op == Op::Txp {
            let divisor = self.b.channel(coordinates, 3);
            // GLSL has no projected lookups in cube maps, so that a projector is not defined for them.
            if tex.dim == Dim::Cube {
                coordinates = self.b.fdiv(coordinates, divisor);
            } else {
                tex.set_src(TexSrc::Projector, divisor);
            }
        }
        if tex.shadow {
            tex.set_src(TexSrc::Comparator, self.b.channel(coordinates, 2));
        }
        tex.set_src(TexSrc::Coord, self.b.resize(coordinates, target.dim().coord_comps()));
        if !tex.shadow {
            return Some(self.b.tex(tex, Ty::new(4, 32)));
        }
        let texture = tex.src(TexSrc::Texture)?;
        let value = self.b.tex(tex, Ty::new(1, 32));
        Some(self.b.depth_vector(value, texture, self.options.depth_mode))
    }
}
