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

use crate::pass::OptionValue;
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    AluOp, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Modes, Scalar,
    Shader, Src, Stage, Ty, Type, Variable,
};
use smallvec::SmallVec;

/// The kind of a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FormatKind {
    /// Metal converts it to the type that the shader declares.
    #[default]
    Native = 0,
    /// Signed integers.
    Int = 1,
    /// Unsigned integers.
    Uint = 2,
    /// Normalised signed integers of 32 bits.
    Snorm32 = 3,
    /// Normalised unsigned integers of 32 bits.
    Unorm32 = 4,
    /// Fixed point with 16 bits for the fraction (`GL_FIXED`).
    Fixed = 5,
    /// Signed fields of 10, 10, 10 and 2 bits (`GL_INT_2_10_10_10_REV`), not normalised.
    PackedInt = 6,
    /// Unsigned fields of 10, 10, 10 and 2 bits (`GL_UNSIGNED_INT_2_10_10_10_REV`), not normalised.
    PackedUint = 7,
    /// Floats of 64 bits (`GL_DOUBLE`), of locations below 16. Components z and w are read at the location plus 16.
    Double = 8,
}

impl FormatKind {
    /// All kinds with their names, by number.
    pub const NAMES: [(FormatKind, &'static str); 9] = [
        (FormatKind::Native, "native"),
        (FormatKind::Int, "int"),
        (FormatKind::Uint, "uint"),
        (FormatKind::Snorm32, "snorm32"),
        (FormatKind::Unorm32, "unorm32"),
        (FormatKind::Fixed, "fixed"),
        (FormatKind::PackedInt, "packed_int"),
        (FormatKind::PackedUint, "packed_uint"),
        (FormatKind::Double, "double"),
    ];

    /// The type of the input.
    fn scalar(self) -> Scalar {
        match self {
            FormatKind::Int | FormatKind::Snorm32 | FormatKind::Fixed => Scalar::Int32,
            _ => Scalar::Uint32,
        }
    }

    fn is_packed(self) -> bool {
        matches!(self, FormatKind::PackedInt | FormatKind::PackedUint)
    }
}

/// The format of an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct VertexFormat {
    /// Its kind.
    pub kind: FormatKind,
    /// Its components, 1 to 4; 0 means 4.
    pub components: u8,
}

impl VertexFormat {
    /// Its components.
    fn count(self) -> usize {
        if self.components == 0 { 4 } else { usize::from(self.components.min(4)) }
    }
}

/// Formats by location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexFormats(pub Vec<(u32, VertexFormat)>);

impl OptionValue for VertexFormats {
    fn parse(text: &str) -> Result<VertexFormats, String> {
        let format = |part: &str| {
            let mut words = part.split('.');
            let location = words.next()?.parse().ok()?;
            let name = words.next()?;
            let kind = FormatKind::NAMES.iter().find(|f| f.1 == name)?.0;
            let components = words.next()?.parse().ok().filter(|n| (1..=4).contains(n))?;
            words.next().is_none().then_some((location, VertexFormat { kind, components }))
        };
        let parts = text.split('|').filter(|p| !p.is_empty());
        let formats =
            parts.map(|p| format(p).ok_or_else(|| format!("`{p}` is not `location.kind.components`")));
        Ok(VertexFormats(formats.collect::<Result<_, _>>()?))
    }

    fn text(&self) -> String {
        let one = |(location, f): &(u32, VertexFormat)| {
            format!("{location}.{}.{}", FormatKind::NAMES[f.kind as usize].1, f.count())
        };
        self.0.iter().map(one).collect::<Vec<_>>().join("|")
    }
}

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
        let found = self.formats.0.iter().find(|f| f.0 == location);
        found.map(|f| f.1).filter(|f| f.kind != FormatKind::Native)
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
    let (raw, count) = (integers(b, i, format.kind, 0), format.count());
    let floats = match format.kind {
        FormatKind::Native => raw,
        FormatKind::Int => b.convert(AluOp::i2f, raw, 32),
        FormatKind::Uint => b.convert(AluOp::u2f, raw, 32),
        FormatKind::Snorm32 => {
            let value = scaled(b, AluOp::i2f, raw, 1.0 / 2_147_483_647.0);
            let least = b.imm_f32(-1.0);
            b.fmax(value, least)
        }
        FormatKind::Unorm32 => scaled(b, AluOp::u2f, raw, 1.0 / 4_294_967_295.0),
        FormatKind::Fixed => scaled(b, AluOp::i2f, raw, 1.0 / 65536.0),
        FormatKind::PackedInt | FormatKind::PackedUint => {
            let fields: SmallVec<[InstrId; 4]> =
                (0..4).map(|c| field(b, raw, c, format.kind == FormatKind::PackedInt)).collect();
            b.vec(&fields)
        }
        FormatKind::Double => {
            let upper = if count > 2 { integers(b, i, format.kind, UPPER) } else { raw };
            let values: SmallVec<[InstrId; 4]> =
                (0..count).map(|c| double(b, if c < 2 { raw } else { upper }, c % 2)).collect();
            b.vec(&values)
        }
    };
    let first = i.component() as usize;
    let lanes: SmallVec<[Src; 4]> = (first..first + usize::from(ty.comps))
        .map(|c| match c {
            c if c < count => Src::comp(floats, c),
            3 => b.imm_f32(1.0).into(),
            _ => b.imm_f32(0.0).into(),
        })
        .collect();
    b.vec_srcs(&lanes)
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

/// One of two doubles as a float.
fn double(b: &mut Builder<'_>, words: InstrId, n: usize) -> InstrId {
    let pair = b.vec_srcs(&[Src::comp(words, 2 * n), Src::comp(words, 2 * n + 1)]);
    let wide = b.alu(AluOp::pack_64_2x32, &[pair]);
    b.convert(AluOp::f2f, wide, 32)
}

fn scaled(b: &mut Builder<'_>, op: AluOp, raw: InstrId, scale: f64) -> InstrId {
    let (value, scale) = (b.convert(op, raw, 32), b.imm_f32(scale as f32));
    b.fmul(value, scale)
}

/// A field of a packed word as a float.
fn field(b: &mut Builder<'_>, word: InstrId, c: u32, signed: bool) -> InstrId {
    let (start, width) = (10 * c, if c == 3 { 2 } else { 10 });
    // To the high end and back.
    let (left, right) = (b.imm_u32(32 - width - start), b.imm_u32(32 - width));
    let high = b.ishl(word, left);
    if signed {
        let value = b.ishr(high, right);
        b.convert(AluOp::i2f, value, 32)
    } else {
        let value = b.ushr(high, right);
        b.convert(AluOp::u2f, value, 32)
    }
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
