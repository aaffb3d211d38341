//! A tree of all locations that a function refers to. [`Places`] assigns an index to each location: derefs with the
//! same steps from the same root are one location, so a pass stores its facts in arrays. The tree finds all locations
//! that a write may touch by walking down with the steps of the write. It counts the facts below each location and
//! lists the parts that have some, so that others cost nothing. A vector is one location; its components are a mask.

use crate::util::deref_path::{self, Root, Step, may_share_memory};
use airfoil_ir::{Access, Body, Dense, InstrGroup, InstrId, Modes, Scratch, Shader, Type, Types, VarId};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

/// Qualifiers that forbid to drop, merge or forward an access.
pub const FIXED: Access = Access::VOLATILE.union(Access::COHERENT);

/// Qualifiers of an access: its own and its variable's.
pub fn access_of(shader: &Shader, body: &Body, id: InstrId, deref: InstrId) -> Access {
    let own = body[id].as_intrinsic().map_or(Access::empty(), airfoil_ir::Intrinsic::access);
    let var = deref_path::root_var(body, deref).and_then(|v| shader.vars.get(v));
    own | var.map_or(Access::empty(), |v| v.access)
}

/// Index of a location in [`Places`].
///
/// # Examples
/// ```
/// use airfoil_ir::{Body, Builder, Modes, Scalar, Shader, Stage, Variable};
/// use airfoil_passes::util::memory::{PlaceId, Places};
///
/// let mut shader = Shader::new("main", Stage::Fragment);
/// let int = shader.types.vector(Scalar::Int32, 1);
/// let pair = shader.types.array(int, 2);
/// let var = shader.add_var(Variable::new("pair", pair, Modes::SHADER_TEMP));
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let whole = b.deref_var(&shader.vars, var);
/// let derefs = [1, 0, 1].map(|n| b.deref_array_imm(&mut shader.types, whole, n));
/// let places = Places::new(&shader, &body);
/// // Derefs with the same path share an index; the whole array has the first one.
/// let place = |deref| -> Option<PlaceId> { Some(places.target(deref)?.place) };
/// assert_eq!((derefs.map(place), places.len()), ([Some(1), Some(2), Some(1)], 3));
/// ```
pub type PlaceId = u32;

const NONE: u32 = u32::MAX;

/// The target of a deref: a location, and components of it if the location is a vector.
///
/// # Examples
/// ```
/// use airfoil_ir::text;
/// use airfoil_passes::util::memory::Places;
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "main" {
///   shader_temp vec3 v
///   fn main {
///     %id = load_vertex_id
///     %any = deref_array &v[%id]
///   } }"#)?;
/// # let body = shader.entry_body().unwrap();
/// let places = Places::new(&shader, body);
/// let targets: Vec<_> = body.all_instrs().filter_map(|id| places.target(id)).collect();
/// // A component has the location of its vector; a dynamic index may mean each of them.
/// assert_eq!(targets.iter().map(|t| t.component).collect::<Vec<_>>(), [false, true]);
/// assert_eq!(targets.iter().map(|t| (t.place, t.mask)).collect::<Vec<_>>(), [(0, 0b111); 2]);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The location; for a component of a vector, the vector.
    pub place: PlaceId,
    /// Mask of the components that it may refer to.
    pub mask: u8,
    /// Whether the deref is one component of a vector.
    pub component: bool,
    /// Whether it is one component with a dynamic index.
    pub dynamic: bool,
}

#[derive(Clone, Debug)]
struct Place {
    parent: u32,
    step: Step,
    root: u32,
    /// The first child with facts by member or constant index, and by other steps.
    first: [u32; 2],
    /// The children with facts before and after this one, if it has facts.
    siblings: [u32; 2],
    /// Number of facts at this location and below.
    live: u32,
    /// Number of components; 0 if it is not a vector.
    comps: u8,
}

#[derive(Clone, Debug)]
struct RootInfo {
    place: PlaceId,
    modes: Modes,
    pointer: bool,
    /// Whether another root can refer to the same memory.
    shares: bool,
}

/// All locations that a function refers to.
///
/// # Examples
/// ```
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "main" {
/// #   shader_temp float[4] list
/// #   fn main {
/// #     32x2 %0 = const 0, 1
/// #     32x1 %id = load_sample_id
/// #     32x1 %zero = const 0
/// #     32x1 %one = const 1
/// #     %a = deref_array &list[%zero]
/// #     %b = deref_array &list[%one]
/// #     %c = deref_array &list[%id]
/// #   } }"#)?;
/// # let body = shader.entry_body().unwrap();
/// # let element = |&id: &airfoil_ir::InstrId| body[id].as_deref().is_some_and(|d| body[id].uses() == 0);
/// # let elements: Vec<_> = body.all_instrs().filter(element).collect();
/// use airfoil_passes::util::memory::Places;
///
/// // Derefs of `list[0]`, `list[1]` and `list[id]`.
/// let [zero, one, any] = elements[..] else { panic!() };
/// let mut places = Places::new(&shader, body);
/// let [zero, one, any] = [zero, one, any].map(|deref| places.target(deref).unwrap().place);
/// places.count(zero, true);
/// places.count(any, true);
/// let mut touched = Vec::new();
/// places.touching(one, &mut touched);
/// // A write to `list[1]` can change the facts about `list[id]`, not those about `list[0]`.
/// assert_eq!(touched, [any]);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Debug, Default)]
pub struct Places {
    places: Scratch<Place>,
    roots: Scratch<RootInfo>,
    children: FxHashMap<(u32, Step), u32>,
    vars: Dense<Option<u32>, VarId>,
    pointer_root: Option<usize>,
    of_deref: Dense<Option<Target>>,
}

impl Places {
    /// Numbers the targets of all derefs of a body.
    pub fn new(shader: &Shader, body: &Body) -> Places {
        Places::of(shader, body, Modes::all())
    }

    /// Numbers the targets of the derefs that may refer to memory of the given modes.
    pub fn of(shader: &Shader, body: &Body, modes: Modes) -> Places {
        let derefs = body.count_of(InstrGroup::LocalDeref) + body.count_of(InstrGroup::OtherDeref);
        if derefs == 0 {
            return Places::default();
        }
        let mut places = Places {
            of_deref: Dense::new(body.instr_capacity()),
            children: FxHashMap::with_capacity_and_hasher(derefs, FxBuildHasher),
            ..Places::default()
        };
        for (id, instr) in body.entries() {
            if instr.as_deref().is_some_and(|d| modes.is_all() || d.modes.intersects(modes)) {
                places.add(shader, body, id);
            }
        }
        places
    }

    fn add(&mut self, shader: &Shader, body: &Body, id: InstrId) {
        let Some(deref) = body[id].as_deref() else { return };
        let target = match deref_path::step(body, id) {
            None => {
                let place = match deref_path::root(body, id) {
                    Root::Var(var) => match self.vars.get(var) {
                        Some(place) => place,
                        None => self.add_var(shader, var, deref.modes, &shader.types[deref.ty]),
                    },
                    Root::Pointer(pointer) => {
                        let all = self.pointers(deref.modes);
                        self.child(all, Step::Dynamic(pointer), &shader.types[deref.ty])
                    }
                };
                Target { place, mask: mask(&shader.types, deref.ty), component: false, dynamic: false }
            }
            Some((parent, step)) => {
                let Some(above) = self.of_deref.get(parent) else { return };
                let comps = self.places[above.place as usize].comps;
                if comps > 0 {
                    match step {
                        Step::Const(c) if c < u32::from(comps) => {
                            Target { mask: 1 << c, component: true, dynamic: false, ..above }
                        }
                        _ => Target { component: true, dynamic: true, ..above },
                    }
                } else {
                    let place = self.child(above.place, step, &shader.types[deref.ty]);
                    Target { place, mask: mask(&shader.types, deref.ty), component: false, dynamic: false }
                }
            }
        };
        self.of_deref.set(id, Some(target));
    }

    fn add_var(&mut self, shader: &Shader, var: VarId, modes: Modes, ty: &Type) -> PlaceId {
        let comps = if let Type::Vector { comps, .. } = ty { *comps } else { 0 };
        let place = self.push(NONE, Step::Wildcard, self.roots.len() as u32, comps);
        self.roots.push(RootInfo { place, modes, pointer: false, shares: may_share_memory(shader, var) });
        self.vars.set(var, Some(place));
        place
    }

    /// The root of all pointers of unknown origin, which may alias each other and most other roots.
    fn pointers(&mut self, modes: Modes) -> PlaceId {
        if let Some(root) = self.pointer_root {
            self.roots[root].modes |= modes;
            return self.roots[root].place;
        }
        let root = self.roots.len();
        let place = self.push(NONE, Step::Wildcard, root as u32, 0);
        self.roots.push(RootInfo { place, modes, pointer: true, shares: true });
        self.pointer_root = Some(root);
        place
    }

    fn push(&mut self, parent: u32, step: Step, root: u32, comps: u8) -> PlaceId {
        let none = [NONE; 2];
        self.places.push(Place { parent, step, root, first: none, siblings: none, live: 0, comps });
        self.places.len() as u32 - 1
    }

    fn child(&mut self, parent: PlaceId, step: Step, ty: &Type) -> PlaceId {
        if let Some(&place) = self.children.get(&(parent, step)) {
            return place;
        }
        let comps = if let Type::Vector { comps, .. } = ty { *comps } else { 0 };
        let place = self.push(parent, step, self.places[parent as usize].root, comps);
        self.children.insert((parent, step), place);
        place
    }

    /// Number of locations.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the function does not refer to any location.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The target of a deref; `None` for other values.
    pub fn target(&self, deref: InstrId) -> Option<Target> {
        self.of_deref.get(deref)
    }

    /// Number of components of the vector at a location; 0 if it is not a vector.
    pub fn comps(&self, place: PlaceId) -> u8 {
        self.places[place as usize].comps
    }

    /// Mode of the memory that contains a location.
    pub fn modes(&self, place: PlaceId) -> Modes {
        self.roots[self.places[place as usize].root as usize].modes
    }

    /// Whether the location is reached through a pointer of unknown origin, such as a parameter.
    pub fn is_through_pointer(&self, place: PlaceId) -> bool {
        self.roots[self.places[place as usize].root as usize].pointer
    }

    /// Whether the location can differ between executions, because an index is not constant.
    pub fn is_dynamic(&self, mut place: PlaceId) -> bool {
        loop {
            let p = &self.places[place as usize];
            if p.parent == NONE {
                return self.roots[p.root as usize].pointer;
            }
            if matches!(p.step, Step::Dynamic(_) | Step::Wildcard) {
                return true;
            }
            place = p.parent;
        }
    }

    /// Whether the location contains a wildcard and so means several.
    pub fn is_wild(&self, mut place: PlaceId) -> bool {
        loop {
            let p = &self.places[place as usize];
            if p.parent == NONE || p.step == Step::Wildcard {
                return p.parent != NONE;
            }
            place = p.parent;
        }
    }

    /// Counts facts at a location: `true` adds one, `false` removes one.
    pub fn count(&mut self, mut place: PlaceId, add: bool) {
        loop {
            let p = &mut self.places[place as usize];
            let had = p.live > 0;
            p.live = if add { p.live + 1 } else { p.live - 1 };
            let (parent, has) = (p.parent, p.live > 0);
            if parent == NONE {
                return;
            }
            if had != has {
                self.list(place, has);
            }
            place = parent;
        }
    }

    /// Puts a location on the list of its parent, or takes it off.
    fn list(&mut self, place: PlaceId, add: bool) {
        let Place { parent, siblings: [before, after], .. } = self.places[place as usize];
        let kind = usize::from(self.places[place as usize].step.is_open());
        let first = self.places[parent as usize].first[kind];
        if add {
            self.places[place as usize].siblings = [NONE, first];
            self.places[parent as usize].first[kind] = place;
            if first != NONE {
                self.places[first as usize].siblings[0] = place;
            }
            return;
        }
        match before {
            NONE => self.places[parent as usize].first[kind] = after,
            _ => self.places[before as usize].siblings[1] = after,
        }
        if after != NONE {
            self.places[after as usize].siblings[0] = before;
        }
    }

    /// Lists the locations with facts that can share memory with `place`, including itself and its parts.
    pub fn touching(&self, place: PlaceId, out: &mut Vec<PlaceId>) {
        let own = self.places[place as usize].root as usize;
        let mut steps = SmallVec::<[Step; 6]>::new();
        let mut at = place;
        while self.places[at as usize].parent != NONE {
            steps.push(self.places[at as usize].step);
            at = self.places[at as usize].parent;
        }
        steps.reverse();
        let (own_place, info) = (self.roots[own].place, &self.roots[own]);
        // Elements of arrays of storage blocks may be the same buffer.
        let blocks = matches!(steps.first(), Some(Step::Const(_) | Step::Dynamic(_))) && info.shares;
        if blocks || info.pointer {
            self.below(own_place, out);
        } else {
            self.descend(own_place, &steps, out);
        }
        if info.shares || self.pointer_root.is_some() {
            for (i, r) in self.roots.iter().enumerate() {
                let meets = i != own && r.modes.intersects(info.modes);
                if meets && (r.pointer || info.pointer || (r.shares && info.shares)) {
                    self.below(r.place, out);
                }
            }
        }
    }

    /// Lists the locations with facts in memory of the given modes.
    pub fn in_modes(&self, modes: Modes, out: &mut Vec<PlaceId>) {
        for r in self.roots.iter().filter(|r| r.modes.intersects(modes)) {
            self.below(r.place, out);
        }
    }

    fn descend(&self, place: PlaceId, steps: &[Step], out: &mut Vec<PlaceId>) {
        let p = &self.places[place as usize];
        if p.live == 0 {
            return;
        }
        let Some((&step, rest)) = steps.split_first() else {
            self.below(place, out);
            return;
        };
        if p.comps > 0 {
            out.push(place);
            return;
        }
        match step {
            Step::Field(_) => {
                self.children.get(&(place, step)).iter().for_each(|&&c| self.descend(c, rest, out));
            }
            Step::Const(_) => {
                self.children.get(&(place, step)).iter().for_each(|&&c| self.descend(c, rest, out));
                self.each_child(p.first[1], |c| self.descend(c, rest, out));
            }
            Step::Dynamic(_) | Step::Wildcard => {
                p.first.iter().for_each(|&first| self.each_child(first, |c| self.descend(c, rest, out)));
            }
        }
    }

    fn each_child(&self, mut child: u32, mut f: impl FnMut(PlaceId)) {
        while child != NONE {
            f(child);
            child = self.places[child as usize].siblings[1];
        }
    }

    /// Lists a location and its parts as far as they have facts.
    fn below(&self, place: PlaceId, out: &mut Vec<PlaceId>) {
        let p = &self.places[place as usize];
        if p.live == 0 {
            return;
        }
        if p.comps > 0 {
            out.push(place);
        }
        p.first.iter().for_each(|&first| self.each_child(first, |c| self.below(c, out)));
    }
}

fn mask(types: &Types, ty: airfoil_ir::TypeId) -> u8 {
    types.value_ty(ty).map_or(0, airfoil_ir::Ty::full_mask)
}
