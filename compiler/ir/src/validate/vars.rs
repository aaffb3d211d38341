//! Types, variables, functions and the calls between them.

use super::{Rule, Violation};
use crate::enums::{Modes, Scalar, Stage};
use crate::ids::{FuncId, VarId};
use crate::instr::InstrKind;
use crate::shader::Shader;
use crate::slot::Slot;
use crate::types::{Type, TypeId};
use crate::value::{Lanes, Ty, bit_mask};
use crate::var::{Constant, Variable};
use slotmap::SecondaryMap;

/// Deepest nesting of types, and most members that a type has with all that is nested in it (an array
/// counts once). Walks over types are recursive and repeat shared parts; source languages stay far below.
const MAX_TYPE_DEPTH: u32 = 255;
const MAX_TYPE_MEMBERS: u32 = 1 << 20;

/// The extent of a type.
#[derive(Clone, Copy)]
struct Extent {
    /// Nesting of the types in it.
    depth: u32,
    /// Members with all that is nested in them.
    members: u32,
    /// Bytes of the largest scalar.
    align: u32,
    /// Bytes; run-time arrays have none.
    bytes: u64,
}

impl Extent {
    /// Images and samplers.
    const OPAQUE: Extent = Extent { depth: 0, members: 1, align: 1, bytes: 0 };

    /// `count` parts, `stride` bytes apart; 0 if they follow each other.
    fn times(self, count: u32, stride: u32) -> Extent {
        let stride = if stride == 0 { self.bytes } else { u64::from(stride) };
        Extent { bytes: stride.saturating_mul(u64::from(count)), ..self }
    }

    fn of(ty: &Type, part: impl Fn(TypeId) -> Extent) -> Extent {
        let scalar = |scalar: Scalar| {
            let bytes = u32::from(scalar.bits() / 8).max(1);
            Extent { align: bytes, bytes: u64::from(bytes), ..Extent::OPAQUE }
        };
        match ty {
            Type::Vector { scalar: s, comps } => scalar(*s).times(u32::from(*comps), 0),
            Type::Matrix { scalar: s, cols, rows, stride, row_major } => {
                let (major, minor) = if *row_major { (rows, cols) } else { (cols, rows) };
                scalar(*s).times(u32::from(*minor), 0).times(u32::from(*major), *stride)
            }
            Type::Array { elem, len, stride } => part(*elem).times(*len, *stride),
            Type::Struct(s) => s.members.iter().fold(Extent::OPAQUE, |all, m| {
                let member = part(m.ty);
                let start = m.offset.map_or(all.bytes, u64::from);
                Extent {
                    depth: all.depth.max(member.depth),
                    members: all.members.saturating_add(member.members),
                    align: all.align.max(member.align),
                    bytes: all.bytes.max(start.saturating_add(member.bytes)),
                }
            }),
            Type::Image(_) | Type::Sampler => Extent::OPAQUE,
        }
    }
}

/// Checks the table of types; false if later checks cannot rely on it.
pub(super) fn check_types(shader: &Shader, out: &mut Vec<Violation>) -> bool {
    let before = out.len();
    let mut extents: Vec<Extent> = Vec::with_capacity(shader.types.len());
    for (id, ty) in shader.types.iter() {
        let earlier = |t: TypeId| t.index() < id.index();
        let part = |t: TypeId| extents.get(t.index()).copied().unwrap_or(Extent::OPAQUE);
        let aligned = |bytes: u32, t: TypeId| bytes.is_multiple_of(part(t).align);
        let extent = Extent::of(ty, part);
        let (ok, laid_out) = match ty {
            Type::Vector { scalar, comps } => (*scalar != Scalar::Any && matches!(comps, 1..=4), true),
            Type::Matrix { scalar, cols, rows, stride, .. } => (
                scalar.is_float() && matches!(cols, 2..=4) && matches!(rows, 2..=4),
                stride.is_multiple_of(extent.align),
            ),
            Type::Array { elem, stride, .. } => (earlier(*elem), aligned(*stride, *elem)),
            Type::Struct(s) => (
                s.members.iter().all(|m| earlier(m.ty)),
                s.members.iter().all(|m| m.offset.is_none_or(|at| aligned(at, m.ty))),
            ),
            Type::Image(_) | Type::Sampler => (true, true),
        };
        // Passes compute offsets in 32 bits.
        let explicit = matches!(ty, Type::Struct(s) if s.members.iter().any(|m| m.offset.is_some()));
        if extent.depth > MAX_TYPE_DEPTH
            || extent.members > MAX_TYPE_MEMBERS
            || (explicit && extent.bytes > u64::from(u32::MAX))
        {
            report_type(shader, id, Rule::Types, "is nested too deep or too large", out);
        }
        if !ok {
            report_type(shader, id, Rule::Types, "is malformed or names later types", out);
        }
        if !laid_out {
            let message = "has an offset or stride that is not a multiple of the bytes of its scalars";
            report_type(shader, id, Rule::TypeAlignment, message, out);
        }
        extents.push(Extent { depth: extent.depth + 1, ..extent });
    }
    out.len() == before
}

fn report(out: &mut Vec<Violation>, rule: Rule, message: String) {
    out.push(Violation::new(rule, message));
}

fn report_type(shader: &Shader, id: TypeId, rule: Rule, message: &str, out: &mut Vec<Violation>) {
    let name = match &shader.types[id] {
        Type::Struct(s) => format!("structure {}", s.name),
        _ => format!("type {}", id.index()),
    };
    out.push(Violation { ty: Some(id), ..Violation::new(rule, format!("{name} {message}")) });
}

/// Checks variables, parameters, the entry function and the call graph.
pub(super) fn check_shader(shader: &Shader, out: &mut Vec<Violation>) {
    for (id, var) in &shader.vars {
        check_var(shader, id, var, out);
    }
    match shader.entry.map(|e| shader.functions.get(e)) {
        None => report(out, Rule::Entry, "the shader has no entry function".into()),
        Some(None) => report(out, Rule::Entry, "the entry function does not exist".into()),
        Some(Some(f)) if !f.params.is_empty() => {
            report(out, Rule::Entry, format!("the entry function {} has parameters", f.name));
        }
        Some(Some(_)) => {}
    }
    for (id, f) in &shader.functions {
        for (i, p) in f.params.iter().enumerate() {
            let points = p.pointee.is_none_or(|(ty, modes)| {
                p.ty == Ty::DEREF && ty.index() < shader.types.len() && !modes.is_empty()
            });
            if !p.ty.is_legal() || !points {
                report(out, Rule::Parameters, format!("function {}: parameter {i} is malformed", f.name));
                out.last_mut().into_iter().for_each(|v| v.function = Some(id));
            }
        }
    }
    check_recursion(shader, out);
}

fn check_var(shader: &Shader, id: VarId, var: &Variable, out: &mut Vec<Violation>) {
    let mut expect = |ok: bool, rule: Rule, message: &str| {
        if !ok {
            let message = format!("variable {}: {message}", var.name);
            out.push(Violation { var: Some(id), ..Violation::new(rule, message) });
        }
    };
    let types = &shader.types;
    if var.ty.index() >= types.len() {
        return expect(false, Rule::VariableType, "the type does not exist");
    }
    expect(var.mode.bits().count_ones() == 1, Rule::VariableMode, "it must have exactly one mode");
    let local = var.mode == Modes::FUNCTION_TEMP;
    let function = var.function.is_some_and(|f| shader.functions.contains_key(f));
    expect(
        if local { function } else { var.function.is_none() },
        Rule::VariableFunction,
        if local { "it has no function that exists" } else { "only function_temp has a function" },
    );
    if var.mode.intersects(Modes::IN | Modes::OUT) {
        // The array of vertices around per-vertex variables takes no slots.
        let ty = match types[var.ty] {
            Type::Array { elem, .. } if var.is_per_vertex(shader.stage) => elem,
            _ => var.ty,
        };
        let location = var.location.map(|l| io_range(l, if var.compact { 1 } else { types.num_slots(ty) }));
        expect(location.is_some(), Rule::VariableLocation, "inputs and outputs need a location");
        expect(location != Some(false), Rule::VariableLocation, "it does not fit into the slots");
    }
    expect(
        var.component < 4 && var.index < 2,
        Rule::VariableLocation,
        "component or blend index is out of range",
    );
    expect(
        !var.mode.intersects(Modes::IN | Modes::OUT)
            || var.component >= 4
            || types.fits_component(var.ty, var.component),
        Rule::VariableLocation,
        "its components exceed the slot",
    );
    let scalars = matches!(types[var.ty], Type::Array { elem, .. } if types.value_ty(elem).is_some_and(|t| t.comps == 1));
    // Arrays around blocks (tessellation, geometry) move to the members, compact ones too.
    let per_vertex = matches!(types[var.ty], Type::Array { elem, .. } if matches!(types[elem], Type::Array { elem, .. }
        if types.value_ty(elem).is_some_and(|t| t.comps == 1)));
    expect(
        !var.compact || scalars || per_vertex,
        Rule::VariableCompact,
        "only arrays of scalars are compact",
    );
    expect(
        !var.fetched || var.mode == Modes::OUT && shader.stage == Stage::Fragment,
        Rule::VariableFetched,
        "only outputs of fragment shaders are fetched",
    );
    expect(
        !var.complete || var.mode == Modes::OUT && shader.stage == Stage::Mesh,
        Rule::VariableComplete,
        "only outputs of mesh shaders are complete",
    );
    let system = var.mode == Modes::SYSTEM_VALUE;
    expect(
        system == var.system_value.is_some(),
        Rule::VariableSystemValue,
        "a system value is named if and only if that is the mode",
    );
    expect(!system || var.location.is_none(), Rule::VariableLocation, "system values have no location");
    if let (Some(sv), Some(ty)) = (var.system_value, types.value_ty(var.ty)) {
        // Source languages have some of them as arrays; vectors must fit.
        expect(ty == sv.ty(), Rule::VariableSystemValue, "the type has not the shape of the system value");
    }
    if var.mode == Modes::SPEC_CONST {
        let value = matches!(var.initializer, Some(Constant::Value(_)));
        let scalar = types.value_ty(var.ty).is_some_and(|t| t.comps == 1);
        expect(
            scalar && value && var.binding.is_some(),
            Rule::VariableSpecConst,
            "a specialisation constant is a scalar with a number and a default value",
        );
    }
    if let Some(init) = &var.initializer {
        expect(fits(shader, var.ty, init), Rule::VariableInitializer, "the initializer has another shape");
    }
}

/// Whether `n` slots from `slot` on stay within the built-in, the numbered or the per-patch ones.
pub(super) fn io_range(slot: Slot, n: u32) -> bool {
    let end = match slot.0 {
        0..Slot::GENERIC => Slot::GENERIC,
        Slot::GENERIC..Slot::PATCH => Slot::PATCH,
        _ => Slot::PATCH + Slot::NUM_PATCH,
    };
    u32::from(slot.0).checked_add(n).is_some_and(|last| last <= u32::from(end))
}

/// Whether raw lanes have no bits beyond a shape.
pub(super) fn lanes_fit(lanes: &Lanes, ty: Ty) -> bool {
    let mask = bit_mask(u32::from(ty.bits));
    lanes.iter().enumerate().all(|(i, &l)| if i < ty.comps as usize { l & !mask == 0 } else { l == 0 })
}

/// Whether a constant has the shape of a type, without recursion.
fn fits(shader: &Shader, ty: TypeId, constant: &Constant) -> bool {
    let mut work = vec![(ty, constant)];
    while let Some((ty, constant)) = work.pop() {
        let ok = match (constant, &shader.types[ty]) {
            (Constant::Zero, Type::Image(_) | Type::Sampler) => false,
            (Constant::Zero, _) => true,
            (Constant::Value(lanes), _) => shader.types.value_ty(ty).is_some_and(|t| lanes_fit(lanes, t)),
            (Constant::Composite(parts), Type::Array { elem, len, .. }) => {
                work.extend(parts.iter().map(|p| (*elem, p)));
                parts.len() == *len as usize
            }
            (Constant::Composite(parts), Type::Struct(s)) => {
                work.extend(s.members.iter().zip(parts).map(|(m, p)| (m.ty, p)));
                parts.len() == s.members.len()
            }
            (Constant::Composite(parts), Type::Matrix { scalar, cols, rows, .. }) => {
                let column = Ty::new(*rows, scalar.bits());
                parts.len() == *cols as usize
                    && parts.iter().all(|p| match p {
                        Constant::Value(lanes) => lanes_fit(lanes, column),
                        Constant::Zero => true,
                        Constant::Composite(_) => false,
                    })
            }
            (Constant::Composite(_), _) => false,
        };
        if !ok {
            return false;
        }
    }
    true
}

/// Finds cycles of calls: depth first, with the functions of the current path marked.
fn check_recursion(shader: &Shader, out: &mut Vec<Violation>) {
    let callees: SecondaryMap<FuncId, Vec<FuncId>> = shader
        .functions
        .iter()
        .map(|(id, f)| {
            let calls = f.body.instr_values().filter_map(|i| match &i.kind {
                InstrKind::Call(c) => Some(c.callee),
                _ => None,
            });
            (id, calls.filter(|&c| shader.functions.contains_key(c)).collect())
        })
        .collect();
    // Absent: not visited; true: in the current path; false: done.
    let mut state: SecondaryMap<FuncId, bool> = SecondaryMap::new();
    for root in shader.functions.keys() {
        if state.contains_key(root) {
            continue;
        }
        state.insert(root, true);
        let mut stack = vec![(root, 0)];
        while let Some((f, next)) = stack.last_mut() {
            let f = *f;
            let Some(&callee) = callees[f].get(*next) else {
                state.insert(f, false);
                stack.pop();
                continue;
            };
            *next += 1;
            match state.get(callee) {
                None => {
                    state.insert(callee, true);
                    stack.push((callee, 0));
                }
                Some(true) => {
                    let name = &shader.functions[callee].name;
                    report(out, Rule::Recursion, format!("function {name} calls itself"));
                    out.last_mut().into_iter().for_each(|v| v.function = Some(callee));
                }
                Some(false) => {}
            }
        }
    }
}
