//! Inlines every called function, until only the entry function is left.
//!
//! Requires and preserves form `variables`. Callees first, so that every body is copied in its final state.
//! Parameters are replaced by the arguments, and casts of pointer parameters without effect are removed;
//! every copy has local variables of its own, whose initializers must have been lowered before
//! (`lower_variable_initializers`), because a call in a loop initializes them each time. Returns of callees
//! are lowered as by `lower_returns`. Recursion is reported as an error that lists the functions. Cost per
//! call: the size of the callee. A function with one call is copied as it is, and the calls in the copy are inlined then:
//! a chain of such functions costs no more than its code.
//!
//! Source: NIR's `nir_inline_functions`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "example" {
//!   form variables
//!   fn main {
//!     32x1 %0 = load_vertex_id
//!     call twice(%0)
//!   }
//!   fn twice(32x1) {
//!     32x1 %0 = load_param param=0
//!     %1 = iadd %0, %0
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "example" {
//!   form variables
//!   fn main {
//!     32x1 %0 = load_vertex_id
//!     %1 = iadd %0, %0
//!   }
//! }
//! ```

use crate::lower::lower_returns::lower_function;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    BlockId, Body, CfId, Cursor, Dense, DerefKind, Diagnostic, Form, FuncId, Instr, InstrGroup, InstrId,
    InstrKind, IntrinsicOp, PhiSrc, Shader, Ty, VarId, Walk,
};
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct InlineFunctions;

static INFO: PassInfo = PassInfo::new(
    "inline_functions",
    "inlines all functions into the entry function",
    include_str!("inline_functions.rs"),
)
.takes(&[Form::Variables]);

/// Maximum number of instructions created by inlining: the growth is exponential in the depth of calls, and
/// later passes need about a kilobyte per instruction.
const MAX_INSTRS: usize = 1 << 19;

impl Pass for InlineFunctions {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Some(entry) = shader.entry else { return Ok(Changes::NONE) };
        if shader.functions.len() < 2 && calls(&shader.functions[entry].body).is_empty() {
            return Ok(Changes::NONE);
        }
        let order = callees_first(shader, entry)?;
        for &function in order.iter().filter(|&&f| f != entry) {
            lower_function(shader, function);
        }
        let mut locals: SecondaryMap<FuncId, Vec<VarId>> = SecondaryMap::new();
        for (id, var) in &shader.vars {
            if let Some(f) = var.function.filter(|&f| shader.functions.contains_key(f))
                && let Some(list) = locals.entry(f)
            {
                list.or_default().push(id);
            }
        }
        let mut sites: SecondaryMap<FuncId, u32> = SecondaryMap::new();
        for &function in &order {
            for (_, callee) in calls(&shader.functions[function].body) {
                if let Some(count) = sites.entry(callee) {
                    *count.or_default() += 1;
                }
            }
        }
        let mut values = Values::default();
        for &function in &order {
            if function != entry {
                check_initializers(shader, function, &locals)?;
            }
            // The calls of a function that is called once are inlined where it is copied to.
            if function == entry || sites.get(function) != Some(&1) {
                inline_calls(shader, function, &mut locals, &mut values)?;
            }
        }
        for (function, vars) in &locals {
            if function != entry {
                vars.iter().for_each(|&v| _ = shader.vars.remove(v));
            }
        }
        shader.functions.retain(|id, _| id == entry);
        Ok(Changes::ALL)
    }
}

/// The calls of a body, in program order.
fn calls(body: &Body) -> Vec<(InstrId, FuncId)> {
    if !body.has(InstrGroup::Call) {
        return Vec::new();
    }
    body.entries()
        .filter_map(|(id, instr)| match &instr.kind {
            InstrKind::Call(c) => Some((id, c.callee)),
            _ => None,
        })
        .collect()
}

/// The functions reachable from the entry function, callees before callers.
fn callees_first(shader: &Shader, entry: FuncId) -> Result<Vec<FuncId>, Diagnostic> {
    let callees = |f: FuncId| -> Vec<FuncId> {
        shader.functions.get(f).map_or(Vec::new(), |f| calls(&f.body).into_iter().map(|(_, f)| f).collect())
    };
    let mut order = Vec::new();
    let mut finished: SecondaryMap<FuncId, bool> = SecondaryMap::new();
    let mut stack: Vec<(FuncId, Vec<FuncId>)> = vec![(entry, callees(entry))];
    finished.insert(entry, false);
    while let Some((function, rest)) = stack.last_mut() {
        match rest.pop() {
            None => {
                finished.insert(*function, true);
                order.push(*function);
                stack.pop();
            }
            Some(callee) => match finished.get(callee) {
                Some(true) => {}
                Some(false) => return Err(recursion(shader, &stack, callee)),
                None => {
                    finished.insert(callee, false);
                    stack.push((callee, callees(callee)));
                }
            },
        }
    }
    Ok(order)
}

fn recursion(shader: &Shader, stack: &[(FuncId, Vec<FuncId>)], callee: FuncId) -> Diagnostic {
    let from = stack.iter().position(|(f, _)| *f == callee).unwrap_or(0);
    let name = |f: FuncId| shader.functions.get(f).map_or("?", |f| &f.name);
    let mut way: Vec<String> = stack[from..].iter().map(|&(f, _)| format!("`{}`", name(f))).collect();
    way.push(format!("`{}`", name(callee)));
    Diagnostic::error("E0820", format!("recursive functions: {}", way.join(" calls ")))
        .help("shaders cannot recurse (GLSL 4.60 section 6.1.2)")
}

fn check_initializers(
    shader: &Shader,
    function: FuncId,
    locals: &SecondaryMap<FuncId, Vec<VarId>>,
) -> Result<(), Diagnostic> {
    let vars = locals.get(function).map_or(&[][..], |l| l);
    match vars.iter().find(|&&v| shader.vars[v].initializer.is_some()) {
        None => Ok(()),
        Some(&v) => {
            let message = format!(
                "local variable `{}` of function `{}` has an initial value",
                shader.vars[v].name, shader.functions[function].name
            );
            Err(Diagnostic::error("E0821", message)
                .help("run lower_variable_initializers before inline_functions"))
        }
    }
}

fn inline_calls(
    shader: &mut Shader,
    caller: FuncId,
    locals: &mut SecondaryMap<FuncId, Vec<VarId>>,
    values: &mut Values,
) -> Result<(), Diagnostic> {
    let mut body = std::mem::take(&mut shader.functions[caller].body);
    let callees = |(_, callee): &(InstrId, FuncId)| shader.functions[*callee].body.num_instrs();
    let mut calls = calls(&body);
    body.reserve(calls.iter().map(callees).sum::<usize>().min(MAX_INSTRS));
    // The last call first: code moved because it follows a call ends at the next inlined `if` or loop.
    while let Some((call, callee)) = calls.pop() {
        let mut vars: FxHashMap<VarId, VarId> = FxHashMap::default();
        for var in locals.get(callee).cloned().unwrap_or_default() {
            let mut copy = shader.vars[var].clone();
            copy.function = Some(caller);
            let copy = shader.vars.insert(copy);
            vars.insert(var, copy);
            if let Some(list) = locals.entry(caller) {
                list.or_default().push(copy);
            }
        }
        let function = &shader.functions[callee];
        if body.num_instrs() + function.body.num_instrs() > MAX_INSTRS {
            let message = format!("inlining creates more than {MAX_INSTRS} instructions");
            return Err(Diagnostic::error("E0822", message));
        }
        calls.append(&mut inline_call(&mut body, call, &function.body, &vars, values));
    }
    shader.functions[caller].body = body;
    Ok(())
}

/// Replaces a call by the callee's code; returns the calls in it.
fn inline_call(
    body: &mut Body,
    call: InstrId,
    callee: &Body,
    vars: &FxHashMap<VarId, VarId>,
    values: &mut Values,
) -> Vec<(InstrId, FuncId)> {
    values.call += 1;
    let args = match &body[call].kind {
        InstrKind::Call(c) => c.args.to_vec(),
        _ => Vec::new(),
    };
    let mut copy = Copy {
        callee,
        vars,
        args: &args,
        values,
        blocks: SecondaryMap::new(),
        phis: Vec::new(),
        calls: Vec::new(),
    };
    if callee.num_cfs() == 0 && callee.jump(callee.entry()).is_none() {
        for id in callee.instrs(callee.entry()) {
            copy.instr(body, Cursor::Before(call), id);
        }
        copy.blocks.insert(callee.entry(), body.block_of(call));
        copy.names(body);
        body.remove(call);
        return copy.calls;
    }
    // A side of an `if` is a region to build in, which then replaces the `if`.
    let cond = body.insert(Cursor::Before(call), Instr::new(InstrKind::Undef, Ty::BOOL));
    let cf = body.insert_if(Cursor::Before(call), cond);
    body.remove(call);
    if let Some(start) = body.as_if(cf).map(|n| n.then().first) {
        copy.tree(body, start);
        copy.names(body);
    }
    let calls = copy.calls;
    body.flatten_if(cf, true);
    body.remove(cond);
    calls
}

/// The copies of the values of a callee. Shared by all calls: a body may have far more slots than instructions.
#[derive(Default)]
struct Values {
    /// For each value of a callee the call that it was copied for last, and the copy.
    copies: Dense<(u32, InstrId)>,
    call: u32,
}

impl Values {
    fn get(&self, old: InstrId) -> Option<InstrId> {
        let (call, copy) = self.copies.get(old);
        (call == self.call).then_some(copy)
    }

    fn set(&mut self, old: InstrId, copy: InstrId) {
        self.copies.set(old, (self.call, copy));
    }
}

/// A copy of a callee's code under construction.
struct Copy<'a> {
    callee: &'a Body,
    vars: &'a FxHashMap<VarId, VarId>,
    args: &'a [InstrId],
    values: &'a mut Values,
    blocks: SecondaryMap<BlockId, BlockId>,
    /// Phi of the callee, and its placeholder until all sources exist.
    phis: Vec<(InstrId, InstrId)>,
    /// Calls in the copy.
    calls: Vec<(InstrId, FuncId)>,
}

impl Copy<'_> {
    fn tree(&mut self, body: &mut Body, start: BlockId) {
        let callee = self.callee;
        let mut at = start;
        let mut open: Vec<CfId> = Vec::new();
        for step in callee.walk_cf() {
            match step {
                Walk::Block(b) => {
                    self.blocks.insert(b, at);
                    for id in callee.instrs(b) {
                        match callee[id].as_jump() {
                            Some(jump) => _ = body.insert_jump(at, jump),
                            None => self.instr(body, Cursor::BlockEnd(at), id),
                        }
                    }
                }
                Walk::If(old) => {
                    let cond = callee.as_if(old).map(|n| n.cond()).unwrap_or_default();
                    let cond = self.value(body, cond);
                    let new = body.insert_if(Cursor::BlockEnd(at), cond);
                    if let Some(n) = callee.as_if(old) {
                        body.set_control(new, n.control);
                    }
                    open.push(new);
                    at = body.as_if(new).map_or(at, |n| n.then().first);
                }
                Walk::Else(_) => {
                    at = open.last().and_then(|&cf| body.as_if(cf)).map_or(at, |n| n.els().first);
                }
                Walk::Loop(old) => {
                    let new = body.insert_loop(Cursor::BlockEnd(at));
                    if let Some(n) = callee.as_loop(old) {
                        body.set_control(new, n.control);
                    }
                    open.push(new);
                    at = body.as_loop(new).map_or(at, |n| n.body().first);
                }
                Walk::EndIf(_) | Walk::EndLoop(_) => {
                    if let Some(cf) = open.pop() {
                        at = body.cf(cf).next();
                    }
                }
            }
        }
        for (old, new) in std::mem::take(&mut self.phis) {
            let srcs = callee[old].as_phi().unwrap_or_default();
            let srcs = srcs
                .iter()
                .map(|s| PhiSrc { pred: self.blocks[s.pred], value: self.value(body, s.value) })
                .collect();
            body.set_kind(new, InstrKind::Phi(srcs));
        }
    }

    /// Copies the names of values, if both bodies keep them.
    fn names(&self, body: &mut Body) {
        if let (Some(names), Some(callee)) = (body.names_mut(), self.callee.names()) {
            names.copy_from(callee, |block| self.blocks.get(block).copied(), |value| self.values.get(value));
        }
    }

    /// The copy of a value. Only unreachable code can use a value before it exists.
    fn value(&mut self, body: &mut Body, old: InstrId) -> InstrId {
        self.values.get(old).unwrap_or_else(|| {
            let ty = self.callee.get(old).map_or(Ty::B32, |i| i.ty);
            body.insert(Cursor::BlockStart(body.entry()), Instr::new(InstrKind::Undef, ty))
        })
    }

    fn instr(&mut self, body: &mut Body, at: Cursor, old: InstrId) {
        let from = &self.callee[old];
        let mut new = from.clone();
        match &mut new.kind {
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::load_param => {
                if let Some(&arg) = self.args.get(i.param() as usize) {
                    return self.values.set(old, arg);
                }
            }
            InstrKind::Phi(_) => {
                let id = body.insert(at, Instr::new(InstrKind::Undef, from.ty).at(from.loc));
                self.phis.push((old, id));
                return self.values.set(old, id);
            }
            _ => {}
        }
        new.map_operands(|v| self.value(body, v));
        if let InstrKind::Deref(d) = &mut new.kind {
            if let DerefKind::Var(var) = &mut d.kind {
                *var = self.vars.get(var).copied().unwrap_or(*var);
            }
            // The target of a parameter is known now.
            if let Some(parent) = d.parent()
                && let Some(&of) = body[parent].as_deref()
            {
                if matches!(d.kind, DerefKind::Cast { .. }) && of.ty == d.ty {
                    return self.values.set(old, parent);
                }
                d.modes = of.modes;
            }
        }
        let callee = if let InstrKind::Call(call) = &new.kind { Some(call.callee) } else { None };
        let id = body.insert(at, new);
        self.calls.extend(callee.map(|callee| (id, callee)));
        self.values.set(old, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Manager, Pipeline};

    #[test]
    fn recursion_is_refused_with_its_way() {
        let text = "foil 1\nshader vertex \"t\" {\nform variables\nfn main {\ncall f()\n}\nfn f {\ncall g()\n}\nfn g {\ncall f()\n}\n}\n";
        let mut shader = airfoil_ir::text::parse(text).expect("parses");
        let pipeline = Pipeline::of_pass(Box::new(InlineFunctions));
        let errors = Manager::default().run(&pipeline, &mut shader).expect_err("refused");
        assert!(errors[0].message.ends_with("`f` calls `g` calls `f`"), "{}", errors[0]);
    }

    #[test]
    fn calls_that_multiply_are_refused() {
        let mut text =
            String::from("foil 1\nshader vertex \"t\" {\nform variables\nfn main {\ncall f0()\n}\n");
        for n in 0..20 {
            text += &format!("fn f{n} {{\ncall f{0}()\ncall f{0}()\n}}\n", n + 1);
        }
        text += "fn f20 {\n32x1 %0 = load_vertex_id\n}\n}\n";
        let mut shader = airfoil_ir::text::parse(&text).expect("parses");
        let pipeline = Pipeline::of_pass(Box::new(InlineFunctions));
        let errors = Manager::default().run(&pipeline, &mut shader).expect_err("refused");
        assert!(errors[0].message.contains("more than 524288 instructions"), "{}", errors[0]);
    }
}
