//! Codes of instruction selection for AIR.

use super::row::{CodeInfo, row};

pub(super) const SELECTION: &[CodeInfo] = &[
    row(
        "E0500",
        "The shader cannot be selected: it has no entry function, or is not in form `target`.",
        "select::select on a shader in form variables",
    ),
    row(
        "E0501",
        "The stage has no counterpart in Metal and no pass has lowered it.",
        "a geometry shader without the pass geometry_to_mesh",
    ),
    row(
        "E0502",
        "The operation needs 64-bit floats, which Metal does not have, and `lower_doubles` has not lowered it.",
        "64x1 %e = fadd %d, %d",
    ),
    row("E0503", "Metal cannot express the operation or system value.", "32x1 %d = load_draw_id"),
    row(
        "E0504",
        "Metal cannot express the stage input or output.",
        "store_output %q, %zero io=(clip_vertex)",
    ),
    row(
        "E0505",
        "The shader uses more resources than Metal has indices for, or two resources have the same index.",
        "17 samplers in one fragment shader",
    ),
    row(
        "E0506",
        "The operation requires a newer target than the selected one.",
        "airfoil compile atomics.comp.spv --target macos12",
    ),
    row("E0507", "Metal cannot express the texture operation.", "textureOffset on a cube map"),
    row(
        "E0508",
        "A memory access cannot be resolved to a resource or variable.",
        "a load through a pointer of unknown origin",
    ),
    row(
        "E0509",
        "The reflection of the previous stage names a varying or slot that is not known.",
        "airfoil compile a.frag --previous edited.json",
    ),
    row(
        "E0510",
        "A mesh exceeds Metal's limits (256 vertices, 512 primitives, 32,768 bytes per threadgroup), or a payload exceeds 16,384 bytes.",
        "layout(max_vertices = 256) out; with 32 floats per vertex",
    ),
    row(
        "E0511",
        "A block exceeds 2,147,483,647 bytes, the largest size that the metadata of an argument can hold.",
        "buffer B { layout(offset = 0) mat2 m; }; with a MatrixStride of 2^32 - 16",
    ),
];
