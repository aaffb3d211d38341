//! Subroutines: indices, locations of subroutine uniforms and which subroutines fit each (OpenGL 4.6 section 7.10, GLSL 4.60
//! section 6.1.2). Everything here is per stage.

use super::LinkOptions;
use super::live::Live;
use super::report::{Report, stage_name};
use crate::hir::{FuncId, Unit, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Assigns indices and locations in one stage.
pub fn assign(unit: &mut Unit, live: &Live, options: &LinkOptions, report: &mut Report) {
    indices(unit, options, report);
    locations(unit, live, options, report);
}

/// The functions that can be called through a subroutine type, by position.
pub fn compatible(unit: &Unit, ty: FuncId) -> Vec<FuncId> {
    let fits = |f: &crate::hir::Function| {
        f.subroutine_types.iter().any(|&t| t == ty || unit[t].name == unit[ty].name)
    };
    (0..unit.functions.len() as u32).map(FuncId).filter(|&f| fits(&unit[f])).collect()
}

fn indices(unit: &mut Unit, options: &LinkOptions, report: &mut Report) {
    let stage = stage_name(unit.stage);
    let limit = options.limits.max_subroutines;
    let list: Vec<FuncId> = (0..unit.functions.len() as u32)
        .map(FuncId)
        .filter(|&f| !unit[f].subroutine_types.is_empty())
        .collect();
    if list.is_empty() {
        return;
    }
    if list.len() as u64 > u64::from(limit) {
        let text = format!("{stage}: it has {} subroutines, GL_MAX_SUBROUTINES allows {limit}", list.len());
        report.error("E1122", text);
        return;
    }
    let mut bodies: FxHashMap<crate::token::Symbol, u32> = FxHashMap::default();
    for f in unit.functions.iter().filter(|f| !f.is_subroutine_type) {
        *bodies.entry(f.name).or_default() += 1;
    }
    let mut taken: FxHashMap<u32, FuncId> = FxHashMap::default();
    for &f in &list {
        let name = &unit.names[unit[f].name];
        if bodies.get(&unit[f].name).is_some_and(|&n| n > 1) {
            let text = format!("{stage}: subroutine `{name}` is overloaded (GLSL 4.60 section 6.1.2)");
            report.error_at(unit, unit[f].span, "E1126", text);
        }
        if unit[f].body.is_none() {
            let text = format!("{stage}: subroutine `{name}` is not defined (GLSL 4.60 section 6.1.2)");
            report.error_at(unit, unit[f].span, "E1106", text);
        }
        let Some(index) = unit[f].subroutine_index else { continue };
        if index >= limit {
            let text =
                format!("{stage}: subroutine `{name}` has index {index}, GL_MAX_SUBROUTINES is {limit}");
            report.error_at(unit, unit[f].span, "E1119", text);
        }
        if let Some(other) = taken.insert(index, f) {
            let text = format!(
                "{stage}: subroutines `{}` and `{name}` share index {index} (GLSL 4.60 section 4.4.4)",
                &unit.names[unit[other].name]
            );
            report.error_at(unit, unit[f].span, "E1120", text);
        }
    }
    let mut next = 0;
    for f in list {
        if unit[f].subroutine_index.is_some() {
            continue;
        }
        while taken.contains_key(&next) {
            next += 1;
        }
        taken.insert(next, f);
        unit[f].subroutine_index = Some(next);
    }
}

fn locations(unit: &mut Unit, live: &Live, options: &LinkOptions, report: &mut Report) {
    let stage = stage_name(unit.stage);
    let limit = options.limits.max_subroutine_uniform_locations;
    let mut list: Vec<(VarId, u32)> = Vec::new();
    for (i, v) in unit.vars.iter().enumerate() {
        if v.qualifiers.subroutine.is_some() && v.function.is_none() {
            list.push((VarId(i as u32), unit.types.array_elements(v.ty)));
        }
    }
    let total = list.iter().fold(0u32, |n, l| n.saturating_add(l.1));
    if total > limit {
        let text = format!(
            "{stage}: its subroutine uniforms take {total} locations, GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS allows {limit}"
        );
        report.error("E1122", text);
        return;
    }
    let mut taken: FxHashSet<u32> = FxHashSet::default();
    let mut assigned: Vec<(VarId, u32)> = Vec::new();
    for &(id, count) in &list {
        let Some(at) = unit[id].qualifiers.layout.location else { continue };
        let name = &unit.names[unit[id].name];
        if at.saturating_add(count) > limit {
            let text = format!(
                "{stage}: subroutine uniform `{name}` has location {at}, GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS is {limit}"
            );
            report.error_var(unit, id, "E1119", text);
            continue;
        }
        if !(at..at + count).all(|n| taken.insert(n)) {
            let text = format!(
                "{stage}: subroutine uniform `{name}` shares location {at} with another (GLSL 4.60 section 4.4.3)"
            );
            report.error_var(unit, id, "E1120", text);
        }
        assigned.push((id, at));
    }
    let mut start = 0;
    for &(id, count) in &list {
        if unit[id].qualifiers.layout.location.is_some() {
            continue;
        }
        let mut at = start;
        while (at..at + count).any(|n| taken.contains(&n)) {
            at += 1;
        }
        taken.extend(at..at + count);
        if count == 1 {
            start = at + 1;
        }
        assigned.push((id, at));
    }
    for (id, at) in assigned {
        unit[id].place.location = Some(at);
    }
    for &(id, _) in list.iter().filter(|l| live.var(l.0)) {
        let fits = unit[id].qualifiers.subroutine.map_or(0, |ty| compatible(unit, ty).len());
        if fits == 0 {
            let text = format!(
                "{stage}: no subroutine fits subroutine uniform `{}` (GLSL 4.60 section 6.1.2)",
                &unit.names[unit[id].name]
            );
            report.error_var(unit, id, "E1126", text);
        }
    }
}
