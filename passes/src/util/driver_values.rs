//! Driver-supplied uniform blocks: per-draw values that Metal lacks. They are in the descriptor set of the
//! buffers between stages, which applications do not use. The reflection lists those that a function reads.
//!
//! | binding | block | members | by the pass |
//! |---|---|---|---|
//! | 16 | `xfb_draw` | `vertices`, `first`, `end` | [`lower_xfb`](crate::gl::lower_xfb) |
//! | 17 | `draw` | `draw_id`, `base_vertex` | [`lower_draw_parameters`](crate::gl::lower_draw_parameters) |
//! | 18 | `window` | `height` | [`lower_window_origin`](crate::gl::lower_window_origin) |

use crate::stages::stage_buffer::SET;
use airfoil_ir::{
    Align, Builder, DerefKind, Index, InstrId, Intrinsic, IntrinsicOp, Member, Modes, Scalar, Shader,
    StructType, Ty, Type, TypeId, VarId, Variable,
};

/// A block of words.
#[derive(Debug)]
pub struct DriverBlock {
    /// Name of the block and of its variable.
    pub name: &'static str,
    /// Binding in [`SET`].
    pub binding: u32,
    /// The words in order.
    pub members: &'static [(&'static str, Scalar)],
}

/// Parameters of transform feedback.
pub static XFB_DRAW: DriverBlock = DriverBlock {
    name: "xfb_draw",
    binding: 16,
    members: &[("vertices", Scalar::Uint32), ("first", Scalar::Uint32), ("end", Scalar::Uint32)],
};

/// Parameters of a draw.
pub static DRAW: DriverBlock = DriverBlock {
    name: "draw",
    binding: 17,
    members: &[("draw_id", Scalar::Uint32), ("base_vertex", Scalar::Uint32)],
};

/// The framebuffer.
pub static WINDOW: DriverBlock =
    DriverBlock { name: "window", binding: 18, members: &[("height", Scalar::Float32)] };

impl DriverBlock {
    /// The block's variable, if a shader has it.
    pub fn find(&self, shader: &Shader) -> Option<(VarId, TypeId)> {
        let is_it =
            |v: &Variable| v.mode == Modes::UBO && (v.set, v.binding) == (Some(SET), Some(self.binding));
        shader.vars.iter().find(|(_, v)| is_it(v)).map(|(id, v)| (id, v.ty))
    }

    /// The block's variable, declared if it is missing.
    pub fn declare(&self, shader: &mut Shader) -> (VarId, TypeId) {
        if let Some(found) = self.find(shader) {
            return found;
        }
        let mut members = Vec::with_capacity(self.members.len());
        for (n, &(name, scalar)) in (0..).zip(self.members) {
            let ty = shader.types.vector(scalar, 1);
            members.push(Member { offset: Some(n * 4), ..Member::new(name, ty) });
        }
        let ty = StructType { name: self.name.into(), members: members.into(), block: true };
        let ty = shader.types.intern(Type::Struct(ty));
        let mut var = Variable::new(self.name, ty, Modes::UBO);
        (var.set, var.binding) = (Some(SET), Some(self.binding));
        (shader.add_var(var), ty)
    }
}

/// Loads words of a block.
pub fn load<const N: usize>(
    b: &mut Builder<'_>,
    (var, ty): (VarId, TypeId),
    words: [u32; N],
) -> [InstrId; N] {
    let block = b.deref(DerefKind::Var(var), ty, Modes::UBO);
    words.map(|word| {
        let offset = b.imm_u32(word * 4);
        let load = Intrinsic::new(IntrinsicOp::load_ubo, &[block, offset]).with(Index::Align, Align::new(4));
        b.insert_intrinsic(load, Ty::B32)
    })
}
