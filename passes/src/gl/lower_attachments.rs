//! Adapts the outputs of a fragment shader to the attachments that are bound.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. In OpenGL an output without attachment is
//! dropped, and the values in an attachment of another kind are undefined; Metal rejects the pipeline in both cases. Stores
//! to the attachments in the mask `missing` are removed; those to attachments in the masks `float`, `int` and `uint` get that type
//! with the same bits. `depth` and `stencil` are false without such an attachment: the stores to `gl_FragDepth` and to the
//! stencil reference are removed. `dual_source` is false if blending does not read the second source: its stores
//! are removed. Run it after [`lower_frag_color`](crate::gl::lower_frag_color); `gl_FragColor` is attachment 0. Reads of a
//! missing attachment (framebuffer fetch) are zero.
//!
//! Source: `enable_frag_output_mask` and `enable_frag_depth_builtin` of SPIRV-Cross, and the pixel shader options of DXMT.
//!
//! ```foil-example (missing=1,uint=2,depth=false)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 a location=0
//!   out vec4 b location=1
//!   out float depth location=depth
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 1.0, 0.0, 0.0, 1.0
//!     32x1 %2 = const 0.5
//!     store_output %1, %0 io=0 mask=xyzw src_type=float32
//!     store_output %1, %0 io=1 mask=xyzw src_type=float32
//!     store_output %2, %0 io=depth mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out uvec4 b location=1
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 1.0, 0.0, 0.0, 1.0
//!     32x1 %2 = const 0.5
//!     store_output %1, %0 io=1 mask=xyzw src_type=uint32
//!   }
//! }
//! ```

use crate::util::rewrite::{Edit, edit_each};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Body, Diagnostic, Form, Index, Instr, InstrKind, Intrinsic, IntrinsicOp, Modes, Scalar, Shader, Slot,
    Stage, Type, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerAttachments {
        /// Mask of the color attachments that are missing.
        missing: u32 = 0,
        /// Mask of those that hold floats or normalised values.
        float: u32 = 0,
        /// Mask of those that hold signed integers.
        int: u32 = 0,
        /// Mask of those that hold unsigned integers.
        uint: u32 = 0,
        /// There is a depth attachment.
        depth: bool = true,
        /// There is a stencil attachment.
        stencil: bool = true,
        /// Blending reads the second source.
        dual_source: bool = true,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_attachments",
    "adapts the outputs of a fragment shader to the attachments",
    include_str!("lower_attachments.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerAttachments as crate::PassOptions>::OPTIONS)
.results(Results::All);

/// The fate of an output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Goes,
    Becomes(Scalar),
}

impl Pass for LowerAttachments {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let mut changes = Changes::NONE;
        for function in shader.functions.values_mut() {
            let edited = edit_each(&mut function.body, |body, instr| self.edit(body, instr));
            changes |= Changes::INSTRUCTIONS.when(edited);
        }
        let outputs: Vec<_> =
            shader.vars.iter().filter(|(_, v)| v.mode == Modes::OUT).map(|(id, _)| id).collect();
        for id in outputs {
            let fates = self.fates(shader, &shader.vars[id]);
            if fates.iter().all(|&f| f == Fate::Goes) {
                shader.vars.remove(id);
                changes |= Changes::VARIABLES;
            } else if let [Fate::Becomes(scalar)] = fates[..]
                && let Type::Vector { scalar: old, comps } = shader.types[shader.vars[id].ty]
                && old != scalar
                && old.bits() == scalar.bits()
            {
                shader.vars[id].ty = shader.types.vector(scalar, comps);
                changes |= Changes::VARIABLES;
            }
        }
        Ok(changes)
    }
}

impl LowerAttachments {
    fn fate(&self, slot: Slot, source: u8) -> Fate {
        let attachment = match slot {
            Slot::DEPTH if !self.depth => return Fate::Goes,
            Slot::STENCIL if !self.stencil => return Fate::Goes,
            Slot::FRAG_COLOR => 0,
            slot => match slot.as_generic() {
                Some(n) if n < u32::BITS => n,
                _ => return Fate::Stays,
            },
        };
        let is_in = |mask: u32| mask >> attachment & 1 != 0;
        match () {
            () if is_in(self.missing) || (source != 0 && !self.dual_source) => Fate::Goes,
            () if is_in(self.float) => Fate::Becomes(Scalar::Float32),
            () if is_in(self.int) => Fate::Becomes(Scalar::Int32),
            () if is_in(self.uint) => Fate::Becomes(Scalar::Uint32),
            () => Fate::Stays,
        }
    }

    /// The fates of the slots of a variable.
    fn fates(&self, shader: &Shader, v: &Variable) -> Vec<Fate> {
        let Some(first) = v.location else { return vec![Fate::Stays] };
        let slots = (0..shader.types.num_slots(v.ty)).filter_map(|n| first.offset(n));
        slots.map(|slot| self.fate(slot, v.index)).collect()
    }

    fn edit(&self, body: &Body, instr: &Instr) -> Edit {
        let Some(i) = instr.as_intrinsic() else { return Edit::Keep };
        let index = match i.op {
            IntrinsicOp::store_output => Index::SrcType,
            IntrinsicOp::load_output => Index::DestType,
            _ => return Edit::Keep,
        };
        let is_store = i.op == IntrinsicOp::store_output;
        let Some(slot) = crate::util::outputs::written_slot(body, i) else { return Edit::Keep };
        let old = if is_store { i.src_type() } else { i.dest_type() };
        match self.fate(slot, i.io().dual_source) {
            Fate::Goes if is_store => Edit::Remove,
            Fate::Goes => Edit::To(InstrKind::Const(Default::default())),
            Fate::Becomes(scalar) if old != scalar && old.bits() == scalar.bits() => {
                let typed: Intrinsic = i.with(index, scalar);
                Edit::To(InstrKind::Intrinsic(typed))
            }
            _ => Edit::Keep,
        }
    }
}
