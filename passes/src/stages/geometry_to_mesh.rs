//! Lowers a geometry shader to a mesh shader, for targets without a geometry stage.
//!
//! Accepts forms `slots` and `target`. Each invocation of the geometry shader becomes a workgroup of one
//! invocation: Metal draws meshes in the order of their workgroups, which is the order required by OpenGL and
//! Vulkan. The grid has primitives times `invocations` workgroups in x and one per instance in y.
//!
//! * **Inputs** are read from the buffer that the vertex stage wrote as a kernel
//!   ([`vertex_outputs_to_buffer`](crate::stages::vertex_outputs_to_buffer); layout in
//!   [`stage_buffer`](crate::stages::stage_buffer)): primitive `p` has `n` records from `p * n` on, where `n`
//!   is the number of vertices of an input primitive, so primitives are plain lists. The code that launches
//!   that kernel expands strips, fans and indices. `slots` is the layout, by default the slots that the
//!   shader declares or reads.
//! * **`gl_PrimitiveIDIn`** is the index of the primitive in its instance; after tessellation it is that of
//!   the patch, and read from the record of the first vertex, if the record contains it (GLSL 4.60 section
//!   7.1.4).
//! * **Outputs** are kept in locals (`vars_to_ssa` promotes them), and each emitted vertex copies them to a
//!   vertex of the mesh. Vertices beyond `max_vertices` are dropped. Outputs not written between two vertices
//!   keep their values.
//! * **Strips** become separate lines and triangles, with the winding of the strip. The provoking vertex
//!   comes first, because Metal takes flat values from there: with `first_provokes` (Vulkan, Metal) it is
//!   vertex `i` of primitive `i`, otherwise the last (OpenGL). The layer, the viewport and `gl_PrimitiveID`,
//!   which are per primitive in a mesh, are those of the provoking vertex.
//!
//! Vertices of streams other than the first are dropped: they only feed transform feedback, for which
//! [`geometry_to_capture`](crate::stages::geometry_to_capture) makes kernels (OpenGL 4.6 section 11.3.4.2). Cost: linear,
//! but the code of a vertex is repeated at every `emit_vertex`. Run `vars_to_ssa` and clean-up passes
//! afterwards.
//!
//! Source: Mesa's lowering of geometry shaders in its drivers for Apple GPUs, which counts in the same way.
//!
//! ```foil-example
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive points
//!   output_primitive points
//!   max_vertices 1
//!   in vec4[1] p location=position
//!   out vec4 q location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_per_vertex_input %0, %0 io=position dest_type=float32
//!     store_output %1, %0 io=position src_type=float32
//!     emit_vertex stream=0
//!   }
//! }
//! =>
//! foil 1
//! shader mesh "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   output_primitive points
//!   max_vertices 1
//!   max_primitives 1
//!   out vec4[1] q location=position
//!   ssbo Records { vec4[stride=16] data @0 } stage_vertices set=65535 binding=0 access=restrict|non_writeable
//!   out uint[1] primitive_indices location=primitive_indices per_primitive
//!
//!   fn main {
//!     function_temp uvec4 q.1
//!     function_temp uint vertices
//!     function_temp uint primitives
//!   b0:
//!     32x1 %0 = const 0
//!     %1 = deref_var &vertices
//!     store_deref %1, %0 mask=x
//!     %2 = deref_var &primitives
//!     store_deref %2, %0 mask=x
//!     32x3 %3 = load_workgroup_id
//!     32x3 %4 = load_num_workgroups
//!     32x1 %5 = mov %3.x
//!     32x1 %6 = mov %3.y
//!     32x1 %7 = mov %4.x
//!     32x1 %8 = const 0
//!     32x1 %9 = imul %6, %7
//!     32x1 %10 = iadd %9, %5
//!     32x1 %11 = const 1
//!     32x1 %12 = const 0
//!     32x1 %13 = const 16
//!     32x1 %14 = imul %10, %13
//!     %15 = deref_var &stage_vertices
//!     32x4 %16 = load_ssbo %15, %14 align=16
//!     %17 = deref_var &q.1
//!     store_deref %17, %16 mask=xyzw
//!     %18 = deref_var &vertices
//!     32x1 %19 = load_deref %18
//!     32x1 %20 = const 1
//!     1x1 %21 = ult %19, %20
//!     if %21 {
//!     b1:
//!       32x1 %22 = const 1
//!       %23 = deref_var &q.1
//!       32x4 %24 = load_deref %23
//!       32x1 %25 = const 0
//!       store_per_vertex_output %24, %19, %25 io=position mask=xyzw src_type=float32
//!       32x1 %26 = iadd %19, %22
//!       %27 = deref_var &vertices
//!       store_deref %27, %26 mask=x
//!       %28 = deref_var &primitives
//!       32x1 %29 = load_deref %28
//!       32x1 %30 = const 0
//!       store_per_vertex_output %19, %29, %30 io=(primitive_indices per_primitive) mask=x src_type=uint32
//!       32x1 %31 = const 1
//!       32x1 %32 = iadd %29, %31
//!       %33 = deref_var &primitives
//!       store_deref %33, %32 mask=x
//!     }
//!   b2:
//!     %34 = deref_var &vertices
//!     32x1 %35 = load_deref %34
//!     %36 = deref_var &primitives
//!     32x1 %37 = load_deref %36
//!     set_mesh_outputs %35, %37
//!   }
//! }
//! ```

mod emit;

use crate::stages::stage_buffer::{New, Part, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, AluOp, Builder, Cursor, Diagnostic, Form, InstrId, Intrinsic, IntrinsicOp, Modes, Primitive,
    Shader, Slot, Stage, SystemValue, Ty,
};
use emit::Outputs;

pass_options! {
    /// See the [module documentation](self).
    pub struct GeometryToMesh {
        /// Slots of a vertex record, as `position|0|1`; if empty, all that the shader declares or reads.
        slots: RecordLayout = RecordLayout::default(),
        /// The first vertex of a primitive is the provoking one, otherwise the last.
        first_provokes: bool = true,
    }
}

static INFO: PassInfo = PassInfo::new(
    "geometry_to_mesh",
    "lowers a geometry shader to a mesh shader that reads its vertices from a buffer",
    include_str!("geometry_to_mesh.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<GeometryToMesh as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for GeometryToMesh {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Geometry {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        let Some(size) = input_size(shader.info.input_primitive) else {
            let message =
                format!("`{}` is not an input primitive of geometry shaders", shader.info.input_primitive);
            return Err(Diagnostic::error("E0348", message));
        };
        let layout = self.slots.or_declared(shader, Modes::IN, Part::Vertex);
        let records = Records::declare(shader, StageBuffer::Vertices, layout, Access::NON_WRITEABLE);
        let outputs = Outputs::new(shader, entry, self.first_provokes)?;
        let body = &mut shader.functions[entry].body;
        let old: Vec<InstrId> = body.all_instrs().collect();
        let start = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(start));
        let group = b.load_system_value(SystemValue::workgroup_id);
        let groups = b.load_system_value(SystemValue::num_workgroups);
        let primitive = InputPrimitive::at(&mut b, group, groups, size, shader.info.invocations.max(1));
        outputs.begin(&shader.vars, body);
        let Shader { types, vars, functions, .. } = shader;
        rewrite(&mut functions[entry].body, &old, |b, i, ty| {
            match outputs.replace(types, vars, b, i, ty)? {
                New::Same => primitive.replace(b, i, ty, &records),
                new => Ok(new),
            }
        })?;
        shader.vars.retain(|_, v| v.mode != Modes::IN);
        outputs.finish(shader, entry);
        shader.stage = Stage::Mesh;
        let info = &mut shader.info;
        (info.workgroup_size, info.invocations) = (Some([1; 3]), 0);
        info.input_primitive = Primitive::None;
        Ok(Changes::ALL)
    }
}

/// Vertices of an input primitive (GLSL 4.60 section 4.4.1.2).
pub fn input_size(primitive: Primitive) -> Option<u32> {
    Some(match primitive {
        Primitive::Points => 1,
        Primitive::Lines => 2,
        Primitive::LinesAdjacency => 4,
        Primitive::Triangles => 3,
        Primitive::TrianglesAdjacency => 6,
        _ => return None,
    })
}

/// The primitive that an invocation processes.
pub(super) struct InputPrimitive {
    /// Its index in the instance.
    number: InstrId,
    /// `gl_InvocationID`.
    invocation: InstrId,
    /// Index of the record of its first vertex.
    first: InstrId,
}

impl InputPrimitive {
    /// The primitive at a position in a grid of primitives times invocations by instances.
    pub(super) fn at(
        b: &mut Builder,
        position: InstrId,
        grid: InstrId,
        size: u32,
        invocations: u32,
    ) -> InputPrimitive {
        let [mut number, instance] = [0, 1].map(|c| b.channel(position, c));
        let mut primitives = b.channel(grid, 0);
        let mut invocation = b.imm_u32(0);
        if invocations > 1 {
            let n = b.imm_u32(invocations);
            invocation = b.alu(AluOp::umod, &[number, n]);
            number = b.alu(AluOp::udiv, &[number, n]);
            primitives = b.alu(AluOp::udiv, &[primitives, n]);
        }
        let before = b.imul(instance, primitives);
        let counted = b.iadd(before, number);
        let size = b.imm_u32(size);
        let first = b.imul(counted, size);
        InputPrimitive { number, invocation, first }
    }

    /// `gl_PrimitiveIDIn`.
    fn id(&self, b: &mut Builder, records: &Records) -> InstrId {
        if records.layout().offset(Slot::PRIMITIVE_ID).is_none() {
            return self.number;
        }
        let base = records.base(b, self.first);
        records.load_slot(b, base, Slot::PRIMITIVE_ID, Ty::B32)
    }

    /// Replaces an instruction that reads an input.
    pub(super) fn replace(
        &self,
        b: &mut Builder,
        i: &Intrinsic,
        ty: Ty,
        records: &Records,
    ) -> Result<New, Diagnostic> {
        use SystemValue as S;
        let value = match (i.op, i.op.system_value()) {
            (IntrinsicOp::load_per_vertex_input, _) => {
                let index = b.iadd(self.first, i.src(0));
                let base = records.base(b, index);
                records.load(b, base, i, ty)?
            }
            (IntrinsicOp::load_input, _) if i.io().location == Slot::PRIMITIVE_ID => self.id(b, records),
            (IntrinsicOp::load_input, _) => {
                let message = format!("input `{}`: expected a per-vertex input", i.io().location);
                return Err(Diagnostic::error("E0348", message));
            }
            (_, Some(S::primitive_id)) => self.id(b, records),
            (_, Some(S::invocation_id)) => self.invocation,
            _ => return Ok(New::Same),
        };
        Ok(New::Value(value))
    }
}
