//! Dominance during a walk over the control-flow tree, without a dominator tree.

use crate::body::{Body, Walk};
use smallvec::{SmallVec, smallvec};

/// A region of the control-flow tree, numbered in the order of a walk.
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::{Dominance, DominatingScopes, ScopeId};
/// use airfoil_ir::{Body, Builder, Jump};
/// # let mut body = Body::new();
/// # let mut b = Builder::at_end(&mut body);
/// # b.push_loop();
/// # b.jump(Jump::Break);
///
/// // The body is `loop { break }`.
/// let [_, inside, after] = body.blocks().collect::<Vec<_>>()[..] else { panic!("three blocks") };
/// let mut scopes = DominatingScopes::new();
/// let ids: Vec<ScopeId> = body.walk_cf().map(|step| { scopes.step(&body, step); scopes.current() }).collect();
/// assert!(ids[0] == ScopeId::ROOT && ids[4] == ScopeId::ROOT && ids[2] != ScopeId::ROOT);
/// // The scope of the loop is closed although its only block dominates the code after it.
/// assert!(scopes.is_in_loop(ids[2]) && !scopes.is_open(ids[2]));
/// assert!(Dominance::new(&body).dominates(inside, after));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScopeId(u32);

impl ScopeId {
    /// The region of a function's whole body.
    pub const ROOT: ScopeId = ScopeId(0);
}

/// The regions whose code, as far as it has been visited, dominates the next block of a walk.
///
/// Feed every [`Walk`] step of a body to [`step`](Self::step), record [`current`](Self::current) for each
/// instruction, and ask [`is_open`](Self::is_open) later whether the instruction dominates the current block.
/// A region is open until the walk leaves it. A side of an `if` whose other side jumps away stays open until
/// the walk leaves the region around the `if`.
///
/// An open region is sufficient for dominance but not necessary: code before the only `break` of a loop
/// dominates the code after the loop. [`is_in_loop`](Self::is_in_loop) shows where a query of
/// [`Dominance`](crate::analysis::Dominance) is worth its cost.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Walk, analysis::DominatingScopes, text};
///
/// let shader = text::parse(r#"foil 1 shader fragment "main" { fn main {
///     %front = load_front_face
///     if %front { return } else { demote }
/// } }"#)?;
/// let body = shader.entry_body().unwrap();
/// let (mut scopes, mut of_blocks) = (DominatingScopes::new(), Vec::new());
/// for step in body.walk_cf() {
///     scopes.step(body, step);
///     of_blocks.extend(matches!(step, Walk::Block(_)).then(|| scopes.current()));
/// }
/// // Only the `else` side reaches the last block, so its code dominates it.
/// assert!(of_blocks.iter().map(|&scope| scopes.is_open(scope)).eq([true, false, true, true]));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DominatingScopes {
    current: ScopeId,
    /// For each region, whether it is open.
    open: SmallVec<[bool; 16]>,
    /// Open regions; those that stay open with a region follow it.
    stack: SmallVec<[ScopeId; 8]>,
    /// For each region around the walk: the region, and the height of the stack before it.
    frames: SmallVec<[(ScopeId, usize); 4]>,
    /// For each `if` whose second side is being walked: its first side.
    thens: SmallVec<[ScopeId; 4]>,
    /// For each region, whether there is a loop around it.
    in_loop: SmallVec<[bool; 16]>,
}

impl Default for DominatingScopes {
    fn default() -> DominatingScopes {
        DominatingScopes::new()
    }
}

impl DominatingScopes {
    /// The state before the first step of a walk.
    pub fn new() -> DominatingScopes {
        DominatingScopes {
            current: ScopeId::ROOT,
            open: smallvec![true],
            stack: smallvec![ScopeId::ROOT],
            frames: smallvec![(ScopeId::ROOT, 0)],
            thens: SmallVec::new(),
            in_loop: smallvec![false],
        }
    }

    /// The innermost region around the walk.
    #[inline]
    pub fn current(&self) -> ScopeId {
        self.current
    }

    /// Whether code of a region that the walk has visited dominates the current block.
    #[inline]
    pub fn is_open(&self, scope: ScopeId) -> bool {
        self.open[scope.0 as usize]
    }

    /// Whether a region is in a loop.
    #[inline]
    pub fn is_in_loop(&self, scope: ScopeId) -> bool {
        self.in_loop[scope.0 as usize]
    }

    /// Advances to the next step of the walk.
    pub fn step(&mut self, body: &Body, step: Walk) {
        match step {
            Walk::Block(_) => {}
            Walk::If(_) => self.enter(false),
            Walk::Loop(_) => self.enter(true),
            Walk::Else(_) => {
                let then = self.leave();
                self.thens.push(then);
                self.enter(false);
            }
            Walk::EndLoop(_) => _ = self.leave(),
            Walk::EndIf(cf) => {
                let (els, then) = (self.leave(), self.thens.pop().unwrap_or_default());
                let Some(n) = body.as_if(cf) else { return };
                let stays = match (body.jump(n.then().last), body.jump(n.els().last)) {
                    (None, Some(_)) => then,
                    (Some(_), None) => els,
                    _ => return,
                };
                self.open[stays.0 as usize] = true;
                self.stack.push(stays);
            }
        }
    }

    fn enter(&mut self, is_loop: bool) {
        self.in_loop.push(is_loop || self.is_in_loop(self.current));
        self.current = ScopeId(self.open.len() as u32);
        self.open.push(true);
        self.frames.push((self.current, self.stack.len()));
        self.stack.push(self.current);
    }

    fn leave(&mut self) -> ScopeId {
        let Some((scope, height)) = self.frames.pop() else { return ScopeId::ROOT };
        for s in self.stack.drain(height..) {
            self.open[s.0 as usize] = false;
        }
        self.current = self.frames.last().map_or(ScopeId::ROOT, |f| f.0);
        scope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Dominance;
    use crate::body::random::random_body;
    use crate::ids::BlockId;

    #[test]
    fn open_scopes_dominate() {
        let (mut open, mut closed) = (0, 0);
        for seed in 0..200 {
            let body = random_body(seed);
            let dominance = Dominance::new(&body);
            let mut scopes = DominatingScopes::new();
            let mut visited: Vec<(BlockId, ScopeId)> = Vec::new();
            let mut next = Some(Walk::Block(body.entry()));
            while let Some(step) = next {
                scopes.step(&body, step);
                next = body.next_step(step);
                let Walk::Block(b) = step else { continue };
                for &(before, scope) in &visited {
                    let dominates = dominance.dominates(before, b);
                    if scopes.is_open(scope) {
                        assert!(dominates, "seed {seed}: {before:?}, {b:?}");
                        open += 1;
                    } else if !dominates {
                        closed += 1;
                    }
                }
                visited.push((b, scopes.current()));
            }
        }
        assert!(open > 500 && closed > 500, "{open} open, {closed} closed");
    }
}
