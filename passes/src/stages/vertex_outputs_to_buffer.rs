//! Lowers a vertex shader to a kernel that writes its outputs to a buffer.
//!
//! Accepts forms `slots` and `target`. A following stage that Metal lacks (tessellation control, geometry)
//! reads the buffer; [`stage_buffer`](crate::stages::stage_buffer) defines the layout of its records. The
//! grid is vertices by instances (`global_size`); invocations outside of it return at once, so workgroups may
//! have any size. Vertex attributes stay stage inputs, which Metal kernels support
//! (`MTLStageInputOutputDescriptor`; vertices are in draw order, and that descriptor handles the index
//! buffer).
//!
//! `vertex_id` is the position in the grid plus the grid's origin (`base_global_invocation_id`: base vertex
//! and base instance), and likewise for instances. In an indexed draw it is the index plus the origin (OpenGL
//! 4.6 section 11.1.3.9, Vulkan `VertexIndex`): with `index_bits` the kernel reads it from the index buffer
//! itself, the storage buffer `stage_indices`. `slots` are the slots that readers need; other outputs are
//! dropped. By default they are all slots that the shader declares or writes. Linear.
//!
//! Source: SPIRV-Cross's and KosmicKrisp's handling of vertex shaders before tessellation.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out vec4 p location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 1.0, 2.0, 3.0, 4.0
//!     store_output %1, %0 io=position mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   ssbo Records { vec4[stride=16] data @0 } stage_vertices set=65535 binding=0 access=restrict
//!   fn main {
//!   b0:
//!     32x3 %0 = load_global_invocation_id
//!     32x3 %1 = load_global_size
//!     32x1 %2 = mov %0.x
//!     32x1 %3 = mov %0.y
//!     32x1 %4 = mov %1.x
//!     32x1 %5 = mov %1.y
//!     1x1 %6 = uge %2, %4
//!     1x1 %7 = uge %3, %5
//!     1x1 %8 = ior %6, %7
//!     if %8 {
//!     b1:
//!       return
//!     }
//!   b2:
//!     32x1 %9 = imul %3, %4
//!     32x1 %10 = iadd %9, %2
//!     32x1 %11 = const 16
//!     32x1 %12 = imul %10, %11
//!     32x1 %13 = const 0
//!     32x4 %14 = const 1.0, 2.0, 3.0, 4.0
//!     %15 = deref_var &stage_vertices
//!     store_ssbo %14, %15, %12 mask=xyzw align=16
//!   }
//! }
//! ```

use crate::stages::stage_buffer::{New, Part, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Align, AluOp, Body, Builder, Cursor, DerefKind, Diagnostic, Form, FuncId, Index, InstrId,
    Intrinsic, IntrinsicOp, Jump, Modes, Scalar, Shader, Stage, SystemValue, Ty, TypeId, VarId,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct VertexOutputsToBuffer {
        /// Slots of a record, as `position|0|1|point_size`; if empty, all that the shader declares or writes.
        slots: RecordLayout = RecordLayout::default(),
        /// Width of an index, 16 or 32 bits; 0 = draws are not indexed.
        index_bits: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "vertex_outputs_to_buffer",
    "lowers a vertex shader to a kernel that writes its outputs to a buffer",
    include_str!("vertex_outputs_to_buffer.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<VertexOutputsToBuffer as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for VertexOutputsToBuffer {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Vertex {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        let written = RecordLayout::of(shader, Modes::OUT, Part::Vertex);
        let layout = self.slots.or_declared(shader, Modes::OUT, Part::Vertex);
        let records = Records::declare(shader, StageBuffer::Vertices, layout, Access::empty());
        let indices = Indices::declare(shader, entry, self.index_bits)?;
        let body = &mut shader.functions[entry].body;
        let old: Vec<InstrId> = body.all_instrs().collect();
        let draw = begin(body, &records, &written, indices);
        rewrite(body, &old, |b, i, ty| draw.replace(b, i, ty, &records))?;
        shader.stage = Stage::Compute;
        // The driver chooses it when it launches the kernel.
        shader.info.workgroup_size = None;
        shader.vars.retain(|_, v| v.mode != Modes::OUT);
        Ok(Changes::ALL)
    }
}

/// The index buffer of a draw.
#[derive(Clone, Copy)]
struct Indices {
    var: (VarId, TypeId),
    bits: u8,
}

impl Indices {
    /// The buffer, if draws are indexed and the shader reads vertex indices.
    fn declare(shader: &mut Shader, entry: FuncId, bits: u32) -> Result<Option<Indices>, Diagnostic> {
        let scalar = match bits {
            0 => return Ok(None),
            16 => Scalar::Uint16,
            32 => Scalar::Uint32,
            _ => {
                return Err(Diagnostic::error(
                    "E0349",
                    format!("{bits}-bit indices are not supported on Metal, only 16 and 32 bits"),
                ));
            }
        };
        let body = &shader.functions[entry].body;
        let asks = |i: &Intrinsic| i.op == IntrinsicOp::load_vertex_id;
        if !body.entries().any(|(_, instr)| instr.as_intrinsic().is_some_and(asks)) {
            return Ok(None);
        }
        let word = shader.types.vector(scalar, 1);
        let var = StageBuffer::Indices.declare(shader, word, bits / 8, Access::NON_WRITEABLE);
        Ok(Some(Indices { var, bits: scalar.bits() }))
    }

    /// The index of a vertex of the draw.
    fn load(self, b: &mut Builder, vertex: InstrId) -> InstrId {
        let bytes = u32::from(self.bits / 8);
        let size = b.imm_u32(bytes);
        let at = b.imul(vertex, size);
        let block = b.deref(DerefKind::Var(self.var.0), self.var.1, Modes::SSBO);
        let load =
            Intrinsic::new(IntrinsicOp::load_ssbo, &[block, at]).with(Index::Align, Align::new(bytes as u16));
        let index = b.insert_intrinsic(load, Ty::new(1, self.bits));
        if self.bits == 32 { index } else { b.convert(AluOp::u2u, index, 32) }
    }
}

/// The position of the invocation in the draw.
struct Draw {
    indices: Option<Indices>,
    /// Vertex without base.
    vertex: InstrId,
    /// Instance without base.
    instance: InstrId,
    /// Byte offset of the record.
    base: InstrId,
}

/// Computes the position of the invocation; returns from invocations outside of the draw.
fn begin(body: &mut Body, records: &Records, written: &RecordLayout, indices: Option<Indices>) -> Draw {
    let entry = body.entry();
    let mut b = Builder::at(body, Cursor::BlockStart(entry));
    let at = b.load_system_value(SystemValue::global_invocation_id);
    let size = b.load_system_value(SystemValue::global_size);
    let [vertex, instance] = [0, 1].map(|c| b.channel(at, c));
    let [vertices, instances] = [0, 1].map(|c| b.channel(size, c));
    let beyond = [b.uge(vertex, vertices), b.uge(instance, instances)];
    let outside = b.ior(beyond[0], beyond[1]);
    let cf = b.push_if(outside);
    b.jump(Jump::Return);
    b.pop(cf);
    let row = b.imul(instance, vertices);
    let index = b.iadd(row, vertex);
    let base = records.base(&mut b, index);
    records.clear(&mut b, base, written);
    Draw { indices, vertex, instance, base }
}

impl Draw {
    fn replace(&self, b: &mut Builder, i: &Intrinsic, ty: Ty, records: &Records) -> Result<New, Diagnostic> {
        use SystemValue as S;
        let value = match (i.op, i.op.system_value()) {
            (IntrinsicOp::store_output, _) => {
                records.store(b, self.base, i)?;
                return Ok(New::Nothing);
            }
            (IntrinsicOp::load_output, _) => records.load(b, self.base, i, ty)?,
            (_, Some(S::vertex_id_zero_base)) => self.vertex,
            (_, Some(S::instance_id)) => self.instance,
            (_, Some(S::vertex_id)) => {
                let index = self.indices.map_or(self.vertex, |indices| indices.load(b, self.vertex));
                let base = origin(b, 0);
                b.iadd(index, base)
            }
            (_, Some(S::instance_index)) => {
                let base = origin(b, 1);
                b.iadd(self.instance, base)
            }
            (_, Some(S::base_vertex)) => origin(b, 0),
            (_, Some(S::base_instance)) => origin(b, 1),
            _ => return Ok(New::Same),
        };
        Ok(New::Value(value))
    }
}

/// A coordinate of the grid's origin.
fn origin(b: &mut Builder, c: usize) -> InstrId {
    let origin = b.load_system_value(SystemValue::base_global_invocation_id);
    b.channel(origin, c)
}
