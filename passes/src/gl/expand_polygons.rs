//! Draws the triangles of a geometry shader as their edges or corners (`glPolygonMode`).
//!
//! Requires form `slots` or `target` and preserves the form. Each triangle that the shader emits becomes lines, or points with
//! `points` (OpenGL 4.6 section 14.6.4). Triangles are culled here, since Metal does not cull lines and points: the driver's block
//! ([`util::driver_values`](mod@crate::util::driver_values)) has the culled faces and the winding of front faces. The face of a
//! triangle follows from its homogeneous coordinates, so that vertices with w ≤ 0 do not change it.
//!
//! * An output at slot `edge` is the edge flag: zero if the edge from this vertex to the next one of the triangle is not a boundary
//!   edge; then neither the edge nor the point at its start is drawn (compatibility profile, section 14.6.2). Without such
//!   an output all edges are drawn, as one strip, whose line stipple continues.
//! * `slot` is the generic location of a varying with the face of the triangle: 1 for front faces
//!   ([`lower_front_face`](crate::gl::lower_front_face)).
//! * Outputs in `flat`, integers, the layer and the like have the value of the provoking vertex of the triangle.
//!
//! Edges that clipping adds are not drawn. Run `vars_to_ssa` and clean-up passes afterwards, and
//! [`expand_lines`](crate::gl::expand_lines) for lines of other widths.
//!
//! Source: OpenGL 4.6 compatibility profile, section 14.6; the sign of the homogeneous determinant is that of Olano and Greer,
//! "Triangle Scan Conversion using 2D Homogeneous Coordinates" (1997).
//!
//! ```foil-example (points=true)
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive points
//!   output_primitive triangle_strip
//!   max_vertices 3
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
//!   output_primitive points
//!   max_vertices 3
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
//!     function_temp uvec4[1] "vertex.2"
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
//!     32x1 %9 = const 2
//!     1x1 %10 = uge %8, %9
//!     if %10 {
//!     b1:
//!       %11 = deref_var &"vertex.2"
//!       32x1 %12 = const 0
//!       %13 = deref_array %11[%12]
//!       32x4 %14 = load_deref %13
//!       32x3 %15 = mov %14.xyw
//!       %16 = deref_var &"vertex.1"
//!       32x1 %17 = const 0
//!       %18 = deref_array %16[%17]
//!       32x4 %19 = load_deref %18
//!       32x3 %20 = mov %19.xyw
//!       %21 = deref_var &vertex
//!       32x1 %22 = const 0
//!       %23 = deref_array %21[%22]
//!       32x4 %24 = load_deref %23
//!       32x3 %25 = mov %24.xyw
//!       32x3 %26 = mov %20.yzx
//!       32x3 %27 = mov %25.zxy
//!       32x3 %28 = mov %20.zxy
//!       32x3 %29 = mov %25.yzx
//!       32x3 %30 = fmul %26, %27
//!       32x3 %31 = fmul %28, %29
//!       32x3 %32 = fsub %30, %31
//!       32x1 %33 = fdot3 %15, %32
//!       32x1 %34 = const 0
//!       1x1 %35 = flt %34, %33
//!       1x1 %36 = flt %33, %34
//!       32x1 %37 = const 1
//!       32x1 %38 = const 0
//!       32x1 %39 = iand %8, %37
//!       1x1 %40 = ine %39, %38
//!       1x1 %41 = bcsel %40, %36, %35
//!       %42 = deref_var &driver
//!       32x1 %43 = const 336
//!       32x1 %44 = load_ubo %42, %43 align=4
//!       32x1 %45 = const 4
//!       32x1 %46 = iand %44, %45
//!       1x1 %47 = ine %46, %38
//!       1x1 %48 = ixor %41, %47
//!       %49 = deref_var &driver
//!       32x1 %50 = const 336
//!       32x1 %51 = load_ubo %49, %50 align=4
//!       32x1 %52 = const 0
//!       32x1 %53 = const 1
//!       32x1 %54 = const 2
//!       32x1 %55 = bcsel %48, %53, %54
//!       32x1 %56 = iand %51, %55
//!       1x1 %57 = ieq %56, %52
//!       if %57 {
//!       b2:
//!         %58 = deref_var &"vertex.2"
//!         32x1 %59 = const 0
//!         %60 = deref_array %58[%59]
//!         32x4 %61 = load_deref %60
//!         32x1 %62 = const 0
//!         store_output %61, %62 io=position mask=xyzw src_type=float32
//!         emit_vertex
//!         %63 = deref_var &"vertex.1"
//!         32x1 %64 = const 0
//!         %65 = deref_array %63[%64]
//!         32x4 %66 = load_deref %65
//!         32x1 %67 = const 0
//!         store_output %66, %67 io=position mask=xyzw src_type=float32
//!         emit_vertex
//!         %68 = deref_var &vertex
//!         32x1 %69 = const 0
//!         %70 = deref_array %68[%69]
//!         32x4 %71 = load_deref %70
//!         32x1 %72 = const 0
//!         store_output %71, %72 io=position mask=xyzw src_type=float32
//!         emit_vertex
//!       }
//!     b3:
//!     }
//!   b4:
//!     %73 = deref_var &"vertex.1"
//!     32x1 %74 = const 0
//!     %75 = deref_array %73[%74]
//!     32x4 %76 = load_deref %75
//!     %77 = deref_var &"vertex.2"
//!     32x1 %78 = const 0
//!     %79 = deref_array %77[%78]
//!     store_deref %79, %76 mask=xyzw
//!     %80 = deref_var &vertex
//!     32x1 %81 = const 0
//!     %82 = deref_array %80[%81]
//!     32x4 %83 = load_deref %82
//!     %84 = deref_var &"vertex.1"
//!     32x1 %85 = const 0
//!     %86 = deref_array %84[%85]
//!     store_deref %86, %83 mask=xyzw
//!     %87 = deref_var &strip_vertices
//!     32x1 %88 = load_deref %87
//!     32x1 %89 = const 1
//!     32x1 %90 = iadd %88, %89
//!     %91 = deref_var &strip_vertices
//!     store_deref %91, %90 mask=x
//!   }
//! }
//! ```

use crate::gl::expand_lines::is_flat;
use crate::stages::stage_buffer::{New, RecordLayout, only_function, rewrite};
use crate::util::distances::NO_LOCATION;
use crate::util::driver_values::{DRIVER, load, words};
use crate::util::output_locals::{
    Names, OutputLocals, Part, emit_vertex, end_primitive, store_part, stored_slots,
};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    AluOp, Builder, Cursor, Diagnostic, Form, InstrId, Interpolation, IntrinsicOp, Modes, Primitive, Scalar,
    Shader, Slot, Stage, TypeId, VarId, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct ExpandPolygons {
        /// The corners are drawn, otherwise the edges.
        points: bool = false,
        /// Generic location of the varying with the face.
        slot: u32 = NO_LOCATION,
        /// Outputs that have the value of the provoking vertex.
        flat: RecordLayout = RecordLayout::default(),
        /// The first vertex of a triangle provokes, otherwise the last.
        first_provokes: bool = true,
    }
}

static INFO: PassInfo = PassInfo::new(
    "expand_polygons",
    "draws the triangles of a geometry shader as their edges or corners",
    include_str!("expand_polygons.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<ExpandPolygons as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for ExpandPolygons {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Geometry || shader.info.output_primitive != Primitive::TriangleStrip {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        let slots = stored_slots(&shader.functions[entry].body)?;
        // Triangles without positions are not drawn.
        let Some(position) = slots.iter().position(|s| s.slot == Slot::POSITION) else {
            return Ok(Changes::NONE);
        };
        let outputs = OutputLocals::declare(shader, entry, slots, 2);
        let edge = outputs.index(Slot::EDGE);
        let face = Slot::generic(self.slot);
        if let Some(slot) = face {
            let ty = shader.types.vector(Scalar::Uint32, 1);
            let mut var = Variable::new("face", ty, Modes::OUT);
            (var.location, var.interpolation) = (Some(slot), Interpolation::Flat);
            shader.add_var(var);
        }
        let block = DRIVER.declare(shader);
        let polygons = Polygons { pass: self, outputs, position, edge, face, block };
        let Shader { types, vars, functions, .. } = &mut *shader;
        let (body, mut names) = (&mut functions[entry].body, Names { types, vars });
        let old: Vec<InstrId> = body.all_instrs().collect();
        let first = Cursor::BlockStart(body.entry());
        polygons.outputs.restart(&names, &mut Builder::at(body, first));
        rewrite(body, &old, |b, i, ty| {
            Ok(match i.op {
                IntrinsicOp::emit_vertex => {
                    polygons.emit(&mut names, b);
                    New::Nothing
                }
                IntrinsicOp::end_primitive => {
                    polygons.outputs.restart(&names, b);
                    New::Nothing
                }
                _ => polygons.outputs.replace(&mut names, b, i, ty),
            })
        })?;
        let removed = |slot| slot == Slot::EDGE || (slot == Slot::POINT_SIZE && !self.points);
        shader.vars.retain(|_, v| v.mode != Modes::OUT || !v.location.is_some_and(removed));
        let info = &mut shader.info;
        let each = match (self.points, edge) {
            (true, _) => 3,
            (false, None) => 4,
            (false, Some(_)) => 6,
        };
        info.output_primitive = if self.points { Primitive::Points } else { Primitive::LineStrip };
        info.max_vertices = info.max_vertices.saturating_sub(2).saturating_mul(each);
        Ok(Changes::ALL)
    }
}

/// The expansion of triangles.
struct Polygons<'p> {
    pass: &'p ExpandPolygons,
    outputs: OutputLocals,
    /// Index of the position in a vertex.
    position: usize,
    /// Index of the edge flag.
    edge: Option<usize>,
    /// The varying with the face.
    face: Option<Slot>,
    block: (VarId, TypeId),
}

impl Polygons<'_> {
    /// A vertex is emitted: the triangle that it completes is drawn.
    fn emit(&self, names: &mut Names<'_>, b: &mut Builder<'_>) {
        let (count, two) = (self.outputs.count(names, b), b.imm_u32(2));
        let is_complete = b.uge(count, two);
        let complete = b.push_if(is_complete);
        let front = self.is_front(names, b, count);
        let [faces] = load(b, self.block, [words::FACES]);
        let zero = b.imm_u32(0);
        let masks = [1, 2].map(|mask| b.imm_u32(mask));
        let mask = b.bcsel(front, masks[0], masks[1]);
        let culled = b.iand(faces, mask);
        let visible = b.ieq(culled, zero);
        let drawn = b.push_if(visible);
        if self.pass.points || self.edge.is_some() {
            for corner in 0..3 {
                self.marked(names, b, front, corner);
            }
        } else {
            for corner in [0, 1, 2, 0] {
                self.vertex(names, b, front, corner);
            }
            end_primitive(b);
        }
        b.pop(drawn);
        b.pop(complete);
        self.outputs.advance(names, b);
    }

    /// Draws a corner, or the edge from it, if it has an edge flag.
    fn marked(&self, names: &mut Names<'_>, b: &mut Builder<'_>, front: InstrId, corner: usize) {
        let flag = self.edge.map(|edge| {
            let flag = self.outputs.load(names, b, 2 - corner, edge);
            let (flag, zero) = (b.channel(flag, 0), b.imm_u32(0));
            let is_boundary = b.ine(flag, zero);
            b.push_if(is_boundary)
        });
        self.vertex(names, b, front, corner);
        if !self.pass.points {
            self.vertex(names, b, front, (corner + 1) % 3);
            end_primitive(b);
        }
        if let Some(flag) = flag {
            b.pop(flag);
        }
    }

    /// Whether the front of the triangle is seen.
    fn is_front(&self, names: &mut Names<'_>, b: &mut Builder<'_>, count: InstrId) -> InstrId {
        let columns = [2, 1, 0].map(|age| {
            let position = self.outputs.load(names, b, age, self.position);
            b.swizzle(position, &[0, 1, 3])
        });
        let normal = b.cross(columns[1], columns[2]);
        let area = b.fdot(columns[0], normal);
        let zero = b.imm_f32(0.0);
        let (forward, backward) = (b.flt(zero, area), b.flt(area, zero));
        // Every second triangle of a strip has the other winding.
        let (one, none) = (b.imm_u32(1), b.imm_u32(0));
        let odd = b.iand(count, one);
        let is_odd = b.ine(odd, none);
        let is_counterclockwise = b.bcsel(is_odd, backward, forward);
        let [faces] = load(b, self.block, [words::FACES]);
        let four = b.imm_u32(4);
        let clockwise = b.iand(faces, four);
        let is_clockwise = b.ine(clockwise, none);
        b.alu(AluOp::ixor, &[is_counterclockwise, is_clockwise])
    }

    /// Emits a corner of the triangle.
    fn vertex(&self, names: &mut Names<'_>, b: &mut Builder<'_>, front: InstrId, corner: usize) {
        let provoking = if self.pass.first_provokes { 0 } else { 2 };
        for (index, output) in self.outputs.slots.iter().enumerate() {
            if output.slot == Slot::EDGE || (output.slot == Slot::POINT_SIZE && !self.pass.points) {
                continue;
            }
            for &part in &output.parts {
                let corner = if is_flat(output.slot, part, &self.pass.flat) { provoking } else { corner };
                let value = self.outputs.load(names, b, 2 - corner, index);
                store_part(b, output.slot, part, value);
            }
        }
        if let Some(slot) = self.face {
            let values = [1, 0].map(|value| b.imm_u32(value));
            let face = b.bcsel(front, values[0], values[1]);
            store_part(b, slot, Part { scalar: Scalar::Uint32, mask: 1 }, face);
        }
        emit_vertex(b);
    }
}
