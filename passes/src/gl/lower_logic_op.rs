//! Combines colors with those of the attachments by a logic operation.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. Metal lacks `glLogicOp`; its fragment
//! functions can read the color of the attachment (framebuffer fetch). Each color that is stored becomes `op` of it and
//! the stored value of the attachment. Integers are combined as they are. Attachments in the mask `unorm8` hold normalised
//! values of 8 bits: both sides are converted to integers of 8 bits and back. Logic operations have no effect on
//! other attachments (OpenGL 4.6 section 17.3), and they replace blending, which a driver disables. Run it after
//! [`lower_frag_color`](crate::gl::lower_frag_color) and before [`lower_attachments`](crate::gl::lower_attachments);
//! `gl_FragColor` is attachment 0.
//!
//! Source: NIR's `nir_lower_blend`.
//!
//! ```foil-example (op=xor)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out uint color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_input %0 io=0 dest_type=uint32
//!     store_output %1, %0 io=0 mask=x src_type=uint32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out uint color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_input %0 io=0 dest_type=uint32
//!     32x1 %2 = const 0
//!     32x1 %3 = load_output %2 io=0 dest_type=uint32
//!     32x1 %4 = ixor %1, %3
//!     store_output %4, %0 io=0 mask=x src_type=uint32
//!   }
//! }
//! ```

use crate::pass::OptionValue;
use crate::util::colors::{ColorStore, color_stores};
use crate::util::outputs::{set_stored, slot_store, written_slot};
use crate::{Changes, Context, Pass, PassInfo, Results, each_body, pass_options};
use airfoil_ir::{
    AluOp, Body, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Scalar,
    Shader, Stage,
};

/// Declares the operations.
macro_rules! logic_ops {
    ($( $(#[doc = $doc:literal])+ $name:ident = $text:literal; )+) => {
        /// A logic operation of OpenGL on a source and a destination.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum LogicOp {
            /// `GL_COPY`: the source.
            #[default]
            Copy,
            $( $(#[doc = $doc])+ $name, )+
        }

        impl LogicOp {
            /// All operations with their names.
            pub const NAMES: &[(LogicOp, &'static str)] =
                &[(LogicOp::Copy, "copy"), $( (LogicOp::$name, $text), )+];
        }
    };
}

logic_ops! {
    /// `GL_CLEAR`: 0.
    Clear = "clear";
    /// `GL_AND`: s and d.
    And = "and";
    /// `GL_AND_REVERSE`: s and not d.
    AndReverse = "and_reverse";
    /// `GL_AND_INVERTED`: not s and d.
    AndInverted = "and_inverted";
    /// `GL_NOOP`: d.
    Noop = "noop";
    /// `GL_XOR`: s xor d.
    Xor = "xor";
    /// `GL_OR`: s or d.
    Or = "or";
    /// `GL_NOR`: not (s or d).
    Nor = "nor";
    /// `GL_EQUIV`: not (s xor d).
    Equiv = "equiv";
    /// `GL_INVERT`: not d.
    Invert = "invert";
    /// `GL_OR_REVERSE`: s or not d.
    OrReverse = "or_reverse";
    /// `GL_COPY_INVERTED`: not s.
    CopyInverted = "copy_inverted";
    /// `GL_OR_INVERTED`: not s or d.
    OrInverted = "or_inverted";
    /// `GL_NAND`: not (s and d).
    Nand = "nand";
    /// `GL_SET`: all ones.
    Set = "set";
}

impl OptionValue for LogicOp {
    fn parse(text: &str) -> Result<LogicOp, String> {
        let found = LogicOp::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|f| f.0).ok_or_else(|| {
            let names: Vec<&str> = LogicOp::NAMES.iter().map(|f| f.1).collect();
            format!("expected one of {}, found `{text}`", names.join(", "))
        })
    }

    fn text(&self) -> String {
        LogicOp::NAMES.iter().find(|f| f.0 == *self).map_or("copy", |f| f.1).into()
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerLogicOp {
        /// The operation.
        op: LogicOp = LogicOp::Copy,
        /// Mask of the attachments that hold unsigned normalised values of 8 bits.
        unorm8: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_logic_op",
    "combines colors with those of the attachments by a logic operation",
    include_str!("lower_logic_op.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerLogicOp as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerLogicOp {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment || self.op == LogicOp::Copy {
            return Ok(Changes::NONE);
        }
        Ok(each_body(shader, |body| {
            let mut changes = Changes::NONE;
            for store in color_stores(body) {
                changes |= self.combine(body, store);
            }
            changes
        }))
    }
}

impl LowerLogicOp {
    fn combine(&self, body: &mut Body, color: ColorStore) -> Changes {
        let Some(store) = slot_store(body, color.id).copied() else { return Changes::NONE };
        let Some(location) = written_slot(body, &store) else { return Changes::NONE };
        let (value, scalar) = (store.src(0), store.src_type());
        let is_unorm8 = self.unorm8.checked_shr(color.attachment.unwrap_or(0)).unwrap_or(0) & 1 != 0;
        let is_integer = matches!(scalar, Scalar::Int32 | Scalar::Uint32);
        if color.source != 0 || body[value].ty.bits != 32 || !(is_integer || is_unorm8) {
            return Changes::NONE;
        }
        let mut b = Builder::before(body, color.id);
        let ty = b.ty(value);
        let first = b.imm_u32(0);
        let stored = Intrinsic::new(IntrinsicOp::load_output, &[first])
            .with(Index::Io, IoSemantics { location, num_slots: 1, ..store.io() })
            .with(Index::Component, store.component())
            .with(Index::DestType, scalar);
        let stored = b.insert_intrinsic(stored, ty);
        let result = if is_integer {
            self.apply(&mut b, value, stored)
        } else {
            let (source, destination) = (bytes(&mut b, value), bytes(&mut b, stored));
            let result = self.apply(&mut b, source, destination);
            let most = b.imm_u32(255);
            let result = b.iand(result, most);
            let result = b.convert(AluOp::u2f, result, 32);
            let most = b.imm_f32(255.0);
            b.fdiv(result, most)
        };
        set_stored(body, color.id, result);
        Changes::INSTRUCTIONS | Changes::AGAIN
    }

    fn apply(&self, b: &mut Builder<'_>, s: InstrId, d: InstrId) -> InstrId {
        match self.op {
            LogicOp::Copy => s,
            LogicOp::Clear => b.ixor(s, s),
            LogicOp::And => b.iand(s, d),
            LogicOp::AndReverse => {
                let d = b.inot(d);
                b.iand(s, d)
            }
            LogicOp::AndInverted => {
                let s = b.inot(s);
                b.iand(s, d)
            }
            LogicOp::Noop => d,
            LogicOp::Xor => b.ixor(s, d),
            LogicOp::Or => b.ior(s, d),
            LogicOp::Nor => {
                let or = b.ior(s, d);
                b.inot(or)
            }
            LogicOp::Equiv => {
                let xor = b.ixor(s, d);
                b.inot(xor)
            }
            LogicOp::Invert => b.inot(d),
            LogicOp::OrReverse => {
                let d = b.inot(d);
                b.ior(s, d)
            }
            LogicOp::CopyInverted => b.inot(s),
            LogicOp::OrInverted => {
                let s = b.inot(s);
                b.ior(s, d)
            }
            LogicOp::Nand => {
                let and = b.iand(s, d);
                b.inot(and)
            }
            LogicOp::Set => {
                let zero = b.ixor(s, s);
                b.inot(zero)
            }
        }
    }
}

/// The integers of 8 bits of normalised values.
fn bytes(b: &mut Builder<'_>, value: InstrId) -> InstrId {
    let (value, most) = (b.fsat(value), b.imm_f32(255.0));
    let scaled = b.fmul(value, most);
    let rounded = b.fround_even(scaled);
    b.convert(AluOp::f2u, rounded, 32)
}
