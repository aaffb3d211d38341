//! Converts vertex attributes in formats that Metal cannot convert to floats.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. In OpenGL every format of
//! `glVertexAttribPointer` is read as floats; Metal converts halves and normalised integers of 8 and 16 bits only.
//! `formats` lists the others by location: the attribute becomes an integer input, for which Metal has a vertex format, and the
//! conversion is code (OpenGL 4.6 section 10.3):
//!
//! | kind | Metal's format | value |
//! |---|---|---|
//! | `int`, `uint` | `Char` to `Int4`, `UChar` to `UInt4` | the integer |
//! | `snorm32`, `unorm32` | `Int` to `Int4`, `UInt` to `UInt4` | max(c / (2^31 - 1), -1), c / (2^32 - 1) |
//! | `fixed` | `Int` to `Int4` | c / 65536 |
//! | `packed_int`, `packed_uint` | `UInt` | the fields of 10, 10, 10 and 2 bits from the low end, not normalised |
//! | `double` | `UInt2`, `UInt4` | the nearest float; `lower_doubles` has to follow |
//!
//! Two doubles fill an attribute of Metal: those of components z and w are at the location plus 16, for locations below 16.
//!
//! Components that the format lacks are 0, and 1 for w: each kind has the number of components.
//!
//! Source: the vertex conversions of ANGLE's Metal backend and `kk_nir_lower_vbo` of Mesa's KosmicKrisp.
//!
//! ```foil-example (formats=0.fixed.2)
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in vec3 a location=0
//!   out vec3 v location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x3 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=0 mask=xyz src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in ivec4 a location=0
//!   out vec3 v location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=int32
//!     32x4 %2 = i2f %1
//!     32x1 %3 = const 0.0000152587890625
//!     32x4 %4 = fmul %2, %3.xxxx
//!     32x1 %5 = const 0
//!     32x3 %6 = vec3 %4.x, %4.y, %5
//!     store_output %6, %0 io=0 mask=xyz src_type=float32
//!   }
//! }
//! ```

use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::util::vertex_formats::{FormatKind, VertexFormat, VertexFormats, with_defaults};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Modes, Scalar, Shader,
    Src, Stage, Ty, Type, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerVertexFormats {
        /// The formats as `location.kind.components`, separated by `|`.
        formats: VertexFormats = VertexFormats::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_vertex_formats",
    "converts vertex attributes in formats that Metal cannot convert to floats",
    include_str!("lower_vertex_formats.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerVertexFormats as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerVertexFormats {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Vertex || self.formats.0.is_empty() {
            return Ok(Changes::NONE);
        }
        let is_double = |f: &&(u32, VertexFormat)| f.1.kind == FormatKind::Double && f.0 >= UPPER;
        if let Some((location, _)) = self.formats.0.iter().find(is_double) {
            let message =
                format!("`double` is not supported at location {location}: expected one below {UPPER}");
            return Err(Diagnostic::error("E0803", message));
        }
        let changes = replace_intrinsics(
            shader,
            |_, ty, i| {
                i.op == IntrinsicOp::load_input
                    && ty.bits == 32
                    && is_float(i.dest_type())
                    && self.format(i).is_some()
            },
            |b, id, i| match self.format(&i) {
                Some(format) => {
                    let ty = b.ty(id);
                    Replacement::Value(read(b, &i, ty, format))
                }
                None => Replacement::Keep,
            },
        );
        if !changes.is_progress() {
            return Ok(changes);
        }
        self.retype(shader);
        Ok(changes | Changes::VARIABLES)
    }
}

/// Locations from an attribute of doubles to its components z and w.
const UPPER: u32 = 16;

fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Float32 | Scalar::Any)
}

impl LowerVertexFormats {
    fn at(&self, location: u32) -> Option<VertexFormat> {
        let format = self.formats.at(location)?;
        let kind = format.kind.in_descriptor();
        (kind != FormatKind::Native).then_some(VertexFormat { kind, ..format })
    }

    /// The format of the attribute that an instruction reads.
    fn format(&self, i: &Intrinsic) -> Option<VertexFormat> {
        let io = i.io();
        self.at(io.location.as_generic()?).filter(|_| io.num_slots == 1)
    }

    /// Declares the attributes as integers.
    fn retype(&self, shader: &mut Shader) {
        let of = |v: &Variable| {
            let location = v.location.filter(|_| v.mode == Modes::IN)?;
            self.at(location.as_generic()?)
        };
        let found: Vec<_> = shader.vars.iter().filter_map(|(id, v)| Some((id, of(v)?))).collect();
        for (id, format) in found {
            let comps = if format.kind.is_packed() { 1 } else { 4 };
            if matches!(shader.types[shader.vars[id].ty], Type::Vector { scalar: Scalar::Float32, .. }) {
                shader.vars[id].ty = shader.types.vector(format.kind.scalar(), comps);
                shader.vars[id].component = 0;
                if format.kind == FormatKind::Double && format.count() > 2 {
                    let var = shader.vars[id].clone();
                    let location = var.location.and_then(|slot| slot.offset(UPPER));
                    shader.add_var(Variable { name: format!("{}.zw", var.name).into(), location, ..var });
                }
            }
        }
    }
}

/// Reads an attribute and converts it.
fn read(b: &mut Builder<'_>, i: &Intrinsic, ty: Ty, format: VertexFormat) -> InstrId {
    let (kind, count) = (format.kind, format.count());
    let raw = integers(b, i, kind, 0);
    let floats = if kind.is_packed() || kind == FormatKind::Double {
        let mut words: Vec<Src> =
            (0..if kind.is_packed() { 1 } else { 4 }).map(|c| Src::comp(raw, c)).collect();
        if kind == FormatKind::Double && count > 2 {
            let upper = integers(b, i, kind, UPPER);
            words.extend((0..4).map(|c| Src::comp(upper, c)));
        }
        let values: Vec<InstrId> = (0..count).map(|c| kind.float(b, &words, c)).collect();
        b.vec(&values)
    } else {
        kind.converted(b, raw, 32)
    };
    let first = i.component() as usize;
    let present = |c| (c < count).then(|| Src::comp(floats, c));
    with_defaults(b, first..first + usize::from(ty.comps), true, present)
}

/// The integers of an attribute, so many locations after that of an instruction.
fn integers(b: &mut Builder<'_>, i: &Intrinsic, kind: FormatKind, after: u32) -> InstrId {
    let location = i.io().location;
    let io = IoSemantics { num_slots: 1, location: location.offset(after).unwrap_or(location), ..i.io() };
    let load = Intrinsic::new(IntrinsicOp::load_input, &[i.src(0)])
        .with(Index::Io, io)
        .with(Index::DestType, kind.scalar());
    b.insert_intrinsic(load, Ty::new(if kind.is_packed() { 1 } else { 4 }, 32))
}

/// Mask of the locations below 32 that a vertex shader reads as floats of 32 bits.
pub fn convertible(shader: &Shader) -> u32 {
    let location = |instr: &airfoil_ir::Instr| {
        let i = instr.as_intrinsic().filter(|i| i.op == IntrinsicOp::load_input && instr.ty.bits == 32)?;
        i.io().location.as_generic().filter(|_| is_float(i.dest_type()) && i.io().num_slots == 1)
    };
    let bodies = shader.functions.values().filter(|_| shader.stage == Stage::Vertex);
    let locations = bodies.flat_map(|f| f.body.entries().filter_map(|(_, instr)| location(instr)));
    locations.fold(0, |mask, n| mask | 1_u32.checked_shl(n).unwrap_or(0))
}
