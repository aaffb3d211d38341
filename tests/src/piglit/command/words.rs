//! Words of a line, and the names that they may be.

use super::super::values::{float, integer};
use airfoil_interp::pipeline::Topology;
use airfoil_interp::texture::Compare;

/// Topologies by name.
const TOPOLOGIES: &[(&str, Topology)] = &[
    ("GL_POINTS", Topology::Points),
    ("GL_LINES", Topology::Lines),
    ("GL_LINE_STRIP", Topology::LineStrip),
    ("GL_LINE_LOOP", Topology::LineLoop),
    ("GL_TRIANGLES", Topology::Triangles),
    ("GL_TRIANGLE_STRIP", Topology::TriangleStrip),
    ("GL_TRIANGLE_FAN", Topology::TriangleFan),
    ("GL_QUADS", Topology::Quads),
    ("GL_QUAD_STRIP", Topology::QuadStrip),
    ("GL_POLYGON", Topology::Polygon),
    ("GL_LINES_ADJACENCY", Topology::LinesAdjacency),
    ("GL_LINE_STRIP_ADJACENCY", Topology::LineStripAdjacency),
    ("GL_TRIANGLES_ADJACENCY", Topology::TrianglesAdjacency),
    ("GL_TRIANGLE_STRIP_ADJACENCY", Topology::TriangleStripAdjacency),
    ("GL_PATCHES", Topology::Patches(3)),
];

/// Comparisons by sign.
const COMPARISONS: &[(&str, Compare)] = &[
    ("==", Compare::Equal),
    ("!=", Compare::NotEqual),
    ("<", Compare::Less),
    ("<=", Compare::LessEqual),
    (">", Compare::Greater),
    (">=", Compare::GreaterEqual),
];

/// Words of a line: brackets and commas only separate, but `np.float32(1)` is one word.
fn words(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "(),".contains(c));
        if rest.is_empty() {
            return out;
        }
        let end = match rest.starts_with("np.").then(|| rest.find(')')).flatten() {
            Some(close) => close + 1,
            None => rest.find(|c: char| c.is_whitespace() || "(),".contains(c)).unwrap_or(rest.len()),
        };
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
}

/// Words that are read one after another.
pub(super) struct Words<'a> {
    pub(super) list: Vec<&'a str>,
    pub(super) at: usize,
}

impl<'a> Words<'a> {
    /// The words of a line.
    pub(super) fn of(line: &'a str) -> Words<'a> {
        Words { list: words(line), at: 0 }
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.list.get(self.at - 1).copied()
    }

    /// Goes on if these words come next.
    pub(super) fn take(&mut self, phrase: &str) -> bool {
        let n = phrase.split(' ').count();
        let found =
            self.list.get(self.at..self.at + n).is_some_and(|w| w.iter().copied().eq(phrase.split(' ')));
        self.at += if found { n } else { 0 };
        found
    }

    pub(super) fn float(&mut self) -> Option<f64> {
        float(self.next()?, 32)
    }

    pub(super) fn floats<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut out = [0.0; N];
        for x in &mut out {
            *x = self.float()?;
        }
        Some(out)
    }

    pub(super) fn number<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(integer(self.next()?)?).ok()
    }

    pub(super) fn numbers<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut out = [0; N];
        for x in &mut out {
            *x = self.number()?;
        }
        Some(out)
    }

    pub(super) fn topology(&mut self) -> Option<Topology> {
        let name = self.next()?;
        TOPOLOGIES.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    pub(super) fn comparison(&mut self) -> Option<Compare> {
        let word = self.next()?;
        COMPARISONS.iter().find(|(sign, _)| *sign == word).map(|(_, c)| *c)
    }
}
