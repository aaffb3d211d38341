//! Rules of object and mesh functions.

use super::Lint;
use super::entries::{node, number_after, text, value};
use crate::module::Md;
use crate::rules::Rule;

/// Bytes of the mesh of one threadgroup: vertices and primitives.
pub(crate) const MESH_BYTES: u64 = 32 << 10;
/// Bytes of a payload.
pub(crate) const PAYLOAD_BYTES: u64 = 16 << 10;
/// Vertices and primitives of a mesh.
pub(crate) const MESH_COUNTS: (u64, u64) = (256, 512);

/// Bytes of the vertices and primitives of a mesh, given the bytes of each and how many indices a primitive has.
///
/// An index takes a byte.
pub(crate) fn mesh_bytes(vertices: (u64, u64), primitives: (u64, u64), indices: u64) -> u64 {
    let all = |(count, bytes): (u64, u64)| count.saturating_mul(bytes);
    all(vertices).saturating_add(all((primitives.0, primitives.1 + indices)))
}

/// Bytes of a value of a mesh by the name of its Metal type, such as `half3`.
pub(crate) fn value_bytes(name: &str) -> u64 {
    let (scalar, lanes) = match name.as_bytes().last() {
        Some(digit @ b'2'..=b'4') => (&name[..name.len() - 1], u64::from(digit - b'0')),
        _ => (name, 1),
    };
    let bytes = match scalar {
        "bool" | "char" | "uchar" => 1,
        "half" | "bfloat" | "short" | "ushort" => 2,
        "long" | "ulong" => 8,
        _ => 4,
    };
    bytes * lanes
}

impl Lint<'_> {
    pub(super) fn meshes(&mut self) {
        let m = self.m;
        for entry in self.entries().into_iter().filter(|e| matches!(e.stage, "object" | "mesh")) {
            for &md in entry.inputs {
                let operands = node(m, md);
                match operands.get(1).and_then(|&md| text(m, md)) {
                    Some("air.payload") => {
                        let size = number_after(m, operands, "air.arg_type_size").unwrap_or(0);
                        if u64::try_from(size).is_ok_and(|size| size > PAYLOAD_BYTES) {
                            let message =
                                format!("a payload of {size} bytes, expected at most {PAYLOAD_BYTES}");
                            self.report(Rule::Payload, entry.name, message);
                        }
                    }
                    Some("air.mesh") => {
                        if let Some(&info) = operands.get(2) {
                            self.mesh(entry.name, node(m, info));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// `{"air.mesh_type_info", vertex values, primitive values, vertices, primitives, topology}`
    fn mesh(&mut self, name: &str, info: &[Md]) {
        let m = self.m;
        let [_, vertex, primitive, vertices, primitives, topology] = *info else { return };
        let count = |md: Md| value(m, md).and_then(|v| m.int_value(v)).and_then(|n| u64::try_from(n).ok());
        let (Some(vertices), Some(primitives)) = (count(vertices), count(primitives)) else { return };
        if vertices > MESH_COUNTS.0 || primitives > MESH_COUNTS.1 {
            let message = format!(
                "{vertices} vertices and {primitives} primitives, expected at most {} and {}",
                MESH_COUNTS.0, MESH_COUNTS.1
            );
            self.report(Rule::MeshCounts, name, message);
        }
        let bytes = |list: Md| -> u64 { node(m, list).iter().map(|&md| self.mesh_value(node(m, md))).sum() };
        let indices = match text(m, topology) {
            Some("air.point") => 1,
            Some("air.line") => 2,
            _ => 3,
        };
        let total = mesh_bytes((vertices, bytes(vertex)), (primitives, bytes(primitive)), indices);
        if total > MESH_BYTES {
            let message = format!("a mesh of {total} bytes, expected at most {MESH_BYTES}");
            self.report(Rule::MeshSize, name, message);
        }
    }

    fn mesh_value(&self, operands: &[Md]) -> u64 {
        let m = self.m;
        let at = operands.iter().position(|&md| text(m, md) == Some("air.arg_type_name"));
        let name = at.and_then(|at| operands.get(at + 1)).and_then(|&md| text(m, md)).unwrap_or_default();
        let count = number_after(m, operands, "air.clip_distance_array_size").unwrap_or(1);
        value_bytes(name).saturating_mul(u64::try_from(count).unwrap_or(1))
    }
}
