//! Makes a geometry shader that passes primitives on, so that state of the API can be lowered in it.
//!
//! Metal lacks geometry shaders, but executes mesh functions, to which
//! [`lower_stages`](crate::stages::lower_stages) lowers them. A draw whose lines or polygons Metal cannot rasterise as the API
//! defines it gets this stage after its vertex shader; [`expand_lines`](crate::gl::expand_lines) and
//! [`expand_polygons`](crate::gl::expand_polygons) then change the primitives that it emits.
//!
//! **Edge flags** (OpenGL 4.6 compatibility profile, section 14.6.2): an output at slot `edge` of the stage before is the flag of
//! a vertex. With a [`PolygonKind`] of quads or polygons the shader clears the flags of the edges between the triangles that the
//! driver made of a polygon. They are in this order, in which the provoking vertex of the polygon is that of each
//! triangle:
//!
//! | polygon | first vertex provokes | last vertex provokes |
//! |---|---|---|
//! | quad a, b, c, d | (a, b, c), (a, c, d) | (a, b, d), (b, c, d) |
//! | polygon 0 to n | (0, i, i + 1) | (i, i + 1, 0) |
//!
//! Source: NIR's `nir_create_passthrough_gs`, in which quads are lines with adjacency.

use crate::stages::interface::{Leaf, leaves};
use crate::util::driver_values::{DRIVER, load, words};
use crate::util::output_locals::emit_vertex;
use airfoil_ir::{
    Builder, Diagnostic, Function, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Modes, Primitive,
    Scalar, Shader, Slot, Stage, SystemValue, Ty, TypeId, VarId, Variable,
};

/// The polygons that the triangles of a draw are parts of.
///
/// # Examples
/// ```
/// use airfoil_passes::stages::passthrough_geometry::PolygonKind;
///
/// // Without further information each triangle is a polygon of its own.
/// assert_eq!(PolygonKind::default(), PolygonKind::Triangles);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PolygonKind {
    /// Each triangle is a polygon.
    #[default]
    Triangles = 0,
    /// Two consecutive triangles are a quad (`GL_QUADS`, `GL_QUAD_STRIP`).
    Quads = 1,
    /// All triangles of an instance are one polygon (`GL_POLYGON`). The driver's block has their count.
    Polygon = 2,
}

impl PolygonKind {
    /// All kinds, by number.
    pub const ALL: [PolygonKind; 3] = [PolygonKind::Triangles, PolygonKind::Quads, PolygonKind::Polygon];
}

/// Options of [`passthrough_geometry`].
///
/// # Examples
/// ```
/// use airfoil_ir::{Primitive, Shader, Stage, text};
/// use airfoil_passes::stages::passthrough_geometry::{Passthrough, passthrough_geometry};
///
/// let vertex = text::parse(r#"foil 1
/// shader vertex "main" {
///   form slots
///   out vec4 position location=position
///   out vec2 uv location=3
/// }"#)?;
/// let options = Passthrough { primitive: Primitive::Lines, ..Passthrough::default() };
/// let geometry = passthrough_geometry(&vertex, &options)?;
/// assert_eq!((geometry.stage, geometry.info.max_vertices), (Stage::Geometry, 2));
/// assert!(text::print(&geometry).contains("in vec2[2] uv.1 location=3"));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Passthrough {
    /// The primitives: points, lines or triangles.
    pub primitive: Primitive,
    /// The polygons that triangles are parts of.
    pub polygons: PolygonKind,
    /// The first vertex of a polygon provokes, otherwise the last.
    pub first_provokes: bool,
    /// `gl_PrimitiveID`, the index of the polygon, is written, for a fragment shader that reads it.
    pub primitive_id: bool,
}

impl Default for Passthrough {
    fn default() -> Passthrough {
        Passthrough {
            primitive: Primitive::Triangles,
            polygons: PolygonKind::Triangles,
            first_provokes: true,
            primitive_id: false,
        }
    }
}

/// Makes a geometry shader that emits the primitives it takes, with the outputs that the stage before declares.
///
/// # Errors
/// A primitive other than points, lines and triangles.
pub fn passthrough_geometry(before: &Shader, options: &Passthrough) -> Result<Shader, Vec<Diagnostic>> {
    let (vertices, output) = match options.primitive {
        Primitive::Points => (1, Primitive::Points),
        Primitive::Lines => (2, Primitive::LineStrip),
        Primitive::Triangles => (3, Primitive::TriangleStrip),
        other => {
            let message = format!("expected points, lines or triangles, found `{other}`");
            return Err(vec![Diagnostic::error("E0348", message)]);
        }
    };
    let mut shader = Shader::new(&before.name, Stage::Geometry);
    shader.form = before.form;
    let info = &mut shader.info;
    (info.input_primitive, info.output_primitive) = (options.primitive, output);
    (info.max_vertices, info.invocations) = (vertices, 1);
    (info.clip_distances, info.cull_distances) = (before.info.clip_distances, before.info.cull_distances);
    shader.types = before.types.clone();
    for v in before.vars.values().filter(|v| v.mode == Modes::OUT) {
        shader.add_var(v.clone());
        let ty = shader.types.array(v.ty, vertices);
        shader.add_var(Variable { ty, mode: Modes::IN, ..v.clone() });
    }
    let has_flags = leaves(before, Modes::OUT).iter().any(|leaf| leaf.slot == Slot::EDGE);
    let is_split = options.polygons != PolygonKind::Triangles;
    let mut declare = |slot: Slot, name: &str| {
        let ty = shader.types.vector(Scalar::Uint32, 1);
        let mut var = Variable::new(name, ty, Modes::OUT);
        var.location = Some(slot);
        shader.add_var(var);
    };
    if is_split && !has_flags {
        declare(Slot::EDGE, "edge");
    }
    if options.primitive_id {
        declare(Slot::PRIMITIVE_ID, "gl_PrimitiveID");
    }
    let block = (options.polygons == PolygonKind::Polygon).then(|| DRIVER.declare(&mut shader));
    let leaves = leaves(before, Modes::OUT);
    let mut function = Function::new("main");
    let mut b = Builder::at_end(&mut function.body);
    let primitive =
        (is_split || options.primitive_id).then(|| b.load_system_value(SystemValue::primitive_id));
    for vertex in 0..vertices {
        let index = b.imm_u32(vertex);
        for leaf in leaves.iter().filter(|leaf| leaf.slot != Slot::EDGE) {
            pass_on(&mut b, leaf, index);
        }
        if has_flags || is_split {
            let flag = if has_flags {
                load_input(&mut b, Slot::EDGE, 0, 1, Scalar::Uint32, index)
            } else {
                b.imm_u32(1)
            };
            let flag = match primitive {
                Some(primitive) if is_split => {
                    let is_boundary = boundary(&mut b, options, primitive, vertex, block);
                    let zero = b.imm_u32(0);
                    b.bcsel(is_boundary, flag, zero)
                }
                _ => flag,
            };
            store_output(&mut b, Slot::EDGE, 0, Scalar::Uint32, flag);
        }
        if let Some(triangle) = primitive.filter(|_| options.primitive_id) {
            // The index of the polygon.
            let index = match options.polygons {
                PolygonKind::Triangles => triangle,
                PolygonKind::Quads => {
                    let one = b.imm_u32(1);
                    b.ushr(triangle, one)
                }
                PolygonKind::Polygon => b.imm_u32(0),
            };
            store_output(&mut b, Slot::PRIMITIVE_ID, 0, Scalar::Uint32, index);
        }
        emit_vertex(&mut b);
    }
    shader.entry = Some(shader.add_function(function));
    Ok(shader)
}

/// Copies the values of a declared output from an input vertex.
fn pass_on(b: &mut Builder<'_>, leaf: &Leaf, vertex: InstrId) {
    // Compact arrays continue in the next slot.
    for (n, first) in (0..).zip((0..leaf.comps).step_by(4)) {
        let Some(slot) = leaf.slot.offset(n) else { continue };
        let comps = (leaf.comps - first).min(4);
        let value = load_input(b, slot, leaf.component, comps, leaf.scalar, vertex);
        store_output(b, slot, leaf.component, leaf.scalar, value);
    }
}

fn load_input(
    b: &mut Builder<'_>,
    slot: Slot,
    component: u8,
    comps: u8,
    scalar: Scalar,
    vertex: InstrId,
) -> InstrId {
    let first = b.imm_u32(0);
    let load = Intrinsic::new(IntrinsicOp::load_per_vertex_input, &[vertex, first])
        .with(Index::Io, IoSemantics::new(slot))
        .with(Index::Component, u32::from(component))
        .with(Index::DestType, scalar);
    b.insert_intrinsic(load, Ty::new(comps, scalar.bits()))
}

fn store_output(b: &mut Builder<'_>, slot: Slot, component: u8, scalar: Scalar, value: InstrId) {
    let first = b.imm_u32(0);
    let mask = (1u32 << b.ty(value).comps) - 1;
    let store = Intrinsic::new(IntrinsicOp::store_output, &[value, first])
        .with(Index::Io, IoSemantics::new(slot))
        .with(Index::Component, u32::from(component))
        .with(Index::WriteMask, mask)
        .with(Index::SrcType, scalar);
    b.insert_intrinsic(store, Ty::NONE);
}

/// Whether the edge from a vertex of a triangle to the next is an edge of its polygon.
fn boundary(
    b: &mut Builder<'_>,
    options: &Passthrough,
    triangle: InstrId,
    vertex: u32,
    block: Option<(VarId, TypeId)>,
) -> InstrId {
    let Some(block) = block else {
        let one = b.imm_u32(1);
        let half = b.iand(triangle, one);
        // The diagonal of each half.
        let inner = if options.first_provokes { [2, 0] } else { [1, 2] };
        let zero = b.imm_u32(0);
        let is_second = b.ine(half, zero);
        let [first, second] = inner.map(|n| b.imm_bool(n != vertex));
        return b.bcsel(is_second, second, first);
    };
    let (from_first, to_first) = if options.first_provokes { (0, 2) } else { (2, 1) };
    if vertex == from_first {
        let zero = b.imm_u32(0);
        return b.ieq(triangle, zero);
    }
    if vertex != to_first {
        return b.imm_bool(true);
    }
    let [triangles] = load(b, block, [words::POLYGON_TRIANGLES]);
    let one = b.imm_u32(1);
    let next = b.iadd(triangle, one);
    b.ieq(next, triangles)
}
