//! Primitive assembly: streams of vertices to points, lines, triangles and patches (OpenGL 4.6 section 10.1).

use airfoil_ir::Primitive;
use smallvec::{SmallVec, smallvec};

/// Topology of a stream of vertices.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Topology, assemble};
///
/// let primitives = |topology, n| -> Vec<_> {
///     assemble(topology, n, false).iter().map(|p| p.vertices.to_vec()).collect()
/// };
/// // Every other triangle of a strip turns round, so that all have the same side.
/// assert_eq!(primitives(Topology::TriangleStrip, 4), [[0, 1, 2], [2, 1, 3]]);
/// assert_eq!(primitives(Topology::LineLoop, 3), [[0, 1], [1, 2], [2, 0]]);
/// // The last vertex does not complete a patch.
/// assert_eq!(primitives(Topology::Patches(2), 5), [[0, 1], [2, 3]]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Topology {
    Points,
    Lines,
    LineStrip,
    LineLoop,
    Triangles,
    TriangleStrip,
    TriangleFan,
    Quads,
    QuadStrip,
    Polygon,
    LinesAdjacency,
    LineStripAdjacency,
    TrianglesAdjacency,
    TriangleStripAdjacency,
    /// Patches of this many vertices.
    Patches(u32),
}

/// A primitive: positions of its vertices in the stream, and which of them is the provoking one.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Assembled, Topology, assemble};
///
/// let provoking = |topology, first_provokes| -> Vec<u32> {
///     let vertex = |p: &Assembled| p.vertices[p.provoking];
///     assemble(topology, 5, first_provokes).iter().map(vertex).collect()
/// };
/// assert_eq!(provoking(Topology::TriangleStrip, false), [2, 3, 4]);
/// assert_eq!(provoking(Topology::TriangleStrip, true), [0, 1, 2]);
/// // The hub of a fan never provokes, the first vertex of a polygon always does.
/// assert_eq!(provoking(Topology::TriangleFan, true), [1, 2, 3]);
/// assert_eq!(provoking(Topology::Polygon, false), [0, 0, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// Positions of the vertices.
    pub vertices: SmallVec<[u32; 6]>,
    /// The provoking vertex, counted within the primitive.
    pub provoking: usize,
}

impl Topology {
    /// The topology of a stage's output primitives.
    pub(crate) fn of(primitive: Primitive) -> Topology {
        match primitive {
            Primitive::Points => Topology::Points,
            Primitive::Lines => Topology::Lines,
            Primitive::LineStrip => Topology::LineStrip,
            Primitive::TriangleStrip => Topology::TriangleStrip,
            _ => Topology::Triangles,
        }
    }
}

/// The primitives of a stream of `n` vertices. Vertices that do not complete one are dropped.
pub fn assemble(topology: Topology, n: u32, first_provokes: bool) -> Vec<Assembled> {
    let mut out = Vec::new();
    let mut add = |vertices: SmallVec<[u32; 6]>, first: usize, last: usize| {
        out.push(Assembled { vertices, provoking: if first_provokes { first } else { last } });
    };
    match topology {
        Topology::Points => (0..n).for_each(|i| add(smallvec![i], 0, 0)),
        Topology::Lines => (0..n / 2).for_each(|i| add(smallvec![2 * i, 2 * i + 1], 0, 1)),
        Topology::LineStrip => (1..n).for_each(|i| add(smallvec![i - 1, i], 0, 1)),
        Topology::LineLoop => {
            (1..n).for_each(|i| add(smallvec![i - 1, i], 0, 1));
            if n > 2 {
                add(smallvec![n - 1, 0], 0, 1);
            }
        }
        Topology::Triangles => (0..n / 3).for_each(|i| add(smallvec![3 * i, 3 * i + 1, 3 * i + 2], 0, 2)),
        Topology::TriangleStrip => {
            for i in 0..n.saturating_sub(2) {
                // Every other triangle turns round to keep its side.
                if i % 2 == 0 {
                    add(smallvec![i, i + 1, i + 2], 0, 2);
                } else {
                    add(smallvec![i + 1, i, i + 2], 1, 2);
                }
            }
        }
        Topology::TriangleFan => {
            (1..n.saturating_sub(1)).for_each(|i| add(smallvec![0, i, i + 1], 1, 2));
        }
        Topology::Polygon => (1..n.saturating_sub(1)).for_each(|i| add(smallvec![0, i, i + 1], 0, 0)),
        Topology::Quads => {
            for q in (0..n / 4).map(|i| 4 * i) {
                // Both halves hold the provoking vertex.
                if first_provokes {
                    add(smallvec![q, q + 1, q + 2], 0, 2);
                    add(smallvec![q, q + 2, q + 3], 0, 2);
                } else {
                    add(smallvec![q, q + 1, q + 3], 0, 2);
                    add(smallvec![q + 1, q + 2, q + 3], 0, 2);
                }
            }
        }
        Topology::QuadStrip => {
            for q in (0..(n / 2).saturating_sub(1)).map(|i| 2 * i) {
                if first_provokes {
                    add(smallvec![q, q + 1, q + 3], 0, 2);
                    add(smallvec![q, q + 3, q + 2], 0, 1);
                } else {
                    add(smallvec![q, q + 1, q + 3], 0, 2);
                    add(smallvec![q + 2, q, q + 3], 0, 2);
                }
            }
        }
        Topology::LinesAdjacency => {
            (0..n / 4).map(|i| 4 * i).for_each(|i| add(smallvec![i, i + 1, i + 2, i + 3], 1, 2));
        }
        Topology::LineStripAdjacency => {
            (0..n.saturating_sub(3)).for_each(|i| add(smallvec![i, i + 1, i + 2, i + 3], 1, 2));
        }
        Topology::TrianglesAdjacency => {
            (0..n / 6).map(|i| 6 * i).for_each(|i| add((i..i + 6).collect(), 0, 4));
        }
        Topology::TriangleStripAdjacency => strip_adjacency(n, &mut add),
        Topology::Patches(size) => {
            let size = size.max(1);
            (0..n / size).for_each(|i| add((i * size..(i + 1) * size).collect(), 0, 0));
        }
    }
    out
}

/// OpenGL 4.6 table 10.1.
fn strip_adjacency(n: u32, add: &mut impl FnMut(SmallVec<[u32; 6]>, usize, usize)) {
    let count = (n / 2).saturating_sub(2);
    for i in 0..count {
        let v = 2 * i;
        let last = i + 1 == count;
        let after = if last { v + 5 } else { v + 6 };
        if i == 0 {
            add(smallvec![0, 1, 2, after, 4, 3], 0, 4);
        } else if i % 2 == 0 {
            add(smallvec![v, v - 2, v + 2, after, v + 4, v + 3], 0, 4);
        } else {
            add(smallvec![v + 2, v - 2, v, v + 3, v + 4, after], 2, 4);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(topology: Topology, n: u32, first: bool) -> Vec<(Vec<u32>, u32)> {
        assemble(topology, n, first)
            .into_iter()
            .map(|a| (a.vertices.to_vec(), a.vertices[a.provoking]))
            .collect()
    }

    #[test]
    fn strips_keep_their_side_and_provoking_vertex() {
        let want = vec![(vec![0, 1, 2], 2), (vec![2, 1, 3], 3), (vec![2, 3, 4], 4)];
        assert_eq!(all(Topology::TriangleStrip, 5, false), want);
        let first: Vec<u32> = all(Topology::TriangleStrip, 5, true).iter().map(|p| p.1).collect();
        assert_eq!(first, [0, 1, 2]);
        assert_eq!(all(Topology::TriangleFan, 4, false), [(vec![0, 1, 2], 2), (vec![0, 2, 3], 3)]);
        assert_eq!(all(Topology::TriangleFan, 4, true).iter().map(|p| p.1).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn quads_have_one_provoking_vertex() {
        assert_eq!(all(Topology::Quads, 7, false), [(vec![0, 1, 3], 3), (vec![1, 2, 3], 3)]);
        assert_eq!(all(Topology::Quads, 4, true), [(vec![0, 1, 2], 0), (vec![0, 2, 3], 0)]);
        assert_eq!(all(Topology::QuadStrip, 4, false), [(vec![0, 1, 3], 3), (vec![2, 0, 3], 3)]);
    }

    #[test]
    fn adjacency_and_patches() {
        assert_eq!(
            all(Topology::LineStripAdjacency, 5, false),
            [(vec![0, 1, 2, 3], 2), (vec![1, 2, 3, 4], 3)]
        );
        assert_eq!(all(Topology::TriangleStripAdjacency, 6, false), [(vec![0, 1, 2, 5, 4, 3], 4)]);
        assert_eq!(
            all(Topology::TriangleStripAdjacency, 8, false),
            [(vec![0, 1, 2, 6, 4, 3], 4), (vec![4, 0, 2, 5, 6, 7], 6)]
        );
        assert_eq!(all(Topology::Patches(3), 7, false).len(), 2);
        assert_eq!(all(Topology::Lines, 1, false), []);
        assert_eq!(all(Topology::LineLoop, 3, false).last(), Some(&(vec![2, 0], 0)));
    }
}
