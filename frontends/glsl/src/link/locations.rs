//! Assigns locations to inputs and outputs: API bindings, `layout(location)`, then the first free one
//! (OpenGL 4.6 sections 7.4.1, 11.1.1, 15.1.2; GLSL 4.60 sections 4.4.1, 4.4.2).

use super::count::Counter;
use super::interface::{Item, Pair, block_of, field, items, vertex_type};
use super::live::Live;
use super::report::{Report, stage_name};
use super::{LinkOptions, compare};
use crate::builtin::variable::BuiltinIo;
use crate::hir::{Placement, Storage, Unit, VarId};
use crate::types::{Base, Type};
use airfoil_ir::{Interpolation, Sampling, Slot, Stage};
use rustc_hash::FxHashMap;

/// The properties that two variables must have in common to share a location (GLSL 4.60 section 4.4.1, "location
/// aliasing").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    float: bool,
    bits: u8,
    interpolation: Interpolation,
    sampling: Sampling,
}

/// Size and class of an item.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Consecutive locations.
    slots: u32,
    /// How often, and how far apart: members of an array of blocks with a location.
    elements: u32,
    stride: u32,
    /// Components taken in each of them, as a mask, from component 0: in turn, as elements of three or four doubles have two
    /// locations each.
    masks: [u8; 2],
    /// All components of 32 bits.
    components: u32,
    /// Locations of an array of scalars with four elements per location.
    packed_slots: Option<u32>,
    class: Class,
    patch: bool,
    explicit: Option<(u32, u32)>,
}

impl Shape {
    /// Locations and components that are taken from location `at` on.
    fn taken(&self, at: u32, component: u32) -> impl Iterator<Item = (u32, u8)> {
        let Shape { masks, slots, stride, .. } = *self;
        (0..self.elements).map(move |n| at + n * stride).flat_map(move |at| {
            let masks = masks.into_iter().cycle();
            (at..at + slots).zip(masks).map(move |(slot, mask)| (slot, mask << component))
        })
    }

    /// The shape with the elements of an array of scalars packed.
    fn packed(self) -> Shape {
        match self.packed_slots {
            Some(slots) => Shape { slots, masks: [0xf; 2], ..self },
            None => self,
        }
    }

    /// Locations from the first to the last one.
    fn extent(&self) -> u32 {
        (self.elements - 1).saturating_mul(self.stride).saturating_add(self.slots)
    }
}

/// Where a location is taken.
#[derive(Debug, Default)]
struct Taken {
    slots: FxHashMap<u32, Vec<(u8, Class, Item)>>,
}

impl Taken {
    fn conflict(&self, at: u32, component: u32, shape: &Shape) -> Option<Item> {
        shape.taken(at, component).find_map(|(slot, mask)| {
            let list = self.slots.get(&slot)?;
            list.iter().find(|(m, class, _)| m & mask != 0 || *class != shape.class).map(|&(_, _, item)| item)
        })
    }

    fn take(&mut self, at: u32, component: u32, shape: &Shape, item: Item) {
        for (slot, mask) in shape.taken(at, component) {
            self.slots.entry(slot).or_default().push((mask, shape.class, item));
        }
    }

    fn is_free(&self, at: u32, slots: u32) -> bool {
        (at..at + slots).all(|s| !self.slots.contains_key(&s))
    }
}

/// Location and component of a member.
type MemberLocation = Option<(u32, u32)>;

/// Finds shapes of items; remembers the block whose members come one after the other.
struct Shapes<'u> {
    unit: &'u Unit,
    counter: Counter<'u>,
    block: Option<(VarId, Vec<MemberLocation>, u32)>,
}

impl<'u> Shapes<'u> {
    fn new(unit: &'u Unit) -> Shapes<'u> {
        Shapes { unit, counter: Counter::new(&unit.types), block: None }
    }

    /// The location of a member in the first element of its block, and the locations of an element.
    fn member_location(&mut self, item: Item) -> Option<((u32, u32), u32)> {
        if self.block.as_ref().is_none_or(|(var, ..)| *var != item.var) {
            let list = member_locations(self.unit, &mut self.counter, item.var);
            let stride = block_slots(self.unit, &mut self.counter, item.var);
            self.block = Some((item.var, list, stride));
        }
        let (_, list, stride) = self.block.as_ref()?;
        list.get(item.member? as usize).copied().flatten().map(|at| (at, *stride))
    }

    fn of(&mut self, item: Item) -> Shape {
        let unit = self.unit;
        let v = &unit[item.var];
        let q = &v.qualifiers;
        let mut ty = vertex_type(unit, v);
        let mut outer = 1u32;
        let (mut interpolation, mut sampling) = (q.interpolation, q.sampling);
        let (mut patch, mut explicit) =
            (q.patch, q.layout.location.map(|n| (n, q.layout.component.unwrap_or(0))));
        let mut stride = 0;
        let member = field(unit, item);
        if let Some(f) = member {
            outer = unit.types.array_elements(ty);
            let found = self.member_location(item);
            explicit = found.map(|(at, _)| at);
            stride = found.map_or(0, |(_, stride)| stride);
            ty = f.ty;
            interpolation = f.qualifiers.interpolation.or(interpolation);
            sampling = f.qualifiers.sampling.or(sampling);
            patch |= f.qualifiers.patch;
        }
        let attribute = unit.stage == Stage::Vertex && q.storage == Storage::In;
        let count = self.counter.of(ty);
        let slots = if attribute { count.attributes } else { count.slots };
        let inner = unit.types.without_arrays(ty);
        let scalars = unit.types.array_elements(ty);
        let is_scalar = matches!(inner, Type::Vector { base, size: 1 } if base.bits() == 32);
        let packed_slots = (is_scalar && scalars > 1).then(|| outer.saturating_mul(scalars.div_ceil(4)));
        let (float, bits, masks) = match inner {
            Type::Vector { base, size } => (base.is_float(), base.bits(), vector_masks(base, size)),
            Type::Matrix { base, rows, .. } => (true, base.bits(), vector_masks(base, rows)),
            _ => (true, 32, [0xf; 2]),
        };
        let class = Class {
            float,
            bits,
            interpolation: compare::interpolation(interpolation, inner),
            sampling: compare::sampling(sampling),
        };
        // Without a location an array of blocks becomes an array of each member.
        let elements = if explicit.is_some() { outer } else { 1 };
        Shape {
            slots: slots.saturating_mul(outer / elements).max(1),
            elements,
            stride,
            masks,
            components: count.components.saturating_mul(outer),
            packed_slots,
            class,
            patch,
            explicit,
        }
    }
}

fn vector_masks(base: Base, size: u8) -> [u8; 2] {
    let words = u32::from(size) * u32::from(base.bits()).div_ceil(32);
    let mask = |words: u32| ((1u32 << words.min(4)) - 1) as u8;
    [mask(words), mask(if words > 4 { words - 4 } else { words })]
}

/// Locations of all members of a block, in its first element: those without follow the one before (GLSL 4.60 section 4.4.1).
fn member_locations(unit: &Unit, counter: &mut Counter<'_>, var: VarId) -> Vec<MemberLocation> {
    let v = &unit[var];
    let mut next = v.qualifiers.layout.location;
    let fields = block_of(unit, v).map_or(&[][..], |s| &s.fields);
    let mut list = Vec::with_capacity(fields.len());
    for f in fields {
        let l = &f.qualifiers.layout;
        next = l.location.or(next);
        list.push(next.map(|at| (at, l.component.unwrap_or(0))));
        next = next.map(|at| at.saturating_add(counter.of(f.ty).slots));
    }
    list
}

/// Locations that a block takes: those from one element of an array of blocks to the next.
pub fn block_slots(unit: &Unit, counter: &mut Counter<'_>, var: VarId) -> u32 {
    let fields = block_of(unit, &unit[var]).map_or(&[][..], |s| &s.fields);
    fields.iter().fold(0, |n, f| n.saturating_add(counter.of(f.ty).slots))
}

fn name(unit: &Unit, item: Item) -> &str {
    let v = &unit[item.var];
    &unit.names[field(unit, item).map_or(v.name, |f| f.name)]
}

/// Sets the location of an item.
fn put(unit: &mut Unit, item: Item, place: Placement) {
    match item.member {
        None => unit[item.var].place = place,
        Some(n) => {
            let members = block_of(unit, &unit[item.var]).map_or(0, |s| s.fields.len());
            let places = &mut unit[item.var].field_places;
            places.resize(members, Placement::default());
            places[n as usize] = place;
        }
    }
}

fn slot(patch: bool, location: u32) -> Option<Slot> {
    if patch { Slot::patch(location) } else { Slot::generic(location) }
}

/// Takes the explicit locations of some items of one unit; reports overlaps and locations above `limit`.
fn take_explicit(
    unit: &Unit,
    shapes: &[(Item, Shape)],
    limit: u32,
    limit_name: &str,
    report: &mut Report,
) -> [Taken; 2] {
    let mut taken = [Taken::default(), Taken::default()];
    for (item, shape) in shapes {
        let Some((at, component)) = shape.explicit else { continue };
        let stage = stage_name(unit.stage);
        let end = at.saturating_add(shape.extent());
        let limit = if shape.patch { u32::from(Slot::NUM_PATCH) } else { limit };
        if end > limit {
            let text = format!(
                "{stage}: `{}` takes locations {at} to {}, {limit_name} allows {limit}",
                name(unit, *item),
                end - 1
            );
            report.error_var(unit, item.var, "E1119", text);
            continue;
        }
        let taken = &mut taken[usize::from(shape.patch)];
        if let Some(other) = taken.conflict(at, component, shape) {
            let text = format!(
                "{stage}: `{}` and `{}` share location {at} and either overlap or differ in kind (GLSL 4.60 section 4.4)",
                name(unit, other),
                name(unit, *item)
            );
            report.error_var(unit, item.var, "E1120", text);
        }
        taken.take(at, component, shape, *item);
    }
    taken
}

/// Assigns slots to the variables that pass between two stages; the unit pairs' items get equal slots. Outputs that are
/// neither read nor in `keep` are dead.
pub fn varyings(
    units: &mut [Unit],
    (from, to): (Option<usize>, Option<usize>),
    pairs: &[Pair],
    live: &[Live],
    keep: &dyn Fn(Item) -> bool,
    options: &LinkOptions,
    report: &mut Report,
) {
    let limits = &options.limits;
    let most = |units: &[Unit], i: usize, is_output: bool| {
        let stage = limits.stage(units[i].stage);
        if is_output { stage.output_components } else { stage.input_components }
    };
    let sides = [(from, true), (to, false)];
    let components = sides.iter().filter_map(|&(i, is_output)| Some(most(units, i?, is_output))).min();
    let locations = |components: u32| (components / 4).min(u32::from(Slot::NUM_GENERIC));
    let limit = locations(components.unwrap_or(u32::MAX));
    let mut known: Vec<Option<Shape>> = vec![None; pairs.len()];
    let mut taken = [Taken::default(), Taken::default()];
    for (i, is_output) in sides {
        let Some(i) = i else { continue };
        let unit = &units[i];
        let limit = locations(most(units, i, is_output));
        let mut shapes = Shapes::new(unit);
        let mut list = Vec::new();
        for (n, p) in pairs.iter().enumerate() {
            let Some(item) = (if is_output { p.output } else { p.input }) else { continue };
            let s = shapes.of(item);
            list.push((item, s));
            // The input's location counts; an output's serves an input that has none.
            let explicit = s.explicit.or(known[n].and_then(|k| k.explicit));
            known[n] = Some(Shape { explicit, ..s });
        }
        let explicit = take_explicit(unit, &list, limit, "the number of components between stages", report);
        for (all, one) in taken.iter_mut().zip(explicit) {
            for (slot, list) in one.slots {
                all.slots.entry(slot).or_default().extend(list);
            }
        }
    }
    let alive = |p: &Pair| {
        let read = p.input.is_some_and(|item| to.is_none_or(|i| live[i].var(item.var)));
        // Of the interface between separable programs all declarations count: the other side is unknown.
        read || p.output.is_some_and(keep) || (from.is_none() && options.separable)
    };
    let mut open = Vec::new();
    for (n, p) in pairs.iter().enumerate() {
        let Some(shape) = known[n] else { continue };
        match shape.explicit {
            _ if !alive(p) => place(units, (from, to), p, Placement { dead: true, ..Placement::default() }),
            Some((at, component)) => {
                let slot = slot(shape.patch, at);
                let component = component as u8;
                place(units, (from, to), p, Placement { slot, component, ..Placement::default() });
            }
            None => open.push(n),
        }
    }
    let max = |patch: bool| if patch { limits.max_tess_patch_components / 4 } else { limit };
    let capacity = |patch: bool| u32::from(if patch { Slot::NUM_PATCH } else { Slot::NUM_GENERIC });
    // Each side counts for itself, and components only: an array of scalars takes one for each element.
    for (i, is_output) in sides {
        let Some(i) = i else { continue };
        let of = |p: &Pair| if is_output { p.output.is_some() } else { p.input.is_some() };
        let what = if is_output { "outputs" } else { "inputs" };
        for (patch, most) in [(false, most(units, i, is_output)), (true, limits.max_tess_patch_components)] {
            let alive = pairs.iter().zip(&known).filter(|(p, _)| of(p) && alive(p)).filter_map(|(_, s)| *s);
            let total = alive.filter(|s| s.patch == patch).fold(0u32, |n, s| n.saturating_add(s.components));
            if total > most {
                let stage = stage_name(units[i].stage);
                let of = if patch { " of patches" } else { "" };
                let text =
                    format!("{stage}: its {what}{of}, {total} components, do not fit into {most} components");
                report.error("E1121", text);
                return;
            }
        }
    }
    // Packing fits more variables into the locations, at the price of sharing them, and of dynamic components where the
    // elements of arrays share them. Arrays of vectors, matrices and structures may exceed the limit up to the capacity.
    let tries: [(&dyn Fn(bool) -> u32, Packing); 5] = [
        (&max, Packing::None),
        (&max, Packing::Variables),
        (&max, Packing::Elements),
        (&capacity, Packing::None),
        (&capacity, Packing::Elements),
    ];
    let fits = tries.into_iter().find_map(|(max, packing)| {
        first_fit(&known, &open, &taken, max, packing).map(|places| (places, packing == Packing::Elements))
    });
    let Some((places, elements)) = fits else {
        let i = to.or(from).unwrap_or(0);
        let text = format!(
            "{}: its inputs and outputs need more than {} locations; members of structures and columns of matrices do not share locations",
            stage_name(units[i].stage),
            capacity(false)
        );
        report.error("E1121", text);
        return;
    };
    for (n, at, component) in places {
        let patch = known[n].is_some_and(|s| s.patch);
        let packed = elements && known[n].is_some_and(|s| s.packed_slots.is_some());
        let placement = Placement { slot: slot(patch, at), component, packed, ..Placement::default() };
        place(units, (from, to), &pairs[n], placement);
    }
}

fn place(units: &mut [Unit], (from, to): (Option<usize>, Option<usize>), p: &Pair, placement: Placement) {
    if let (Some(i), Some(item)) = (from, p.output) {
        put(&mut units[i], item, placement);
    }
    if let (Some(i), Some(item)) = (to, p.input) {
        put(&mut units[i], item, placement);
    }
}

/// The variables that may share locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    /// Variables, by component.
    Variables,
    /// Variables, and the elements of arrays of scalars.
    Elements,
}

/// Locations for the open items: one after the other, or packed by component, the largest first.
fn first_fit(
    shapes: &[Option<Shape>],
    open: &[usize],
    taken: &[Taken; 2],
    max: &dyn Fn(bool) -> u32,
    packing: Packing,
) -> Option<Vec<(usize, u32, u8)>> {
    let packed = packing != Packing::None;
    let shape = |n: usize| shapes[n].map(|s| if packing == Packing::Elements { s.packed() } else { s });
    let mut own = [Taken::default(), Taken::default()];
    let mut order: Vec<usize> = open.to_vec();
    let size = |n: usize| shape(n).map_or(0, |s| s.masks[0].count_ones());
    if packed {
        order.sort_by_key(|&n| std::cmp::Reverse(size(n)));
    }
    // Where the search starts: nothing below is free for unpacked items.
    let mut start = [0u32; 2];
    let mut places = Vec::with_capacity(order.len());
    for n in order {
        let shape = shape(n)?;
        let p = usize::from(shape.patch);
        let item = Item { var: VarId(n as u32), member: None };
        let mut found = None;
        for at in start[p]..max(shape.patch).saturating_sub(shape.slots.saturating_sub(1)) {
            if !taken[p].is_free(at, shape.slots) {
                continue;
            }
            let last = if packed { 4 - (8 - shape.masks[0].leading_zeros()).min(4) } else { 0 };
            let component = (0..=last).find(|&c| {
                if packed {
                    own[p].conflict(at, c, &shape).is_none()
                } else {
                    own[p].is_free(at, shape.slots)
                }
            });
            if let Some(component) = component {
                found = Some((at, component));
                break;
            }
        }
        let (at, component) = found?;
        own[p].take(at, component, &shape, item);
        if !packed && shape.slots == 1 {
            start[p] = at + 1;
        }
        places.push((n, at, component as u8));
    }
    Some(places)
}

/// Assigns locations to the attributes of the vertex shader.
pub fn attributes(unit: &mut Unit, live: &Live, options: &LinkOptions, report: &mut Report) {
    let limit = options.limits.max_vertex_attribs;
    let es = unit.version.is_es();
    let mut fixed: Vec<(Item, u32, u32, bool)> = Vec::new();
    let mut open: Vec<(Item, u32)> = Vec::new();
    let mut total = 0u32;
    {
        let mut shapes = Shapes::new(unit);
        for item in items(unit, Storage::In) {
            let s = shapes.of(item);
            let active = live.var(item.var);
            let api = options.attribute_bindings.iter().rev().find(|(n, _)| *n == *name(unit, item));
            match (s.explicit, api) {
                (Some((at, _)), _) => fixed.push((item, at, s.slots, active)),
                (None, Some(&(_, at))) if active => fixed.push((item, at, s.slots, active)),
                (None, _) if active => open.push((item, s.slots)),
                _ => {}
            }
            if active {
                total = total.saturating_add(s.slots);
            }
        }
    }
    // Conventional attributes have numbers of their own (OpenGL 4.6 compatibility profile, section 10.2).
    let mut conventional: Vec<(VarId, u32)> = Vec::new();
    for (i, v) in unit.vars.iter().enumerate().filter(|(_, v)| v.used) {
        let Some(BuiltinIo::Slot(slot)) = v.builtin.map(|b| b.io(Stage::Vertex)) else { continue };
        if let Some(at) = slot.as_generic().filter(|_| v.qualifiers.storage == Storage::In) {
            conventional.push((VarId(i as u32), at));
            total = total.saturating_add(1);
        }
    }
    let mut used = vec![None; limit as usize];
    let stage = stage_name(Stage::Vertex);
    if total > limit {
        report.error(
            "E1122",
            format!("{stage}: its attributes take {total} locations, GL_MAX_VERTEX_ATTRIBS allows {limit}"),
        );
        return;
    }
    for (item, at, slots, active) in fixed {
        if at.saturating_add(slots) > limit {
            let text = format!(
                "{stage}: attribute `{}` takes locations {at} to {}, GL_MAX_VERTEX_ATTRIBS allows {limit}",
                name(unit, item),
                at.saturating_add(slots) - 1
            );
            report.error_var(unit, item.var, "E1119", text);
            continue;
        }
        for place in used[at as usize..(at + slots) as usize].iter_mut() {
            // Attributes may alias on the desktop as long as a shader path uses one of them only (OpenGL 4.6 section 11.1.1).
            let clash = place.filter(|o: &Item| *o != item && es && unit.version.number >= 300);
            if let Some(other) = clash {
                let text = format!(
                    "{stage}: attributes `{}` and `{}` share location {at} (OpenGL ES 3.2 section 11.1.1)",
                    name(unit, other),
                    name(unit, item)
                );
                report.error_var(unit, item.var, "E1120", text);
                break;
            }
            *place = Some(item);
        }
        let dead = !active;
        let component = unit[item.var].qualifiers.layout.component.unwrap_or(0) as u8;
        let slot = Slot::generic(at);
        put(unit, item, Placement { slot, location: Some(at), component, dead, ..Placement::default() });
    }
    place_conventional(unit, &conventional, &mut used, live, report);
    for (item, slots) in open {
        let free = (0..=limit.saturating_sub(slots))
            .find(|&at| used[at as usize..(at + slots) as usize].iter().all(Option::is_none));
        let Some(at) = free.filter(|_| slots <= limit) else {
            let text = format!(
                "{stage}: no {slots} consecutive free locations for attribute `{}`, GL_MAX_VERTEX_ATTRIBS is {limit}",
                name(unit, item)
            );
            report.error_var(unit, item.var, "E1122", text);
            continue;
        };
        used[at as usize..(at + slots) as usize].fill(Some(item));
        put(unit, item, Placement { slot: Slot::generic(at), location: Some(at), ..Placement::default() });
    }
    make_room_for_doubles(unit);
}

/// Assigns conventional attributes their own locations, or where a generic attribute has that location, at one that is
/// free: the two kinds do not alias (OpenGL 2.1 section 2.7). Generic attribute 0 is `gl_Vertex` and excludes it
/// (section 2.15.3).
fn place_conventional(
    unit: &mut Unit,
    list: &[(VarId, u32)],
    used: &mut [Option<Item>],
    live: &Live,
    report: &mut Report,
) {
    let item = |var| Item { var, member: None };
    let mut moved = Vec::new();
    for &(var, at) in list {
        let Some(place) = used.get_mut(at as usize) else { continue };
        match place.filter(|other| live.var(other.var)) {
            None => *place = Some(item(var)),
            Some(generic) if at == 0 => {
                let text = format!(
                    "{}: attribute `{}` has location 0, which `gl_Vertex` excludes (OpenGL 2.1 section 2.15.3)",
                    stage_name(Stage::Vertex),
                    name(unit, generic)
                );
                report.error_var(unit, generic.var, "E1120", text);
            }
            Some(_) => moved.push(var),
        }
    }
    for var in moved {
        // As many locations as the limit allows are free: all attributes have been counted.
        if let Some(at) = (1..used.len()).find(|&at| used[at].is_none()) {
            used[at] = Some(item(var));
            unit[var].place.slot = Slot::generic(at as u32);
        }
    }
}

/// Vectors of three or four doubles take one attribute location, but two slots (GLSL 4.60 section 4.4.1): attributes after them
/// moves. The locations that are visible to the application stay.
fn make_room_for_doubles(unit: &mut Unit) {
    let mut places: Vec<(Item, u32, u32, u32)> = Vec::new();
    let mut counter = Counter::new(&unit.types);
    for item in items(unit, Storage::In) {
        let v = &unit[item.var];
        if let (Some(at), false) = (v.place.location, v.place.dead) {
            let count = counter.of(v.ty);
            places.push((item, at, count.attributes, count.slots));
        }
    }
    if places.iter().all(|&(.., attributes, slots)| attributes == slots) {
        return;
    }
    let end = places.iter().map(|&(_, at, attributes, _)| at + attributes).max().unwrap_or(0);
    // Where each location begins. Attributes may share one.
    let mut begins = vec![0u32; end as usize + 1];
    for &(_, at, attributes, slots) in &places {
        let wide = slots > attributes;
        begins[at as usize + 1..=(at + attributes) as usize]
            .iter_mut()
            .for_each(|b| *b = (*b).max(u32::from(wide)));
    }
    let mut moved = 0;
    for (location, b) in begins.iter_mut().enumerate() {
        moved += *b;
        *b = location as u32 + moved;
    }
    for (item, at, ..) in places {
        unit[item.var].place.slot = Slot::generic(begins[at as usize]);
    }
}

/// Assigns locations to the colours that the fragment shader writes.
pub fn colours(unit: &mut Unit, live: &Live, options: &LinkOptions, report: &mut Report) {
    let limits = &options.limits;
    let max =
        |index: u32| if index == 0 { limits.max_draw_buffers } else { limits.max_dual_source_draw_buffers };
    let stage = stage_name(Stage::Fragment);
    let all = items(unit, Storage::Out);
    let mut shapes = Shapes::new(unit);
    let mut taken = [Taken::default(), Taken::default()];
    let mut placed: Vec<(Item, u32, u32, u32)> = Vec::new();
    let mut open: Vec<(Item, Shape)> = Vec::new();
    for &item in &all {
        let s = shapes.of(item);
        // Interpolation means nothing for colours.
        let class = Class { interpolation: Interpolation::Smooth, sampling: Sampling::Center, ..s.class };
        let s = Shape { class, ..s };
        let api = options.frag_data_bindings.iter().rev().find(|(n, ..)| *n == *name(unit, item));
        let at = match (s.explicit, api) {
            (Some((at, component)), _) => {
                (at, component, unit[item.var].qualifiers.layout.index.unwrap_or(0))
            }
            (None, Some(&(_, at, index))) => (at, 0, index),
            (None, None) => {
                open.push((item, s));
                continue;
            }
        };
        let (at, component, index) = at;
        let end = at.saturating_add(s.extent());
        let allowed = max(index);
        if index > 1 || end > allowed {
            let limit = if index == 0 { "GL_MAX_DRAW_BUFFERS" } else { "GL_MAX_DUAL_SOURCE_DRAW_BUFFERS" };
            let text = format!(
                "{stage}: output `{}` takes locations {at} to {} at index {index}, {limit} allows {allowed}",
                name(unit, item),
                end - 1
            );
            report.error_var(unit, item.var, "E1119", text);
            continue;
        }
        let taken = &mut taken[index as usize];
        if let Some(other) = taken.conflict(at, component, &s) {
            let text = format!(
                "{stage}: outputs `{}` and `{}` share location {at} and either overlap or differ in kind (GLSL 4.60 section 4.4.2)",
                name(unit, other),
                name(unit, item)
            );
            report.error_var(unit, item.var, "E1120", text);
        }
        taken.take(at, component, &s, item);
        placed.push((item, at, component, index));
    }
    // With several outputs ES requires a location for each (GLSL ES 3.00 section 4.3.8.2).
    if unit.version.is_es() && !open.is_empty() && all.len() > 1 && options.frag_data_bindings.is_empty() {
        let item = open[0].0;
        let text = format!(
            "{stage}: output `{}` needs a location, as there are several (GLSL ES 3.00 section 4.3.8.2)",
            name(unit, item)
        );
        report.error_var(unit, item.var, "E1123", text);
    }
    for (item, s) in open {
        let limit = limits.max_draw_buffers;
        let free =
            (0..limit.saturating_add(1).saturating_sub(s.slots)).find(|&at| taken[0].is_free(at, s.slots));
        match free {
            Some(at) => {
                taken[0].take(at, 0, &s, item);
                placed.push((item, at, 0, 0));
            }
            None if live.var(item.var) => {
                let text = format!(
                    "{stage}: no free location for output `{}`, GL_MAX_DRAW_BUFFERS is {limit}",
                    name(unit, item)
                );
                report.error_var(unit, item.var, "E1122", text);
            }
            None => {}
        }
    }
    for (item, at, component, index) in placed {
        let placement = Placement {
            slot: Slot::generic(at),
            component: component as u8,
            index: index as u8,
            location: Some(at),
            ..Placement::default()
        };
        put(unit, item, placement);
    }
}
