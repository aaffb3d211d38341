//! Sizes of arrays that were declared without one (GLSL 4.60 section 4.1.9): from the stage's layout for arrays that count
//! vertices, else from the largest index.

use super::globals::Resize;
use super::report::{Report, stage_name};
use crate::hir::{Storage, Unit, VarId};
use crate::limits::Limits;
use airfoil_ir::{Primitive, Stage};

/// Vertices of an input primitive of a geometry shader.
pub fn input_vertices(primitive: Primitive) -> Option<u32> {
    let table = [
        (Primitive::Points, 1),
        (Primitive::Lines, 2),
        (Primitive::LinesAdjacency, 4),
        (Primitive::Triangles, 3),
        (Primitive::TrianglesAdjacency, 6),
    ];
    table.iter().find(|(p, _)| *p == primitive).map(|&(_, n)| n)
}

/// Whether the outermost array of a variable of this storage counts vertices.
pub fn per_vertex(stage: Stage, storage: Storage, patch: bool) -> bool {
    match storage {
        Storage::In => matches!(stage, Stage::TessControl | Stage::TessEval | Stage::Geometry) && !patch,
        Storage::Out => stage == Stage::TessControl && !patch,
        _ => false,
    }
}

/// Gives every array its size; only a runtime-sized last member of a buffer block stays without.
pub fn fill(unit: &mut Unit, limits: &Limits, report: &mut Report) {
    let mut resize = Resize::default();
    let vertices = match unit.stage {
        Stage::Geometry => {
            unit.layout.input_primitive.and_then(input_vertices).map(|n| (n, "the input primitive"))
        }
        Stage::TessControl | Stage::TessEval => Some((limits.max_patch_vertices, "GL_MAX_PATCH_VERTICES")),
        _ => None,
    };
    let outputs = unit.layout.vertices.map(|n| (n, "`vertices`"));
    for i in 0..unit.vars.len() {
        let id = VarId(i as u32);
        let v = &unit[id];
        let Some(array) = unit.types.as_array(v.ty) else { continue };
        let storage = v.qualifiers.storage;
        if !per_vertex(unit.stage, storage, v.qualifiers.patch) {
            // Arrays of parameters and locals have sizes.
            if array.len == 0 && v.function.is_none() && !v.is_unbounded {
                let len = v.min_len.max(1);
                unit[id].min_len = len;
                resize.set(unit, id, len);
            }
            continue;
        }
        let Some((len, why)) = (if storage == Storage::In { vertices } else { outputs }) else { continue };
        let implicit = array.len == 0 || v.min_len > 0;
        let used = v.min_len;
        // A size that is declared must be that of the primitive; in tessellation only inputs have a fixed one.
        let wrong = if implicit { used > len } else { array.len != len };
        if wrong {
            let text = format!(
                "{}: `{}` has {} elements, but {why} gives {len} (GLSL 4.60 section 4.3.4)",
                stage_name(unit.stage),
                &unit.names[v.name],
                if implicit { used } else { array.len },
            );
            report.error_var(unit, id, "E1115", text);
        }
        resize.set(unit, id, len);
    }
    members(unit, &mut resize);
    resize.finish(unit);
    built_in(unit, limits, report);
}

/// Built-in arrays that a shader sizes have a largest size (GLSL 4.60 section 7.1).
fn built_in(unit: &Unit, limits: &Limits, report: &mut Report) {
    use crate::builtin::BuiltinVar as B;
    let members = unit.types.structs.iter().flat_map(|s| s.fields.iter().map(|f| (f.builtin, f.ty)));
    let all = unit.vars.iter().map(|v| (v.builtin, v.ty)).chain(members);
    let (mut clip, mut cull) = (0, 0);
    for (builtin, ty) in all {
        let Some(len) = builtin.and(unit.types.as_array(ty)).map(|a| a.len) else { continue };
        let (max, limit) = match builtin {
            Some(B::ClipDistance) => {
                clip = clip.max(len);
                (limits.max_clip_distances, "GL_MAX_CLIP_DISTANCES")
            }
            Some(B::CullDistance) => {
                cull = cull.max(len);
                (limits.max_cull_distances, "GL_MAX_CULL_DISTANCES")
            }
            Some(B::TexCoord) => (limits.max_texture_coords, "GL_MAX_TEXTURE_COORDS"),
            Some(B::FragData) => (limits.max_draw_buffers, "GL_MAX_DRAW_BUFFERS"),
            _ => continue,
        };
        if len > max {
            let name = builtin.map_or("", B::name);
            let stage = stage_name(unit.stage);
            report.error("E1122", format!("{stage}: `{name}` has {len} elements, {limit} is {max}"));
        }
    }
    let both = limits.max_combined_clip_and_cull_distances;
    if clip > 0 && cull > 0 && clip + cull > both {
        let text = format!(
            "{}: {} clip and cull distances, GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES is {both}",
            stage_name(unit.stage),
            clip + cull
        );
        report.error("E1122", text);
    }
}

/// Members of blocks without size get it from the largest index; the last one of a buffer block has it at run time.
fn members(unit: &mut Unit, resize: &mut Resize) {
    for i in 0..unit.vars.len() {
        let v = &unit.vars[i];
        let crate::types::Type::Struct(id) = unit.types.without_arrays(v.ty) else { continue };
        let s = &unit.types.structs[id.0 as usize];
        if !s.block {
            continue;
        }
        let last = s.fields.len().saturating_sub(1);
        let runtime = v.qualifiers.storage == Storage::Buffer;
        let lens = v.field_min_len.clone();
        for n in 0..s.fields.len() {
            let ty = unit.types.structs[id.0 as usize].fields[n].ty;
            let Some(array) = unit.types.as_array(ty) else { continue };
            if array.len != 0 || (runtime && n == last) {
                continue;
            }
            let known = lens.iter().find(|(f, _)| *f as usize == n).map(|&(_, len)| len);
            if known.is_none() {
                unit.vars[i].field_min_len.push((n as u32, 1));
            }
            resize.set_field(unit, id, n as u32, known.unwrap_or(1).max(1));
        }
    }
}
