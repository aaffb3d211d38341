//! Expands the lines of a geometry shader to rectangles, for widths, smooth edges and stipple patterns that Metal lacks.
//!
//! Requires form `slots` or `target` and preserves the form. Each line that the shader emits becomes a strip of two
//! triangles; the width in pixels and half the size of the viewport come from the driver's block
//! ([`util::driver_values`](mod@crate::util::driver_values)).
//!
//! * **Aliased** lines (OpenGL 4.6 section 14.5.2.1) are extended in y if they are closer to the x axis, otherwise in x.
//! * **Rectangles** (`rectangle`) are extended at right angles to the line: lines with multisampling (section 14.5.4).
//! * **Smooth** lines (`smooth`) are such rectangles with a margin of half a pixel, in which the coverage falls (section
//!   14.5.2.2).
//!
//! `slot` is the generic location of a varying that [`lower_line_fragments`](crate::gl::lower_line_fragments) reads; without it
//! there is none. Its components are the distance from the start of the pattern along the line, the distance across it, the
//! distance from the start of the line, and the length, in pixels. With `continues` the pattern of a line begins where the
//! pattern of the line before ends, also in lines of other invocations: all lines of the draw are one strip of one instance,
//! whose vertices have records of `record` bytes ([`stage_buffer`](crate::stages::stage_buffer)). Otherwise it begins with each
//! strip that the shader emits.
//!
//! Positions with w ≤ 0 are replaced by points of the line with w > 0. Outputs in `flat`, integers, the layer and
//! the like have the value of the provoking vertex in all corners; others are those of the end. Run
//! `vars_to_ssa` and clean-up passes afterwards, and [`geometry_to_mesh`](crate::stages::geometry_to_mesh) for Metal.
//!
//! Source: OpenGL 4.6 compatibility profile, section 14.5.
//!
//! ```foil-example
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive points
//!   output_primitive line_strip
//!   max_vertices 2
//!   in vec4[1] p location=position
//!   out vec4 q location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_per_vertex_input %0, %0 io=position dest_type=float32
//!     store_output %1, %0 io=position mask=xyzw src_type=float32
//!     emit_vertex stream=0
//!   }
//! }
//! =>
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive points
//!   output_primitive triangle_strip
//!   max_vertices 4
//!   in vec4[1] p location=position
//!   out vec4 q location=position
//!   ubo driver {
//!     float height @0
//!     float width @4
//!     float alpha_reference @8
//!     uint sample_mask @12
//!     float point_size @16
//!     float point_size_min @20
//!     float point_size_max @24
//!     uint clip_enable @28
//!     vec4 fog_color @32
//!     vec4 fog_parameters @48
//!     vec4[8 stride=16] clip_planes @64
//!     uvec4[8 stride=16] polygon_stipple @192
//!     vec2 viewport @320
//!     float line_width @328
//!     uint line_stipple @332
//!     uint faces @336
//!     uint polygon_triangles @340
//!     uvec2 reserved @344
//!   } driver set=65535 binding=18
//!
//!   fn main {
//!     function_temp uvec4[1] vertex
//!     function_temp uvec4[1] "vertex.1"
//!     function_temp uint strip_vertices
//!   b0:
//!     %0 = deref_var &strip_vertices
//!     32x1 %1 = const 0
//!     store_deref %0, %1 mask=x
//!     32x1 %2 = const 0
//!     32x4 %3 = load_per_vertex_input %2, %2 io=position dest_type=float32
//!     %4 = deref_var &vertex
//!     32x1 %5 = const 0
//!     %6 = deref_array %4[%5]
//!     store_deref %6, %3 mask=xyzw
//!     %7 = deref_var &strip_vertices
//!     32x1 %8 = load_deref %7
//!     32x1 %9 = const 0
//!     1x1 %10 = ine %8, %9
//!     if %10 {
//!     b1:
//!       %11 = deref_var &"vertex.1"
//!       32x1 %12 = const 0
//!       %13 = deref_array %11[%12]
//!       32x4 %14 = load_deref %13
//!       %15 = deref_var &vertex
//!       32x1 %16 = const 0
//!       %17 = deref_array %15[%16]
//!       32x4 %18 = load_deref %17
//!       %19 = deref_var &driver
//!       32x1 %20 = const 320
//!       32x1 %21 = load_ubo %19, %20 align=4
//!       32x1 %22 = const 324
//!       32x1 %23 = load_ubo %19, %22 align=4
//!       32x2 %24 = vec2 %21, %23
//!       32x1 %25 = mov %14.w
//!       32x1 %26 = mov %18.w
//!       32x1 %27 = fmax %25, %26
//!       32x1 %28 = const 1.5258789e-5
//!       32x1 %29 = fmul %27, %28
//!       1x1 %30 = flt %25, %29
//!       32x1 %31 = fsub %29, %25
//!       32x1 %32 = fsub %26, %25
//!       32x1 %33 = fdiv %31, %32
//!       32x4 %34 = fsub %18, %14
//!       32x4 %35 = ffma %33.xxxx, %34, %14
//!       32x4 %36 = bcsel %30.xxxx, %35, %14
//!       32x2 %37 = mov %36.xy
//!       32x1 %38 = mov %36.w
//!       32x1 %39 = frcp %38
//!       32x2 %40 = fmul %37, %39.xx
//!       32x2 %41 = fmul %40, %24
//!       1x1 %42 = flt %26, %29
//!       32x1 %43 = fsub %29, %26
//!       32x1 %44 = fsub %25, %26
//!       32x1 %45 = fdiv %43, %44
//!       32x4 %46 = fsub %14, %18
//!       32x4 %47 = ffma %45.xxxx, %46, %18
//!       32x4 %48 = bcsel %42.xxxx, %47, %18
//!       32x2 %49 = mov %48.xy
//!       32x1 %50 = mov %48.w
//!       32x1 %51 = frcp %50
//!       32x2 %52 = fmul %49, %51.xx
//!       32x2 %53 = fmul %52, %24
//!       32x2 %54 = fsub %53, %41
//!       32x2 %55 = fabs %54
//!       32x1 %56 = mov %55.x
//!       32x1 %57 = mov %55.y
//!       32x1 %58 = fmax %56, %57
//!       %59 = deref_var &driver
//!       32x1 %60 = const 328
//!       32x1 %61 = load_ubo %59, %60 align=4
//!       32x1 %62 = const 0.5
//!       32x1 %63 = const 0
//!       32x1 %64 = fmul %61, %62
//!       32x1 %65 = fadd %64, %63
//!       32x1 %66 = const 0
//!       32x1 %67 = const 1.0
//!       32x2 %68 = fabs %54
//!       32x1 %69 = mov %68.x
//!       32x1 %70 = mov %68.y
//!       1x1 %71 = fge %69, %70
//!       32x2 %72 = const 0, 1.0
//!       32x2 %73 = const 1.0, 0
//!       32x2 %74 = bcsel %71.xx, %72, %73
//!       32x2 %75 = const 0, 0
//!       32x2 %76 = fmul %74, %65.xx
//!       32x2 %77 = const 0, 0
//!       32x2 %78 = const 0x80000000, 0x80000000
//!       32x2 %79 = fneg %76
//!       32x2 %80 = fadd %78, %79
//!       32x2 %81 = fdiv %80, %24
//!       32x1 %82 = mov %36.w
//!       32x2 %83 = fmul %81, %82.xx
//!       32x2 %84 = mov %36.xy
//!       32x2 %85 = fadd %84, %83
//!       32x4 %86 = vec4 %85.x, %85.y, %36.z, %36.w
//!       32x1 %87 = const 0
//!       store_output %86, %87 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %88 = fadd %78, %76
//!       32x2 %89 = fdiv %88, %24
//!       32x1 %90 = mov %36.w
//!       32x2 %91 = fmul %89, %90.xx
//!       32x2 %92 = mov %36.xy
//!       32x2 %93 = fadd %92, %91
//!       32x4 %94 = vec4 %93.x, %93.y, %36.z, %36.w
//!       32x1 %95 = const 0
//!       store_output %94, %95 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %96 = fneg %76
//!       32x2 %97 = fadd %77, %96
//!       32x2 %98 = fdiv %97, %24
//!       32x1 %99 = mov %48.w
//!       32x2 %100 = fmul %98, %99.xx
//!       32x2 %101 = mov %48.xy
//!       32x2 %102 = fadd %101, %100
//!       32x4 %103 = vec4 %102.x, %102.y, %48.z, %48.w
//!       32x1 %104 = const 0
//!       store_output %103, %104 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %105 = fadd %77, %76
//!       32x2 %106 = fdiv %105, %24
//!       32x1 %107 = mov %48.w
//!       32x2 %108 = fmul %106, %107.xx
//!       32x2 %109 = mov %48.xy
//!       32x2 %110 = fadd %109, %108
//!       32x4 %111 = vec4 %110.x, %110.y, %48.z, %48.w
//!       32x1 %112 = const 0
//!       store_output %111, %112 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       end_primitive
//!     }
//!   b2:
//!     %113 = deref_var &vertex
//!     32x1 %114 = const 0
//!     %115 = deref_array %113[%114]
//!     32x4 %116 = load_deref %115
//!     %117 = deref_var &"vertex.1"
//!     32x1 %118 = const 0
//!     %119 = deref_array %117[%118]
//!     store_deref %119, %116 mask=xyzw
//!     %120 = deref_var &strip_vertices
//!     32x1 %121 = load_deref %120
//!     32x1 %122 = const 1
//!     32x1 %123 = iadd %121, %122
//!     %124 = deref_var &strip_vertices
//!     store_deref %124, %123 mask=x
//!   }
//! }
//! ```

use crate::stages::stage_buffer::{New, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::util::distances::NO_LOCATION;
use crate::util::driver_values::{DRIVER, load, words};
use crate::util::output_locals::{
    Names, OutputLocals, Part, emit_vertex, end_primitive, store_part, stored_slots,
};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Builder, Cursor, Diagnostic, Form, InstrId, Interpolation, IntrinsicOp, Modes, Primitive, Scalar,
    Shader, Slot, Src, Stage, SystemValue, Ty, TypeId, VarId, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct ExpandLines {
        /// Lines are extended at right angles.
        rectangle: bool = false,
        /// Lines are extended at right angles, with a margin in which the coverage falls.
        smooth: bool = false,
        /// Generic location of the varying for fragments.
        slot: u32 = NO_LOCATION,
        /// All lines of the draw are one strip, whose pattern continues.
        continues: bool = false,
        /// Bytes of a record of a vertex, with `continues`.
        record: u32 = 0,
        /// Outputs that have the value of the provoking vertex.
        flat: RecordLayout = RecordLayout::default(),
        /// The first vertex of a line provokes, otherwise the last.
        first_provokes: bool = true,
    }
}

static INFO: PassInfo = PassInfo::new(
    "expand_lines",
    "expands the lines of a geometry shader to rectangles",
    include_str!("expand_lines.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<ExpandLines as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for ExpandLines {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Geometry || shader.info.output_primitive != Primitive::LineStrip {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        let slots = stored_slots(&shader.functions[entry].body)?;
        // Lines without positions are not drawn.
        let Some(position) = slots.iter().position(|s| s.slot == Slot::POSITION) else {
            return Ok(Changes::NONE);
        };
        let outputs = OutputLocals::declare(shader, entry, slots, 1);
        let varying = Slot::generic(self.slot);
        if let Some(slot) = varying {
            let ty = shader.types.vector(Scalar::Float32, 4);
            let mut var = Variable::new("line", ty, Modes::OUT);
            (var.location, var.interpolation) = (Some(slot), Interpolation::NoPerspective);
            shader.add_var(var);
        }
        let float = shader.types.vector(Scalar::Float32, 1);
        let start = varying.map(|_| shader.add_local(entry, "line_start", float));
        let block = DRIVER.declare(shader);
        let lines = Lines { pass: self, outputs, position, varying, start, block };
        let before = start.filter(|_| self.continues).map(|_| records(shader));
        let Shader { types, vars, functions, .. } = &mut *shader;
        let (body, mut names) = (&mut functions[entry].body, Names { types, vars });
        let old: Vec<InstrId> = body.all_instrs().collect();
        let first = Cursor::BlockStart(body.entry());
        let mut b = Builder::at(body, first);
        lines.restart(&names, &mut b);
        if let (Some(before), Some(start)) = (before, start) {
            let sum = lines.lengths_before(&mut b, &before, self.record);
            let start = b.deref_var(names.vars, start);
            b.store_deref(start, sum);
        }
        rewrite(body, &old, |b, i, ty| {
            Ok(match i.op {
                IntrinsicOp::emit_vertex => {
                    lines.emit(&mut names, b);
                    New::Nothing
                }
                IntrinsicOp::end_primitive => {
                    lines.restart(&names, b);
                    New::Nothing
                }
                _ => lines.outputs.replace(&mut names, b, i, ty),
            })
        })?;
        shader.vars.retain(|_, v| v.mode != Modes::OUT || v.location != Some(Slot::POINT_SIZE));
        let info = &mut shader.info;
        info.output_primitive = Primitive::TriangleStrip;
        info.max_vertices = info.max_vertices.saturating_sub(1).saturating_mul(4);
        Ok(Changes::ALL)
    }
}

/// The records of the vertices of the draw: positions, which are first in each record.
fn records(shader: &mut Shader) -> Records {
    let layout = RecordLayout::new([Slot::POSITION]);
    Records::declare(shader, StageBuffer::Vertices, layout, Access::NON_WRITEABLE)
}

/// The expansion of lines.
struct Lines<'p> {
    pass: &'p ExpandLines,
    outputs: OutputLocals,
    /// Index of the position in a vertex.
    position: usize,
    /// The varying for fragments, and the local that has the start of the pattern.
    varying: Option<Slot>,
    start: Option<VarId>,
    block: (VarId, TypeId),
}

/// An end of a line.
#[derive(Clone, Copy)]
struct End {
    /// The position, with w > 0.
    position: InstrId,
    /// How far it has been moved towards the other end, 0 to 1, and whether it has.
    moved: InstrId,
    is_moved: InstrId,
    /// The position in pixels, from the center of the viewport.
    pixel: InstrId,
}

/// A line in pixels.
struct Line {
    ends: [End; 2],
    /// Half of the size of the viewport.
    viewport: InstrId,
    /// The vector between the ends, and its length: the larger part for aliased lines.
    vector: InstrId,
    length: InstrId,
}

impl Lines<'_> {
    fn is_rectangle(&self) -> bool {
        self.pass.rectangle || self.pass.smooth
    }

    /// Starts a strip.
    fn restart(&self, names: &Names<'_>, b: &mut Builder<'_>) {
        self.outputs.restart(names, b);
        if let Some(start) = self.start {
            let (start, zero) = (b.deref_var(names.vars, start), b.imm_f32(0.0));
            b.store_deref(start, zero);
        }
    }

    /// A vertex is emitted: the line from the vertex before it becomes a rectangle.
    fn emit(&self, names: &mut Names<'_>, b: &mut Builder<'_>) {
        let (count, zero) = (self.outputs.count(names, b), b.imm_u32(0));
        let is_line = b.ine(count, zero);
        let drawn = b.push_if(is_line);
        let positions = [1, 0].map(|age| self.outputs.load(names, b, age, self.position));
        let line = self.line(b, positions);
        self.corners(names, b, &line);
        b.pop(drawn);
        self.outputs.advance(names, b);
    }

    /// The line between two positions.
    fn line(&self, b: &mut Builder<'_>, positions: [InstrId; 2]) -> Line {
        let halves = load(b, self.block, [words::VIEWPORT, words::VIEWPORT + 1]);
        let viewport = b.vec(&halves);
        let ws = positions.map(|p| b.channel(p, 3));
        // Points with a smaller w are outside of the window unless the line is seen almost end-on.
        let largest = b.fmax(ws[0], ws[1]);
        let part = b.imm_f32(1.0 / 65536.0);
        let least = b.fmul(largest, part);
        let end = |b: &mut Builder<'_>, n: usize| {
            let (own, other) = (positions[n], positions[1 - n]);
            let is_moved = b.flt(ws[n], least);
            let (missing, apart) = (b.fsub(least, ws[n]), b.fsub(ws[1 - n], ws[n]));
            let moved = b.fdiv(missing, apart);
            let position = mix(b, own, other, moved, is_moved);
            let (xy, w) = (b.swizzle(position, &[0, 1]), b.channel(position, 3));
            let inverse = b.frcp(w);
            let ndc = b.fmul(xy, inverse);
            End { position, moved, is_moved, pixel: b.fmul(ndc, viewport) }
        };
        let ends = [end(b, 0), end(b, 1)];
        let vector = b.fsub(ends[1].pixel, ends[0].pixel);
        let length = self.length(b, vector);
        Line { ends, viewport, vector, length }
    }

    /// The length of a line, which a stipple pattern counts.
    fn length(&self, b: &mut Builder<'_>, vector: InstrId) -> InstrId {
        if self.is_rectangle() {
            return b.length(vector);
        }
        let size = b.fabs(vector);
        let (x, y) = (b.channel(size, 0), b.channel(size, 1));
        b.fmax(x, y)
    }

    /// Emits the corners of the rectangle around a line.
    fn corners(&self, names: &mut Names<'_>, b: &mut Builder<'_>, line: &Line) {
        let [width] = load(b, self.block, [words::LINE_WIDTH]);
        let (half, zero) = (b.imm_f32(0.5), b.imm_f32(0.0));
        let margin = if self.pass.smooth { half } else { zero };
        let reach = b.fmul(width, half);
        let reach = b.fadd(reach, margin);
        let (along, across) = self.directions(b, line);
        let across = b.fmul(across, reach);
        let along = b.fmul(along, margin);
        let start = self.start.map(|start| {
            let start = b.deref_var(names.vars, start);
            b.load_deref(start, Ty::B32)
        });
        for (n, end) in line.ends.iter().enumerate() {
            let out = if n == 0 { b.fneg(along) } else { along };
            for side in [-1.0, 1.0] {
                let aside = if side < 0.0 { b.fneg(across) } else { across };
                let offset = b.fadd(out, aside);
                let offset = b.fdiv(offset, line.viewport);
                let (x, w) = (end.position, b.channel(end.position, 3));
                let offset = b.fmul(offset, w);
                let xy = b.swizzle(x, &[0, 1]);
                let xy = b.fadd(xy, offset);
                let position = b.vec_srcs(&[
                    Src::comp(xy, 0),
                    Src::comp(xy, 1),
                    Src::comp(end.position, 2),
                    Src::comp(end.position, 3),
                ]);
                self.vertex(names, b, line, n, position);
                if let (Some(slot), Some(start)) = (self.varying, start) {
                    let from = if n == 0 { b.fneg(margin) } else { b.fadd(line.length, margin) };
                    let counted = b.fadd(start, from);
                    let side = b.imm_f32(side);
                    let aside = b.fmul(side, reach);
                    let varying = b.vec(&[counted, aside, from, line.length]);
                    store_part(b, slot, Part { scalar: Scalar::Float32, mask: 15 }, varying);
                }
                emit_vertex(b);
            }
        }
        end_primitive(b);
        if let (Some(var), Some(start)) = (self.start, start) {
            let next = b.fadd(start, line.length);
            let var = b.deref_var(names.vars, var);
            b.store_deref(var, next);
        }
    }

    /// Unit vectors along the line and across it.
    fn directions(&self, b: &mut Builder<'_>, line: &Line) -> (InstrId, InstrId) {
        let (zero, one) = (b.imm_f32(0.0), b.imm_f32(1.0));
        if self.is_rectangle() {
            // Nothing is drawn of a line without length.
            let tiny = b.imm_f32(f32::MIN_POSITIVE);
            let length = b.fmax(line.length, tiny);
            let along = b.fdiv(line.vector, length);
            let (x, y) = (b.channel(along, 0), b.channel(along, 1));
            let minus_y = b.fneg(y);
            return (along, b.vec(&[minus_y, x]));
        }
        let size = b.fabs(line.vector);
        let (x, y) = (b.channel(size, 0), b.channel(size, 1));
        let is_x_major = b.fge(x, y);
        let (up, aside) = (b.vec(&[zero, one]), b.vec(&[one, zero]));
        let across = b.bcsel(is_x_major, up, aside);
        (b.vec(&[zero, zero]), across)
    }

    /// Writes the outputs of a corner at an end.
    fn vertex(&self, names: &mut Names<'_>, b: &mut Builder<'_>, line: &Line, n: usize, position: InstrId) {
        let provoking = usize::from(!self.pass.first_provokes);
        for (index, output) in self.outputs.slots.iter().enumerate() {
            if matches!(output.slot, Slot::POINT_SIZE | Slot::EDGE) {
                continue;
            }
            // The vertex before the current one is the first end.
            let mut value = |b: &mut Builder<'_>, end: usize| self.outputs.load(names, b, 1 - end, index);
            for &part in &output.parts {
                let vector = if output.slot == Slot::POSITION {
                    position
                } else if is_flat(output.slot, part, &self.pass.flat) {
                    value(b, provoking)
                } else {
                    let (own, other) = (value(b, n), value(b, 1 - n));
                    mix(b, own, other, line.ends[n].moved, line.ends[n].is_moved)
                };
                store_part(b, output.slot, part, vector);
            }
        }
    }

    /// The sum of the lengths of the lines before this one in the draw.
    fn lengths_before(&self, b: &mut Builder<'_>, records: &Records, bytes: u32) -> InstrId {
        let number = b.load_system_value(SystemValue::primitive_id);
        let zero = b.imm_f32(0.0);
        let sums = b.counted_loop(number, &[zero], |b, line, sums| {
            let two = b.imm_u32(2);
            let first = b.imul(line, two);
            let position = |b: &mut Builder<'_>, n: u32| {
                let n = b.imm_u32(n);
                let (vertex, bytes) = (b.iadd(first, n), b.imm_u32(bytes));
                let base = b.imul(vertex, bytes);
                records.load_slot(b, base, Slot::POSITION, Ty::new(4, 32))
            };
            let positions = [position(b, 0), position(b, 1)];
            let line = self.line(b, positions);
            vec![b.fadd(sums[0], line.length)]
        });
        sums[0]
    }
}

/// Whether all corners have the value of the provoking vertex.
pub(crate) fn is_flat(slot: Slot, part: Part, flat: &RecordLayout) -> bool {
    let is_float = matches!(part.scalar, Scalar::Float16 | Scalar::Float32 | Scalar::Any);
    !is_float || flat.offset(slot).is_some()
}

/// A value on the way from `own` to `other`, or `own` itself if it is not moved.
fn mix(b: &mut Builder<'_>, own: InstrId, other: InstrId, moved: InstrId, is_moved: InstrId) -> InstrId {
    let apart = b.fsub(other, own);
    let mixed = b.ffma(moved, apart, own);
    b.bcsel(is_moved, mixed, own)
}
