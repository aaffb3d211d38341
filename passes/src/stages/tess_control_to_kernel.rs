//! Lowers a tessellation control shader to a kernel: one workgroup per patch, one invocation per output
//! vertex.
//!
//! Accepts forms `slots` and `target`; requires that returns have been lowered. The grid of workgroups is
//! patches by instances. The kernel reads the records written by the [vertex
//! kernel](crate::stages::vertex_outputs_to_buffer) and writes records for vertices and patches;
//! [`stage_buffer`](crate::stages::stage_buffer) defines their layout. `barrier()` orders the records. At the
//! end the kernel synchronises once more, and its first invocation writes the tessellation levels as Metal
//! expects them:
//!
//! * quads: 16-bit floats outer 0 to 3, inner 0 and 1 (`MTLQuadTessellationFactorsHalf`, 12 bytes per patch);
//! * triangles: outer 0 to 2, inner 0 (`MTLTriangleTessellationFactorsHalf`, 8 bytes per patch).
//!
//! The order is the same in all APIs: the outer levels of a quad are those of the edges u = 0, v = 0, u = 1,
//! v = 1, of a triangle those of u = 0, v = 0, w = 0 (OpenGL 4.6 sections 11.2.2.1 and 11.2.2.2, Metal's
//! `edgeTessellationFactor`), and the first inner level divides along u.
//!
//! * `inputs`, `outputs`, `patches`: slots of the records; if empty, the slots that the shader declares or
//!   accesses. Patch records always contain both levels; `primitive_id` among their slots receives the index
//!   of the patch within its instance.
//! * `patch_vertices`: number of vertices of an input patch, `gl_PatchVerticesIn`.
//! * `quads`: whether the domain is quads. Only the evaluation shader is required to declare that.
//!
//! Linear.
//!
//! Source: SPIRV-Cross's handling of control shaders.
//!
//! ```foil-example (patch_vertices=4)
//! foil 1
//! shader tess_control "t" {
//!   form slots
//!   patch_vertices_out 2
//!   out vec4[2] p location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_invocation_id
//!     32x4 %2 = load_per_vertex_input %1, %0 io=0 dest_type=float32
//!     store_per_vertex_output %2, %1, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 2 1 1
//!   ssbo Records { vec4[stride=16] data @0 } stage_vertices set=65535 binding=0 access=restrict|non_writeable
//!   ssbo Records stage_control_points set=65535 binding=1 access=restrict
//!   ssbo Records stage_patches set=65535 binding=2 access=restrict
//!   ssbo Records.1 { float16[stride=2] data @0 } stage_tess_factors set=65535 binding=3 access=restrict|non_readable
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = load_local_invocation_index
//!     32x3 %1 = load_workgroup_id
//!     32x3 %2 = load_num_workgroups
//!     32x1 %3 = mov %1.x
//!     32x1 %4 = mov %1.y
//!     32x1 %5 = mov %2.x
//!     32x1 %6 = imul %4, %5
//!     32x1 %7 = iadd %6, %3
//!     32x1 %8 = const 4
//!     32x1 %9 = imul %7, %8
//!     32x1 %10 = const 2
//!     32x1 %11 = imul %7, %10
//!     32x1 %12 = const 32
//!     32x1 %13 = imul %7, %12
//!     32x1 %14 = const 0
//!     32x1 %15 = iadd %9, %0
//!     32x1 %16 = const 16
//!     32x1 %17 = imul %15, %16
//!     %18 = deref_var &stage_vertices
//!     32x4 %19 = load_ssbo %18, %17 align=16
//!     32x1 %20 = iadd %11, %0
//!     32x1 %21 = const 16
//!     32x1 %22 = imul %20, %21
//!     %23 = deref_var &stage_control_points
//!     store_ssbo %19, %23, %22 mask=xyzw align=16
//!     barrier execution=workgroup memory=workgroup modes=ssbo semantics=acquire|release
//!     32x1 %24 = const 0
//!     1x1 %25 = ieq %0, %24
//!     if %25 {
//!     b1:
//!       %26 = deref_var &stage_patches
//!       32x4 %27 = load_ssbo %26, %13 align=16
//!       32x1 %28 = const 16
//!       32x1 %29 = iadd %13, %28
//!       %30 = deref_var &stage_patches
//!       32x2 %31 = load_ssbo %30, %29 align=16
//!       16x4 %32 = f2f %27
//!       16x2 %33 = f2f %31
//!       32x1 %34 = const 8
//!       32x1 %35 = imul %7, %34
//!       16x1 %36 = mov %32.x
//!       16x1 %37 = mov %32.y
//!       16x1 %38 = mov %32.z
//!       16x1 %39 = mov %33.x
//!       16x4 %40 = vec4 %36, %37, %38, %39
//!       %41 = deref_var &stage_tess_factors
//!       store_ssbo %40, %41, %35 mask=xyzw align=8
//!     }
//!   b2:
//!   }
//! }
//! ```

use crate::stages::stage_buffer::{New, Part, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Align, AluOp, Body, Builder, Cursor, DerefKind, Diagnostic, Form, Index, InstrId, Intrinsic,
    IntrinsicOp, Jump, Modes, Primitive, Scalar, Scope, Semantics, Shader, Slot, Stage, SystemValue, Ty,
    TypeId, VarId,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct TessControlToKernel {
        /// Slots of input vertex records.
        inputs: RecordLayout = RecordLayout::default(),
        /// Slots of output vertex records.
        outputs: RecordLayout = RecordLayout::default(),
        /// Slots of patch records.
        patches: RecordLayout = RecordLayout::default(),
        /// Number of vertices of an input patch.
        patch_vertices: u32 = 3,
        /// Whether the domain is quads.
        quads: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "tess_control_to_kernel",
    "lowers a tessellation control shader to a kernel that writes buffers",
    include_str!("tess_control_to_kernel.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<TessControlToKernel as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for TessControlToKernel {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::TessControl {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        check(shader, &shader.functions[entry].body)?;
        let size = shader.info.patch_vertices_out.max(1);
        let inputs = self.inputs.or_declared(shader, Modes::IN, Part::Vertex);
        let outputs = self.outputs.or_declared(shader, Modes::OUT, Part::Vertex);
        let patches = self.patches.or_declared(shader, Modes::OUT, Part::Patch).with_levels();
        let quads = self.quads || shader.info.input_primitive == Primitive::Quads;
        let inputs = Records::declare(shader, StageBuffer::Vertices, inputs, Access::NON_WRITEABLE);
        let outputs = Records::declare(shader, StageBuffer::ControlPoints, outputs, Access::empty());
        let patches = Records::declare(shader, StageBuffer::Patches, patches, Access::empty());
        let factors = Factors::declare(shader, quads);
        let body = &mut shader.functions[entry].body;
        let old: Vec<InstrId> = body.all_instrs().collect();
        let kernel = Kernel::begin(body, self.patch_vertices, size, [inputs, outputs], patches);
        rewrite(body, &old, |b, i, ty| kernel.replace(b, i, ty))?;
        kernel.end(body, &factors);
        shader.stage = Stage::Compute;
        let info = &mut shader.info;
        info.workgroup_size = Some([size, 1, 1]);
        (info.patch_vertices_out, info.input_primitive, info.spacing) = Default::default();
        (info.clockwise, info.point_mode) = Default::default();
        shader.vars.retain(|_, v| !v.mode.intersects(Modes::IN | Modes::OUT));
        Ok(Changes::ALL)
    }
}

/// Checks that all invocations reach the end, and that Metal supports the domain.
fn check(shader: &Shader, body: &Body) -> Result<(), Diagnostic> {
    if shader.info.input_primitive == Primitive::Isolines {
        return Err(super::tess_eval_inputs_from_buffers::no_isolines());
    }
    let last = body.root().last;
    let leaves = |block| match body.jump(block) {
        Some(Jump::Return) => block != last,
        Some(Jump::Halt) => true,
        _ => false,
    };
    if body.blocks().any(leaves) {
        let message = "tess_control_to_kernel requires that all invocations reach the end of the shader";
        return Err(Diagnostic::error("E0342", message).help("run lower_returns first"));
    }
    Ok(())
}

/// The kernel under construction.
struct Kernel {
    /// Number of vertices of an input patch.
    patch_vertices: u32,
    /// Input and output records.
    vertices: [Records; 2],
    patches: Records,
    /// Position of the invocation in the patch.
    invocation: InstrId,
    /// Index of the patch within the instance.
    number: InstrId,
    /// Index of the patch.
    patch: InstrId,
    /// Indices of the first records of the patch.
    first: [InstrId; 2],
    /// Byte offset of the record of the patch.
    base: InstrId,
}

impl Kernel {
    fn begin(
        body: &mut Body,
        patch_vertices: u32,
        size: u32,
        vertices: [Records; 2],
        patches: Records,
    ) -> Kernel {
        let entry = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(entry));
        let invocation = b.load_system_value(SystemValue::local_invocation_index);
        let group = b.load_system_value(SystemValue::workgroup_id);
        let groups = b.load_system_value(SystemValue::num_workgroups);
        let [number, instance] = [0, 1].map(|c| b.channel(group, c));
        let count = b.channel(groups, 0);
        let before = b.imul(instance, count);
        let patch = b.iadd(before, number);
        let first = [patch_vertices, size].map(|n| {
            let n = b.imm_u32(n);
            b.imul(patch, n)
        });
        let base = patches.base(&mut b, patch);
        Kernel { patch_vertices, vertices, patches, invocation, number, patch, first, base }
    }

    /// Byte offset of the record of an input (0) or output (1) vertex.
    fn vertex(&self, b: &mut Builder, which: usize, vertex: InstrId) -> InstrId {
        let index = b.iadd(self.first[which], vertex);
        self.vertices[which].base(b, index)
    }

    fn replace(&self, b: &mut Builder, i: &Intrinsic, ty: Ty) -> Result<New, Diagnostic> {
        use IntrinsicOp as Op;
        let value = match i.op {
            Op::load_per_vertex_input | Op::load_per_vertex_output => {
                let which = usize::from(i.op == Op::load_per_vertex_output);
                let base = self.vertex(b, which, i.src(0));
                self.vertices[which].load(b, base, i, ty)?
            }
            Op::store_per_vertex_output => {
                let base = self.vertex(b, 1, i.src(1));
                self.vertices[1].store(b, base, i)?;
                return Ok(New::Nothing);
            }
            Op::load_output => self.patches.load(b, self.base, i, ty)?,
            Op::store_output => {
                self.patches.store(b, self.base, i)?;
                return Ok(New::Nothing);
            }
            Op::barrier => return Ok(order_records(b, i)),
            Op::load_invocation_id => self.invocation,
            Op::load_primitive_id => self.number,
            Op::load_patch_vertices_in => b.imm_u32(self.patch_vertices),
            _ => return Ok(New::Same),
        };
        Ok(New::Value(value))
    }

    /// Writes the levels, and the other implicit values of every patch.
    fn end(&self, body: &mut Body, factors: &Factors) {
        let mut b = Builder::at_end(body);
        b.insert_intrinsic(barrier(Modes::SSBO), Ty::NONE);
        let zero = b.imm_u32(0);
        let first = b.ieq(self.invocation, zero);
        let cf = b.push_if(first);
        let outer = self.patches.load_slot(&mut b, self.base, Slot::TESS_LEVEL_OUTER, Ty::new(4, 32));
        let inner = self.patches.load_slot(&mut b, self.base, Slot::TESS_LEVEL_INNER, Ty::new(2, 32));
        factors.store(&mut b, self.patch, outer, inner);
        self.patches.store_slot(&mut b, self.base, Slot::PRIMITIVE_ID, self.number);
        b.pop(cf);
    }
}

/// Synchronises the workgroup and orders memory.
fn barrier(modes: Modes) -> Intrinsic {
    Intrinsic::new(IntrinsicOp::barrier, &[])
        .with(Index::ExecutionScope, Scope::Workgroup)
        .with(Index::MemoryScope, Scope::Workgroup)
        .with(Index::MemoryModes, modes)
        .with(Index::Semantics, Semantics::ACQUIRE | Semantics::RELEASE)
}

/// A barrier that orders records where it ordered outputs. One that synchronises orders them implicitly
/// (SPIR-V 1.6,
/// OpControlBarrier: "also implicitly synchronizes the Output Storage Class").
fn order_records(b: &mut Builder, i: &Intrinsic) -> New {
    let mut modes = i.memory_modes();
    let waits = i.execution_scope() == Scope::Workgroup;
    if !waits && !modes.contains(Modes::OUT) {
        return New::Same;
    }
    modes = (modes - Modes::OUT) | Modes::SSBO;
    let new = if waits && matches!(i.memory_scope(), Scope::None | Scope::Invocation) {
        barrier(modes)
    } else {
        let semantics = i.semantics() | Semantics::ACQUIRE | Semantics::RELEASE;
        (*i).with(Index::MemoryModes, modes).with(Index::Semantics, semantics)
    };
    b.insert_intrinsic(new, Ty::NONE);
    New::Nothing
}

/// The buffer of Metal's tessellation factors.
struct Factors {
    var: VarId,
    ty: TypeId,
    quads: bool,
}

impl Factors {
    fn declare(shader: &mut Shader, quads: bool) -> Factors {
        let half = shader.types.vector(Scalar::Float16, 1);
        let access = Access::RESTRICT | Access::NON_READABLE;
        let (var, ty) = StageBuffer::TessFactors.declare(shader, half, 2, access);
        Factors { var, ty, quads }
    }

    fn store(&self, b: &mut Builder, patch: InstrId, outer: InstrId, inner: InstrId) {
        let [outer, inner] = [outer, inner].map(|levels| b.convert(AluOp::f2f, levels, 16));
        let bytes = b.imm_u32(if self.quads { 12 } else { 8 });
        let at = b.imul(patch, bytes);
        if self.quads {
            self.store_at(b, outer, at, Align::new(4));
            let eight = b.imm_u32(8);
            let inner_at = b.iadd(at, eight);
            self.store_at(b, inner, inner_at, Align::new(4));
            return;
        }
        let lanes = [b.channel(outer, 0), b.channel(outer, 1), b.channel(outer, 2), b.channel(inner, 0)];
        let all = b.vec(&lanes);
        self.store_at(b, all, at, Align::new(8));
    }

    fn store_at(&self, b: &mut Builder, value: InstrId, at: InstrId, align: Align) {
        let block = b.deref(DerefKind::Var(self.var), self.ty, Modes::SSBO);
        let mask = (1u32 << b.ty(value).comps) - 1;
        let store = Intrinsic::new(IntrinsicOp::store_ssbo, &[value, block, at])
            .with(Index::WriteMask, mask)
            .with(Index::Align, align);
        b.insert_intrinsic(store, Ty::NONE);
    }
}
