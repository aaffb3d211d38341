//! Lowers `return` to structured control flow, so that functions have one exit.
//!
//! Requires and preserves form `variables`.
//!
//! * A `return` in a loop sets a flag and breaks; after each enclosing loop the flag is tested: break again,
//!   or return.
//! * If one side of an `if` returns, the rest of its region moves into the other side, provided that only the
//!   end of the function follows the region. If both sides return, one `return` follows the `if`.
//! * Other returns (in an `if` nested in a side of another `if` that code follows) become a `break` out of a
//!   loop around the whole function that runs once. Backends emit forward branches for it, not a loop.
//!
//! Values used after new edges get phis. Linear in the size of the code.
//!
//! Source: NIR's `nir_lower_returns`, with the single-iteration loop in place of a flag and copies of the
//! following code.
//!
//! ```foil-example
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   fn main {
//!   b0:
//!     1x1 %0 = load_front_face
//!     if %0 {
//!     b1:
//!       return
//!     }
//!   b2:
//!     demote
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   fn main {
//!   b0:
//!     1x1 %0 = load_front_face
//!     if %0 {
//!     b1:
//!     } else {
//!     b2:
//!       demote
//!     }
//!   b3:
//!   }
//! }
//! ```

use crate::util::loops::inner_loops_first;
use crate::util::phis::copy_single_phis;
use crate::util::repair_ssa::repair;
use crate::{Changes, Constructs, Context, Pass, PassInfo};
use airfoil_ir::{
    BlockId, Body, Builder, CfId, Cursor, Diagnostic, Form, FuncId, InstrGroup, Jump, Owner, Scalar, Shader,
    VarId, Walk,
};
use slotmap::SecondaryMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerReturns;

static INFO: PassInfo = PassInfo::new(
    "lower_returns",
    "lowers returns to structured control flow",
    include_str!("lower_returns.rs"),
)
.takes(&[Form::Variables])
.needs(Constructs::JUMP);

impl Pass for LowerReturns {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let functions: Vec<FuncId> = shader.functions.keys().collect();
        Ok(functions.into_iter().fold(Changes::NONE, |p, f| p | Changes::ALL.when(lower_function(shader, f))))
    }
}

/// Lowers the returns of a function; returns whether there were any.
pub(crate) fn lower_function(shader: &mut Shader, function: FuncId) -> bool {
    let Some(f) = shader.functions.get_mut(function) else { return false };
    if !f.body.has(InstrGroup::Jump) || !f.body.blocks().any(|b| returns(&f.body, b)) {
        return false;
    }
    let mut body = std::mem::take(&mut f.body);
    lower_in_loops(shader, function, &mut body);
    join_sides(&mut body);
    move_into_sides(&mut body);
    wrap(&mut body);
    repair(&mut body);
    if let Some(f) = shader.functions.get_mut(function) {
        f.body = body;
    }
    true
}

fn returns(body: &Body, block: BlockId) -> bool {
    body.jump(block) == Some(Jump::Return)
}

/// Lowers returns in loops to breaks.
fn lower_in_loops(shader: &mut Shader, function: FuncId, body: &mut Body) {
    let found: Vec<(BlockId, CfId)> =
        body.blocks().filter(|&b| returns(body, b)).filter_map(|b| Some((b, body.loop_around(b)?))).collect();
    if found.is_empty() {
        return;
    }
    let ty = shader.types.vector(Scalar::Bool, 1);
    let flag = shader.add_local(function, "returned", ty);
    let mut left: SecondaryMap<CfId, ()> = SecondaryMap::new();
    for (block, innermost) in found {
        set_flag(shader, body, body.before_jump(block), flag, true);
        body.remove_jump(block);
        body.insert_jump(block, Jump::Break);
        let mut around = Some(innermost);
        while let Some(cf) = around.filter(|&cf| left.insert(cf, ()).is_none()) {
            around = body.loop_around(body.cf(cf).prev());
        }
    }
    let start = Cursor::BlockStart(body.entry());
    set_flag(shader, body, start, flag, false);
    for cf in inner_loops_first(body).into_iter().filter(|&cf| left.contains_key(cf)) {
        let next = body.cf(cf).next();
        let jump = if body.loop_around(next).is_some() { Jump::Break } else { Jump::Return };
        let at = body.after_phis(next);
        let mut b = Builder::at(body, at);
        let deref = b.deref_var(&shader.vars, flag);
        let returned = b.load_deref(deref, airfoil_ir::Ty::BOOL);
        b.push_if(returned);
        b.jump(jump);
    }
}

fn set_flag(shader: &Shader, body: &mut Body, at: Cursor, flag: VarId, value: bool) {
    let mut b = Builder::at(body, at);
    let (deref, value) = (b.deref_var(&shader.vars, flag), b.imm_bool(value));
    b.store_deref(deref, value);
}

/// An `if` whose sides both return is followed by the return.
fn join_sides(body: &mut Body) {
    let ifs: Vec<CfId> =
        body.walk_cf().filter_map(|s| if let Walk::EndIf(cf) = s { Some(cf) } else { None }).collect();
    for cf in ifs {
        let Some((then, els, next)) = body
            .has_cf(cf)
            .then(|| body.as_if(cf))
            .flatten()
            .map(|n| (n.then().last, n.els().last, n.next()))
        else {
            continue;
        };
        if returns(body, then) && returns(body, els) {
            body.remove_jump(then);
            body.remove_jump(els);
            // Unreachable until now.
            body.truncate(Cursor::BlockStart(next), Jump::Return);
        }
    }
}

/// Whether a block contains only phis and ends its region.
fn is_end(body: &Body, block: BlockId) -> bool {
    body.next_cf(block).is_none() && body.instrs(block).all(|i| body[i].as_phi().is_some())
}

/// Handles the regions at the end of the function: first the function's, then sides of ifs at the end of one.
fn move_into_sides(body: &mut Body) {
    let mut work = vec![Owner::Root];
    let mut done: SecondaryMap<CfId, ()> = SecondaryMap::new();
    while let Some(owner) = work.pop() {
        let Some(region) = body.region(owner) else { continue };
        if returns(body, region.last) {
            body.remove_jump(region.last);
        }
        // From the last `if` to the first, so that moves are short: the code after an `if` has moved before.
        let mut block = body.region(owner).map(|r| r.last);
        while let Some(cf) = block.and_then(|b| body.prev_cf(b)) {
            block = Some(body.cf(cf).prev());
            if body.as_if(cf).is_some() && done.insert(cf, ()).is_none() {
                let [then, els] = [Owner::Then(cf), Owner::Else(cf)];
                if move_rest(body, cf, owner) {
                    work.extend([then, els]);
                }
            }
        }
    }
}

/// Moves the code after an `if` with a side that returns into the other side; returns true if nothing follows
/// it now.
fn move_rest(body: &mut Body, cf: CfId, owner: Owner) -> bool {
    let (Some(n), Some(region)) = (body.as_if(cf), body.region(owner)) else { return false };
    let (then, els, next) = (n.then().last, n.els().last, n.next());
    let (side, other) = match (returns(body, then), returns(body, els)) {
        (true, _) => (then, els),
        (_, true) => (els, then),
        _ => return next == region.last && is_end(body, next),
    };
    if next != region.last || !is_end(body, next) {
        // The phis have one source: the side that does not return.
        copy_single_phis(body, next);
        let rest = body.extract(Cursor::BlockStart(next), Cursor::BlockEnd(region.last));
        if body.jump(other).is_some() {
            // Neither side reached this point.
            body.delete_list(rest);
        } else {
            body.splice(Cursor::BlockEnd(other), rest);
        }
    }
    body.remove_jump(side);
    true
}

/// If there are returns left, wraps the function in a loop that runs once and turns them into breaks.
fn wrap(body: &mut Body) {
    let found: Vec<BlockId> = body.blocks().filter(|&b| returns(body, b)).collect();
    if found.is_empty() {
        return;
    }
    let code = body.take_region(Owner::Root);
    let first = body.entry();
    let cf = body.insert_loop(Cursor::BlockEnd(first));
    let Some(inner) = body.region(Owner::Loop(cf)) else { return body.delete_list(code) };
    body.splice(Cursor::BlockEnd(inner.first), code);
    if let Some(end) = body.region(Owner::Loop(cf)).map(|r| r.last)
        && body.jump(end).is_none()
    {
        body.insert_jump(end, Jump::Break);
    }
    // The first block of the function has merged into the loop's; the others keep their names.
    for block in body.blocks().collect::<Vec<_>>() {
        if returns(body, block) {
            body.remove_jump(block);
            body.insert_jump(block, Jump::Break);
        }
    }
}
