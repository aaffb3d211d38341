//! Loads vertex attributes from buffers, which Metal's vertex descriptor cannot express.
//!
//! Requires form `slots` or `target` and preserves the form. `formats` lists the attributes by location; those it does not list
//! stay inputs. The driver's block [`vertex_buffers`](crate::util::driver_values::VERTEX_BUFFERS) has a record for each location:
//! the address of the first element, the count of elements, the stride in bytes, and the divisor of attributes of instances.
//! Buffers, strides and offsets are not limited, and vertex arrays can change without new code.
//!
//! An attribute is read at the start of the function, at `gl_VertexID`, or if it is in the mask `instanced`, at the base instance
//! plus the instance divided by the divisor (OpenGL 4.6 section 10.3, `floor(instance / divisor) + baseinstance`). It is read in words, and in
//! bytes if it is in the mask `unaligned`: its address or stride is not a multiple of 4. With `robust`, elements beyond the count
//! are zero in all components that the format has (section 6.4). Components that the format lacks are 0, and 1 for w.
//!
//! Doubles become floats; `lower_doubles` has to follow. Attributes of 64 bits have been lowered to words before; each location of
//! theirs has a record.
//!
//! Source: `agx_nir_lower_vbo` of Mesa.
//!
//! ```foil-example (formats=0.half.2)
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
//!   ubo vertex_buffers { uvec4[64 stride=16] attributes @0 } vertex_buffers set=65535 binding=26
//!   out vec3 v location=0
//!
//!   fn main {
//!   b0:
//!     %0 = deref_var &vertex_buffers
//!     32x1 %1 = const 0
//!     32x4 %2 = load_ubo %0, %1 align=16
//!     32x1 %3 = load_vertex_id
//!     32x2 %4 = mov %2.xy
//!     64x1 %5 = pack_64_2x32 %4
//!     32x1 %6 = mov %2.w
//!     64x1 %7 = umul_2x32_64 %3, %6
//!     64x1 %8 = iadd %5, %7
//!     32x1 %9 = load_global %8 access=non_writeable align=4
//!     16x1 %10 = u2u %9
//!     32x1 %11 = f2f %10
//!     32x1 %12 = const 16
//!     32x1 %13 = ushr %9, %12
//!     16x1 %14 = u2u %13
//!     32x1 %15 = f2f %14
//!     32x1 %16 = const 0
//!     32x1 %17 = const 1.0
//!     32x4 %18 = vec4 %11, %15, %16, %17
//!     32x1 %19 = const 0
//!     32x3 %20 = mov %18.xyz
//!     store_output %20, %19 io=0 mask=xyz src_type=float32
//!   }
//! }
//! ```

use crate::util::driver_values::{VERTEX_BUFFERS, load, load_vector};
use crate::util::guard::guard;
use crate::util::vertex_formats::{VertexFormat, VertexFormats, with_defaults};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Align, AluOp, Body, Builder, Cursor, Diagnostic, Form, Index, Instr, InstrId, Intrinsic,
    IntrinsicOp, Modes, Replacements, Scalar, Shader, Slot, Src, Stage, SystemValue, Ty, TypeId, VarId,
};
use smallvec::SmallVec;
use std::ops::Range;

/// Words of a record.
const RECORD: u32 = 8;
/// Locations that have a record.
const LOCATIONS: u32 = 32;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerVertexBuffers {
        /// The formats as `location.kind.components`, separated by `|`.
        formats: VertexFormats = VertexFormats::default(),
        /// Mask of the attributes that advance by instance.
        instanced: u32 = 0,
        /// Mask of the attributes that are read in bytes.
        unaligned: u32 = 0,
        /// Elements beyond the count are zero.
        robust: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_vertex_buffers",
    "loads vertex attributes from buffers",
    include_str!("lower_vertex_buffers.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerVertexBuffers as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerVertexBuffers {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let reads = |body: &Body| body.entries().any(|(_, instr)| self.reads(instr));
        if shader.stage != Stage::Vertex || !shader.functions.values().any(|f| reads(&f.body)) {
            return Ok(Changes::NONE);
        }
        if let Some((location, _)) = self.formats.0.iter().find(|f| f.0 >= LOCATIONS) {
            let message =
                format!("a buffer is not supported at location {location}: expected one below {LOCATIONS}");
            return Err(Diagnostic::error("E0803", message));
        }
        self.remove_inputs(shader)?;
        let block = VERTEX_BUFFERS.declare(shader);
        for function in shader.functions.values_mut() {
            self.lower(&mut function.body, block)?;
        }
        Ok(Changes::ALL)
    }
}

/// An attribute that a function has loaded.
struct Attribute {
    location: u32,
    is_float: bool,
    /// A vector of four components.
    value: InstrId,
}

fn locations(i: &Intrinsic) -> Option<Range<u32>> {
    let first = i.io().location.as_generic().filter(|_| i.op == IntrinsicOp::load_input)?;
    Some(first..first + u32::from(i.io().num_slots.max(1)))
}

fn is_float(i: &Intrinsic) -> bool {
    matches!(i.dest_type(), Scalar::Float16 | Scalar::Float32 | Scalar::Any)
}

impl LowerVertexBuffers {
    /// Whether an instruction reads an attribute of a buffer.
    fn reads(&self, instr: &Instr) -> bool {
        let locations = instr.as_intrinsic().and_then(locations);
        locations.is_some_and(|mut locations| locations.any(|n| self.formats.at(n).is_some()))
    }

    /// Removes the inputs that become loads.
    fn remove_inputs(&self, shader: &mut Shader) -> Result<(), Diagnostic> {
        let mut removed = Vec::new();
        for (id, var) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::IN) {
            let Some(first) = var.location.and_then(Slot::as_generic) else { continue };
            let end = first + shader.types.num_slots(var.ty);
            let found = (first..end).filter(|&n| self.formats.at(n).is_some()).count() as u32;
            if found != 0 && found != end - first {
                let message = format!(
                    "`{}`: expected all locations from {first} to {} in buffers, found {found} of {}",
                    var.name,
                    end - 1,
                    end - first
                );
                return Err(Diagnostic::error("E0336", message));
            }
            if found != 0 {
                removed.push(id);
            }
        }
        removed.into_iter().for_each(|id| drop(shader.vars.remove(id)));
        Ok(())
    }

    /// Loads the attributes that a function reads at its start.
    fn lower(&self, body: &mut Body, block: (VarId, TypeId)) -> Result<(), Diagnostic> {
        let found: Vec<InstrId> =
            body.entries().filter(|(_, instr)| self.reads(instr)).map(|(id, _)| id).collect();
        let mut attributes: Vec<Attribute> = Vec::new();
        let entry = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(entry));
        for &id in &found {
            let Some(i) = b.body[id].as_intrinsic().copied() else { continue };
            if b.ty(id).bits == 64 {
                let message = "an attribute of 64 bits in a buffer is not supported: expected words";
                return Err(Diagnostic::error("E0337", message).help("run lower_doubles before"));
            }
            let is_float = is_float(&i);
            for location in locations(&i).into_iter().flatten() {
                let is_known = |a: &Attribute| (a.location, a.is_float) == (location, is_float);
                if let Some(format) = self.formats.at(location).filter(|_| !attributes.iter().any(is_known)) {
                    let words = self.words(&mut b, block, location, format);
                    let value = components(&mut b, &words, format, is_float);
                    attributes.push(Attribute { location, is_float, value });
                }
            }
        }
        let mut replacements = Replacements::default();
        for &id in &found {
            let Some(i) = body[id].as_intrinsic().copied() else { continue };
            let value = select(&mut Builder::before(body, id), id, &i, &attributes);
            replacements.insert(id, value);
        }
        body.replace_all(&replacements);
        found.into_iter().for_each(|id| body.remove(id));
        Ok(())
    }

    /// The words of an attribute.
    fn words(
        &self,
        b: &mut Builder<'_>,
        block: (VarId, TypeId),
        location: u32,
        format: VertexFormat,
    ) -> SmallVec<[Src; 8]> {
        let has = |mask: u32| mask.checked_shr(location).unwrap_or(0) & 1 != 0;
        let first = location * RECORD;
        let record = load_vector(b, block, first, 4);
        let index = if has(self.instanced) {
            let [divisor] = load(b, block, [first + 4]);
            let base = b.load_system_value(SystemValue::base_instance);
            let instance = b.load_system_value(SystemValue::instance_id);
            let instance = b.alu(AluOp::udiv, &[instance, divisor]);
            b.iadd(base, instance)
        } else {
            b.load_system_value(SystemValue::vertex_id)
        };
        let address = b.swizzle(record, &[0, 1]);
        let address = b.alu(AluOp::pack_64_2x32, &[address]);
        let stride = b.channel(record, 3);
        let offset = b.alu(AluOp::umul_2x32_64, &[index, stride]);
        let address = b.iadd(address, offset);
        let inside = self.robust.then(|| {
            let count = b.channel(record, 2);
            b.ult(index, count)
        });
        let loads = parts(format.bytes(), has(self.unaligned));
        let addresses: SmallVec<[InstrId; 4]> = loads.iter().map(|part| part.address(b, address)).collect();
        let values: SmallVec<[InstrId; 4]> =
            loads.iter().zip(addresses).map(|(part, address)| part.load(b, address)).collect();
        if let Some(inside) = inside
            && let Some(after) = guard(b.body, &values, inside)
        {
            b.cursor = after;
        }
        let mut words: SmallVec<[Src; 8]> = SmallVec::new();
        for (part, value) in loads.iter().zip(values) {
            part.add_to(b, value, &mut words);
        }
        words
    }
}

/// A load of an attribute.
#[derive(Clone, Copy)]
struct Part {
    /// First byte.
    at: u32,
    /// Bytes of a component: 1, 2 or 4.
    size: u32,
    comps: u8,
}

/// The loads of an attribute with so many bytes: vectors of words and the bytes that do not fill a word, or bytes only.
fn parts(bytes: u32, is_unaligned: bool) -> SmallVec<[Part; 4]> {
    let mut parts = SmallVec::new();
    let mut at = 0;
    while at < bytes {
        let (words, rest) = ((bytes - at) / 4, bytes - at);
        let part = match rest {
            _ if is_unaligned => Part { at, size: 1, comps: 1 },
            4.. => Part { at, size: 4, comps: words.min(4) as u8 },
            2 | 3 => Part { at, size: 2, comps: 1 },
            _ => Part { at, size: 1, comps: 1 },
        };
        at += part.size * u32::from(part.comps);
        parts.push(part);
    }
    parts
}

impl Part {
    /// Its address, after that of the attribute.
    fn address(self, b: &mut Builder<'_>, attribute: InstrId) -> InstrId {
        if self.at == 0 {
            return attribute;
        }
        let at = b.imm(64, u64::from(self.at));
        b.iadd(attribute, at)
    }

    fn load(self, b: &mut Builder<'_>, address: InstrId) -> InstrId {
        let load = Intrinsic::new(IntrinsicOp::load_global, &[address])
            .with(Index::Access, Access::NON_WRITEABLE)
            .with(Index::Align, Align::new(self.size as u16));
        b.insert_intrinsic(load, Ty::new(self.comps, 8 * self.size as u8))
    }

    /// Adds its value to the words of the attribute, the first byte of which is the lowest one.
    fn add_to(self, b: &mut Builder<'_>, value: InstrId, words: &mut SmallVec<[Src; 8]>) {
        if self.size == 4 {
            return words.extend((0..usize::from(self.comps)).map(|c| Src::comp(value, c)));
        }
        let value = b.convert(AluOp::u2u, value, 32);
        let shift = 8 * (self.at % 4);
        match words.last_mut().filter(|_| shift != 0) {
            Some(word) => {
                let shift = b.imm_u32(shift);
                let value = b.ishl(value, shift);
                word.value = b.ior(word.value, value);
            }
            None => words.push(value.into()),
        }
    }
}

/// The four components of an attribute.
fn components(b: &mut Builder<'_>, words: &[Src], format: VertexFormat, is_float: bool) -> InstrId {
    let (kind, count) = (format.kind, format.count());
    let values: SmallVec<[InstrId; 4]> = (0..count)
        .map(|c| if is_float { kind.float(b, words, c) } else { kind.integer(b, words, c) })
        .collect();
    with_defaults(b, 0..4, is_float, |c| values.get(c).map(|&value| value.into()))
}

/// The value of an instruction that reads attributes.
fn select(b: &mut Builder<'_>, id: InstrId, i: &Intrinsic, attributes: &[Attribute]) -> InstrId {
    let (ty, range, is_float) = (b.ty(id), locations(i).unwrap_or_default(), is_float(i));
    let offset = i.src(0);
    let fixed = b.body[offset].as_const().map(|c| c[0]);
    let lanes: SmallVec<[u8; 4]> = (0..ty.comps).map(|c| c + i.component() as u8).collect();
    let mut value: Option<InstrId> = None;
    for (n, location) in (0..).zip(range) {
        if fixed.is_some_and(|fixed| fixed != n) {
            continue;
        }
        let is_it = |a: &&Attribute| (a.location, a.is_float) == (location, is_float);
        let Some(attribute) = attributes.iter().find(is_it) else { continue };
        let next = b.swizzle(attribute.value, &lanes);
        value = Some(match value {
            None => next,
            Some(value) => {
                let n = b.imm_u32(n as u32);
                let is_it = b.ieq(offset, n);
                b.bcsel(is_it, next, value)
            }
        });
    }
    let value = value.unwrap_or_else(|| b.zero(Ty::new(ty.comps, 32)));
    match (ty.bits == 32, is_float) {
        (true, _) => value,
        (false, true) => b.convert(AluOp::f2f, value, ty.bits),
        (false, false) => b.convert(AluOp::u2u, value, ty.bits),
    }
}

/// Mask of the attributes below location 32 that a vertex shader reads.
pub fn attributes(shader: &Shader) -> u32 {
    let bodies = shader.functions.values().filter(|_| shader.stage == Stage::Vertex);
    let read =
        bodies.flat_map(|f| f.body.entries().filter_map(|(_, instr)| locations(instr.as_intrinsic()?)));
    read.flatten().fold(0, |mask, n| mask | 1_u32.checked_shl(n).unwrap_or(0))
}
