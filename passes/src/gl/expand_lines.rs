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
//! Positions with w ≤ 0 are replaced by points of the line in front of the eye. Outputs in `flat`, integers, the layer and
//! the like have the value of the provoking vertex in all corners; others are those of the end. Run
//! `vars_to_ssa` and clean-up passes afterwards, and [`geometry_to_mesh`](crate::stages::geometry_to_mesh) for Metal.
//!
//! Source: OpenGL 4.6 compatibility profile, section 14.5.
//!
//! ```foil-example
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive lines
//!   output_primitive line_strip
//!   max_vertices 2
//!   in vec4[2] p location=position
//!   out vec4 q location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1
//!     32x4 %2 = load_per_vertex_input %0, %0 io=position dest_type=float32
//!     store_output %2, %0 io=position mask=xyzw src_type=float32
//!     emit_vertex stream=0
//!     32x4 %3 = load_per_vertex_input %1, %0 io=position dest_type=float32
//!     store_output %3, %0 io=position mask=xyzw src_type=float32
//!     emit_vertex stream=0
//!   }
//! }
//! =>
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive lines
//!   output_primitive triangle_strip
//!   max_vertices 4
//!   in vec4[2] p location=position
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
//!     32x1 %3 = const 1
//!     32x4 %4 = load_per_vertex_input %2, %2 io=position dest_type=float32
//!     %5 = deref_var &vertex
//!     32x1 %6 = const 0
//!     %7 = deref_array %5[%6]
//!     32x1 %8 = undef
//!     32x1 %9 = mov %4.x
//!     32x1 %10 = mov %4.y
//!     32x1 %11 = mov %4.z
//!     32x1 %12 = mov %4.w
//!     32x4 %13 = vec4 %9, %10, %11, %12
//!     store_deref %7, %13 mask=xyzw
//!     %14 = deref_var &strip_vertices
//!     32x1 %15 = load_deref %14
//!     32x1 %16 = const 0
//!     1x1 %17 = ine %15, %16
//!     if %17 {
//!     b1:
//!       %18 = deref_var &"vertex.1"
//!       32x1 %19 = const 0
//!       %20 = deref_array %18[%19]
//!       32x4 %21 = load_deref %20
//!       %22 = deref_var &vertex
//!       32x1 %23 = const 0
//!       %24 = deref_array %22[%23]
//!       32x4 %25 = load_deref %24
//!       %26 = deref_var &driver
//!       32x1 %27 = const 320
//!       32x1 %28 = load_ubo %26, %27 align=4
//!       32x1 %29 = const 324
//!       32x1 %30 = load_ubo %26, %29 align=4
//!       32x2 %31 = vec2 %28, %30
//!       32x1 %32 = mov %21.w
//!       32x1 %33 = mov %25.w
//!       32x1 %34 = fmax %32, %33
//!       32x1 %35 = const 1.5258789e-5
//!       32x1 %36 = fmul %34, %35
//!       1x1 %37 = flt %32, %36
//!       32x1 %38 = fsub %36, %32
//!       32x1 %39 = fsub %33, %32
//!       32x1 %40 = fdiv %38, %39
//!       32x4 %41 = fsub %25, %21
//!       32x4 %42 = ffma %40.xxxx, %41, %21
//!       32x4 %43 = bcsel %37.xxxx, %42, %21
//!       32x2 %44 = mov %43.xy
//!       32x1 %45 = mov %43.w
//!       32x1 %46 = frcp %45
//!       32x2 %47 = fmul %44, %46.xx
//!       32x2 %48 = fmul %47, %31
//!       1x1 %49 = flt %33, %36
//!       32x1 %50 = fsub %36, %33
//!       32x1 %51 = fsub %32, %33
//!       32x1 %52 = fdiv %50, %51
//!       32x4 %53 = fsub %21, %25
//!       32x4 %54 = ffma %52.xxxx, %53, %25
//!       32x4 %55 = bcsel %49.xxxx, %54, %25
//!       32x2 %56 = mov %55.xy
//!       32x1 %57 = mov %55.w
//!       32x1 %58 = frcp %57
//!       32x2 %59 = fmul %56, %58.xx
//!       32x2 %60 = fmul %59, %31
//!       32x2 %61 = fsub %60, %48
//!       32x2 %62 = fabs %61
//!       32x1 %63 = mov %62.x
//!       32x1 %64 = mov %62.y
//!       32x1 %65 = fmax %63, %64
//!       %66 = deref_var &driver
//!       32x1 %67 = const 328
//!       32x1 %68 = load_ubo %66, %67 align=4
//!       32x1 %69 = const 0.5
//!       32x1 %70 = const 0
//!       32x1 %71 = fmul %68, %69
//!       32x1 %72 = fadd %71, %70
//!       32x1 %73 = const 0
//!       32x1 %74 = const 1.0
//!       32x2 %75 = fabs %61
//!       32x1 %76 = mov %75.x
//!       32x1 %77 = mov %75.y
//!       1x1 %78 = fge %76, %77
//!       32x2 %79 = const 0, 1.0
//!       32x2 %80 = const 1.0, 0
//!       32x2 %81 = bcsel %78.xx, %79, %80
//!       32x2 %82 = const 0, 0
//!       32x2 %83 = fmul %81, %72.xx
//!       32x2 %84 = const 0, 0
//!       32x2 %85 = const 0x80000000, 0x80000000
//!       32x2 %86 = fneg %83
//!       32x2 %87 = fadd %85, %86
//!       32x2 %88 = fdiv %87, %31
//!       32x1 %89 = mov %43.w
//!       32x2 %90 = fmul %88, %89.xx
//!       32x2 %91 = mov %43.xy
//!       32x2 %92 = fadd %91, %90
//!       32x4 %93 = vec4 %92.x, %92.y, %43.z, %43.w
//!       32x1 %94 = const 0
//!       store_output %93, %94 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %95 = fadd %85, %83
//!       32x2 %96 = fdiv %95, %31
//!       32x1 %97 = mov %43.w
//!       32x2 %98 = fmul %96, %97.xx
//!       32x2 %99 = mov %43.xy
//!       32x2 %100 = fadd %99, %98
//!       32x4 %101 = vec4 %100.x, %100.y, %43.z, %43.w
//!       32x1 %102 = const 0
//!       store_output %101, %102 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %103 = fneg %83
//!       32x2 %104 = fadd %84, %103
//!       32x2 %105 = fdiv %104, %31
//!       32x1 %106 = mov %55.w
//!       32x2 %107 = fmul %105, %106.xx
//!       32x2 %108 = mov %55.xy
//!       32x2 %109 = fadd %108, %107
//!       32x4 %110 = vec4 %109.x, %109.y, %55.z, %55.w
//!       32x1 %111 = const 0
//!       store_output %110, %111 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %112 = fadd %84, %83
//!       32x2 %113 = fdiv %112, %31
//!       32x1 %114 = mov %55.w
//!       32x2 %115 = fmul %113, %114.xx
//!       32x2 %116 = mov %55.xy
//!       32x2 %117 = fadd %116, %115
//!       32x4 %118 = vec4 %117.x, %117.y, %55.z, %55.w
//!       32x1 %119 = const 0
//!       store_output %118, %119 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       end_primitive
//!     }
//!   b2:
//!     %120 = deref_var &vertex
//!     32x1 %121 = const 0
//!     %122 = deref_array %120[%121]
//!     32x4 %123 = load_deref %122
//!     %124 = deref_var &"vertex.1"
//!     32x1 %125 = const 0
//!     %126 = deref_array %124[%125]
//!     store_deref %126, %123 mask=xyzw
//!     %127 = deref_var &strip_vertices
//!     32x1 %128 = load_deref %127
//!     32x1 %129 = const 1
//!     32x1 %130 = iadd %128, %129
//!     %131 = deref_var &strip_vertices
//!     store_deref %131, %130 mask=x
//!     32x4 %132 = load_per_vertex_input %3, %2 io=position dest_type=float32
//!     %133 = deref_var &vertex
//!     32x1 %134 = const 0
//!     %135 = deref_array %133[%134]
//!     32x1 %136 = undef
//!     32x1 %137 = mov %132.x
//!     32x1 %138 = mov %132.y
//!     32x1 %139 = mov %132.z
//!     32x1 %140 = mov %132.w
//!     32x4 %141 = vec4 %137, %138, %139, %140
//!     store_deref %135, %141 mask=xyzw
//!     %142 = deref_var &strip_vertices
//!     32x1 %143 = load_deref %142
//!     32x1 %144 = const 0
//!     1x1 %145 = ine %143, %144
//!     if %145 {
//!     b3:
//!       %146 = deref_var &"vertex.1"
//!       32x1 %147 = const 0
//!       %148 = deref_array %146[%147]
//!       32x4 %149 = load_deref %148
//!       %150 = deref_var &vertex
//!       32x1 %151 = const 0
//!       %152 = deref_array %150[%151]
//!       32x4 %153 = load_deref %152
//!       %154 = deref_var &driver
//!       32x1 %155 = const 320
//!       32x1 %156 = load_ubo %154, %155 align=4
//!       32x1 %157 = const 324
//!       32x1 %158 = load_ubo %154, %157 align=4
//!       32x2 %159 = vec2 %156, %158
//!       32x1 %160 = mov %149.w
//!       32x1 %161 = mov %153.w
//!       32x1 %162 = fmax %160, %161
//!       32x1 %163 = const 1.5258789e-5
//!       32x1 %164 = fmul %162, %163
//!       1x1 %165 = flt %160, %164
//!       32x1 %166 = fsub %164, %160
//!       32x1 %167 = fsub %161, %160
//!       32x1 %168 = fdiv %166, %167
//!       32x4 %169 = fsub %153, %149
//!       32x4 %170 = ffma %168.xxxx, %169, %149
//!       32x4 %171 = bcsel %165.xxxx, %170, %149
//!       32x2 %172 = mov %171.xy
//!       32x1 %173 = mov %171.w
//!       32x1 %174 = frcp %173
//!       32x2 %175 = fmul %172, %174.xx
//!       32x2 %176 = fmul %175, %159
//!       1x1 %177 = flt %161, %164
//!       32x1 %178 = fsub %164, %161
//!       32x1 %179 = fsub %160, %161
//!       32x1 %180 = fdiv %178, %179
//!       32x4 %181 = fsub %149, %153
//!       32x4 %182 = ffma %180.xxxx, %181, %153
//!       32x4 %183 = bcsel %177.xxxx, %182, %153
//!       32x2 %184 = mov %183.xy
//!       32x1 %185 = mov %183.w
//!       32x1 %186 = frcp %185
//!       32x2 %187 = fmul %184, %186.xx
//!       32x2 %188 = fmul %187, %159
//!       32x2 %189 = fsub %188, %176
//!       32x2 %190 = fabs %189
//!       32x1 %191 = mov %190.x
//!       32x1 %192 = mov %190.y
//!       32x1 %193 = fmax %191, %192
//!       %194 = deref_var &driver
//!       32x1 %195 = const 328
//!       32x1 %196 = load_ubo %194, %195 align=4
//!       32x1 %197 = const 0.5
//!       32x1 %198 = const 0
//!       32x1 %199 = fmul %196, %197
//!       32x1 %200 = fadd %199, %198
//!       32x1 %201 = const 0
//!       32x1 %202 = const 1.0
//!       32x2 %203 = fabs %189
//!       32x1 %204 = mov %203.x
//!       32x1 %205 = mov %203.y
//!       1x1 %206 = fge %204, %205
//!       32x2 %207 = const 0, 1.0
//!       32x2 %208 = const 1.0, 0
//!       32x2 %209 = bcsel %206.xx, %207, %208
//!       32x2 %210 = const 0, 0
//!       32x2 %211 = fmul %209, %200.xx
//!       32x2 %212 = const 0, 0
//!       32x2 %213 = const 0x80000000, 0x80000000
//!       32x2 %214 = fneg %211
//!       32x2 %215 = fadd %213, %214
//!       32x2 %216 = fdiv %215, %159
//!       32x1 %217 = mov %171.w
//!       32x2 %218 = fmul %216, %217.xx
//!       32x2 %219 = mov %171.xy
//!       32x2 %220 = fadd %219, %218
//!       32x4 %221 = vec4 %220.x, %220.y, %171.z, %171.w
//!       32x1 %222 = const 0
//!       store_output %221, %222 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %223 = fadd %213, %211
//!       32x2 %224 = fdiv %223, %159
//!       32x1 %225 = mov %171.w
//!       32x2 %226 = fmul %224, %225.xx
//!       32x2 %227 = mov %171.xy
//!       32x2 %228 = fadd %227, %226
//!       32x4 %229 = vec4 %228.x, %228.y, %171.z, %171.w
//!       32x1 %230 = const 0
//!       store_output %229, %230 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %231 = fneg %211
//!       32x2 %232 = fadd %212, %231
//!       32x2 %233 = fdiv %232, %159
//!       32x1 %234 = mov %183.w
//!       32x2 %235 = fmul %233, %234.xx
//!       32x2 %236 = mov %183.xy
//!       32x2 %237 = fadd %236, %235
//!       32x4 %238 = vec4 %237.x, %237.y, %183.z, %183.w
//!       32x1 %239 = const 0
//!       store_output %238, %239 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       32x2 %240 = fadd %212, %211
//!       32x2 %241 = fdiv %240, %159
//!       32x1 %242 = mov %183.w
//!       32x2 %243 = fmul %241, %242.xx
//!       32x2 %244 = mov %183.xy
//!       32x2 %245 = fadd %244, %243
//!       32x4 %246 = vec4 %245.x, %245.y, %183.z, %183.w
//!       32x1 %247 = const 0
//!       store_output %246, %247 io=position mask=xyzw src_type=float32
//!       emit_vertex
//!       end_primitive
//!     }
//!   b4:
//!     %248 = deref_var &vertex
//!     32x1 %249 = const 0
//!     %250 = deref_array %248[%249]
//!     32x4 %251 = load_deref %250
//!     %252 = deref_var &"vertex.1"
//!     32x1 %253 = const 0
//!     %254 = deref_array %252[%253]
//!     store_deref %254, %251 mask=xyzw
//!     %255 = deref_var &strip_vertices
//!     32x1 %256 = load_deref %255
//!     32x1 %257 = const 1
//!     32x1 %258 = iadd %256, %257
//!     %259 = deref_var &strip_vertices
//!     store_deref %259, %258 mask=x
//!   }
//! }
//! ```

use crate::stages::stage_buffer::{New, RecordLayout, Records, StageBuffer, only_function, rewrite};
use crate::util::driver_values::{DRIVER, load, words};
use crate::util::output_locals::{
    Names, OutputLocals, Part, emit_vertex, end_primitive, store_part, stored_slots,
};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, Builder, Cursor, Diagnostic, Form, InstrId, Interpolation, IntrinsicOp, Modes, Primitive, Scalar,
    Shader, Slot, Src, Stage, SystemValue, Ty, TypeId, VarId, Variable,
};

/// Value of an option that names a generic location if it is omitted.
pub const NO_SLOT: u32 = u32::MAX;

pass_options! {
    /// See the [module documentation](self).
    pub struct ExpandLines {
        /// Lines are extended at right angles.
        rectangle: bool = false,
        /// Lines are extended at right angles, with a margin in which the coverage falls.
        smooth: bool = false,
        /// Generic location of the varying for fragments.
        slot: u32 = NO_SLOT,
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
