//! Calls that are replaced by the code of the function while it is lowered.
//!
//! Parameters are locals of the caller: `in` and `inout` arguments are copied to them before the code, `out` and `inout` ones back
//! after it (GLSL 4.60 section 6.1.1). The first call of a function takes no more work than its lowering. Further calls have a budget;
//! beyond it, the call stays, and so it does for functions that return from loops and switches, or on too many paths. The pass
//! `inline_functions` handles those.

use super::call::Argument;
use super::home::Home;
use super::{Lowerer, MALFORMED, Module, Place, PlaceKind, Res, Value, columns_of, fail, shape_of};
use crate::hir::{self, ExprId, StmtId, StmtKind, Unit, VarId};
use crate::types::Type;
use airfoil_ir::{Access, AluFlags};
use smallvec::SmallVec;

/// Instructions of all functions that are inlined more than once.
const MAX_INSTRS: usize = 1 << 15;
/// Functions that are inlined within each other.
const MAX_DEPTH: usize = 24;
/// Statements `return` on different paths.
const MAX_RETURNS: u32 = 8;
/// Levels of the stack that a call takes besides those of the function.
const CALL_LEVELS: u32 = 2;

/// Facts about a function, computed at its first call.
#[derive(Clone, Copy, Debug)]
pub struct FunctionFacts {
    /// Whether its code can replace a call.
    can_inline: bool,
    /// Height of the tree of its body.
    pub height: u32,
}

/// State of inlining over a whole shader.
#[derive(Debug)]
pub struct Inlining {
    facts: Vec<Option<FunctionFacts>>,
    /// Instructions of the functions that have been inlined.
    cost: Vec<Option<usize>>,
    /// Instructions of all functions that were inlined again.
    again: usize,
    /// Levels of a tree that the stack has room for.
    levels: u32,
}

impl Inlining {
    /// For the functions of a unit.
    pub fn new(unit: &Unit) -> Inlining {
        Inlining {
            facts: vec![None; unit.functions.len()],
            cost: vec![None; unit.functions.len()],
            again: 0,
            levels: crate::deep::levels(unit.height),
        }
    }
}

/// Paths of a list of statements.
#[derive(Clone, Copy, Default)]
struct Paths {
    /// Positions at which control reaches the end of the list.
    falls: u32,
    /// Statements `return`.
    returns: u32,
}

impl Module<'_> {
    /// Facts about a function.
    pub fn function_facts(&mut self, f: hir::FuncId) -> FunctionFacts {
        let at = f.0 as usize;
        if let Some(facts) = self.inlining.facts[at] {
            return facts;
        }
        let stmts = self.unit[f].body.map_or(&[][..], |list| self.unit.stmt_list(list));
        let paths = self.paths(stmts);
        let ends = |p: &Paths| p.returns <= MAX_RETURNS && (p.falls > 0 || p.returns > 0);
        let facts = FunctionFacts {
            can_inline: self.unit[f].body.is_some() && paths.as_ref().is_some_and(ends),
            height: self.survey.height(self.unit, stmts),
        };
        self.inlining.facts[at] = Some(facts);
        facts
    }

    /// The paths of statements; `None` if a `return` would have to leave a loop or switch, or code would have to be repeated.
    fn paths(&self, stmts: &[StmtId]) -> Option<Paths> {
        let unit = self.unit;
        let mut paths = Paths { falls: 1, returns: 0 };
        for &s in stmts {
            if paths.falls > 1 {
                return None;
            }
            let of = match unit[s].kind {
                StmtKind::Return(_) => Paths { falls: 0, returns: 1 },
                StmtKind::Block(list) if self.stores.returns(s) => self.paths(unit.stmt_list(list))?,
                StmtKind::If { then, els, .. } if self.stores.returns(s) => {
                    let (a, b) = (self.paths(unit.stmt_list(then))?, self.paths(unit.stmt_list(els))?);
                    Paths { falls: a.falls + b.falls, returns: a.returns + b.returns }
                }
                _ if self.stores.returns(s) => return None,
                _ => Paths { falls: u32::from(!super::survey::always_jumps(unit, s)), returns: 0 },
            };
            paths.falls = of.falls;
            paths.returns += of.returns;
            if paths.falls == 0 {
                break;
            }
        }
        Some(paths)
    }
}

/// Statements that follow a list whose last statement may return.
struct Rest<'r> {
    stmts: &'r [StmtId],
    next: Option<&'r Rest<'r>>,
}

impl Lowerer<'_, '_> {
    /// Whether the next call of a function is replaced by its code.
    pub fn can_inline(&mut self, f: hir::FuncId) -> bool {
        if !self.m.values
            || self.inlined.len() >= MAX_DEPTH
            || f == self.function
            || self.inlined.contains(&f)
        {
            return false;
        }
        let facts = self.m.function_facts(f);
        let inlining = &mut self.m.inlining;
        if !facts.can_inline || self.levels + facts.height + CALL_LEVELS > inlining.levels {
            return false;
        }
        if let Some(cost) = inlining.cost[f.0 as usize] {
            if inlining.again + cost > MAX_INSTRS {
                return false;
            }
            inlining.again += cost;
        }
        true
    }

    /// Lowers the code of a function at a call of it.
    pub fn inline(&mut self, f: hir::FuncId, args: &[ExprId]) -> Res<Value> {
        let unit = self.m.unit;
        let source = &unit[f];
        let at = self.at;
        if source.params.len() != args.len() {
            return fail(MALFORMED, "a call with a wrong number of arguments");
        }
        let mut arguments: SmallVec<[_; 8]> = SmallVec::new();
        for (&p, &arg) in source.params.iter().zip(args) {
            arguments.push(self.call_argument(p, arg)?);
        }
        let start = self.b.body.num_instrs();
        let outer_locals = self.m.locals.enter();
        let own_homes = self.m.own_homes.len();
        let result = self.inline_result(source.result)?;
        let outer_result = std::mem::replace(&mut self.result, result.clone());
        let outer_function = std::mem::replace(&mut self.function, f);
        let outer_statement = self.statement.take();
        let outer_flags = std::mem::replace(&mut self.b.flags, AluFlags::empty());
        let height = self.m.function_facts(f).height + CALL_LEVELS;
        self.levels += height;
        self.inlined.push(outer_function);

        let mut back: SmallVec<[(VarId, Place); 4]> = SmallVec::new();
        for (&p, (argument, place)) in source.params.iter().zip(arguments) {
            self.bind(p, argument)?;
            back.extend(place.map(|place| (p, place)));
        }
        let stmts = source.body.map_or(&[][..], |list| unit.stmt_list(list));
        self.stmts_with_returns(stmts, None)?;
        self.live = true;

        self.inlined.pop();
        self.levels -= height;
        self.b.flags = outer_flags;
        self.statement = outer_statement;
        self.function = outer_function;
        self.result = outer_result;
        self.locate(at);
        for (p, place) in back {
            let from = self.var_place(p)?;
            let value = self.load(&from)?;
            let value = self.convert(value, unit[p].ty, place.ty)?;
            self.store(&place, value)?;
        }
        let value = match result {
            Some(place) => self.load(&place)?,
            None => Value::Void,
        };
        for var in self.m.own_homes.drain(own_homes..) {
            self.m.homes[var.0 as usize] = Home::None;
        }
        self.m.locals.leave_function(outer_locals);
        let cost = self.b.body.num_instrs().saturating_sub(start);
        self.m.inlining.cost[f.0 as usize] = Some(cost);
        Ok(value)
    }

    fn inline_result(&mut self, ty: Type) -> Res<Option<Place>> {
        let kind = if ty == Type::Void {
            return Ok(None);
        } else if let Some(shape) = shape_of(ty) {
            PlaceKind::Local(self.m.locals.add(shape))
        } else if let Some((n, shape)) = columns_of(ty) {
            PlaceKind::Local(self.m.add_columns(n, shape))
        } else {
            PlaceKind::Deref(self.temp(ty, "result")?)
        };
        Ok(Some(Place { kind, ty, access: Access::empty() }))
    }

    /// Gives a parameter its argument.
    fn bind(&mut self, p: VarId, argument: Argument) -> Res<()> {
        let home = match argument {
            Argument::Value(value) => {
                let place = self.var_place(p)?;
                return value.map_or(Ok(()), |value| self.store(&place, value));
            }
            Argument::Memory(deref) => Home::Deref(deref),
            Argument::Opaque(derefs, data) => self.m.opaque_home(&derefs, data),
        };
        self.m.set_param_home(p, home);
        Ok(())
    }

    /// Lowers statements of an inlined function. `rest` follows them. Statements after an `if` that returns become part of the side that
    /// does not return.
    fn stmts_with_returns(&mut self, stmts: &[StmtId], rest: Option<&Rest<'_>>) -> Res<()> {
        let unit = self.m.unit;
        for (i, &s) in stmts.iter().enumerate() {
            if !self.live {
                return Ok(());
            }
            if !self.m.stores.returns(s) {
                self.stmt(s)?;
                continue;
            }
            self.statement = Some(s);
            self.locate(unit[s].at);
            let after = Rest { stmts: &stmts[i + 1..], next: rest };
            return match unit[s].kind {
                StmtKind::Return(value) => self.set_result(value),
                StmtKind::Block(list) => self.stmts_with_returns(unit.stmt_list(list), Some(&after)),
                StmtKind::If { cond, then, els } => {
                    let cond = self.ssa(cond)?;
                    if let Some(known) = self.b.known_condition(cond) {
                        let side = if known { then } else { els };
                        return self.stmts_with_returns(unit.stmt_list(side), Some(&after));
                    }
                    let cf = self.open_if(cond);
                    self.stmts_with_returns(unit.stmt_list(then), Some(&after))?;
                    let live = std::mem::replace(&mut self.live, true);
                    self.open_else(cf);
                    self.stmts_with_returns(unit.stmt_list(els), Some(&after))?;
                    self.close_if(cf);
                    self.live |= live;
                    Ok(())
                }
                _ => fail(MALFORMED, "a return inside a loop of an inlined function"),
            };
        }
        match rest {
            Some(rest) if self.live => self.stmts_with_returns(rest.stmts, rest.next),
            _ => Ok(()),
        }
    }
}
