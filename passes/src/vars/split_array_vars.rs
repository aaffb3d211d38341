//! Splits local arrays with constant indices into one variable per element.
//!
//! Accepts any form with derefs. Preserves control flow. Applies to local and invocation-wide variables of
//! array or matrix type. Each level of a nested array is split independently: where all indices of the level
//! are constant and in range, and the level is not part of an operand of a copy, call or cast. A level with a
//! dynamic index stays an array in each of the new variables. At most 256 new variables per variable.
//! Requires that initializers are lowered. One walk to analyse, one to change.
//!
//! Source: NIR's `nir_split_array_vars`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in int n location=0 flat
//!   out float o location=0
//!   entry fn main {
//!     function_temp float[2][3] a
//!     %n = deref_var &n
//!     32x1 %i = load_deref %n
//!     %0 = deref_var &a
//!     32x1 %1 = const 1
//!     %2 = deref_array %0[%1]
//!     %3 = deref_array %2[%i]
//!     32x1 %4 = const 1.0
//!     store_deref %3, %4
//!     32x1 %5 = const 0
//!     %6 = deref_array %0[%5]
//!     %7 = deref_array %6[%5]
//!     32x1 %8 = load_deref %7
//!     %9 = deref_var &o
//!     store_deref %9, %8
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in int n location=0 flat
//!   out float o location=0
//!
//!   fn main {
//!     function_temp float[3] "a[1]"
//!     function_temp float[3] "a[0]"
//!   b0:
//!     %0 = deref_var &n
//!     32x1 %1 = load_deref %0
//!     32x1 %2 = const 1
//!     %3 = deref_var &"a[1]"
//!     %4 = deref_array %3[%1]
//!     32x1 %5 = const 1.0
//!     store_deref %4, %5 mask=x
//!     32x1 %6 = const 0
//!     %7 = deref_var &"a[0]"
//!     %8 = deref_array %7[%6]
//!     32x1 %9 = load_deref %8
//!     %10 = deref_var &o
//!     store_deref %10, %9 mask=x
//!   }
//! }
//! ```

use crate::util::deref_path::{Step, index_step};
use crate::util::retarget::{ArrayStep, array_step, remove_unused, retarget};
use crate::{Changes, Constructs, Context, Pass, PassInfo};
use airfoil_ir::{
    Body, Dense, DerefKind, Diagnostic, InstrId, InstrKind, Modes, Name, NameBuilder, Scratch, Shader, Type,
    TypeId, Types, VarId, Variable,
};
use rustc_hash::FxHashMap;
use slotmap::{SecondaryMap, SlotMap};
use smallvec::SmallVec;
use std::fmt::Write;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct SplitArrayVars;

static INFO: PassInfo = PassInfo::new(
    "split_array_vars",
    "splits local arrays with constant indices into their elements",
    include_str!("split_array_vars.rs"),
)
.reads(Changes::ALL.difference(Changes::INFO))
.needs(Constructs::LOCAL_DEREF);

/// Maximum number of variables that replace one.
const MAX_PARTS: u32 = 256;

/// Array levels of a variable, from the outside in.
#[derive(Clone, Debug, Default)]
struct Levels {
    lens: SmallVec<[u32; 4]>,
    split: SmallVec<[bool; 4]>,
}

impl Levels {
    fn new(types: &Types, mut ty: TypeId) -> Levels {
        let mut levels = Levels::default();
        loop {
            let (len, inner) = match types[ty] {
                Type::Array { elem, len, .. } => (len, Some(elem)),
                Type::Matrix { cols, .. } => (u32::from(cols), None),
                _ => break,
            };
            levels.lens.push(len);
            levels.split.push(len != 0);
            match inner {
                Some(inner) => ty = inner,
                None => break,
            }
        }
        levels
    }

    /// Marks the levels from `depth` on as not splittable.
    fn keep_from(&mut self, depth: usize) {
        self.split.iter_mut().skip(depth).for_each(|s| *s = false);
    }

    /// Limits the number of parts: innermost levels stay arrays first.
    fn limit(&mut self) {
        let mut parts = 1u32;
        for (split, &len) in self.split.iter_mut().zip(&self.lens) {
            if *split {
                let more = parts.saturating_mul(len);
                *split = more <= MAX_PARTS;
                if *split {
                    parts = more;
                }
            }
        }
    }

    /// Number of levels up to the last one that is split.
    fn depth(&self) -> usize {
        self.split.iter().rposition(|&s| s).map_or(0, |i| i + 1)
    }
}

impl Pass for SplitArrayVars {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mut levels: SecondaryMap<VarId, Levels> = SecondaryMap::new();
        for (id, v) in &shader.vars {
            let private = v.mode.intersects(Modes::FUNCTION_TEMP | Modes::SHADER_TEMP);
            let array = matches!(shader.types[v.ty], Type::Array { .. } | Type::Matrix { .. });
            if private && array && v.initializer.is_none() {
                levels.insert(id, Levels::new(&shader.types, v.ty));
            }
        }
        if levels.is_empty() {
            return Ok(Changes::NONE);
        }
        let mut named: Dense<bool, VarId> = Dense::default();
        for function in shader.functions.values() {
            look(&function.body, &mut levels, &mut named);
        }
        levels.values_mut().for_each(Levels::limit);
        levels.retain(|id, l| l.depth() > 0 && named.get(id));
        if levels.is_empty() {
            return Ok(Changes::NONE);
        }
        let mut parts = FxHashMap::default();
        for function in shader.functions.values_mut() {
            split(&mut shader.types, &mut shader.vars, &mut function.body, &levels, &mut parts);
        }
        shader.vars.retain(|id, _| !levels.contains_key(id));
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}

/// Finds the levels that cannot be split.
fn look(body: &Body, levels: &mut SecondaryMap<VarId, Levels>, named: &mut Dense<bool, VarId>) {
    // For each deref still inside the levels: variable and number of array steps.
    let mut place: Dense<Option<(VarId, u32)>> = Dense::new(body.instr_capacity());
    for (id, instr) in body.entries() {
        let mut way = None;
        if let InstrKind::Deref(d) = &instr.kind {
            match d.kind {
                DerefKind::Var(var) if levels.contains_key(var) => {
                    place.set(id, Some((var, 0)));
                    named.set(var, true);
                }
                DerefKind::Array { parent, .. } | DerefKind::ArrayWildcard { parent } => {
                    let Some((var, depth)) = place.get(parent) else { continue };
                    way = Some(parent);
                    let Some(l) = levels.get_mut(var).filter(|l| (depth as usize) < l.lens.len()) else {
                        continue;
                    };
                    let depth = depth as usize;
                    let fits = match d.kind {
                        DerefKind::Array { index, .. } => {
                            matches!(index_step(body, index), Step::Const(i) if i < l.lens[depth])
                        }
                        _ => false,
                    };
                    l.split[depth] &= fits;
                    place.set(id, Some((var, depth as u32 + 1)));
                }
                // A member of an element, which is not split.
                DerefKind::Struct { parent, .. } => way = Some(parent),
                _ => {}
            }
        }
        instr.visit_operands(|v| {
            if let Some((var, depth)) = place.get(v).filter(|_| way != Some(v))
                && let Some(l) = levels.get_mut(var)
            {
                l.keep_from(depth as usize);
            }
        });
    }
}

/// A path into a variable.
#[derive(Clone, Debug)]
struct Way {
    var: VarId,
    steps: SmallVec<[ArrayStep; 4]>,
}

fn split(
    types: &mut Types,
    vars: &mut SlotMap<VarId, Variable>,
    body: &mut Body,
    levels: &SecondaryMap<VarId, Levels>,
    parts: &mut FxHashMap<(VarId, u32), VarId>,
) {
    let derefs: Scratch<InstrId> =
        body.entries().filter(|(_, i)| i.as_deref().is_some()).map(|(id, _)| id).collect();
    let mut ways: Vec<Way> = Vec::new();
    let mut way_of: Dense<u32> = Dense::new(body.instr_capacity());
    let mut old: Scratch<InstrId> = Scratch::new();
    for &id in &derefs {
        let Some(d) = body[id].as_deref().copied() else { continue };
        let way = match d.kind {
            DerefKind::Var(var) if levels.contains_key(var) => Way { var, steps: SmallVec::new() },
            kind => {
                let Some((parent, step)) = array_step(kind) else { continue };
                let above = (way_of.get(parent) as usize).checked_sub(1).and_then(|i| ways.get(i));
                let Some(mut way) = above.cloned() else { continue };
                way.steps.push(step);
                let l = &levels[way.var];
                if way.steps.len() == l.depth() {
                    let key = (way.var, part_index(body, l, &way.steps));
                    let var = *parts.entry(key).or_insert_with(|| {
                        let name = part_name(body, l, &way.steps, &vars[way.var].name);
                        new_var(types, vars, way.var, name, d.ty, l)
                    });
                    let kept: SmallVec<[ArrayStep; 4]> =
                        way.steps.iter().zip(&l.split).filter(|(_, s)| !**s).map(|(step, _)| *step).collect();
                    let (ty, mode) = (vars[var].ty, vars[var].mode);
                    retarget(body, types, id, (var, ty, mode), &kept);
                    continue;
                }
                way
            }
        };
        ways.push(way);
        way_of.set(id, ways.len() as u32);
        old.push(id);
    }
    remove_unused(body, &old);
}

/// The constant indices of the levels that are split, each with the number of elements of its level.
fn indices<'a>(
    body: &'a Body,
    levels: &'a Levels,
    steps: &'a [ArrayStep],
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let split = steps.iter().zip(&levels.lens).zip(&levels.split).filter(|(_, split)| **split);
    split.filter_map(|((step, &len), _)| match step {
        ArrayStep::Index(index) => Some((body[*index].as_const().map_or(0, |c| c[0] as u32), len)),
        ArrayStep::Wildcard => None,
    })
}

/// Index of a part among the parts of its variable.
fn part_index(body: &Body, levels: &Levels, steps: &[ArrayStep]) -> u32 {
    indices(body, levels, steps).fold(0, |part, (i, len)| part * len + i)
}

/// The name of a part.
fn part_name(body: &Body, levels: &Levels, steps: &[ArrayStep], whole: &Name) -> Name {
    if whole.is_empty() {
        return Name::default();
    }
    let mut name = NameBuilder::new();
    name.push_str(whole);
    for (i, _) in indices(body, levels, steps) {
        // A builder of names accepts all text.
        let _ = write!(name, "[{i}]");
    }
    name.finish()
}

fn new_var(
    types: &mut Types,
    vars: &mut SlotMap<VarId, Variable>,
    old: VarId,
    name: Name,
    inner: TypeId,
    levels: &Levels,
) -> VarId {
    let kept = (0..levels.depth()).rev().filter(|&i| !levels.split[i]);
    let ty = kept.fold(inner, |ty, i| types.array(ty, levels.lens[i]));
    let new = Variable { name, ty, ..vars[old].clone() };
    vars.insert(new)
}
