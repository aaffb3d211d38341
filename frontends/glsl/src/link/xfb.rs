//! Transform feedback: which outputs are captured, by names that the application gives or by `xfb_*` layout qualifiers
//! (OpenGL 4.6 section 11.1.2.1, GLSL 4.60 section 4.4.2).

use super::count::Counter;
use super::gl_types::gl_type;
use super::interface::{Item, block_of, is_located_array, vertex_type};
use super::report::{Report, stage_name};
use super::walk::Walker;
use super::{LinkOptions, XfbMode};
use crate::builtin::variable::BuiltinIo;
use crate::hir::{BlockCapture, Storage, Unit, VarId, Variable};
use crate::types::{Field, Struct, Type, TypeTable};
use airfoil_ir::Slot;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something that is captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct XfbVarying {
    /// Name as given, or as the API would give it.
    pub name: String,
    /// Enumerant of its type in the API.
    pub ty: u32,
    /// Elements; 1 for anything but an array.
    pub size: u32,
    /// Columns of an element; 1 for anything but a matrix.
    pub columns: u32,
    /// Buffer.
    pub buffer: u32,
    /// Bytes from the start of a vertex in the buffer.
    pub offset: u32,
    /// Vertex stream.
    pub stream: u32,
    /// First slot.
    #[serde(serialize_with = "store_slot", deserialize_with = "restore_slot")]
    pub slot: Option<Slot>,
    /// First component in it.
    pub component: u32,
    /// Components of 32 bits.
    pub components: u32,
    /// Elements are consecutive components, four to a slot, instead of starting a slot each.
    pub packed: bool,
    /// The output itself.
    pub item: Item,
}

fn store_slot<S: Serializer>(slot: &Option<Slot>, to: S) -> Result<S::Ok, S::Error> {
    slot.map(|s| s.0).serialize(to)
}

fn restore_slot<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Slot>, D::Error> {
    Ok(Option::<u8>::deserialize(from)?.map(Slot))
}

/// A buffer that is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct XfbBuffer {
    /// Number.
    pub buffer: u32,
    /// Bytes of a vertex.
    pub stride: u32,
}

/// The captures of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Xfb {
    /// In order of capture.
    pub varyings: Vec<XfbVarying>,
    /// In ascending order.
    pub buffers: Vec<XfbBuffer>,
}

/// Where a name leads: the item, how far into it, and its type.
struct Found {
    item: Item,
    ty: Type,
    slots: u32,
    components: u32,
}

/// The outputs that are captured, so that the linker keeps them.
pub fn captured(unit: &Unit, options: &LinkOptions) -> FxHashSet<Item> {
    let mut set: FxHashSet<Item> = qualified(unit).into_iter().map(|part| part.item).collect();
    if set.is_empty() {
        let names = options.transform_feedback.varyings.iter();
        set.extend(names.filter_map(|n| find(unit, n).ok().map(|f| f.item)));
    }
    set
}

/// An output with `xfb_offset`, or a member of one element of an array of blocks.
struct Qualified {
    item: Item,
    name: String,
    ty: Type,
    /// Slots from the first one of the item.
    slots: u32,
    buffer: u32,
    offset: u32,
}

/// Outputs with `xfb_offset`. Consecutive buffers capture the elements of an array of blocks.
fn qualified(unit: &Unit) -> Vec<Qualified> {
    let default = unit.layout.xfb_buffer.unwrap_or(0);
    let mut list = Vec::new();
    for (i, v) in unit.vars.iter().enumerate() {
        if v.qualifiers.storage != Storage::Out {
            continue;
        }
        let var = VarId(i as u32);
        let l = &v.qualifiers.layout;
        let buffer = l.xfb_buffer.unwrap_or(default);
        let Some(s) = block_of(unit, v) else {
            list.extend(l.xfb_offset.map(|offset| {
                let item = Item { var, member: None };
                let (name, ty) = (unit.names[v.name].to_owned(), vertex_type(unit, v));
                Qualified { item, name, ty, slots: 0, buffer, offset }
            }));
            continue;
        };
        // A block's `xfb_offset` is that of its first member; the others follow.
        let mut next = l.xfb_offset;
        let elements = unit.types.array_elements(vertex_type(unit, v));
        for (n, f) in s.fields.iter().enumerate() {
            let own = &f.qualifiers.layout;
            let (size, align) = bytes(&unit.types, f.ty);
            let said = own.xfb_offset.filter(|_| own.xfb_offset != l.xfb_offset || n == 0);
            let at = said.or(next.map(|at| at.next_multiple_of(align)));
            next = next.and(at).map(|at| at.saturating_add(size));
            let Some(offset) = at else { continue };
            let item = Item { var, member: Some(n as u32) };
            let first = own.xfb_buffer.unwrap_or(buffer);
            let step = if elements > 1 { slots_before(unit, v, (s, n), 1) } else { 0 };
            for element in 0..elements.min(MAX_BUFFERS + 1) {
                list.push(Qualified {
                    item,
                    name: member_name(unit, v, (s, n), element),
                    ty: f.ty,
                    slots: step.saturating_mul(element),
                    buffer: first.saturating_add(element),
                    offset,
                });
            }
        }
    }
    list.extend(
        unit.imported.iter().flat_map(|imported| &imported.captures).filter_map(|c| block_part(unit, c)),
    );
    list
}

/// The most buffers, whatever the limits. One element more is listed, which [`check`] refuses.
const MAX_BUFFERS: u32 = 64;

/// The name that the API gives a member of an element of a block (OpenGL 4.6 section 7.3.1.1).
fn member_name(unit: &Unit, v: &Variable, (s, n): (&Struct, usize), element: u32) -> String {
    let f = &s.fields[n];
    let own = &unit.names[f.name];
    if v.nameless_block || f.builtin.is_some() {
        return own.into();
    }
    let block = s.name.map_or("", |n| &unit.names[n]);
    format!("{block}{}.{own}", indices(unit, vertex_type(unit, v), element))
}

/// The indices of an element of an array, arrays of arrays in order of memory.
fn indices(unit: &Unit, ty: Type, element: u32) -> String {
    match unit.types.as_array(ty) {
        Some(array) => {
            let inner = unit.types.array_elements(array.elem).max(1);
            format!("[{}]{}", element / inner, indices(unit, array.elem, element % inner))
        }
        None => String::new(),
    }
}

/// The slots of an array of blocks before one element. The elements of an array with a location follow each other, otherwise those of
/// each member do.
fn slots_before(unit: &Unit, v: &Variable, (s, n): (&Struct, usize), element: u32) -> u32 {
    let fields = if is_located_array(unit, v) { &s.fields[..] } else { &s.fields[n..=n] };
    let mut counter = Counter::new(&unit.types);
    let stride = fields.iter().fold(0u32, |sum, f| sum.saturating_add(counter.of(f.ty).slots));
    stride.saturating_mul(element)
}

/// A captured member of an array of blocks of a SPIR-V module, which is an array of structures.
fn block_part(unit: &Unit, c: &BlockCapture) -> Option<Qualified> {
    let v = &unit[c.var];
    let s = unit.types.as_struct(unit.types.without_arrays(v.ty))?;
    let f = s.fields.get(c.member as usize)?;
    let mut counter = Counter::new(&unit.types);
    let mut slots =
        |fields: &[Field]| fields.iter().fold(0u32, |n, f| n.saturating_add(counter.of(f.ty).slots));
    let (whole, before) = (slots(&s.fields), slots(&s.fields[..c.member as usize]));
    // A name of which a part is unknown is unknown.
    let name = match (&unit.names[v.name], &unit.names[f.name]) {
        ("", _) | (_, "") => String::new(),
        (block, member) => format!("{block}{}.{member}", indices(unit, v.ty, c.element)),
    };
    Some(Qualified {
        item: Item { var: c.var, member: None },
        name,
        ty: f.ty,
        slots: whole.saturating_mul(c.element).saturating_add(before),
        buffer: c.buffer,
        offset: c.offset,
    })
}

/// Bytes of a captured value and its alignment: components follow each other without gaps, doubles are aligned to 8.
fn bytes(types: &TypeTable, ty: Type) -> (u32, u32) {
    let components = Counter::new(types).of(ty).components;
    let wide = types.any(ty, &mut |t| t.base().is_some_and(|b| b.bits() == 64));
    (components.saturating_mul(4), if wide { 8 } else { 4 })
}

/// Finds and checks the captured outputs. `unit` is the last stage before rasterisation.
pub fn declare(unit: &Unit, options: &LinkOptions, report: &mut Report) -> Xfb {
    let list = qualified(unit);
    let mut xfb = if list.is_empty() {
        by_name(unit, options, report)
    } else {
        let mut xfb = Xfb::default();
        let mut aligns = Vec::with_capacity(list.len());
        for part in list {
            if let Type::Struct(_) = unit.types.without_arrays(part.ty) {
                leaves(unit, &part, &mut xfb.varyings, &mut aligns);
                continue;
            }
            let found = Found { item: part.item, ty: part.ty, slots: part.slots, components: 0 };
            aligns.push(bytes(&unit.types, part.ty).1);
            xfb.varyings.push(varying(unit, part.name, &found, part.buffer, part.offset));
        }
        strides(unit, &mut xfb, &aligns, report);
        xfb
    };
    xfb.buffers.sort_by_key(|b| b.buffer);
    check(unit, &xfb, options, report);
    xfb
}

/// The leaves of a structure are captured one after the other, each a varying of its own (OpenGL 4.6 section 7.3.1.1).
fn leaves(unit: &Unit, part: &Qualified, varyings: &mut Vec<XfbVarying>, aligns: &mut Vec<u32>) {
    let (mut slots, mut at) = (part.slots, part.offset);
    for leaf in Walker::new(unit).leaves(&part.name, part.ty, None) {
        let (size, align) = bytes(&unit.types, leaf.ty);
        let count = leaf.size.max(1);
        at = at.next_multiple_of(align);
        let found = Found { item: part.item, ty: leaf.ty, slots, components: 0 };
        let own = leaf.name.strip_suffix("[0]").unwrap_or(&leaf.name).to_owned();
        let one = varying(unit, own, &found, part.buffer, at);
        aligns.push(align);
        varyings.push(XfbVarying { size: count, components: one.components.saturating_mul(count), ..one });
        slots = slots.saturating_add(Counter::new(&unit.types).of(leaf.ty).slots.saturating_mul(count));
        at = at.saturating_add(size.saturating_mul(count));
    }
}

fn varying(unit: &Unit, name: String, found: &Found, buffer: u32, offset: u32) -> XfbVarying {
    let v = &unit[found.item.var];
    let member = block_of(unit, v).and_then(|s| s.fields.get(found.item.member? as usize));
    let place = match found.item.member {
        Some(n) => v.field_places.get(n as usize).copied().unwrap_or_default(),
        None => v.place,
    };
    let builtin = member.map_or(v.builtin, |f| f.builtin);
    let slot = match builtin.map(|b| b.io(unit.stage)) {
        Some(BuiltinIo::Slot(slot)) => Some(slot),
        _ => place.slot,
    };
    let (elem, size) = match unit.types.as_array(found.ty) {
        Some(a) => (a.elem, a.len),
        None => (found.ty, 1),
    };
    let is_distance = matches!(slot, Some(s) if (Slot::CLIP_DIST0..=Slot::CULL_DIST1).contains(&s));
    let packed = place.packed || is_distance;
    let (slots, first) = if packed { (found.slots / 4, found.slots % 4) } else { (found.slots, 0) };
    let stream = member.map_or(&v.qualifiers, |f| &f.qualifiers).layout.stream;
    XfbVarying {
        name,
        ty: gl_type(elem),
        size,
        columns: if let Type::Matrix { cols, .. } = elem { cols.into() } else { 1 },
        buffer,
        offset,
        stream: stream.or(v.qualifiers.layout.stream).or(unit.layout.stream).unwrap_or(0),
        slot: slot.and_then(|s| s.offset(slots)),
        component: u32::from(place.component) + found.components + first,
        components: Counter::new(&unit.types).of(found.ty).components,
        packed,
        item: found.item,
    }
}

/// Strides of buffers: declared, or computed from the captured outputs, which have these alignments.
fn strides(unit: &Unit, xfb: &mut Xfb, aligns: &[u32], report: &mut Report) {
    let mut declared = unit.layout.xfb_strides.clone();
    for v in unit.vars.iter().filter(|v| v.qualifiers.storage == Storage::Out) {
        let l = &v.qualifiers.layout;
        if let Some(stride) = l.xfb_stride {
            let buffer = l.xfb_buffer.or(unit.layout.xfb_buffer).unwrap_or(0);
            declared.push((buffer, stride));
        }
    }
    declare_for_elements(unit, &mut declared);
    let mut buffers: Vec<u32> =
        xfb.varyings.iter().map(|v| v.buffer).chain(declared.iter().map(|d| d.0)).collect();
    buffers.sort_unstable();
    buffers.dedup();
    for buffer in buffers {
        let mut end = 0u32;
        let mut align = 4;
        for (v, &own) in xfb.varyings.iter().zip(aligns).filter(|(v, _)| v.buffer == buffer) {
            end = end.max(v.offset.saturating_add(v.components.saturating_mul(4)));
            align = align.max(own);
            if !v.offset.is_multiple_of(own) {
                let text = format!(
                    "`{}`: its xfb_offset {} is not aligned (GLSL 4.60 section 4.4.2)",
                    v.name, v.offset
                );
                report.error_var(unit, v.item.var, "E1127", text);
            }
        }
        let mut said = declared.iter().filter(|d| d.0 == buffer).map(|d| d.1);
        let stride = said.next();
        if let Some(other) = stride.and_then(|s| said.find(|&o| o != s)) {
            let text = format!(
                "{}: transform-feedback buffer {buffer} has strides {} and {other} (GLSL 4.60 section 4.4.2)",
                stage_name(unit.stage),
                stride.unwrap_or(0)
            );
            report.error("E1127", text);
        }
        if let Some(stride) = stride.filter(|&s| s % align != 0 || s < end) {
            let text = format!(
                "{}: transform-feedback buffer {buffer} has stride {stride}, but its outputs need {end} bytes and multiples of {align} (GLSL 4.60 section 4.4.2)",
                stage_name(unit.stage)
            );
            report.error("E1127", text);
        }
        let stride = stride.unwrap_or(end.checked_next_multiple_of(align).unwrap_or(end));
        xfb.buffers.push(XfbBuffer { buffer, stride });
    }
}

/// The stride of a block is that of the buffers of all its elements.
fn declare_for_elements(unit: &Unit, declared: &mut Vec<(u32, u32)>) {
    for v in unit.vars.iter().filter(|v| v.qualifiers.storage == Storage::Out && v.block) {
        let l = &v.qualifiers.layout;
        let buffer = l.xfb_buffer.or(unit.layout.xfb_buffer).unwrap_or(0);
        let elements = unit.types.array_elements(vertex_type(unit, v)).min(MAX_BUFFERS + 1);
        let stride = declared.iter().find(|d| d.0 == buffer).map(|d| d.1);
        let Some(stride) = stride.filter(|_| l.xfb_offset.is_some() || captures_member(unit, v)) else {
            continue;
        };
        for other in (1..elements).map(|n| buffer.saturating_add(n)) {
            if declared.iter().all(|d| d.0 != other) {
                declared.push((other, stride));
            }
        }
    }
}

fn captures_member(unit: &Unit, v: &Variable) -> bool {
    let mut fields = block_of(unit, v).into_iter().flat_map(|s| &s.fields);
    fields.any(|f| f.qualifiers.layout.xfb_offset.is_some())
}

/// Captures the outputs named by the application.
fn by_name(unit: &Unit, options: &LinkOptions, report: &mut Report) -> Xfb {
    let feedback = &options.transform_feedback;
    let limits = &options.limits;
    let separate = feedback.mode == XfbMode::Separate;
    let mut xfb = Xfb::default();
    let mut seen = FxHashSet::default();
    let (mut buffer, mut offset) = (0u32, 0u32);
    for name in &feedback.varyings {
        let special = skip(name);
        if separate && special.is_some() {
            report.error(
                "E1127",
                format!(
                    "`{name}`: separate transform feedback has no such name (OpenGL 4.6 section 11.1.2.1)"
                ),
            );
            continue;
        }
        match special {
            Some(0) => {
                xfb.buffers.push(XfbBuffer { buffer, stride: offset });
                (buffer, offset) = (buffer + 1, 0);
                continue;
            }
            Some(n) => {
                offset = offset.saturating_add(4 * n);
                continue;
            }
            None => {}
        }
        if !seen.insert(name) {
            report.error("E1127", format!("`{name}`: it is captured twice (OpenGL 4.6 section 11.1.2.1)"));
            continue;
        }
        let found = match find(unit, name) {
            Ok(found) => found,
            Err(why) => {
                let stage = stage_name(unit.stage);
                report.error(
                    "E1127",
                    format!("`{name}`: transform feedback cannot capture it: the {stage} {why}"),
                );
                continue;
            }
        };
        let (size, align) = bytes(&unit.types, found.ty);
        offset = offset.checked_next_multiple_of(align).unwrap_or(offset);
        if separate && size / 4 > limits.max_transform_feedback_separate_components {
            let text = format!(
                "`{name}`: it has {} components, GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS is {}",
                size / 4,
                limits.max_transform_feedback_separate_components
            );
            report.error("E1122", text);
        }
        xfb.varyings.push(varying(unit, name.clone(), &found, buffer, offset));
        offset = offset.saturating_add(size);
        if separate {
            xfb.buffers.push(XfbBuffer { buffer, stride: offset });
            (buffer, offset) = (buffer + 1, 0);
        }
    }
    if offset > 0 {
        xfb.buffers.push(XfbBuffer { buffer, stride: offset });
    }
    if separate && xfb.varyings.len() as u64 > u64::from(limits.max_transform_feedback_separate_attribs) {
        let text = format!(
            "transform feedback captures {} outputs, GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS is {}",
            xfb.varyings.len(),
            limits.max_transform_feedback_separate_attribs
        );
        report.error("E1122", text);
    }
    xfb
}

/// Components that a special name skips; 0 = the next buffer.
fn skip(name: &str) -> Option<u32> {
    let table = [
        ("gl_NextBuffer", 0),
        ("gl_SkipComponents1", 1),
        ("gl_SkipComponents2", 2),
        ("gl_SkipComponents3", 3),
        ("gl_SkipComponents4", 4),
    ];
    table.iter().find(|(n, _)| *n == name).map(|&(_, n)| n)
}

/// Follows the indices of an array of blocks; returns the element, counted in order of memory, and the rest of the
/// name.
fn element_of<'n>(unit: &Unit, ty: &mut Type, mut rest: &'n str) -> Result<(u32, &'n str), String> {
    let mut element = 0u32;
    while let Some(a) = unit.types.as_array(*ty) {
        let index = rest.strip_prefix('[').and_then(|r| r.split_once(']'));
        let Some((n, after)) = index.and_then(|(n, after)| Some((n.parse::<u32>().ok()?, after))) else {
            return Err("has an array of blocks of that name, of which an element must be named".into());
        };
        if n >= a.len {
            return Err(format!("has only {} elements there", a.len));
        }
        element = element.saturating_mul(a.len).saturating_add(n);
        (*ty, rest) = (a.elem, after);
    }
    Ok((element, rest))
}

/// Follows a name: variable or block, then members and elements.
fn find(unit: &Unit, name: &str) -> Result<Found, String> {
    let none = || Err("has no such output".to_owned());
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (base, mut rest) = name.split_at(end);
    let mut start = None;
    for (i, v) in unit.vars.iter().enumerate() {
        let item = Item { var: VarId(i as u32), member: None };
        if v.qualifiers.storage != Storage::Out {
            continue;
        }
        let Some(s) = block_of(unit, v) else {
            if &unit.names[v.name] == base {
                start = Some(Found { item, ty: vertex_type(unit, v), slots: 0, components: 0 });
            }
            continue;
        };
        // A member by its own name or, with an instance name, after the block's name.
        let mut wanted = base;
        let mut tail = rest;
        let bare = v.nameless_block || v.builtin.is_some();
        let mut element = 0;
        if !bare {
            if s.name.is_none_or(|n| &unit.names[n] != base) {
                continue;
            }
            let mut ty = vertex_type(unit, v);
            (element, tail) = element_of(unit, &mut ty, tail)?;
            let Some(member) = tail.strip_prefix('.') else { continue };
            let end = member.find(['.', '[']).unwrap_or(member.len());
            (wanted, tail) = member.split_at(end);
        }
        if let Some(n) = s.fields.iter().position(|f| &unit.names[f.name] == wanted) {
            let item = Item { member: Some(n as u32), ..item };
            let ty = s.fields[n].ty;
            start = Some(Found { item, ty, slots: slots_before(unit, v, (s, n), element), components: 0 });
            rest = tail;
        }
    }
    let Some(mut found) = start else { return none() };
    let mut counter = Counter::new(&unit.types);
    while !rest.is_empty() {
        if let Some(index) = rest.strip_prefix('[') {
            let Some((number, after)) = index.split_once(']') else { return none() };
            let Ok(n) = number.parse::<u32>() else { return none() };
            let Some(a) = unit.types.as_array(found.ty) else { return Err(format!("has no array `{name}`")) };
            if n >= a.len {
                return Err(format!("has only {} elements there", a.len));
            }
            found.slots = found.slots.saturating_add(counter.of(a.elem).slots.saturating_mul(n));
            found.ty = a.elem;
            rest = after;
        } else {
            let member = rest.strip_prefix('.').unwrap_or(rest);
            let end = member.find(['.', '[']).unwrap_or(member.len());
            let (wanted, after) = member.split_at(end);
            let Some(s) = unit.types.as_struct(found.ty) else { return none() };
            let Some(n) = s.fields.iter().position(|f| &unit.names[f.name] == wanted) else { return none() };
            for f in &s.fields[..n] {
                found.slots = found.slots.saturating_add(counter.of(f.ty).slots);
            }
            found.ty = s.fields[n].ty;
            rest = after;
        }
    }
    if unit.types.as_struct(unit.types.without_arrays(found.ty)).is_some() {
        return Err("has a structure of that name, whose members must be named".into());
    }
    Ok(found)
}

/// Limits, overlaps, and one stream a buffer.
fn check(unit: &Unit, xfb: &Xfb, options: &LinkOptions, report: &mut Report) {
    let limits = &options.limits;
    let stage = stage_name(unit.stage);
    let most = limits.max_transform_feedback_buffers.min(MAX_BUFFERS);
    for b in &xfb.buffers {
        if b.buffer >= most {
            let text = format!(
                "{stage}: it captures into buffer {}, GL_MAX_TRANSFORM_FEEDBACK_BUFFERS is {most}",
                b.buffer
            );
            report.error("E1122", text);
        }
        let components = b.stride / 4;
        if components > limits.max_transform_feedback_interleaved_components {
            let text = format!(
                "{stage}: it captures {components} components per vertex into buffer {}, GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS is {}",
                b.buffer, limits.max_transform_feedback_interleaved_components
            );
            report.error("E1122", text);
        }
        let mut list: Vec<&XfbVarying> = xfb.varyings.iter().filter(|v| v.buffer == b.buffer).collect();
        list.sort_by_key(|v| v.offset);
        for pair in list.windows(2) {
            if pair[1].offset < pair[0].offset.saturating_add(pair[0].components.saturating_mul(4)) {
                let text = format!(
                    "{stage}: `{}` and `{}` overlap at offset {} of transform-feedback buffer {} (GLSL 4.60 section 4.4.2)",
                    pair[0].name, pair[1].name, pair[1].offset, b.buffer
                );
                report.error_var(unit, pair[1].item.var, "E1120", text);
            }
        }
        if let Some(other) = list.iter().find(|v| v.stream != list[0].stream) {
            let text = format!(
                "{stage}: `{}` of stream {} and `{}` of stream {} go into transform-feedback buffer {} (OpenGL 4.6 section 11.1.2.1)",
                list[0].name, list[0].stream, other.name, other.stream, b.buffer
            );
            report.error_var(unit, other.item.var, "E1127", text);
        }
    }
}
