//! Lowers a geometry shader to a kernel that counts or captures the primitives that it emits, for transform feedback.
//!
//! Accepts forms `slots` and `target`. Metal draws a geometry shader by a mesh function
//! ([`geometry_to_mesh`](crate::stages::geometry_to_mesh)), which cannot append to buffers in order. Transform feedback requires
//! the primitives in the order in which they are emitted (OpenGL 4.6 section 13.3.2), so it takes three kernels:
//!
//! 1. `step=count`: each invocation stores the count of its primitives per stream to its record of `xfb_counts`.
//! 2. The driver replaces the counts by their exclusive prefix sums, and updates `xfb_counters`.
//! 3. `step=write`: each invocation executes the shader again, and stores its primitives from there on.
//!
//! Both kernels have a grid of primitives times `invocations` (x) by instances (y), and the record of an invocation is
//! `y * width + x`; invocations outside of the grid (`global_size`) return at once.
//!
//! | binding in set 65535 | name | contents |
//! |---|---|---|
//! | 20 + n | `xfb_buffer_n` | storage buffer n, an array of records of `stride` bytes |
//! | 24 | `xfb_counts` | four words per invocation: primitives of streams 0 to 3, or their prefix sums |
//! | 25 | `xfb_counters` | words 0 to 3: the primitives of each stream that fit into all its buffers; words 12 to 15: those that were written before the draw |
//!
//! Primitive `n` of a stream has the records from `n * vertices` on, if it is below the limit: primitives are captured
//! as a whole or not at all. Lines and triangles of strips are separate, incomplete strips are dropped. Every second triangle has
//! two vertices swapped, so that all have the winding of the strip, and the provoking vertex is the last, or with `first_provokes`
//! the first (OpenGL 4.6 section 10.1.9). Vertices beyond `max_vertices` are dropped.
//!
//! Inputs are read as in `geometry_to_mesh`, with the same option `slots`. `captures` is that of
//! [`lower_xfb`](crate::gl::lower_xfb). The outputs must be written at constant slots, right before each vertex
//! ([`lower_io_to_temporaries`](crate::vars::lower_io_to_temporaries)). Run
//! [`drop_memory_writes`](crate::gl::drop_memory_writes) before, and `vars_to_ssa` and clean-up passes afterwards. Linear.
//!
//! Source: Mesa's geometry shaders in its drivers for Apple GPUs, which count, add up and write in the same way.
//!
//! ```foil-example (step=count)
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive points
//!   output_primitive points
//!   max_vertices 2
//!   fn main {
//!     emit_vertex stream=1
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   ssbo Records { vec4[stride=16] data @0 } stage_vertices set=65535 binding=0 access=restrict|non_writeable
//!   ssbo xfb_counts { uint[stride=4] data @0 } xfb_counts set=65535 binding=24 access=restrict
//!
//!   fn main {
//!     function_temp uint vertices
//!     function_temp uint primitives
//!   b0:
//!     32x3 %0 = load_global_invocation_id
//!     32x3 %1 = load_global_size
//!     32x1 %2 = mov %0.x
//!     32x1 %3 = mov %1.x
//!     1x1 %4 = uge %2, %3
//!     32x1 %5 = mov %0.y
//!     32x1 %6 = mov %1.y
//!     1x1 %7 = uge %5, %6
//!     1x1 %8 = ior %4, %7
//!     if %8 {
//!     b1:
//!       return
//!     }
//!   b2:
//!     32x1 %9 = const 0
//!     %10 = deref_var &primitives
//!     store_deref %10, %9 mask=x
//!     %11 = deref_var &vertices
//!     store_deref %11, %9 mask=x
//!     32x1 %12 = mov %0.x
//!     32x1 %13 = mov %0.y
//!     32x1 %14 = mov %1.x
//!     32x1 %15 = const 0
//!     32x1 %16 = imul %13, %14
//!     32x1 %17 = iadd %16, %12
//!     32x1 %18 = const 1
//!     %19 = deref_var &vertices
//!     32x1 %20 = load_deref %19
//!     32x1 %21 = const 2
//!     1x1 %22 = ult %20, %21
//!     if %22 {
//!     b3:
//!       32x1 %23 = const 1
//!       32x1 %24 = iadd %20, %23
//!       %25 = deref_var &vertices
//!       store_deref %25, %24 mask=x
//!       %26 = deref_var &primitives
//!       32x1 %27 = load_deref %26
//!       32x1 %28 = const 1
//!       32x1 %29 = iadd %27, %28
//!       %30 = deref_var &primitives
//!       store_deref %30, %29 mask=x
//!     }
//!   b4:
//!     32x1 %31 = const 0
//!     %32 = deref_var &primitives
//!     32x1 %33 = load_deref %32
//!     32x1 %34 = const 0
//!     32x1 %35 = const 0
//!     32x4 %36 = vec4 %31, %33, %34, %35
//!     32x3 %37 = load_global_invocation_id
//!     32x3 %38 = load_global_size
//!     32x1 %39 = mov %37.x
//!     32x1 %40 = mov %37.y
//!     32x1 %41 = mov %38.x
//!     32x1 %42 = imul %40, %41
//!     32x1 %43 = iadd %42, %39
//!     32x1 %44 = const 16
//!     32x1 %45 = imul %43, %44
//!     %46 = deref_var &xfb_counts
//!     store_ssbo %36, %46, %45 mask=xyzw align=16
//!   }
//! }
//! ```

use crate::gl::lower_xfb::{
    Buffer, Captures, STREAMS, declare_buffers, declare_words, placed, stores, write,
};
use crate::pass::OptionValue;
use crate::stages::geometry_to_mesh::{InputPrimitive, input_size};
use crate::stages::stage_buffer::{New, Part, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::util::output_locals::store_lanes;
use crate::util::outputs::{output_points, written_slot};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Align, Body, Builder, Cursor, DerefKind, Diagnostic, Form, FuncId, Index, InstrId, Intrinsic,
    IntrinsicOp, Jump, Modes, Primitive, Scalar, Shader, Slot, Stage, SystemValue, Ty, TypeId, VarId,
    Variable,
};
use slotmap::SlotMap;

/// Binding of the counts of each invocation.
pub const COUNTS_BINDING: u32 = 24;
/// Binding of the counters.
pub const COUNTERS_BINDING: u32 = 25;
/// Name of the buffer of counts.
pub const COUNTS: &str = "xfb_counts";
/// Name of the buffer of counters.
pub const COUNTERS: &str = "xfb_counters";
/// First word in the counters of the primitives that fit.
pub const LIMIT_WORD: u32 = 0;
/// First word in the counters of the primitives that were written before the draw.
pub const FIRST_WORD: u32 = 12;

/// A step of the transform feedback of a stage that Metal lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CaptureStep {
    /// The function that draws; it captures nothing.
    #[default]
    None = 0,
    /// A kernel that counts primitives.
    Count = 1,
    /// A kernel that writes primitives.
    Write = 2,
}

impl CaptureStep {
    /// All steps with their names.
    pub const NAMES: [(CaptureStep, &'static str); 3] =
        [(CaptureStep::None, "none"), (CaptureStep::Count, "count"), (CaptureStep::Write, "write")];
}

impl OptionValue for CaptureStep {
    fn parse(text: &str) -> Result<CaptureStep, String> {
        let found = CaptureStep::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|f| f.0).ok_or_else(|| format!("expected `none`, `count` or `write`, found `{text}`"))
    }

    fn text(&self) -> String {
        CaptureStep::NAMES[*self as usize].1.into()
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct GeometryToCapture {
        /// Slots of a vertex record, as `position|0|1`; if empty, all that the shader declares or reads.
        slots: RecordLayout = RecordLayout::default(),
        /// The first vertex of a primitive is the provoking one, otherwise the last.
        first_provokes: bool = true,
        /// `count` or `write`; `none` leaves the shader as it is.
        step: CaptureStep = CaptureStep::None,
        /// Captured components as `buffer.stride.offset.slot.component.components[.stream]`, separated by `|`.
        captures: Captures = Captures::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "geometry_to_capture",
    "lowers a geometry shader to a kernel that counts or captures its primitives",
    include_str!("geometry_to_capture.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<GeometryToCapture as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for GeometryToCapture {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Geometry || self.step == CaptureStep::None {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        let refuse = |what: Primitive, of: &str| {
            let message = format!("`{what}` is not an {of} primitive of geometry shaders");
            Diagnostic::error("E0348", message)
        };
        let primitive = shader.info.input_primitive;
        let size = input_size(primitive).ok_or_else(|| refuse(primitive, "input"))?;
        let primitive = shader.info.output_primitive;
        let arity = output_size(primitive).ok_or_else(|| refuse(primitive, "output"))?;
        let layout = self.slots.or_declared(shader, Modes::IN, Part::Vertex);
        let records = Records::declare(shader, StageBuffer::Vertices, layout, Access::NON_WRITEABLE);
        let invocations = shader.info.invocations.max(1);
        let capture = Capture::declare(self, shader, entry, arity)?;
        shader.stage = Stage::Compute;
        let points = output_points(shader);
        let Shader { vars, functions, info, .. } = shader;
        let body = &mut functions[entry].body;
        let old: Vec<InstrId> = body.all_instrs().collect();
        if !capture.writes {
            for point in points {
                capture.store_counts(vars, &mut Builder::at(body, point.at));
            }
        }
        let (input, at) = capture.begin(vars, body, size, invocations);
        let emission = Emission { capture: &capture, vars, at, max_vertices: info.max_vertices };
        rewrite(body, &old, |b, i, ty| match emission.replace(b, i) {
            New::Same => input.replace(b, i, ty, &records),
            new => Ok(new),
        })?;
        shader.vars.retain(|_, v| !v.mode.intersects(Modes::IN | Modes::OUT));
        let info = &mut shader.info;
        // The driver chooses it when it launches the kernel.
        (info.workgroup_size, info.invocations, info.max_vertices) = (None, 0, 0);
        (info.input_primitive, info.output_primitive) = (Primitive::None, Primitive::None);
        (info.clip_distances, info.cull_distances) = (0, 0);
        Ok(Changes::ALL)
    }
}

/// Vertices of an output primitive, once strips are separated.
pub fn output_size(primitive: Primitive) -> Option<u32> {
    Some(match primitive {
        Primitive::Points => 1,
        Primitive::LineStrip => 2,
        Primitive::TriangleStrip => 3,
        _ => return None,
    })
}

/// The captured values of a slot: of the current vertex, then of the vertices before it.
#[derive(Debug)]
struct Held {
    stream: u32,
    slot: Slot,
    /// Components that the shader writes.
    written: u32,
    /// Locals, vectors of four words.
    locals: Vec<VarId>,
}

/// The counters of a stream.
#[derive(Debug)]
struct StreamCounters {
    /// Local: primitives.
    primitives: VarId,
    /// Local: vertices of the current strip; `None` for points.
    strip: Option<VarId>,
}

/// The state of an invocation in locals, and the buffers.
#[derive(Debug)]
struct Capture {
    writes: bool,
    first_provokes: bool,
    arity: u32,
    captures: Captures,
    buffers: Vec<Buffer>,
    counts: (VarId, TypeId),
    counters: Option<(VarId, TypeId)>,
    held: Vec<Held>,
    /// Local: vertices of all streams.
    vertices: VarId,
    streams: [Option<StreamCounters>; STREAMS as usize],
}

/// Where the primitives of each stream go.
type Positions = [Option<Position>; STREAMS as usize];

#[derive(Clone, Copy, Debug)]
struct Position {
    /// Index of the invocation's first primitive.
    first: InstrId,
    /// Primitives that fit into the buffers.
    limit: InstrId,
}

impl Capture {
    fn declare(
        pass: &GeometryToCapture,
        shader: &mut Shader,
        entry: FuncId,
        arity: u32,
    ) -> Result<Capture, Diagnostic> {
        let writes = pass.step == CaptureStep::Write;
        let captures = if writes { placed(&pass.captures, shader)? } else { Captures::default() };
        let held = held(&shader.functions[entry].body, &captures)?;
        let emitted = emitted_streams(&shader.functions[entry].body);
        let access = Access::RESTRICT | if writes { Access::NON_WRITEABLE } else { Access::empty() };
        let counts = declare_words(shader, COUNTS, COUNTS_BINDING, access);
        let counters = writes.then(|| declare_words(shader, COUNTERS, COUNTERS_BINDING, access));
        let buffers = declare_buffers(shader, &captures);
        let (word, vector) = (shader.types.vector(Scalar::Uint32, 1), shader.types.vector(Scalar::Uint32, 4));
        let mut local = |name: &str, ty| shader.add_local(entry, name, ty);
        let mut list = Vec::with_capacity(held.len());
        for (stream, slot, written) in held {
            let locals = (0..arity).map(|_| local("captured", vector)).collect();
            list.push(Held { stream, slot, written, locals });
        }
        let vertices = local("vertices", word);
        let streams = [0, 1, 2, 3].map(|n: usize| {
            emitted[n].then(|| StreamCounters {
                primitives: local("primitives", word),
                strip: (arity > 1).then(|| local("strip_vertices", word)),
            })
        });
        let first_provokes = pass.first_provokes;
        Ok(Capture {
            writes,
            first_provokes,
            arity,
            captures,
            buffers,
            counts,
            counters,
            held: list,
            vertices,
            streams,
        })
    }

    /// Initializes the counters, and finds the input and output of the invocation; returns from invocations outside of the draw.
    fn begin(
        &self,
        vars: &SlotMap<VarId, Variable>,
        body: &mut Body,
        size: u32,
        invocations: u32,
    ) -> (InputPrimitive, Positions) {
        let entry = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(entry));
        let [at, grid] = position(&mut b);
        let beyond = [0, 1].map(|c| {
            let (at, end) = (b.channel(at, c), b.channel(grid, c));
            b.uge(at, end)
        });
        let outside = b.ior(beyond[0], beyond[1]);
        let cf = b.push_if(outside);
        b.jump(Jump::Return);
        b.pop(cf);
        let zero = b.imm_u32(0);
        let of_streams =
            self.streams.iter().flatten().flat_map(|s| s.strip.into_iter().chain([s.primitives]));
        for counter in of_streams.chain([self.vertices]) {
            let counter = b.deref_var(vars, counter);
            b.store_deref(counter, zero);
        }
        let mut positions = [None; STREAMS as usize];
        if let Some(counters) = self.counters {
            let record = record(&mut b, at, grid);
            for (n, position) in (0..).zip(&mut positions) {
                if self.held.iter().any(|h| h.stream == n) {
                    let offset = b.imm_u32(4 * n);
                    let offset = b.iadd(record, offset);
                    let before = load_word(&mut b, self.counts, offset);
                    let [limit, first] = [LIMIT_WORD, FIRST_WORD].map(|word| {
                        let offset = b.imm_u32(4 * (word + n));
                        load_word(&mut b, counters, offset)
                    });
                    *position = Some(Position { first: b.iadd(first, before), limit });
                }
            }
        }
        (InputPrimitive::at(&mut b, at, grid, size, invocations), positions)
    }

    /// Stores the counts at an exit.
    fn store_counts(&self, vars: &SlotMap<VarId, Variable>, b: &mut Builder) {
        let counts = [0, 1, 2, 3].map(|n: usize| match &self.streams[n] {
            Some(stream) => load_local(vars, b, stream.primitives),
            None => b.imm_u32(0),
        });
        let counts = b.vec(&counts);
        let [at, grid] = position(b);
        let record = record(b, at, grid);
        let block = b.deref(DerefKind::Var(self.counts.0), self.counts.1, Modes::SSBO);
        let store = Intrinsic::new(IntrinsicOp::store_ssbo, &[counts, block, record])
            .with(Index::WriteMask, 15)
            .with(Index::Align, Align::new(16));
        b.insert_intrinsic(store, Ty::NONE);
    }
}

/// Position of the invocation in the grid, and the size of the grid.
fn position(b: &mut Builder) -> [InstrId; 2] {
    [SystemValue::global_invocation_id, SystemValue::global_size].map(|value| b.load_system_value(value))
}

/// Byte offset of the counts of the invocation.
fn record(b: &mut Builder, at: InstrId, grid: InstrId) -> InstrId {
    let [x, y] = [0, 1].map(|c| b.channel(at, c));
    let width = b.channel(grid, 0);
    let row = b.imul(y, width);
    let index = b.iadd(row, x);
    let bytes = b.imm_u32(4 * STREAMS);
    b.imul(index, bytes)
}

/// Loads a word of a buffer.
pub(super) fn load_word(b: &mut Builder, (var, ty): (VarId, TypeId), offset: InstrId) -> InstrId {
    let block = b.deref(DerefKind::Var(var), ty, Modes::SSBO);
    let load = Intrinsic::new(IntrinsicOp::load_ssbo, &[block, offset]).with(Index::Align, Align::new(4));
    b.insert_intrinsic(load, Ty::B32)
}

fn load_local(vars: &SlotMap<VarId, Variable>, b: &mut Builder, local: VarId) -> InstrId {
    let local = b.deref_var(vars, local);
    b.load_deref(local, Ty::B32)
}

fn store_local(vars: &SlotMap<VarId, Variable>, b: &mut Builder, local: VarId, value: InstrId) {
    let local = b.deref_var(vars, local);
    b.store_deref(local, value);
}

/// The streams that the shader emits vertices to.
fn emitted_streams(body: &Body) -> [bool; STREAMS as usize] {
    let mut emitted = [false; STREAMS as usize];
    let intrinsics = body.entries().filter_map(|(_, i)| i.as_intrinsic());
    for i in intrinsics.filter(|i| i.op == IntrinsicOp::emit_vertex) {
        emitted[(i.stream() % STREAMS) as usize] = true;
    }
    emitted
}

/// The captured slots that the shader writes: stream, slot, components.
fn held(body: &Body, captures: &Captures) -> Result<Vec<(u32, Slot, u32)>, Diagnostic> {
    let reads = |i: &Intrinsic| {
        i.op == IntrinsicOp::load_output && captures.iter().any(|c| c.slot == i.io().location)
    };
    if body.entries().any(|(_, i)| i.as_intrinsic().is_some_and(reads)) {
        let message = "a captured output is read";
        return Err(Diagnostic::error("E0345", message).help("run lower_io_to_temporaries before lower_io"));
    }
    let mut held: Vec<(u32, Slot, u32)> = Vec::new();
    for id in stores(body, captures)? {
        let Some(i) = body[id].as_intrinsic() else { continue };
        let Some(slot) = written_slot(body, i) else { continue };
        let (stream, mask) = (u32::from(i.io().stream), (i.write_mask() << i.component()) & 15);
        match held.iter_mut().find(|h| (h.0, h.1) == (stream, slot)) {
            Some(found) => found.2 |= mask,
            None => held.push((stream, slot, mask)),
        }
    }
    Ok(held)
}

/// Builds the code that replaces outputs and vertices.
struct Emission<'a> {
    capture: &'a Capture,
    vars: &'a SlotMap<VarId, Variable>,
    at: Positions,
    max_vertices: u32,
}

impl Emission<'_> {
    fn replace(&self, b: &mut Builder, i: &Intrinsic) -> New {
        match i.op {
            IntrinsicOp::emit_vertex => {
                self.emit(b, i.stream() % STREAMS);
                New::Nothing
            }
            IntrinsicOp::end_primitive => {
                let stream = self.capture.streams[(i.stream() % STREAMS) as usize].as_ref();
                if let Some(strip) = stream.and_then(|s| s.strip) {
                    let zero = b.imm_u32(0);
                    store_local(self.vars, b, strip, zero);
                }
                New::Nothing
            }
            IntrinsicOp::store_output => {
                let (slot, stream) = (written_slot(b.body, i), u32::from(i.io().stream));
                let held = self.capture.held.iter().find(|h| (Some(h.slot), h.stream) == (slot, stream));
                // Captured values have 32 bits.
                if let Some(held) = held.filter(|_| b.ty(i.src(0)).bits == 32) {
                    let local = b.deref_var(self.vars, held.locals[0]);
                    store_lanes(b, local, i.src(0), i.component(), i.write_mask(), 32);
                }
                New::Nothing
            }
            _ => New::Same,
        }
    }

    /// Emits a vertex with the values of the locals, and the primitive that it completes.
    fn emit(&self, b: &mut Builder, n: u32) {
        let capture = self.capture;
        let Some(stream) = &capture.streams[n as usize] else { return };
        let number = load_local(self.vars, b, capture.vertices);
        let most = b.imm_u32(self.max_vertices);
        let fits = b.ult(number, most);
        let emitted = b.push_if(fits);
        let one = b.imm_u32(1);
        let next = b.iadd(number, one);
        store_local(self.vars, b, capture.vertices, next);
        match stream.strip {
            None => self.primitive(b, n, stream, None),
            Some(strip) => {
                let before = load_local(self.vars, b, strip);
                let in_strip = b.iadd(before, one);
                store_local(self.vars, b, strip, in_strip);
                let enough = b.imm_u32(capture.arity);
                let complete = b.uge(in_strip, enough);
                let made = b.push_if(complete);
                self.primitive(b, n, stream, Some(before));
                b.pop(made);
            }
        }
        for held in capture.held.iter().filter(|h| h.stream == n) {
            for pair in held.locals.windows(2).rev() {
                let [from, to] = [pair[0], pair[1]].map(|local| b.deref_var(self.vars, local));
                let value = b.load_deref(from, Ty::new(4, 32));
                b.store_deref(to, value);
            }
        }
        b.pop(emitted);
    }

    /// Emits a primitive; `before` vertices of its strip precede the last one.
    fn primitive(&self, b: &mut Builder, n: u32, stream: &StreamCounters, before: Option<InstrId>) {
        let primitives = load_local(self.vars, b, stream.primitives);
        if let Some(Position { first, limit }) = self.at[n as usize] {
            let index = b.iadd(first, primitives);
            let inside = b.ult(index, limit);
            let cf = b.push_if(inside);
            let arity = b.imm_u32(self.capture.arity);
            let start = b.imul(index, arity);
            for (vertex, position) in (0..).zip(self.order(b, before)) {
                let record = b.iadd(start, position);
                self.vertex(b, n, vertex, record);
            }
            b.pop(cf);
        }
        let one = b.imm_u32(1);
        let more = b.iadd(primitives, one);
        store_local(self.vars, b, stream.primitives, more);
    }

    /// Positions in the primitive of its vertices: of the last one, then of those before it.
    fn order(&self, b: &mut Builder, before: Option<InstrId>) -> Vec<InstrId> {
        let arity = self.capture.arity;
        let Some(before) = before.filter(|_| arity == 3) else {
            return (0..arity).rev().map(|n| b.imm_u32(n)).collect();
        };
        let one = b.imm_u32(1);
        let odd = b.iand(before, one);
        let two = b.imm_u32(2);
        if self.capture.first_provokes {
            let zero = b.imm_u32(0);
            return vec![b.isub(two, odd), b.iadd(one, odd), zero];
        }
        vec![two, b.isub(one, odd), odd]
    }

    /// Writes the captured values of a vertex, counted back from the last one, to a record.
    fn vertex(&self, b: &mut Builder, stream: u32, vertex: usize, record: InstrId) {
        let capture = self.capture;
        for c in capture.captures.iter().filter(|c| c.stream == stream) {
            let Some(held) = capture.held.iter().find(|h| (h.slot, h.stream) == (c.slot, stream)) else {
                continue;
            };
            let mask = (held.written >> c.component) & ((1 << c.components) - 1);
            if mask == 0 {
                continue;
            }
            let local = b.deref_var(self.vars, held.locals[vertex]);
            let value = b.load_deref(local, Ty::new(4, 32));
            let lanes: Vec<u8> = (c.component..c.component + c.components).map(|n| n as u8).collect();
            let value = b.swizzle(value, &lanes);
            write(b, &capture.buffers, record, c, c.component, (value, mask));
        }
    }
}
