//! The outputs of object and mesh functions: calls that write to handles become entries of a table.

use crate::frame::Frame;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A value of a vertex or primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Position,
    PointSize,
    /// An element of the clip distances.
    Clip(u32),
    /// A value of a vertex by its number.
    VertexData(u32),
    /// A value of a primitive by its number.
    PrimitiveData(u32),
    PrimitiveId,
    Layer,
    Viewport,
    Culled,
}

/// A function on a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MeshCall {
    /// Number of primitives.
    Count,
    /// Number of mesh threadgroups.
    Grid,
    /// Indices of vertices, one or several from a position on.
    Indices,
    /// A value whose part is known.
    Value(Part),
    /// The first operand is a number: of an element of the clip distances, of a value of a vertex or primitive.
    Numbered(fn(u32) -> Part),
}

impl MeshCall {
    /// The function of a name without `air.` and suffix.
    pub(crate) fn named(word: &str) -> Option<MeshCall> {
        Some(match word {
            "set_primitive_count_mesh" => MeshCall::Count,
            "set_threadgroups_per_grid_mesh_properties" => MeshCall::Grid,
            "set_index_mesh" | "set_indices_mesh" => MeshCall::Indices,
            "set_position_mesh" => MeshCall::Value(Part::Position),
            "set_point_size_mesh" => MeshCall::Value(Part::PointSize),
            "set_clip_distance_mesh" => MeshCall::Numbered(Part::Clip),
            "set_vertex_data_mesh" => MeshCall::Numbered(Part::VertexData),
            "set_primitive_data_mesh" => MeshCall::Numbered(Part::PrimitiveData),
            "set_primitive_id_mesh" => MeshCall::Value(Part::PrimitiveId),
            "set_render_target_array_index_mesh" => MeshCall::Value(Part::Layer),
            "set_viewport_array_index_mesh" => MeshCall::Value(Part::Viewport),
            "set_primitive_culled_mesh" => MeshCall::Value(Part::Culled),
            _ => return None,
        })
    }

    /// Executes a call: operand 0 is the handle.
    pub(crate) fn run(self, f: &Frame<'_>, made: &mut Made) {
        let number = |arg: usize| f.bits(arg, 0) as u32;
        let value = |arg: usize| (0..f.lanes(arg)).map(|c| f.bits(arg, c) as u32).collect();
        match self {
            MeshCall::Count => made.primitives = number(1),
            MeshCall::Grid => made.grid = [0, 1, 2].map(|c| f.bits(1, c) as u32),
            MeshCall::Indices => {
                for c in 0..f.lanes(2) {
                    let place = number(1).wrapping_add(c as u32);
                    made.indices.insert(place, f.bits(2, c) as u32);
                }
            }
            MeshCall::Value(part) => {
                made.values.insert((part, number(1)), value(2));
            }
            MeshCall::Numbered(part) => {
                made.values.insert((part(number(1)), number(2)), value(3));
            }
        }
    }
}

/// The mesh that a threadgroup produced.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// Number of primitives.
    pub(crate) primitives: u32,
    /// Number of mesh threadgroups.
    pub(crate) grid: [u32; 3],
    /// Indices of vertices by position.
    pub(crate) indices: FxHashMap<u32, u32>,
    /// Components of values by part and index of the vertex or primitive.
    pub(crate) values: FxHashMap<(Part, u32), SmallVec<[u32; 4]>>,
}
