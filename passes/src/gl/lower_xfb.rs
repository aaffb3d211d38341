//! Lowers transform feedback: a vertex shader stores captured outputs to storage buffers.
//!
//! Accepts forms `slots` and `target`. Metal does not have transform feedback. `captures` lists the captured
//! components as `buffer.stride.offset.slot.component.components`, followed by `.stream` for vertex streams other
//! than 0 (OpenGL 4.6 section 13.3, Vulkan "Transform Feedback"); a component has 32 bits. Before each write of an output, its captured components are stored to
//! the record of the vertex in each buffer.
//!
//! | binding in set 65535 | name | contents |
//! |---|---|---|
//! | 16 | `xfb_draw` | uniform block of three words: vertices per instance, index of the draw's first record, end index of captured records |
//! | 20 + n | `xfb_buffer_n` | storage buffer n, an array of records of `stride` bytes |
//!
//! The record index is `first + instance * vertices + vertex`, without base vertex and base instance. Records
//! from the end index on are not written: the driver sets it to the number of vertices of the whole
//! primitives that fit into the smallest buffer, so that primitives are captured as a whole or not at all.
//! That is the order of capture if each vertex is shaded for one primitive: lists of points, lines and
//! triangles without index buffer. For other primitives the driver expands the vertices first, or the shader
//! becomes a kernel (`vertex_outputs_to_buffer`), whose stage inputs resolve an index buffer. Stages other
//! than the vertex stage cannot compute the index of their vertices in a function that draws: they are captured by
//! kernels ([`tess_eval_to_capture`](crate::stages::tess_eval_to_capture),
//! [`geometry_to_capture`](crate::stages::geometry_to_capture)). The outputs themselves stay.
//!
//! Source: NIR's `nir_lower_xfb`.
//!
//! ```foil-example (captures=0.16.8.3.0.2)
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out vec2 v location=3
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = const 1.0, 2.0
//!     store_output %1, %0 io=(3) mask=xy src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out vec2 v location=3
//!   ubo xfb_draw { uint vertices @0, uint first @4, uint end @8 } xfb_draw set=65535 binding=16
//!   ssbo xfb_buffer_0 { uint[stride=4] data @0 } xfb_buffer_0 set=65535 binding=20 access=restrict
//!   fn main {
//!   b0:
//!     %0 = deref_var &xfb_draw
//!     32x1 %1 = const 0
//!     32x1 %2 = load_ubo %0, %1 align=4
//!     32x1 %3 = const 4
//!     32x1 %4 = load_ubo %0, %3 align=4
//!     32x1 %5 = const 8
//!     32x1 %6 = load_ubo %0, %5 align=4
//!     32x1 %7 = load_vertex_id_zero_base
//!     32x1 %8 = load_instance_id
//!     32x1 %9 = imul %8, %2
//!     32x1 %10 = iadd %9, %7
//!     32x1 %11 = iadd %10, %4
//!     1x1 %12 = ult %11, %6
//!     32x1 %13 = const 0
//!     32x2 %14 = const 1.0, 2.0
//!     if %12 {
//!     b1:
//!       32x1 %15 = const 16
//!       32x1 %16 = imul %11, %15
//!       32x1 %17 = const 8
//!       32x1 %18 = iadd %16, %17
//!       %19 = deref_var &xfb_buffer_0
//!       store_ssbo %14, %19, %18 mask=xy align=4
//!     }
//!   b2:
//!     store_output %14, %13 io=3 mask=xy src_type=float32
//!   }
//! }
//! ```

use crate::pass::OptionValue;
use crate::stages::stage_buffer::{SET, only_function};
use crate::util::driver_values::{XFB_DRAW, load};
use crate::util::outputs::written_slot;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Align, Body, Builder, Cursor, DerefKind, Diagnostic, Form, Index, InstrId, Intrinsic,
    IntrinsicOp, Member, Modes, Scalar, Shader, Slot, Stage, StructType, SystemValue, Ty, Type, TypeId,
    VarId, Variable,
};

/// Binding of the block that describes the draw's captures.
pub const DRAW_BINDING: u32 = XFB_DRAW.binding;
/// Binding of the first buffer.
pub const BUFFER_BINDING: u32 = 20;
/// Maximum number of buffers (`GL_MAX_TRANSFORM_FEEDBACK_BUFFERS` of all implementations).
pub const MOST_BUFFERS: u32 = 4;
/// Number of vertex streams (`GL_MAX_VERTEX_STREAMS` of all implementations).
pub const STREAMS: u32 = 4;

/// Components of an output that are captured: consecutive ones of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Capture {
    /// Index of the buffer.
    pub buffer: u32,
    /// Bytes of a record of the buffer.
    pub stride: u32,
    /// Byte offset in the record.
    pub offset: u32,
    /// The slot.
    pub slot: Slot,
    /// First component of 32 bits.
    pub component: u32,
    /// Components.
    pub components: u32,
    /// Vertex stream of a geometry shader.
    pub stream: u32,
}

/// A set of captures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Captures(Vec<Capture>);

impl Captures {
    /// A checked list of captures.
    ///
    /// # Errors
    /// A message that describes an invalid capture.
    pub fn new(mut list: Vec<Capture>) -> Result<Captures, String> {
        list.sort();
        for c in &list {
            let end = c.components.checked_mul(4).and_then(|bytes| bytes.checked_add(c.offset));
            let strides = list.iter().filter(|d| d.buffer == c.buffer).map(|d| d.stride);
            let mut streams = list.iter().filter(|d| d.buffer == c.buffer).map(|d| d.stream);
            if slot_of(&c.slot.to_string()) != Some(c.slot) {
                return Err(format!("`{}`: only outputs of vertices are captured", c.slot));
            }
            if c.buffer >= MOST_BUFFERS {
                return Err(format!("buffer {}: at most {MOST_BUFFERS} buffers are supported", c.buffer));
            } else if c.offset % 4 != 0 || c.stride % 4 != 0 {
                return Err(format!("buffer {}: offsets and strides must be multiples of 4", c.buffer));
            } else if !(1..=4).contains(&c.components) || c.component + c.components > 4 {
                return Err(format!("`{}`: a slot has only four components", c.slot));
            } else if end.is_none_or(|end| end > c.stride) {
                return Err(format!("`{}`: the capture exceeds the stride {}", c.slot, c.stride));
            } else if strides.clone().any(|s| s != c.stride) {
                return Err(format!("buffer {}: all captures must have the same stride", c.buffer));
            } else if c.stream >= STREAMS || streams.any(|s| s != c.stream) {
                // OpenGL 4.6 section 11.1.2.1.
                return Err(format!(
                    "buffer {}: all captures must be of one of the streams 0 to 3",
                    c.buffer
                ));
            }
        }
        Ok(Captures(list))
    }

    /// The captures, by buffer and offset.
    pub fn iter(&self) -> impl Iterator<Item = &Capture> {
        self.0.iter()
    }

    /// Whether nothing is captured.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Buffers with their strides, in order.
    pub fn buffers(&self) -> Vec<(u32, u32)> {
        let mut buffers: Vec<(u32, u32)> = self.0.iter().map(|c| (c.buffer, c.stride)).collect();
        buffers.dedup();
        buffers
    }
}

/// The slot of a text: an output location or the name of a built-in output.
fn slot_of(text: &str) -> Option<Slot> {
    text.parse().ok().and_then(Slot::generic).or(Slot::from_name(text))
}

impl OptionValue for Captures {
    fn parse(text: &str) -> Result<Captures, String> {
        let one = |part: &str| {
            let words: Vec<&str> = part.split('.').collect();
            let (words, stream) = match words.split_last() {
                Some((stream, words)) if words.len() == 6 => (words, *stream),
                _ => (&words[..], "0"),
            };
            let &[buffer, stride, offset, slot, component, components] = words else {
                return Err(format!("`{part}` is not `buffer.stride.offset.slot.component.components`"));
            };
            let number = |word: &str| u32::parse(word);
            Ok(Capture {
                buffer: number(buffer)?,
                stride: number(stride)?,
                offset: number(offset)?,
                slot: slot_of(slot).ok_or_else(|| format!("`{slot}` is not a slot"))?,
                component: number(component)?.min(4),
                components: number(components)?.min(5),
                stream: number(stream)?,
            })
        };
        let parts = text.split('|').filter(|p| !p.is_empty());
        Captures::new(parts.map(one).collect::<Result<_, _>>()?)
    }

    fn text(&self) -> String {
        let one = |c: &Capture| {
            let Capture { buffer, stride, offset, slot, component, components, stream } = c;
            let text = format!("{buffer}.{stride}.{offset}.{slot}.{component}.{components}");
            if *stream == 0 { text } else { format!("{text}.{stream}") }
        };
        self.0.iter().map(one).collect::<Vec<_>>().join("|")
    }
}

/// Name of a buffer.
pub fn buffer_name(buffer: u32) -> &'static str {
    const NAMES: [&str; MOST_BUFFERS as usize] =
        ["xfb_buffer_0", "xfb_buffer_1", "xfb_buffer_2", "xfb_buffer_3"];
    NAMES[(buffer % MOST_BUFFERS) as usize]
}

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerXfb {
        /// Captured components as `buffer.stride.offset.slot.component.components[.stream]`, separated by `|`.
        captures: Captures = Captures::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_xfb",
    "lowers transform feedback to stores to storage buffers",
    include_str!("lower_xfb.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerXfb as crate::PassOptions>::OPTIONS)
// Shaders without the buffers have other buffer contents.
.results(Results::All);

impl Pass for LowerXfb {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if self.captures.is_empty() {
            return Ok(Changes::NONE);
        }
        if shader.stage != Stage::Vertex {
            let message =
                format!("transform feedback of the {} stage requires a kernel of its own", shader.stage);
            let help = "tess_eval_to_capture or geometry_to_capture: `StateKey::capture` of airfoil-gl";
            return Err(Diagnostic::error("E0345", message).help(help));
        }
        // The pass ran before.
        if XFB_DRAW.find(shader).is_some() {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        let captures = placed(&self.captures, shader)?;
        let stores = stores(&shader.functions[entry].body, &captures)?;
        if stores.is_empty() {
            return Ok(Changes::NONE);
        }
        let draw = XFB_DRAW.declare(shader);
        let buffers = declare_buffers(shader, &captures);
        let body = &mut shader.functions[entry].body;
        let (record, inside) = record(body, draw);
        // Backward: an `if` moves the code after it, up to the next one.
        for id in stores.into_iter().rev() {
            let Some(&store) = body[id].as_intrinsic() else { continue };
            let mut b = Builder::before(body, id);
            let cf = b.push_if(inside);
            capture_store(&mut b, &captures, &buffers, &store, record);
            b.pop(cf);
        }
        Ok(Changes::ALL)
    }
}

/// The captures at the slots assigned by `lower_clip_distance_arrays`: cull distances follow clip distances.
///
/// # Errors
/// Cull distances that the shader does not have any more.
pub(crate) fn placed(captures: &Captures, shader: &Shader) -> Result<Captures, Diagnostic> {
    let mut list = Vec::new();
    for c in captures.iter() {
        if !(Slot::CULL_DIST0..=Slot::CULL_DIST1).contains(&c.slot) {
            list.push(*c);
            continue;
        }
        if shader.info.cull_distances == 0 {
            let message = format!("`{}` cannot be captured: the shader does not have cull distances", c.slot);
            return Err(Diagnostic::error("E0345", message)
                .help("for Metal they become flags in other outputs, without the distances"));
        }
        for k in 0..c.components {
            let index = u32::from(c.slot.0 - Slot::CULL_DIST0.0) * 4 + c.component + k;
            let at = u32::from(shader.info.clip_distances) + index;
            if let Some(slot) = Slot::CLIP_DIST0.offset(at / 4) {
                list.push(Capture { slot, component: at % 4, components: 1, offset: c.offset + k * 4, ..*c });
            }
        }
    }
    Ok(Captures(list))
}

/// The stores of outputs that are captured.
pub(crate) fn stores(body: &Body, captures: &Captures) -> Result<Vec<InstrId>, Diagnostic> {
    let mut found = Vec::new();
    for id in body.all_instrs() {
        let Some(i) = body[id].as_intrinsic().filter(|i| i.op == IntrinsicOp::store_output) else { continue };
        let value = body[i.src(0)].ty;
        let refuse = |why: &str| {
            let message = format!("a captured output {why}");
            Err(Diagnostic::error("E0345", message).help("run lower_io_to_temporaries before lower_io"))
        };
        let Some(slot) = written_slot(body, i) else {
            let slots = (0..u32::from(i.io().num_slots)).filter_map(|n| i.io().location.offset(n));
            if slots.into_iter().any(|s| captures.iter().any(|c| c.slot == s)) {
                return refuse("is indexed dynamically");
            }
            continue;
        };
        let stream = u32::from(i.io().stream);
        let mut wanted = captures.iter().filter(|c| (c.slot, c.stream) == (slot, stream)).peekable();
        if wanted.peek().is_some() && value.bits != 32 {
            return refuse("has components of a width other than 32 bits");
        }
        if wanted.any(|c| overlap(c, i, value).is_some()) {
            found.push(id);
        }
    }
    Ok(found)
}

/// First and number of the components of a slot that are both stored and captured.
pub(crate) fn overlap(capture: &Capture, store: &Intrinsic, value: Ty) -> Option<(u32, u32)> {
    let first = store.component();
    let from = capture.component.max(first);
    let to = (capture.component + capture.components).min(first + u32::from(value.comps));
    let written = (from..to).any(|c| store.write_mask() >> (c - first) & 1 != 0);
    (from < to && written).then(|| (from, to - from))
}

/// Captures the components that the store of an output writes, in record `record` of each buffer.
pub(crate) fn capture_store(
    b: &mut Builder<'_>,
    captures: &Captures,
    buffers: &[Buffer],
    store: &Intrinsic,
    record: InstrId,
) {
    let (slot, ty) = (written_slot(b.body, store), b.ty(store.src(0)));
    for capture in captures.iter().filter(|c| Some(c.slot) == slot) {
        let Some((from, count)) = overlap(capture, store, ty) else { continue };
        let first = from - store.component();
        let lanes: Vec<u8> = (first..first + count).map(|c| c as u8).collect();
        let value = b.swizzle(store.src(0), &lanes);
        let mask = store.write_mask() >> first & ((1 << count) - 1);
        write(b, buffers, record, capture, from, (value, mask));
    }
}

/// Writes components of a capture, from component `from` of its slot on, to a record.
pub(crate) fn write(
    b: &mut Builder<'_>,
    buffers: &[Buffer],
    record: InstrId,
    capture: &Capture,
    from: u32,
    (value, mask): (InstrId, u32),
) {
    let Some(&Buffer { var, ty, .. }) = buffers.iter().find(|x| x.index == capture.buffer) else { return };
    let stride = b.imm_u32(capture.stride);
    let base = b.imul(record, stride);
    let within = b.imm_u32(capture.offset + (from - capture.component) * 4);
    let at = b.iadd(base, within);
    let block = b.deref(DerefKind::Var(var), ty, Modes::SSBO);
    let store = Intrinsic::new(IntrinsicOp::store_ssbo, &[value, block, at])
        .with(Index::WriteMask, mask)
        .with(Index::Align, Align::new(4));
    b.insert_intrinsic(store, Ty::NONE);
}

/// A buffer that is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    index: u32,
    var: VarId,
    ty: TypeId,
}

/// Declares the buffers of captures.
pub(crate) fn declare_buffers(shader: &mut Shader, captures: &Captures) -> Vec<Buffer> {
    let declare = |(index, _)| {
        let (var, ty) = declare_words(shader, buffer_name(index), BUFFER_BINDING + index, Access::RESTRICT);
        Buffer { index, var, ty }
    };
    captures.buffers().into_iter().map(declare).collect()
}

/// Declares a storage buffer of words in the driver's set.
pub(crate) fn declare_words(
    shader: &mut Shader,
    name: &str,
    binding: u32,
    access: Access,
) -> (VarId, TypeId) {
    let word = shader.types.vector(Scalar::Uint32, 1);
    let data = shader.types.intern(Type::Array { elem: word, len: 0, stride: 4 });
    let members = Box::new([Member { offset: Some(0), ..Member::new("data", data) }]);
    let ty = shader.types.intern(Type::Struct(StructType { name: name.into(), members, block: true }));
    let mut var = Variable::new(name, ty, Modes::SSBO);
    (var.set, var.binding, var.access) = (Some(SET), Some(binding), access);
    (shader.add_var(var), ty)
}

/// The record index of the vertex, and whether it is captured.
fn record(body: &mut Body, draw: (VarId, TypeId)) -> (InstrId, InstrId) {
    let entry = body.entry();
    let mut b = Builder::at(body, Cursor::BlockStart(entry));
    let [vertices, first, end] = load(&mut b, draw, [0, 1, 2]);
    let vertex = b.load_system_value(SystemValue::vertex_id_zero_base);
    let instance = b.load_system_value(SystemValue::instance_id);
    let row = b.imul(instance, vertices);
    let place = b.iadd(row, vertex);
    let record = b.iadd(place, first);
    let inside = b.ult(record, end);
    (record, inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_text() {
        let capture = |slot| Capture {
            buffer: 1,
            stride: 32,
            offset: 16,
            slot,
            component: 0,
            components: 4,
            stream: 0,
        };
        let generic = Slot::generic(3).expect("a location");
        let captures =
            Captures::new(vec![capture(generic), Capture { offset: 0, ..capture(Slot::POSITION) }]);
        let captures = captures.expect("valid captures");
        assert_eq!(Captures::parse(&captures.text()).as_ref(), Ok(&captures));
        let stream = Captures::new(vec![Capture { stream: 3, ..capture(generic) }]).expect("a stream");
        assert_eq!(
            (stream.text().as_str(), Captures::parse("1.32.16.3.0.4.3").as_ref()),
            ("1.32.16.3.0.4.3", Ok(&stream))
        );
        let two = vec![capture(generic), Capture { stream: 1, offset: 0, ..capture(generic) }];
        assert!(Captures::new(two).is_err(), "two streams in a buffer");
        let patch = Slot::patch(0).expect("a location");
        assert!(Captures::new(vec![capture(patch)]).is_err());
    }
}
