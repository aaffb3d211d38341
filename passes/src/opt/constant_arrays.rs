//! Turns local arrays with constant contents into read-only variables with an initial value.
//!
//! Applies to any form, best to one without calls and copies, and preserves control flow. An array whose stores all
//! write constants to constant positions, and never two different values to one position, needs no stores: a load
//! reads that value, or an undefined one that may be the same. Parts without a store become zero. Backends put such a
//! variable into constant memory, where otherwise every invocation would store the elements of its own copy.
//! Arrays that are indexed by constants only are better split and promoted first
//! ([`split_array_vars`](crate::vars::split_array_vars), [`vars_to_ssa`](crate::vars::vars_to_ssa)).
//!
//! Source: NIR's `nir_opt_large_constants`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in uint i location=0 flat
//!   out uint o location=0
//!   entry fn main {
//!     function_temp uint[2] table
//!     %0 = deref_var &table
//!     32x1 %1 = const 0
//!     %2 = deref_array %0[%1]
//!     32x1 %3 = const 7
//!     store_deref %2, %3
//!     32x1 %4 = const 1
//!     %5 = deref_array %0[%4]
//!     32x1 %6 = const 9
//!     store_deref %5, %6
//!     %7 = deref_var &i
//!     32x1 %8 = load_deref %7
//!     %9 = deref_array %0[%8]
//!     32x1 %10 = load_deref %9
//!     %11 = deref_var &o
//!     store_deref %11, %10
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in uint i location=0 flat
//!   out uint o location=0
//!   entry fn main {
//!     function_temp uint[2] table = {7, 9}
//!     %0 = deref_var &table
//!     32x1 %1 = const 0
//!     32x1 %3 = const 7
//!     32x1 %4 = const 1
//!     32x1 %6 = const 9
//!     %7 = deref_var &i
//!     32x1 %8 = load_deref %7
//!     %9 = deref_array %0[%8]
//!     32x1 %10 = load_deref %9
//!     %11 = deref_var &o
//!     store_deref %11, %10
//!   }
//! }
//! ```

use crate::util::deref_path::{DerefPath, Step};
use crate::vars::lower_var_copies::remove_unused_chain;
use crate::{Changes, Constructs, Context, Pass, PassInfo};
use airfoil_ir::{
    Access, Body, Constant, Dense, DerefKind, Diagnostic, FuncId, InstrId, InstrKind, IntrinsicOp, Lanes,
    Modes, Shader, Type, TypeId, Types, VarId,
};
use slotmap::SecondaryMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct ConstantArrays;

static INFO: PassInfo = PassInfo::new(
    "constant_arrays",
    "turns local arrays with constant contents into read-only variables",
    include_str!("constant_arrays.rs"),
)
.reads(Changes::ALL.difference(Changes::INFO))
.needs(Constructs::LOCAL_DEREF);

impl Pass for ConstantArrays {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mut tables: SecondaryMap<VarId, Table> = SecondaryMap::new();
        for (id, v) in &shader.vars {
            let local = v.mode.intersects(Modes::FUNCTION_TEMP | Modes::SHADER_TEMP);
            let array = matches!(shader.types[v.ty], Type::Array { .. } | Type::Matrix { .. });
            let plain = v.initializer.is_none() && !v.access.contains(Access::VOLATILE);
            if local && array && plain && Part::total(&shader.types, v.ty, 0) <= MAX_ELEMENTS {
                tables.insert(id, Table { contents: Contents::Unset, stores: Vec::new() });
            }
        }
        for (function, f) in &shader.functions {
            if tables.is_empty() {
                return Ok(Changes::NONE);
            }
            read(shader, function, &f.body, &mut tables);
        }
        tables.retain(|_, table| !table.stores.is_empty());
        for (id, table) in &tables {
            shader.vars[id].initializer = Some(table.contents.constant());
            for &(function, store) in &table.stores {
                let body = &mut shader.functions[function].body;
                let deref = body[store].as_intrinsic().map(|i| i.src(0));
                body.remove(store);
                deref.into_iter().for_each(|deref| remove_unused_chain(body, deref));
            }
        }
        Ok((Changes::MEMORY | Changes::VARIABLES).when(!tables.is_empty()))
    }
}

/// The stores to a variable.
#[derive(Debug)]
struct Table {
    contents: Contents,
    stores: Vec<(FuncId, InstrId)>,
}

/// Constants stored to a variable or a part of it.
#[derive(Debug)]
enum Contents {
    Unset,
    /// Components of a scalar or vector, and the mask of those that are known.
    Value(Lanes, u8),
    Parts(Vec<Contents>),
}

/// Maximum number of scalars and vectors in one variable.
const MAX_ELEMENTS: u32 = 1 << 16;

/// The type of a part; a matrix does not name the type of its columns.
#[derive(Clone, Copy)]
enum Part {
    Type(TypeId),
    /// A vector with a number of components.
    Vector(u8),
}

impl Part {
    fn of(types: &Types, ty: TypeId) -> Part {
        match types[ty] {
            Type::Vector { comps, .. } => Part::Vector(comps),
            _ => Part::Type(ty),
        }
    }

    /// Number of scalars and vectors in a type; the maximum for types that nest too deep.
    fn total(types: &Types, ty: TypeId, depth: u32) -> u32 {
        if depth > 64 {
            return u32::MAX;
        }
        match &types[ty] {
            Type::Struct(s) => {
                s.members.iter().fold(0, |n: u32, m| n.saturating_add(Part::total(types, m.ty, depth + 1)))
            }
            Type::Array { elem, len, .. } => len.saturating_mul(Part::total(types, *elem, depth + 1)),
            Type::Matrix { cols, .. } => u32::from(*cols),
            _ => 1,
        }
    }

    /// Number of parts of a composite type.
    fn count(types: &Types, ty: TypeId) -> Option<u32> {
        match &types[ty] {
            Type::Struct(s) => Some(s.members.len() as u32),
            _ => types.num_elements(ty),
        }
    }

    fn inner(types: &Types, ty: TypeId, part: u32) -> Option<Part> {
        match &types[ty] {
            Type::Struct(s) => s.members.get(part as usize).map(|m| Part::of(types, m.ty)),
            Type::Array { elem, .. } => Some(Part::of(types, *elem)),
            Type::Matrix { rows, .. } => Some(Part::Vector(*rows)),
            _ => None,
        }
    }
}

impl Contents {
    /// Adds a store at a path; false if the contents are not constant.
    fn set(&mut self, types: &Types, part: Part, path: &[Step], value: (Lanes, u8)) -> bool {
        let ty = match part {
            Part::Vector(comps) => return self.set_vector(comps, path, value),
            Part::Type(ty) => ty,
        };
        let (Some((&step, rest)), Some(count)) = (path.split_first(), Part::count(types, ty)) else {
            return false;
        };
        let (Step::Const(index) | Step::Field(index)) = step else { return false };
        let Some(inner) = Part::inner(types, ty, index).filter(|_| index < count) else {
            return false;
        };
        if let Contents::Unset = self {
            *self = Contents::Parts((0..count).map(|_| Contents::Unset).collect());
        }
        match self {
            Contents::Parts(list) => list[index as usize].set(types, inner, rest, value),
            _ => false,
        }
    }

    fn set_vector(&mut self, comps: u8, path: &[Step], (mut lanes, mut mask): (Lanes, u8)) -> bool {
        match *path {
            [] => {}
            // A store of a single component has the first bit of the mask.
            [Step::Const(c)] if c < u32::from(comps) => (lanes, mask) = ([lanes[0]; 4], (mask & 1) << c),
            _ => return false,
        }
        if let Contents::Unset = self {
            *self = Contents::Value(Lanes::default(), 0);
        }
        let Contents::Value(known, set) = self else { return false };
        for c in (0..usize::from(comps)).filter(|c| mask >> c & 1 != 0) {
            if *set >> c & 1 != 0 && known[c] != lanes[c] {
                return false;
            }
            known[c] = lanes[c];
            *set |= 1 << c;
        }
        true
    }

    fn constant(&self) -> Constant {
        match self {
            Contents::Unset => Constant::Zero,
            Contents::Value(lanes, _) => Constant::Value(*lanes),
            Contents::Parts(parts) => Constant::Composite(parts.iter().map(Contents::constant).collect()),
        }
    }
}

/// Collects the stores of a body; removes variables that are used in another way than by loads and constant stores.
fn read(shader: &Shader, function: FuncId, body: &Body, tables: &mut SecondaryMap<VarId, Table>) {
    let mut roots: Dense<Option<VarId>> = Dense::new(body.instr_capacity());
    for (id, instr) in body.entries() {
        if tables.is_empty() {
            return;
        }
        match &instr.kind {
            InstrKind::Alu(_) | InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
            InstrKind::Deref(d) => match d.kind {
                DerefKind::Var(var) => roots.set(id, tables.contains_key(var).then_some(var)),
                DerefKind::Struct { parent, .. } | DerefKind::Array { parent, .. } => {
                    roots.set(id, roots.get(parent));
                }
                DerefKind::ArrayWildcard { parent }
                | DerefKind::Cast { parent, .. }
                | DerefKind::PtrAsArray { parent, .. } => {
                    if let Some(var) = roots.get(parent) {
                        tables.remove(var);
                    }
                }
            },
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::load_deref => {
                if let Some(var) = roots.get(i.src(0)).filter(|_| i.access().contains(Access::VOLATILE)) {
                    tables.remove(var);
                }
            }
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::store_deref => {
                let Some(var) = roots.get(i.src(0)) else { continue };
                let Some(table) = tables.get_mut(var) else { continue };
                let value = body[i.src(1)].as_const().filter(|_| !i.access().contains(Access::VOLATILE));
                let constant = value.is_some_and(|&value| {
                    let path = DerefPath::new(body, i.src(0)).steps;
                    let stored = (value, i.write_mask() as u8);
                    let ty = Part::of(&shader.types, shader.vars[var].ty);
                    table.contents.set(&shader.types, ty, &path, stored)
                });
                match constant {
                    true => table.stores.push((function, id)),
                    false => _ = tables.remove(var),
                }
            }
            _ => instr.visit_operands(|v| {
                if let Some(var) = roots.get(v) {
                    tables.remove(var);
                }
            }),
        }
    }
}
