//! Builds the reflection of a linked program.

use super::accessed::Accessed;
use super::*;
use crate::builtin::variable::BuiltinIo;
use crate::hir::{Qualifiers, Storage, Unit, VarId};
use crate::link::gl_types::{gl_type, stage_bit};
use crate::link::globals::linked_name;
use crate::link::interface::{block_of, vertex_type};
use crate::link::layout::{Layouts, Rules, TooLarge, TypeLayout};
use crate::link::live::Live;
use crate::link::report::Report;
use crate::link::subroutines::compatible;
use crate::link::uniforms::{Shared, Uniforms};
use crate::link::walk::{Leaf, Walker};
use crate::types::Type;
use airfoil_ir::format_name;

/// Everything that linking found.
pub(crate) struct Linked<'a> {
    /// Stages.
    pub units: &'a [Unit],
    /// The functions and variables that each reaches.
    pub live: &'a [Live],
    /// Uniforms and blocks.
    pub uniforms: &'a Uniforms,
    /// Transform feedback.
    pub xfb: Xfb,
}

/// Makes the reflection.
pub(crate) fn build(linked: Linked<'_>, report: &mut Report) -> Reflection {
    let Linked { units, live, uniforms: all, xfb } = linked;
    let mut r = Reflection {
        default_block: all.default_block,
        uniform_locations: all.locations,
        transform_feedback: xfb,
        ..Reflection::default()
    };
    let failed =
        |e: TooLarge, name: &str, report: &mut Report| report.error("E1124", format!("`{name}`: {e}"));
    let accessed: Vec<Accessed> = units.iter().map(Accessed::of).collect();
    // The uniforms of each variable.
    let mut ranges = vec![0..0; all.vars.len()];
    for (i, (name, s)) in all.vars.iter().enumerate() {
        if !s.active || units[s.uses[0].0][s.uses[0].1].qualifiers.subroutine.is_some() {
            continue;
        }
        let first = r.uniforms.len();
        let name = reported_name(units, name, s);
        if let Err(e) = variable(units, name, s, &mut r) {
            failed(e, name, report);
        }
        ranges[i] = first..r.uniforms.len();
    }
    for b in &all.atomic_buffers {
        let index = r.atomic_buffers.len() as u32;
        let mut counters = Vec::new();
        for &c in &b.counters {
            for i in ranges[c].clone() {
                r.uniforms[i].atomic_buffer = Some(index);
                counters.push(i as u32);
            }
        }
        let (binding, storage_binding) = (b.binding, b.storage_binding);
        r.atomic_buffers.push(AtomicBufferInfo {
            binding,
            storage_binding,
            size: b.size,
            counters,
            stages: b.stages,
        });
    }
    for (storage, blocks) in [(Storage::Uniform, &all.uniform_blocks), (Storage::Buffer, &all.storage_blocks)]
    {
        let (mut variables, mut infos) = match storage {
            Storage::Uniform => (std::mem::take(&mut r.uniforms), Vec::new()),
            _ => (Vec::new(), Vec::new()),
        };
        for (name, s) in blocks.iter().filter(|(_, s)| s.active) {
            let name = reported_name(units, name, s);
            if let Err(e) = block(units, &accessed, name, s, &mut variables, &mut infos) {
                failed(e, name, report);
            }
        }
        if storage == Storage::Uniform {
            (r.uniforms, r.uniform_blocks) = (variables, infos);
        } else {
            (r.buffer_variables, r.storage_blocks) = (variables, infos);
        }
    }
    let end = |n: usize, storage| Some(io(units.get(n)?, live.get(n)?, accessed.get(n)?, storage));
    r.inputs = end(0, Storage::In).unwrap_or_default();
    r.outputs = units.len().checked_sub(1).and_then(|last| end(last, Storage::Out)).unwrap_or_default();
    r.stages = units.iter().map(stage).collect();
    // A program keeps it.
    r.uniforms.shrink_to_fit();
    r.buffer_variables.shrink_to_fit();
    r
}

/// The name of a variable or block: that of its first declaration, which may be empty, if it was matched without names.
fn reported_name<'n>(units: &'n [Unit], key: &'n str, s: &Shared) -> &'n str {
    let (n, id) = s.uses[0];
    if units[n].is_imported() { linked_name(&units[n], &units[n][id]) } else { key }
}

/// A name of which a part is unknown is unknown (OpenGL 4.6 section 7.3.1).
fn whole_name(name: Name) -> Name {
    let is_whole = |n: &str| {
        !n.is_empty()
            && !n.starts_with(['.', '['])
            && !n.ends_with('.')
            && !n.contains("..")
            && !n.contains(".[")
    };
    if is_whole(&name) { name } else { Name::default() }
}

fn variable(units: &[Unit], name: &str, s: &Shared, r: &mut Reflection) -> Result<(), TooLarge> {
    let (n, id) = s.uses[0];
    let unit = &units[n];
    let layout = Layouts::new(&unit.types).of(unit[id].ty, Rules::DEFAULT_BLOCK)?;
    let base = s.offset.unwrap_or(0);
    let initial = s.uses.iter().find_map(|&(n, id)| units[n][id].constant.map(|c| &units[n][c].scalars[..]));
    let builtin = unit[id].builtin.is_some();
    let counters = s.count.counters > 0;
    for mut leaf in Walker::new(unit).leaves(name, unit[id].ty, Some((&layout, base))) {
        let opaque = matches!(leaf.ty, Type::Opaque(_));
        let scalars = unit.types.components(leaf.ty).saturating_mul(leaf.size.max(1)) as usize;
        let at = leaf.scalar as usize;
        let is_array = leaf.name.ends_with(']');
        let mut info = leaf_info(&mut leaf, s.stages);
        info.location = s.location.filter(|_| !builtin && !counters).map(|l| l.saturating_add(leaf.location));
        info.builtin = builtin;
        info.initial =
            initial.and_then(|v| v.get(at..at.saturating_add(scalars))).unwrap_or_default().to_vec();
        if counters {
            info.offset = Some(base.saturating_add(leaf.opaque.saturating_mul(4)));
            info.array_stride = if is_array { 4 } else { 0 };
        } else if opaque {
            info.binding = s.binding.map(|b| b.saturating_add(leaf.opaque));
            info.explicit_binding = s.explicit_binding;
            info.element = leaf.element;
        }
        r.uniforms.push(info);
    }
    Ok(())
}

/// The reflection of a leaf, except for its name.
fn leaf_info(leaf: &mut Leaf, stages: u32) -> UniformInfo {
    let memory = leaf.memory.unwrap_or_default();
    UniformInfo {
        name: whole_name(std::mem::take(&mut leaf.name)),
        ty: gl_type(leaf.ty),
        array_size: leaf.size,
        offset: leaf.memory.map(|m| m.offset),
        array_stride: memory.array_stride,
        matrix_stride: memory.matrix_stride,
        row_major: memory.row_major,
        top_level_array_size: 1,
        stages,
        ..UniformInfo::default()
    }
}

fn block(
    units: &[Unit],
    accessed: &[Accessed],
    name: &str,
    s: &Shared,
    variables: &mut Vec<UniformInfo>,
    infos: &mut Vec<BlockInfo>,
) -> Result<(), TooLarge> {
    let (n, id) = s.uses[0];
    let unit = &units[n];
    let v = &unit[id];
    let layout = Layouts::new(&unit.types).of_block(unit, id)?;
    let Some(block) = block_of(unit, v) else { return Ok(()) };
    // Of an array of blocks, a stage references the elements that it accesses.
    let is_array = unit.types.as_array(v.ty).is_some();
    let stages_of = |element: u32| match is_array {
        false => s.stages,
        true => {
            let uses = s.uses.iter().filter(|&&(n, id)| accessed[n].element(id, element));
            uses.fold(0, |mask, &(n, _)| mask | stage_bit(units[n].stage)) & s.stages
        }
    };
    let index = infos.len() as u32;
    let first = variables.len() as u32;
    for (f, place) in block.fields.iter().zip(layout.members()) {
        let member = &unit.names[f.name];
        let full = if v.nameless_block { member.to_owned() } else { format!("{name}.{member}") };
        let top = unit.types.as_array(f.ty).filter(|_| v.qualifiers.storage == Storage::Buffer);
        let aggregate = top.filter(|a| matches!(a.elem, Type::Array(_) | Type::Struct(_)));
        let walker = Walker::new(unit);
        let leaves = match (aggregate, place.layout.elem()) {
            (Some(a), Some(elem)) => {
                let elem: &TypeLayout = elem;
                walker.leaves(&format!("{full}[0]"), a.elem, Some((elem, place.offset)))
            }
            _ => walker.leaves(&full, f.ty, Some((&place.layout, place.offset))),
        };
        variables.reserve(leaves.len());
        for mut leaf in leaves {
            let mut info = leaf_info(&mut leaf, s.stages);
            info.block = Some(index);
            if let Some(a) = aggregate {
                info.top_level_array_size = a.len;
                info.top_level_array_stride = place.layout.stride();
            }
            variables.push(info);
        }
    }
    let list: Vec<u32> = (first..variables.len() as u32).collect();
    let mut names = vec![Name::from(name)];
    let mut ty = v.ty;
    while let Some(a) = unit.types.as_array(ty) {
        // More instances than bindings have been rejected; they are not listed again.
        let len = a.len.min(MAX_INSTANCES);
        names = names.iter().flat_map(|n| (0..len).map(move |i| format_name!("{n}[{i}]"))).collect();
        names.truncate(MAX_INSTANCES as usize);
        ty = a.elem;
    }
    for (i, name) in (0u32..).zip(names) {
        infos.push(BlockInfo {
            name: whole_name(name),
            binding: s.binding.map(|b| b.saturating_add(i)),
            explicit_binding: s.explicit_binding,
            size: layout.min_buffer_size(),
            variables: list.clone(),
            stages: stages_of(i),
        });
    }
    Ok(())
}

/// Most instances of a block.
const MAX_INSTANCES: u32 = 4096;

/// Inputs or outputs of a stage, built-in ones included.
fn io(unit: &Unit, live: &Live, accessed: &Accessed, storage: Storage) -> Vec<IoInfo> {
    let mut list = Vec::new();
    let stages = stage_bit(unit.stage);
    for (i, v) in unit.vars.iter().enumerate() {
        let fits = v.qualifiers.storage == storage
            || (storage == Storage::Out && v.qualifiers.storage == Storage::InOut);
        if !fits || !live.var(VarId(i as u32)) || v.place.dead {
            continue;
        }
        // Only attributes and colors have a location that is not declared (OpenGL 4.6 section 7.3.1).
        let at_end =
            matches!((unit.stage, storage), (Stage::Vertex, Storage::In) | (Stage::Fragment, Storage::Out));
        let declares = |q: &Qualifiers| q.layout.location.is_some();
        let mut add = |name: String, ty: Type, place: crate::hir::Placement, patch: bool, located: bool| {
            // After attributes of doubles, slots and locations differ.
            let slot = place.slot.and_then(|s| if patch { s.as_patch() } else { s.as_generic() });
            let location = place.location.or(slot).filter(|_| at_end || located);
            let mut step = 0;
            for leaf in Walker::new(unit).leaves(&name, ty, None) {
                let at = location.map(|l| l.saturating_add(step));
                let mut counter = crate::link::count::Counter::new(&unit.types);
                let one = counter.of(leaf.ty);
                let slots = if unit.stage == Stage::Vertex && storage == Storage::In {
                    one.attributes
                } else {
                    one.slots
                };
                step = step.saturating_add(slots.saturating_mul(leaf.size.max(1)));
                list.push(IoInfo {
                    name: whole_name(leaf.name),
                    ty: gl_type(leaf.ty),
                    array_size: leaf.size.max(1),
                    location: at,
                    component: u32::from(place.component),
                    index: u32::from(place.index),
                    per_patch: patch,
                    stages,
                });
            }
        };
        let hidden =
            v.builtin.is_some_and(|b| matches!(b.io(unit.stage), BuiltinIo::State | BuiltinIo::Fetch));
        match block_of(unit, v) {
            _ if hidden => {}
            Some(s) => {
                for (n, f) in s.fields.iter().enumerate() {
                    if v.builtin.is_some() && !accessed.member(VarId(i as u32), n as u32) {
                        continue;
                    }
                    let place = v.field_places.get(n).copied().unwrap_or_default();
                    let name = &unit.names[f.name];
                    let bare = v.nameless_block;
                    let block = s.name.map_or("", |n| &unit.names[n]);
                    let name = if bare { name.to_owned() } else { format!("{block}.{name}") };
                    let patch = v.qualifiers.patch || f.qualifiers.patch;
                    add(name, f.ty, place, patch, declares(&v.qualifiers) || declares(&f.qualifiers));
                }
            }
            None => {
                let place = if v.builtin.is_some() { Default::default() } else { v.place };
                let (name, one) = (&unit.names[v.name], vertex_type(unit, v));
                let (patch, located) = (v.qualifiers.patch, declares(&v.qualifiers));
                match unit.types.as_array(v.ty).filter(|_| one != v.ty) {
                    // The vertices have the same locations.
                    Some(vertices) if matches!(one, Type::Array(_) | Type::Struct(_)) => {
                        for n in 0..vertices.len {
                            add(format!("{name}[{n}]"), one, place, patch, located);
                        }
                    }
                    _ => add(name.to_owned(), v.ty, place, patch, located),
                }
            }
        }
    }
    list
}

/// Bytes from one element of an array of subroutine uniforms to the next: that of a `uint` in std140.
const SUBROUTINE_STRIDE: u32 = 16;

/// The innermost arrays of an array of arrays, each with its length: an array of arrays is as many active uniforms
/// (OpenGL 4.6 section 7.3.1.1). The limit on locations bounds their number.
fn innermost_arrays(unit: &Unit, name: Name, ty: Type, list: &mut Vec<(Name, Option<u32>)>) {
    match unit.types.as_array(ty) {
        Some(outer) if outer.elem.is_array() => {
            for i in 0..outer.len {
                innermost_arrays(unit, format_name!("{name}[{i}]"), outer.elem, list);
            }
        }
        array => list.push((name, array.map(|a| a.len))),
    }
}

fn stage(unit: &Unit) -> StageReflection {
    let l = &unit.layout;
    let mut subroutines: Vec<SubroutineInfo> = unit
        .functions
        .iter()
        .filter(|f| !f.subroutine_types.is_empty())
        .filter_map(|f| Some(SubroutineInfo { name: unit.names[f.name].into(), index: f.subroutine_index? }))
        .collect();
    subroutines.sort_by_key(|s| s.index);
    let mut subroutine_uniforms = Vec::new();
    for v in &unit.vars {
        let (Some(ty), Some(location)) = (v.qualifiers.subroutine, v.place.location) else { continue };
        let mut fits: Vec<u32> =
            compatible(unit, ty).iter().filter_map(|&f| unit[f].subroutine_index).collect();
        fits.sort_unstable();
        let mut names = Vec::new();
        innermost_arrays(unit, unit.names[v.name].into(), v.ty, &mut names);
        let mut first = 0;
        for (name, len) in names {
            subroutine_uniforms.push(SubroutineUniformInfo {
                name: if len.is_some() { format_name!("{name}[0]") } else { name },
                array_size: len.unwrap_or(1),
                location: location + first,
                compatible: fits.clone(),
                offset: v.place.offset.map(|at| at + first * SUBROUTINE_STRIDE),
            });
            first += len.unwrap_or(1);
        }
    }
    subroutine_uniforms.sort_by_key(|s| s.location);
    StageReflection {
        stage: unit.stage,
        work_group_size: (unit.stage == Stage::Compute).then(|| l.local_size.map(|n| n.unwrap_or(1))),
        input_primitive: l.input_primitive,
        output_primitive: l.output_primitive,
        vertices: l.max_vertices.or(l.vertices),
        invocations: l.invocations,
        spacing: l.spacing,
        clockwise: l.clockwise,
        point_mode: l.point_mode,
        early_fragment_tests: l.early_fragment_tests,
        num_views: l.num_views,
        subroutines,
        subroutine_uniforms,
    }
}
