//! Uniforms, buffer blocks, resources and atomic counters of a program: all stages share them by name
//! (OpenGL 4.6 sections 7.6, 7.7, 7.8; GLSL 4.60 sections 4.3.5, 4.3.7, 4.3.9).
//!
//! Gives uniforms their locations, lays out the default uniform block, and assigns bindings. For OpenGL the numbers of uniform
//! buffers, storage buffers, textures and images are independent of each other; for Vulkan sets and bindings stay as declared.

use super::compare::{Comparer, Strictness};
use super::count::{Count, Counter};
use super::globals::{Lengths, Resize, agree, implicit_size, linked_name, same_memory};
use super::interface::block_of;
use super::layout::{Layouts, Rules};
use super::live::Live;
use super::report::{Report, stage_name};
use super::walk::MAX_LEAVES;
use super::{LinkOptions, gl_types::stage_bit};
use crate::hir::{DefaultBlock, Packing, Storage, Unit, VarId};
use crate::types::{Type, TypeTable};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// A uniform or block of the program.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Its declarations: position of the unit and variable.
    pub uses: Vec<(usize, VarId)>,
    /// Bits of the stages that use it.
    pub stages: u32,
    /// It is part of the program.
    pub active: bool,
    /// Locations and components.
    pub count: Count,
    /// Location of a uniform.
    pub location: Option<u32>,
    /// First binding.
    pub binding: Option<u32>,
    /// The binding is declared, not assigned by the linker.
    pub explicit_binding: bool,
    /// Byte offset in the default uniform block or in an atomic-counter buffer.
    pub offset: Option<u32>,
}

/// Uniforms and blocks of a program by name, in order of declaration.
#[derive(Clone, Debug, Default)]
pub struct Uniforms {
    /// Variables outside blocks.
    pub vars: IndexMap<String, Shared>,
    /// Uniform blocks.
    pub uniform_blocks: IndexMap<String, Shared>,
    /// Buffer blocks.
    pub storage_blocks: IndexMap<String, Shared>,
    /// Buffers of atomic counters, by binding.
    pub atomic_buffers: Vec<AtomicBuffer>,
    /// Binding and bytes of the default uniform block, if it has members.
    pub default_block: Option<(u32, u32)>,
    /// One past the last uniform location.
    pub locations: u32,
}

/// A buffer of atomic counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomicBuffer {
    /// Binding as declared.
    pub binding: u32,
    /// Binding among the storage buffers.
    pub storage_binding: u32,
    /// Bytes.
    pub size: u32,
    /// Stages that use it.
    pub stages: u32,
    /// Its counters, by position in [`Uniforms::vars`].
    pub counters: Vec<usize>,
}

/// How many arrays of blocks there are around the variable's block: bindings it takes.
pub fn block_count(types: &TypeTable, mut ty: Type) -> u32 {
    let mut n = 1u32;
    while let Some(a) = types.as_array(ty) {
        n = n.saturating_mul(a.len.max(1));
        ty = a.elem;
    }
    n
}

/// Finds all uniforms and blocks and checks that their declarations agree.
pub fn collect(units: &mut [Unit], live: &[Live], report: &mut Report) -> Uniforms {
    let mut all = Uniforms::default();
    let mut members: FxHashMap<(bool, String), String> = FxHashMap::default();
    let mut lens: Vec<(Vec<(usize, VarId)>, Lengths)> = Vec::new();
    for (n, unit) in units.iter().enumerate() {
        let mut counter = Counter::new(&unit.types);
        for (i, v) in unit.vars.iter().enumerate() {
            let storage = v.qualifiers.storage;
            if !matches!(storage, Storage::Uniform | Storage::Buffer) {
                continue;
            }
            let id = VarId(i as u32);
            // Subroutine uniforms are names of their stage alone.
            let mut key = linked_name(unit, v).to_owned();
            if v.qualifiers.subroutine.is_some() {
                key = format!("{key} of the {}", stage_name(unit.stage));
            }
            if !unit.is_imported() {
                one_name(unit, id, &key, &mut members, report);
            }
            let map = match (v.block, storage) {
                (true, Storage::Buffer) => &mut all.storage_blocks,
                (true, _) => &mut all.uniform_blocks,
                (false, _) => &mut all.vars,
            };
            if unit.is_imported() {
                key = imported_key(units, (n, id), map);
            }
            let count = counter.of(v.ty);
            let entry = map.entry(key).or_insert_with(|| Shared {
                uses: Vec::new(),
                stages: 0,
                active: false,
                count,
                location: None,
                binding: None,
                explicit_binding: false,
                offset: None,
            });
            for &(m, other) in &entry.uses {
                let lengths = agree(&units[m], other, unit, id, report);
                if !lengths.is_empty() {
                    let uses = entry.uses.iter().copied().chain([(n, id)]);
                    lens.push((uses.collect(), lengths));
                }
            }
            if live[n].var(id) {
                entry.stages |= stage_bit(unit.stage);
                entry.active = true;
            }
            // All blocks are active but packed ones (OpenGL 4.6 section 7.6).
            entry.active |= v.block && Rules::of_block(unit, v).packing != Packing::Packed;
            let l = &v.qualifiers.layout;
            entry.location = entry.location.or(l.location);
            entry.binding = entry.binding.or(l.binding);
            entry.explicit_binding |= l.binding.is_some();
            entry.offset = entry.offset.or(l.offset);
            if count.components > entry.count.components || count.opaque() > entry.count.opaque() {
                entry.count = count;
            }
            entry.uses.push((n, id));
        }
    }
    // Arrays without size get the largest that any stage gives.
    let mut resizes: Vec<Resize> = units.iter().map(|_| Resize::default()).collect();
    for (uses, lengths) in lens {
        for (n, id) in uses {
            let unit = &mut units[n];
            let known = unit.types.as_array(unit[id].ty).map_or(0, |a| a.len);
            let grows = |&len: &u32| implicit_size(&unit.types, &unit[id]) && known < len;
            let array = lengths.array.filter(grows);
            let shorter = |&(member, len): &(u32, u32)| {
                let ty = block_of(unit, &unit[id]).and_then(|s| s.fields.get(member as usize)).map(|f| f.ty);
                ty.and_then(|ty| unit.types.as_array(ty)).is_some_and(|a| a.len < len)
            };
            let members = lengths.members.iter().copied().filter(shorter).collect();
            Lengths { array, members }.apply(unit, id, &mut resizes[n]);
        }
    }
    for (unit, resize) in units.iter_mut().zip(resizes) {
        resize.finish(unit);
    }
    all
}

/// The key of a variable of a SPIR-V module: uniforms match by location, and without one, as blocks do, by binding if their types
/// agree; atomic counters match by offset (ARB_gl_spirv, issues 21 and 23). The keys are descriptions, for messages.
fn imported_key(units: &[Unit], (n, id): (usize, VarId), map: &IndexMap<String, Shared>) -> String {
    let unit = &units[n];
    let v = &unit[id];
    let l = &v.qualifiers.layout;
    let what = match (l.location, l.binding, l.offset) {
        (Some(location), ..) => {
            let key = format!("location {location}");
            // Two uniforms of a module that share a location are an error.
            let is_shared = map.get(&key).is_some_and(|s| s.uses.iter().any(|&(m, _)| m == n));
            return if is_shared { format!("{key} of variable {}", id.0) } else { key };
        }
        (None, Some(binding), Some(offset)) => return format!("binding {binding}, offset {offset}"),
        (None, Some(binding), None) => format!("binding {binding}"),
        (None, None, _) => format!("variable {} of the {}", id.0, stage_name(unit.stage)),
    };
    let matches =
        |s: &Shared| s.uses.iter().all(|&(m, other)| m != n && alike((&units[m], other), (unit, id)));
    let mut key = what.clone();
    for next in 2u32.. {
        match map.get(&key) {
            Some(shared) if !matches(shared) => key = format!("{what} ({next})"),
            _ => break,
        }
    }
    key
}

/// The name of a variable in messages: its key if it does not have one.
fn shown_name<'n>(units: &'n [Unit], key: &'n str, s: &Shared) -> &'n str {
    let (n, id) = s.uses[0];
    let name = if units[n].is_imported() { linked_name(&units[n], &units[n][id]) } else { key };
    if name.is_empty() { key } else { name }
}

/// Whether two declarations of imported units can be the same resource.
fn alike((a, va): (&Unit, VarId), (b, vb): (&Unit, VarId)) -> bool {
    let (x, y) = (&a[va], &b[vb]);
    let (lx, ly) = (&x.qualifiers.layout, &y.qualifiers.layout);
    let how = Strictness { memory: x.block, ..Strictness::default() };
    x.block == y.block
        && lx.packing == ly.packing
        && lx.format == ly.format
        && Comparer::new(a, b, how).differ(x.ty, y.ty).is_none()
        && same_memory((a, va), (b, vb))
}

/// Names at global scope are unique in the program: uniforms and members of blocks without instance name
/// (GLSL 4.60 section 4.3.9).
fn one_name(
    unit: &Unit,
    id: VarId,
    key: &str,
    known: &mut FxHashMap<(bool, String), String>,
    report: &mut Report,
) {
    let v = &unit[id];
    let buffer = v.qualifiers.storage == Storage::Buffer;
    let (names, owner): (Vec<&str>, String) = match block_of(unit, v) {
        Some(s) if v.nameless_block => {
            (s.fields.iter().map(|f| &unit.names[f.name]).collect(), format!("block `{key}`"))
        }
        Some(_) => return,
        None => (vec![key], "a variable".into()),
    };
    for name in names {
        let first = known.entry((buffer, name.to_owned())).or_insert_with(|| owner.clone());
        if *first != owner {
            let text = format!(
                "`{name}`: it is declared by {first} and by {owner} in the {} (GLSL 4.60 section 4.3.9)",
                stage_name(unit.stage)
            );
            report.error_var(unit, id, "E1113", text);
        }
    }
}

/// Assigns locations of uniforms: explicit ones first, used or not, then the first that are free
/// (OpenGL 4.6 section 7.6.1, GLSL 4.60 section 4.4.3).
pub fn locations(units: &[Unit], all: &mut Uniforms, options: &LinkOptions, report: &mut Report) {
    let limit = options.limits.max_uniform_locations;
    let mut taken: Vec<(u32, u32, usize)> = Vec::new();
    let names: Vec<String> = all.vars.iter().map(|(key, s)| shown_name(units, key, s).to_owned()).collect();
    for (i, s) in all.vars.values().enumerate() {
        let (unit, id) = (&units[s.uses[0].0], s.uses[0].1);
        let Some(at) = s.location.filter(|_| unit[id].qualifiers.subroutine.is_none()) else { continue };
        let end = at.saturating_add(s.count.locations);
        if end > limit {
            let text = format!(
                "uniform `{}` takes locations {at} to {}, GL_MAX_UNIFORM_LOCATIONS allows {limit}",
                names[i],
                end.saturating_sub(1)
            );
            report.error_var(unit, id, "E1119", text);
            continue;
        }
        taken.push((at, end, i));
    }
    taken.sort_unstable();
    for pair in taken.windows(2) {
        if pair[1].0 < pair[0].1 {
            let i = pair[1].2;
            let (n, id) = all.vars[i].uses[0];
            let text = format!(
                "uniforms `{}` and `{}` share location {} (GLSL 4.60 section 4.4.3)",
                names[pair[0].2], names[i], pair[1].0
            );
            report.error_var(&units[n], id, "E1120", text);
        }
    }
    // First fit in the gaps between explicit ones; single locations fill the first gap, so one pass over gaps is enough for
    // most: `next` never decreases for those.
    let mut gaps: Vec<(u32, u32)> = Vec::new();
    let mut end = 0;
    for &(lo, hi, _) in &taken {
        if lo > end {
            gaps.push((end, lo));
        }
        end = end.max(hi);
    }
    gaps.push((end, u32::MAX));
    let mut last = end;
    for (i, s) in all.vars.values_mut().enumerate() {
        let (n, id) = s.uses[0];
        let v = &units[n][id];
        let skip = s.location.is_some()
            || !s.active
            || s.count.locations == 0
            || v.builtin.is_some()
            || v.qualifiers.subroutine.is_some();
        if skip {
            continue;
        }
        let need = s.count.locations;
        let Some(gap) = gaps.iter().position(|&(lo, hi)| hi - lo >= need) else {
            report.error_var(
                &units[n],
                id,
                "E1122",
                format!("uniform `{}` needs too many locations", names[i]),
            );
            continue;
        };
        let at = gaps[gap].0;
        gaps[gap].0 += need;
        if gaps[gap].0 == gaps[gap].1 {
            gaps.remove(gap);
        }
        s.location = Some(at);
        last = last.max(at + need);
    }
    if last > limit {
        report.error(
            "E1122",
            format!("the uniforms take {last} locations, GL_MAX_UNIFORM_LOCATIONS allows {limit}"),
        );
    }
    all.locations = last;
}

/// A subroutine uniform is a `uint` in memory: the index of the subroutine.
fn memory_type(types: &mut TypeTable, ty: Type) -> Type {
    match types.as_array(ty) {
        Some(a) => {
            let elem = memory_type(types, a.elem);
            types.array(elem, a.len)
        }
        None if matches!(ty, Type::Void | Type::Error) => Type::UINT,
        None => ty,
    }
}

/// Lays out the default uniform block: one layout for all stages (std140).
pub fn default_block(units: &mut [Unit], all: &mut Uniforms, options: &LinkOptions, report: &mut Report) {
    let mut end = 0u64;
    let mut members: Vec<Vec<(VarId, u32)>> = vec![Vec::new(); units.len()];
    for (name, s) in all.vars.iter_mut().filter(|(_, s)| s.active) {
        let (n, id) = s.uses[0];
        let ty = units[n][id].ty;
        let ty = memory_type(&mut units[n].types, ty);
        let layout = match Layouts::new(&units[n].types).of(ty, Rules::DEFAULT_BLOCK) {
            Ok(layout) => layout,
            Err(why) => {
                report.error_var(&units[n], id, "E1124", format!("uniform `{name}`: {why}"));
                continue;
            }
        };
        if layout.size == 0 {
            continue;
        }
        let at = end.next_multiple_of(u64::from(layout.align));
        end = at + u64::from(layout.size);
        let Ok(offset) = u32::try_from(at) else { break };
        s.offset = Some(offset);
        for &(n, id) in &s.uses {
            members[n].push((id, offset));
        }
    }
    if end == 0 {
        return;
    }
    let end = end.next_multiple_of(16);
    let Ok(size) = u32::try_from(end) else {
        report.error("E1124", "the uniforms outside blocks take more than 4 GiB");
        return;
    };
    let binding = options.default_block_binding.unwrap_or_else(|| {
        let past = |s: &Shared| {
            let (n, id) = s.uses[0];
            s.binding.map_or(0, |b| b.saturating_add(block_count(&units[n].types, units[n][id].ty)))
        };
        all.uniform_blocks.values().map(past).max().unwrap_or(0)
    });
    all.default_block = Some((binding, size));
    for (unit, members) in units.iter_mut().zip(members) {
        unit.default_block = Some(DefaultBlock { binding, size, members });
    }
}

/// Numbers that are taken, as sorted ranges; finds the first free run.
#[derive(Debug, Default)]
struct Numbers(Vec<(u32, u32)>);

impl Numbers {
    /// Adjacent ranges are merged, so that a first fit keeps one range.
    fn take(&mut self, at: u32, count: u32) {
        let end = at.saturating_add(count);
        let i = self.0.partition_point(|r| r.0 < at);
        if let Some(before) = i.checked_sub(1).and_then(|i| self.0.get_mut(i)).filter(|r| r.1 >= at) {
            before.1 = before.1.max(end);
        } else {
            self.0.insert(i, (at, end));
        }
    }

    fn first_free(&self, count: u32) -> u32 {
        let mut at = 0u32;
        for &(lo, hi) in &self.0 {
            if lo >= at && lo - at >= count {
                break;
            }
            at = at.max(hi);
        }
        at
    }
}

/// Assigns bindings of blocks, textures and images: explicit ones first, then the first that are free.
pub fn bindings(units: &[Unit], all: &mut Uniforms) {
    if units.iter().any(|u| u.vulkan) {
        return;
    }
    for blocks in [&mut all.uniform_blocks, &mut all.storage_blocks] {
        let count = |s: &Shared| {
            let (n, id) = s.uses[0];
            block_count(&units[n].types, units[n][id].ty)
        };
        let mut taken = Numbers::default();
        for s in blocks.values() {
            if let Some(at) = s.binding {
                taken.take(at, count(s));
            }
        }
        for s in blocks.values_mut().filter(|s| s.binding.is_none() && s.active) {
            let at = taken.first_free(count(s));
            taken.take(at, count(s));
            s.binding = Some(at);
        }
    }
    let (mut textures, mut images) = (Numbers::default(), Numbers::default());
    let is_resource = |s: &Shared| s.count.textures > 0 || s.count.images > 0;
    for s in all.vars.values().filter(|s| is_resource(s)) {
        if let Some(at) = s.binding {
            take(&mut textures, &mut images, s, at);
        }
    }
    for s in all.vars.values_mut().filter(|s| is_resource(s) && s.binding.is_none() && s.active) {
        // A structure with both takes a run that is free in both.
        let run = s.count.textures.saturating_add(s.count.images);
        let mut at = 0;
        loop {
            let t = if s.count.textures > 0 { free_from(&textures, at, run) } else { at };
            let i = if s.count.images > 0 { free_from(&images, t, run) } else { t };
            if i == at {
                break;
            }
            at = i;
        }
        take(&mut textures, &mut images, s, at);
        s.binding = Some(at);
    }
}

fn take(textures: &mut Numbers, images: &mut Numbers, s: &Shared, at: u32) {
    let run = s.count.textures.saturating_add(s.count.images);
    if s.count.textures > 0 {
        textures.take(at, run);
    }
    if s.count.images > 0 {
        images.take(at, run);
    }
}

/// The first free run that starts at `from` or later.
fn free_from(numbers: &Numbers, from: u32, count: u32) -> u32 {
    let mut at = from;
    for &(lo, hi) in &numbers.0 {
        if hi <= at {
            continue;
        }
        if lo >= at && lo - at >= count {
            break;
        }
        at = at.max(hi);
    }
    at
}

/// Puts atomic counters into their buffers (GLSL 4.60 section 4.4.6.1).
pub fn atomic_counters(units: &[Unit], all: &mut Uniforms, report: &mut Report) {
    let mut buffers: std::collections::BTreeMap<u32, AtomicBuffer> = Default::default();
    let mut ranges: std::collections::BTreeMap<u32, Vec<(u32, u32, usize)>> = Default::default();
    for (i, (name, s)) in all.vars.iter_mut().enumerate() {
        if s.count.counters == 0 {
            continue;
        }
        let (n, id) = s.uses[0];
        let Some(binding) = s.binding else {
            report.error_var(
                &units[n],
                id,
                "E1125",
                format!("atomic counter `{name}` has no binding (GLSL 4.60 section 4.4.6.1)"),
            );
            continue;
        };
        let list = ranges.entry(binding).or_default();
        // A counter without offset follows the one before.
        let offset = s.offset.unwrap_or_else(|| list.last().map_or(0, |r| r.1));
        s.offset = Some(offset);
        let end = offset.saturating_add(s.count.counters.saturating_mul(4));
        list.push((offset, end, i));
        if !s.active {
            continue;
        }
        let buffer = buffers.entry(binding).or_insert_with(|| AtomicBuffer { binding, ..Default::default() });
        buffer.size = buffer.size.max(end);
        buffer.stages |= s.stages;
        buffer.counters.push(i);
    }
    for (binding, mut list) in ranges {
        list.sort_unstable();
        for pair in list.windows(2) {
            if pair[1].0 < pair[0].1 {
                let name = |i: usize| all.vars.get_index(i).map_or("", |(name, _)| name);
                let (n, id) = all.vars[pair[1].2].uses[0];
                let text = format!(
                    "atomic counters `{}` and `{}` overlap at offset {} of binding {binding} (GLSL 4.60 section 4.4.6.1)",
                    name(pair[0].2),
                    name(pair[1].2),
                    pair[1].0
                );
                report.error_var(&units[n], id, "E1120", text);
            }
        }
    }
    let past = |s: &Shared| {
        let (n, id) = s.uses[0];
        s.binding.map_or(0, |b| b.saturating_add(block_count(&units[n].types, units[n][id].ty)))
    };
    let first = all.storage_blocks.values().map(past).max().unwrap_or(0);
    all.atomic_buffers = buffers.into_values().collect();
    for (i, b) in all.atomic_buffers.iter_mut().enumerate() {
        b.storage_binding = first.saturating_add(i as u32);
    }
}

/// Entries that reflection lists for a block: instances count once, and so does the outermost array of structures or arrays
/// in a storage block (OpenGL 4.6 section 7.3.1.1).
fn block_leaves(unit: &Unit, counter: &mut Counter<'_>, id: VarId) -> u32 {
    let v = &unit[id];
    let fields = block_of(unit, v).map_or(&[][..], |s| &s.fields);
    fields.iter().fold(0, |n, f| {
        let top = unit.types.as_array(f.ty).filter(|a| {
            v.qualifiers.storage == Storage::Buffer && matches!(a.elem, Type::Array(_) | Type::Struct(_))
        });
        n.saturating_add(counter.of(top.map_or(f.ty, |a| a.elem)).leaves)
    })
}

/// Rejects uniforms that would exhaust the memory when they are split for reflection.
pub fn too_many(units: &[Unit], all: &Uniforms, report: &mut Report) {
    let maps = [&all.vars, &all.uniform_blocks, &all.storage_blocks];
    let mut total = 0u32;
    let mut counters: Vec<Counter<'_>> = units.iter().map(|u| Counter::new(&u.types)).collect();
    for (name, s) in maps.into_iter().flatten() {
        let (n, id) = s.uses[0];
        let unit = &units[n];
        let leaves = if unit[id].block { block_leaves(unit, &mut counters[n], id) } else { s.count.leaves };
        total = total.saturating_add(leaves);
        if total > MAX_LEAVES {
            let text =
                format!("`{name}`: the program has more than {MAX_LEAVES} uniforms and buffer variables");
            report.error_var(unit, id, "E1124", text);
            return;
        }
    }
}

/// Writes the assigned locations to the variables of all stages.
pub fn write_places(units: &mut [Unit], all: &Uniforms) {
    let buffer_of = |binding: Option<u32>| {
        all.atomic_buffers.iter().find(|b| Some(b.binding) == binding).map(|b| b.storage_binding)
    };
    for s in [&all.vars, &all.uniform_blocks, &all.storage_blocks].into_iter().flat_map(|m| m.values()) {
        for &(n, id) in &s.uses {
            let set = units[n][id].qualifiers.layout.set;
            let place = &mut units[n][id].place;
            place.location = s.location;
            place.offset = s.offset;
            place.set = set;
            place.binding = if s.count.counters > 0 { buffer_of(s.binding) } else { s.binding };
        }
    }
}
