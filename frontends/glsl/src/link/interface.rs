//! Matches the outputs of a stage with the inputs of the next one (GLSL 4.60 section 4.3.4, 4.3.9, OpenGL 4.6 section 7.4.1;
//! GLSL ES 3.20 sections 4.3.4, 9.2).

use super::compare::{Comparer, Strictness, interpolation, sampling};
pub use super::globals::block_of;
use super::globals::linked_name;
use super::live::Live;
use super::report::{Report, stage_name};
use super::sizes::per_vertex;
use crate::basic_types::type_name;
use crate::builtin::BuiltinVar;
use crate::hir::{Storage, Unit, VarId, Variable};
use crate::types::{Field, StructId, Type};
use airfoil_ir::{Sampling, Stage};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A variable or a member of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Item {
    /// The variable.
    pub var: VarId,
    /// Member of its block.
    pub member: Option<u32>,
}

/// An output with the input that reads it; either may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Output of the first stage.
    pub output: Option<Item>,
    /// Input of the second.
    pub input: Option<Item>,
}

/// One unit with the functions and variables that its `main` reaches.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The unit.
    pub unit: &'a Unit,
    /// Live code.
    pub live: &'a Live,
}

/// The type of an input or output for one vertex: without the array that counts vertices.
pub fn vertex_type(unit: &Unit, v: &Variable) -> Type {
    match unit.types.as_array(v.ty) {
        Some(a) if per_vertex(unit.stage, v.qualifiers.storage, v.qualifiers.patch) => a.elem,
        _ => v.ty,
    }
}

/// Whether it is an array of blocks that has a location: its elements have consecutive locations (GLSL 4.60 section
/// 4.4.1), not its members.
pub fn is_located_array(unit: &Unit, v: &Variable) -> bool {
    v.block && v.qualifiers.layout.location.is_some() && unit.types.array_elements(vertex_type(unit, v)) > 1
}

/// The user-defined inputs or outputs of a unit, blocks by member.
pub fn items(unit: &Unit, storage: Storage) -> Vec<Item> {
    let mut items = Vec::new();
    for (i, v) in unit.vars.iter().enumerate() {
        let var = VarId(i as u32);
        let fits = v.qualifiers.storage == storage
            || (storage == Storage::Out && v.qualifiers.storage == Storage::InOut);
        if !fits || v.builtin.is_some() {
            continue;
        }
        match block_of(unit, v) {
            Some(s) => {
                let own = (0..s.fields.len() as u32).filter(|&n| s.fields[n as usize].builtin.is_none());
                items.extend(own.map(|n| Item { var, member: Some(n) }));
            }
            None => items.push(Item { var, member: None }),
        }
    }
    items
}

/// Sorts the inputs or outputs that match those of another separable program by name. An interface that matches has the
/// same names on both sides, in any order (OpenGL 4.6 section 7.4.1), so both programs assign the same locations.
pub fn sort_by_name(unit: &Unit, items: &mut [Item]) {
    items.sort_by_key(|item| {
        let v = &unit[item.var];
        (v.block, linked_name(unit, v), item.member)
    });
}

/// The member that an item is.
pub fn field(unit: &Unit, item: Item) -> Option<&Field> {
    let s = block_of(unit, &unit[item.var])?;
    s.fields.get(item.member? as usize)
}

/// Checks the boundary between two stages and pairs inputs with outputs: first all inputs, in order of declaration, then the
/// outputs that are left.
pub fn pair(a: Side<'_>, b: Side<'_>, separable: bool, version: u16, report: &mut Report) -> Vec<Pair> {
    let (p, c) = (a.unit, b.unit);
    let mut boundary = Boundary { p, c, version, report };
    boundary.clashes(p, Storage::Out);
    boundary.clashes(c, Storage::In);
    if separable {
        boundary.redeclared(a, b);
    }
    boundary.per_vertex_blocks(a, b);
    boundary.colors(a, b);
    let outputs = Outputs::of(p);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut taken = rustc_hash::FxHashSet::default();
    for (i, v) in c.vars.iter().enumerate() {
        let id = VarId(i as u32);
        if v.qualifiers.storage != Storage::In || v.builtin.is_some() {
            continue;
        }
        let found = outputs.find(c, v);
        match found {
            // Nothing is paired that does not match.
            Some(output) if !boundary.matches(output, id) => continue,
            Some(output) if b.live.var(id) => boundary.stream(output, id),
            Some(_) => {}
            None if b.live.var(id) => boundary.unmatched(id),
            None => {}
        }
        let members = block_of(c, v).map(|s| s.fields.len() as u32);
        let with = |member| {
            let output = found.map(|var| Item { var, member });
            Pair { output, input: Some(Item { var: id, member }) }
        };
        match members {
            Some(n) => pairs.extend((0..n).map(|m| with(Some(m)))),
            None => pairs.push(with(None)),
        }
        taken.extend(found);
    }
    let left = items(p, Storage::Out).into_iter().filter(|item| !taken.contains(&item.var));
    pairs.extend(left.map(|item| Pair { output: Some(item), input: None }));
    invariance_es100(p, c, boundary.report);
    pairs
}

/// Pairs by location alone, unchecked: the interface of pipelines in Vulkan (Vulkan 1.3 section 15.1.3).
pub fn by_location(a: Side<'_>, b: Side<'_>) -> Vec<Pair> {
    let inputs = items(b.unit, Storage::In).into_iter().map(|item| Pair { output: None, input: Some(item) });
    let outputs =
        items(a.unit, Storage::Out).into_iter().map(|item| Pair { output: Some(item), input: None });
    inputs.chain(outputs).collect()
}

/// Checks that inputs and outputs at one location have the same kind of components (OpenGL 4.6 section 7.4.2, SPIR-V shader interface
/// matching). An input without output has an undefined value, and may have fewer components than its output.
pub fn check_by_location(a: Side<'_>, b: Side<'_>, report: &mut Report) {
    let outputs = Outputs::of(a.unit);
    for (i, v) in b.unit.vars.iter().enumerate() {
        let id = VarId(i as u32);
        if v.qualifiers.storage != Storage::In || v.builtin.is_some() || !b.live.var(id) {
            continue;
        }
        let Some(&output) = location_key(v).and_then(|key| outputs.by_location.get(&key)) else { continue };
        let base = |unit: &Unit, v: &Variable| unit.types.without_arrays(vertex_type(unit, v)).base();
        let (written, read) = (base(a.unit, &a.unit[output]), base(b.unit, v));
        if let (Some(written), Some(read)) = (written, read)
            && written != read
        {
            let text = format!(
                "location {} of the {} is written as {} and read by the {} as {} (OpenGL 4.6 section 7.4.2)",
                v.qualifiers.layout.location.unwrap_or(0),
                stage_name(a.unit.stage),
                type_name(Type::scalar(written), &a.unit.types, &a.unit.names),
                stage_name(b.unit.stage),
                type_name(Type::scalar(read), &b.unit.types, &b.unit.names)
            );
            report.error("E1116", text);
        }
    }
}

/// The outputs of a stage, to be found by name or location.
struct Outputs<'u> {
    by_name: IndexMap<(bool, &'u str), VarId>,
    by_location: FxHashMap<(bool, u32, u32), VarId>,
}

impl<'u> Outputs<'u> {
    fn of(unit: &'u Unit) -> Outputs<'u> {
        let mut outputs = Outputs { by_name: IndexMap::new(), by_location: FxHashMap::default() };
        for (i, v) in unit.vars.iter().enumerate() {
            if v.qualifiers.storage != Storage::Out || v.builtin.is_some() {
                continue;
            }
            let id = VarId(i as u32);
            outputs.by_name.insert((v.block, linked_name(unit, v)), id);
            if let Some(key) = location_key(v) {
                outputs.by_location.insert(key, id);
            }
        }
        outputs
    }

    /// By location if the input has one, else by name (OpenGL 4.6 section 7.4.1). Blocks match by name in any case.
    fn find(&self, c: &Unit, input: &Variable) -> Option<VarId> {
        match location_key(input) {
            Some(key) if !input.block => self.by_location.get(&key).copied(),
            _ => self.by_name.get(&(input.block, linked_name(c, input))).copied(),
        }
    }
}

fn location_key(v: &Variable) -> Option<(bool, u32, u32)> {
    let l = &v.qualifiers.layout;
    l.location.map(|n| (v.qualifiers.patch, n, l.component.unwrap_or(0)))
}

struct Boundary<'a, 'r> {
    p: &'a Unit,
    c: &'a Unit,
    version: u16,
    report: &'r mut Report,
}

impl Boundary<'_, '_> {
    fn wrong(&mut self, input: VarId, what: &str) {
        let (p, c) = (self.p, self.c);
        let text = format!(
            "`{}`: output of the {} and input of the {} do not match: {what}",
            linked_name(c, &c[input]),
            stage_name(p.stage),
            stage_name(c.stage)
        );
        self.report.error_var(c, input, "E1116", text);
    }

    fn unmatched(&mut self, input: VarId) {
        let (p, c) = (self.p, self.c);
        let v = &c[input];
        let by = match v.qualifiers.layout.location.filter(|_| !v.block) {
            Some(n) => format!(" at location {n}"),
            None => String::new(),
        };
        let text = format!(
            "`{}`: the {} reads it, but the {} has no such output{by} (GLSL 4.60 section 4.3.4)",
            linked_name(c, v),
            stage_name(c.stage),
            stage_name(p.stage)
        );
        self.report.error_var(c, input, "E1117", text);
    }

    fn matches(&mut self, output: VarId, input: VarId) -> bool {
        let block = self.c[input].block;
        let before = self.report.errors();
        if block {
            self.blocks(output, input)
        } else {
            self.variables(output, input)
        };
        self.report.errors() == before
    }

    fn variables(&mut self, output: VarId, input: VarId) {
        let (p, c) = (self.p, self.c);
        let (x, y) = (&p[output], &c[input]);
        let mut comparer = Comparer::new(p, c, Strictness::default());
        if let Some(why) = comparer.differ(vertex_type(p, x), vertex_type(c, y)) {
            self.wrong(input, &why);
            return;
        }
        let (qx, qy) = (&x.qualifiers, &y.qualifiers);
        let es = c.version.is_es();
        // Since GLSL 4.40 interpolation need not match (section 4.5). Before, and in ES, it must.
        let ty = c.types.without_arrays(y.ty);
        if (es || self.version < 440)
            && interpolation(qx.interpolation, ty) != interpolation(qy.interpolation, ty)
        {
            self.wrong(input, "the interpolations differ");
        }
        let sample = |s| sampling(s) == Sampling::Sample;
        if sample(qx.sampling) != sample(qy.sampling) && (es || self.version < 430) {
            self.wrong(input, "`sample` is on one side only");
        }
        if qx.patch != qy.patch {
            self.wrong(input, "`patch` is on one side only");
        }
        // Since GLSL 4.20 and ES 3.00 only outputs need `invariant` (GLSL 4.60 section 4.8.1).
        if qx.invariant != qy.invariant && self.version < if es { 300 } else { 420 } {
            self.wrong(input, "`invariant` is on one side only");
        }
    }

    fn blocks(&mut self, output: VarId, input: VarId) {
        let (p, c) = (self.p, self.c);
        let (x, y) = (&p[output], &c[input]);
        let es = c.version.is_es();
        let how =
            Strictness { locations: true, interpolation: es || self.version < 440, ..Strictness::default() };
        if let Some(why) = Comparer::new(p, c, how).differ(vertex_type(p, x), vertex_type(c, y)) {
            self.wrong(input, &why);
        } else if x.qualifiers.layout.location != y.qualifiers.layout.location {
            self.wrong(input, "the locations differ");
        } else if x.qualifiers.patch != y.qualifiers.patch {
            self.wrong(input, "`patch` is on one side only");
        }
    }

    /// Only stream 0 is rasterized (GLSL 4.60 section 4.4.2.2).
    fn stream(&mut self, output: VarId, input: VarId) {
        let (p, c) = (self.p, self.c);
        let v = &p[output];
        let members = block_of(p, v).map_or(&[][..], |s| &s.fields);
        let stream = members.iter().find_map(|f| f.qualifiers.layout.stream);
        let stream = stream.or(v.qualifiers.layout.stream).or(p.layout.stream).unwrap_or(0);
        if stream > 0 && p.stage == Stage::Geometry && c.stage == Stage::Fragment {
            let what = format!(
                "the output belongs to vertex stream {stream}, but only stream 0 is rasterized (GLSL 4.60 section 4.4.2.2)"
            );
            self.wrong(input, &what);
        }
    }

    /// Colours in use have one interpolation on both sides (GLSL 4.60 section 4.5, compatibility profile).
    fn colors(&mut self, a: Side<'_>, b: Side<'_>) {
        use BuiltinVar as B;
        let (p, c) = (self.p, self.c);
        if c.stage != Stage::Fragment {
            return;
        }
        let find = |side: Side<'_>, builtin, storage| {
            let fits = |(i, v): &(usize, &Variable)| {
                v.builtin == Some(builtin)
                    && v.qualifiers.storage == storage
                    && side.live.var(VarId(*i as u32))
            };
            side.unit.vars.iter().enumerate().find(fits).map(|(i, _)| VarId(i as u32))
        };
        for (input, outputs) in [
            (B::Color, [B::FrontColor, B::BackColor]),
            (B::SecondaryColor, [B::FrontSecondaryColor, B::BackSecondaryColor]),
        ] {
            let Some(y) = find(b, input, Storage::In) else { continue };
            for x in outputs.into_iter().filter_map(|output| find(a, output, Storage::Out)) {
                let of = |v: &Variable| interpolation(v.qualifiers.interpolation, Type::VEC4);
                if of(&p[x]) != of(&c[y]) {
                    let what = format!("the interpolation of `{}` differs", &p.names[p[x].name]);
                    self.wrong(y, &what);
                }
            }
        }
    }

    /// Within an interface, names at global scope are unique: variables and members of blocks without instance name
    /// (GLSL 4.60 section 4.3.9).
    fn clashes(&mut self, unit: &Unit, storage: Storage) {
        let mut seen: FxHashMap<&str, VarId> = FxHashMap::default();
        for (i, v) in unit.vars.iter().enumerate() {
            let id = VarId(i as u32);
            if v.qualifiers.storage != storage || v.builtin.is_some() {
                continue;
            }
            let names: Vec<&str> = match block_of(unit, v) {
                Some(s) if v.nameless_block => s.fields.iter().map(|f| &unit.names[f.name]).collect(),
                Some(_) => continue,
                None => vec![&unit.names[v.name]],
            };
            for name in names {
                if *seen.entry(name).or_insert(id) != id {
                    let text =
                        format!("{}: `{name}` is declared twice in its interface", stage_name(unit.stage));
                    self.report.error_var(unit, id, "E1113", text);
                }
            }
        }
    }

    /// Where a separable program passes `gl_PerVertex` from stage to stage, both stages must redeclare it
    /// (GLSL 4.60 section 7.1, OpenGL 4.6 section 7.4.1).
    fn redeclared(&mut self, a: Side<'_>, b: Side<'_>) {
        let c = b.unit;
        if c.version.is_es() || c.stage == Stage::Fragment {
            return;
        }
        for (side, storage) in [(a, Storage::Out), (b, Storage::In)] {
            // A producer matters only if the consumer declares or reads `gl_in`.
            if storage == Storage::Out && !c.vars.iter().any(|v| v.builtin == Some(BuiltinVar::In)) {
                continue;
            }
            if let Some(v) = not_redeclared(side, storage) {
                let text = format!(
                    "`{}`: the {} of a separable program uses it, but does not redeclare `gl_PerVertex` (GLSL 4.60 section 7.1)",
                    &side.unit.names[v.name],
                    stage_name(side.unit.stage)
                );
                self.report.error("E1118", text);
            }
        }
    }

    /// If both stages redeclare `gl_PerVertex` as a block, they must do it in the same way (GLSL 4.60 section 7.1).
    fn per_vertex_blocks(&mut self, a: Side<'_>, b: Side<'_>) {
        let (p, c) = (a.unit, b.unit);
        let find = |unit: &Unit, builtin| {
            let i = unit.vars.iter().position(|v| v.builtin == Some(builtin))?;
            Some(VarId(i as u32))
        };
        let redeclared = |unit: &Unit, var: Option<VarId>| match unit.types.without_arrays(unit[var?].ty) {
            Type::Struct(id) => {
                let here = unit.types.structs[id.0 as usize].span != crate::source::Span::default();
                here.then_some(id)
            }
            _ => None,
        };
        let Some(input) = find(c, BuiltinVar::In) else { return };
        // The outputs are variables of their own, unless a stage writes several vertices.
        let output = redeclared(p, find(p, BuiltinVar::Out)).or(p.per_vertex_out);
        let (Some(x), Some(y)) = (output, redeclared(c, Some(input))) else { return };
        if let Some(why) = per_vertex_differ(p, x, c, y) {
            self.wrong(input, &why);
        }
    }
}

/// Why two redeclarations of `gl_PerVertex` differ. Arrays without size take theirs from use.
pub fn per_vertex_differ(a: &Unit, x: StructId, b: &Unit, y: StructId) -> Option<String> {
    let (sx, sy) = (&a.types.structs[x.0 as usize], &b.types.structs[y.0 as usize]);
    let lengths = |unit: &Unit, f: &Field| unit.types.as_array(f.ty).map_or(0, |a| a.len);
    let open = (0..sx.fields.len().min(sy.fields.len()))
        .filter(|&n| lengths(a, &sx.fields[n]) == 0 || lengths(b, &sy.fields[n]) == 0)
        .collect();
    let mut comparer = Comparer::new(a, b, Strictness::default()).with_open_members(open);
    comparer.differ(Type::Struct(x), Type::Struct(y))
}

/// A reached built-in of `gl_PerVertex` whose declaration is the built-in one.
fn not_redeclared(side: Side<'_>, storage: Storage) -> Option<&Variable> {
    let fits = |(i, v): &(usize, &Variable)| {
        let declared = block_of(side.unit, v).map_or(v.span, |s| s.span);
        v.qualifiers.storage == storage
            && v.builtin.is_some_and(in_per_vertex)
            && declared == crate::source::Span::default()
            && side.live.var(VarId(*i as u32))
    };
    side.unit.vars.iter().enumerate().find(fits).map(|(_, v)| v)
}

/// Whether a variable is `gl_in`, `gl_out` or a would-be member of these.
fn in_per_vertex(b: BuiltinVar) -> bool {
    use BuiltinVar as B;
    matches!(
        b,
        B::In | B::Out | B::Position | B::PointSize | B::ClipDistance | B::CullDistance | B::ClipVertex
    )
}

/// In ES 1.00 `gl_FragCoord` may be invariant only if `gl_Position` is, and `gl_PointCoord` only if `gl_PointSize` is
/// (GLSL ES 1.00 section 4.6.4).
fn invariance_es100(p: &Unit, c: &Unit, report: &mut Report) {
    if !c.version.is_es() || c.version.number != 100 {
        return;
    }
    let invariant = |unit: &Unit, b| unit.vars.iter().any(|v| v.builtin == Some(b) && v.qualifiers.invariant);
    let rules = [
        (BuiltinVar::FragCoord, "gl_FragCoord", BuiltinVar::Position, "gl_Position"),
        (BuiltinVar::PointCoord, "gl_PointCoord", BuiltinVar::PointSize, "gl_PointSize"),
    ];
    for (input, input_name, output, output_name) in rules {
        if invariant(c, input) && !invariant(p, output) {
            let text = format!(
                "`{input_name}`: the fragment shader declares it invariant, but the vertex shader not `{output_name}` (GLSL ES 1.00 section 4.6.4)"
            );
            report.error("E1116", text);
        }
    }
}
