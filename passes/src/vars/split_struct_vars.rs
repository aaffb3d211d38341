//! Splits local variables of structure type into one variable per member.
//!
//! Accepts any form with derefs. Preserves control flow. Applies to local and invocation-wide variables of
//! structure type, or arrays of them at any depth, whose structures are only accessed member by member: an
//! array of structures becomes one array per member. Copies of whole structures prevent the split; run
//! [`split_var_copies`](crate::vars::split_var_copies) and lower initializers first. Afterwards a dynamic
//! index into one member no longer blocks other passes from handling the other members. One walk to analyse,
//! one to change.
//!
//! Source: NIR's `nir_split_struct_vars`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   struct I { float[2] c }
//!   struct S { float a, I in }
//!   in int n location=0 flat
//!   out float o location=0
//!   entry fn main {
//!     function_temp S[3] s
//!     %n = deref_var &n
//!     32x1 %i = load_deref %n
//!     %0 = deref_var &s
//!     %1 = deref_array %0[%i]
//!     %2 = deref_struct %1.a
//!     32x1 %3 = const 1.0
//!     store_deref %2, %3
//!     %4 = deref_struct %1.in
//!     %5 = deref_struct %4.c
//!     32x1 %6 = const 1
//!     %7 = deref_array %5[%6]
//!     store_deref %7, %3
//!     32x1 %8 = load_deref %2
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
//!     function_temp float[3] "s.a"
//!     function_temp float[3][2] "s.c"
//!   b0:
//!     %0 = deref_var &n
//!     32x1 %1 = load_deref %0
//!     %2 = deref_var &"s.a"
//!     %3 = deref_array %2[%1]
//!     32x1 %4 = const 1.0
//!     store_deref %3, %4 mask=x
//!     %5 = deref_var &"s.c"
//!     %6 = deref_array %5[%1]
//!     32x1 %7 = const 1
//!     %8 = deref_array %6[%7]
//!     store_deref %8, %4 mask=x
//!     32x1 %9 = load_deref %3
//!     %10 = deref_var &o
//!     store_deref %10, %9 mask=x
//!   }
//! }
//! ```

use crate::util::retarget::{ArrayStep, array_step, remove_unused, retarget};
use crate::{Changes, Constructs, Context, Pass, PassInfo};
use airfoil_ir::{
    Body, Dense, DerefKind, Diagnostic, InstrId, InstrKind, Modes, Name, Precision, Scratch, Shader, Type,
    TypeId, Types, VarId, Variable, format_name,
};
use rustc_hash::FxHashMap;
use slotmap::SlotMap;
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct SplitStructVars;

static INFO: PassInfo = PassInfo::new(
    "split_struct_vars",
    "splits local structure variables into their members",
    include_str!("split_struct_vars.rs"),
)
.reads(Changes::ALL.difference(Changes::INFO))
.needs(Constructs::LOCAL_DEREF);

impl Pass for SplitStructVars {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        // Variables without accesses stay as they are.
        if !Constructs::LOCAL_DEREF.found_in(shader) {
            return Ok(Changes::NONE);
        }
        let mut candidates = Candidates::default();
        for (id, v) in &shader.vars {
            let private = v.mode.intersects(Modes::FUNCTION_TEMP | Modes::SHADER_TEMP);
            if private && v.initializer.is_none() && has_struct(&shader.types, v.ty) {
                candidates.flags.set(id, true);
                candidates.len += 1;
            }
        }
        for function in shader.functions.values() {
            if candidates.len == 0 {
                return Ok(Changes::NONE);
            }
            refuse(&shader.types, &function.body, &mut candidates);
        }
        if candidates.len == 0 {
            return Ok(Changes::NONE);
        }
        let mut members = Members::default();
        for function in shader.functions.values_mut() {
            split(&mut shader.types, &mut shader.vars, &mut function.body, &candidates, &mut members);
        }
        shader.vars.retain(|id, _| !candidates.flags.get(id));
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// Variables that are split.
#[derive(Default)]
struct Candidates {
    flags: Dense<bool, VarId>,
    len: usize,
}

fn has_struct(types: &Types, ty: TypeId) -> bool {
    matches!(types[types.without_arrays(ty)], Type::Struct(_))
}

/// Removes variables that are used as a whole structure from the list.
fn refuse(types: &Types, body: &Body, candidates: &mut Candidates) {
    let mut roots: Dense<Option<VarId>> = Dense::new(body.instr_capacity());
    for (id, instr) in body.entries() {
        let mut way = None;
        if let InstrKind::Deref(d) = &instr.kind {
            match d.kind {
                DerefKind::Var(var) => roots.set(id, candidates.flags.get(var).then_some(var)),
                DerefKind::Struct { parent, .. }
                | DerefKind::Array { parent, .. }
                | DerefKind::ArrayWildcard { parent } => {
                    way = Some(parent);
                    roots.set(id, roots.get(parent));
                }
                DerefKind::Cast { .. } | DerefKind::PtrAsArray { .. } => {}
            }
        }
        instr.visit_operands(|v| {
            let whole = || body[v].as_deref().is_some_and(|d| has_struct(types, d.ty));
            if let Some(var) =
                roots.get(v).filter(|&var| way != Some(v) && candidates.flags.get(var) && whole())
            {
                candidates.flags.set(var, false);
                candidates.len -= 1;
            }
        });
    }
}

/// The new variables, by path: the old variable or an inner structure, then the member.
#[derive(Debug, Default)]
struct Members {
    /// Inner structures are numbered from 1; 0 is the variable itself.
    inner: FxHashMap<(VarId, u32, u32), u32>,
    vars: FxHashMap<(VarId, u32, u32), VarId>,
}

/// A path into a variable that ends at a structure.
#[derive(Clone, Debug)]
struct Way {
    var: VarId,
    /// Index of the inner structure.
    inner: u32,
    /// Arrays on the path: the steps and the lengths.
    steps: SmallVec<[(ArrayStep, u32); 2]>,
}

fn split(
    types: &mut Types,
    vars: &mut SlotMap<VarId, Variable>,
    body: &mut Body,
    candidates: &Candidates,
    members: &mut Members,
) {
    let derefs: Scratch<InstrId> =
        body.entries().filter(|(_, i)| i.as_deref().is_some()).map(|(id, _)| id).collect();
    let mut ways: Vec<Way> = Vec::new();
    let mut way_of: Dense<u32> = Dense::new(body.instr_capacity());
    let mut old: Scratch<InstrId> = Scratch::new();
    for &id in &derefs {
        let Some(d) = body[id].as_deref().copied() else { continue };
        let above = d.parent().and_then(|p| ways.get((way_of.get(p) as usize).checked_sub(1)?));
        let way = match d.kind {
            DerefKind::Var(var) if candidates.flags.get(var) => Way { var, inner: 0, steps: SmallVec::new() },
            DerefKind::Struct { parent, field } => {
                let Some(above) = above else { continue };
                let key = (above.var, above.inner, field);
                let mut way = above.clone();
                if !has_struct(types, d.ty) {
                    let var = *members.vars.entry(key).or_insert_with(|| {
                        let member = member_of(types, body, parent, field);
                        new_var(types, vars, way.var, member, d.ty, &way.steps)
                    });
                    let steps: SmallVec<[ArrayStep; 2]> = way.steps.iter().map(|s| s.0).collect();
                    let (ty, mode) = (vars[var].ty, vars[var].mode);
                    retarget(body, types, id, (var, ty, mode), &steps);
                    continue;
                }
                let next = members.inner.len() as u32 + 1;
                way.inner = *members.inner.entry(key).or_insert(next);
                way
            }
            kind => {
                let (Some(above), Some((parent, step))) = (above, array_step(kind)) else { continue };
                let len = body[parent].as_deref().and_then(|p| types.num_elements(p.ty)).unwrap_or(0);
                let mut way = above.clone();
                way.steps.push((step, len));
                way
            }
        };
        ways.push(way);
        way_of.set(id, ways.len() as u32);
        old.push(id);
    }
    remove_unused(body, &old);
}

/// Name and precision of a member.
fn member_of(types: &Types, body: &Body, parent: InstrId, field: u32) -> (Name, Precision) {
    let member = body[parent].as_deref().and_then(|p| match &types[p.ty] {
        Type::Struct(s) => s.members.get(field as usize),
        _ => None,
    });
    member.map(|m| (m.name.clone(), m.precision)).unwrap_or_default()
}

fn new_var(
    types: &mut Types,
    vars: &mut SlotMap<VarId, Variable>,
    old: VarId,
    (member, precision): (Name, Precision),
    ty: TypeId,
    steps: &[(ArrayStep, u32)],
) -> VarId {
    let ty = steps.iter().rev().fold(ty, |ty, &(_, len)| types.array(ty, len));
    let old = &vars[old];
    let named = !member.is_empty() && !old.name.is_empty();
    let name = if named { format_name!("{}.{member}", old.name) } else { old.name.clone() };
    let new = Variable { name, ty, precision, ..old.clone() };
    vars.insert(new)
}
