//! Removes phis whose sources are all the same value.
//!
//! Accepts any form. Preserves control flow. Sources that are the phi itself are ignored. An undefined source
//! may take the other value if that value is defined before the phi, in a block that strictly dominates the
//! phi's block. A value defined in the phi's own block is loop-carried: at the phi it belongs to the previous
//! iteration, so `phi entry: undef, latch: %i` differs from `%i` even if `%i` is a phi of the same loop
//! header. Equal constants count as one value, and the phi becomes that constant. A phi of undefined values
//! only is undefined.
//!
//! Source: NIR's `nir_opt_remove_phis`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = ine %1, %0
//! if %2 {
//!   b1:
//! } else {
//!   b2:
//! }
//! b3:
//! %3 = phi b1: %1, b2: %1
//! store_output %3, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = ine %1, %0
//! if %2 {
//!   b1:
//! } else {
//!   b2:
//! }
//! b3:
//! store_output %1, %0 io=0 mask=x
//! ```

use crate::{Changes, Constructs, Context, Pass, PassInfo};
use airfoil_ir::analysis::Analyses;
use airfoil_ir::{BlockId, Body, Diagnostic, InstrGroup, InstrId, InstrKind, Replacements, Shader};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct RemovePhis;

static INFO: PassInfo =
    PassInfo::new("remove_phis", "removes phis whose sources are all equal", include_str!("remove_phis.rs"))
        .reads(Changes::VALUES.union(Changes::CONTROL_FLOW))
        .needs(Constructs::PHI);

impl Pass for RemovePhis {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
        let mut progress = Changes::NONE;
        for (id, function) in &mut shader.functions {
            progress |=
                (Changes::VALUES | Changes::AGAIN).when(remove(&mut function.body, context.analyses(id)));
        }
        Ok(progress)
    }
}

/// The replacement of a phi.
pub(super) enum Only {
    /// A value available at the phi.
    Value(InstrId),
    /// A constant with the bits of this one, or an undefined value; created at the phi.
    Copy(InstrId),
}

fn remove(body: &mut Body, analyses: &mut Analyses) -> bool {
    if !body.has(InstrGroup::Phi) {
        return false;
    }
    let mut replaced = Replacements::default();
    let mut dead: Vec<InstrId> = Vec::new();
    let mut progress = false;
    let mut block = Some(body.entry());
    while let Some(b) = block {
        let mut next = body.first_instr(b);
        // Phis that become constants move after the remaining phis.
        let mut constants: Vec<InstrId> = Vec::new();
        while let Some(id) = next.filter(|&id| body[id].as_phi().is_some()) {
            next = body.next(id);
            match only_source(body, id, b, &replaced, analyses) {
                None => {}
                Some(Only::Value(v)) => {
                    replaced.insert(id, v);
                    dead.push(id);
                }
                Some(Only::Copy(v)) => {
                    body.set_kind(id, body[v].kind.clone());
                    constants.push(id);
                }
            }
        }
        for id in constants {
            progress = true;
            // `next` was the first instruction after the phis before constants were inserted.
            let at = next.map_or(airfoil_ir::Cursor::BlockEnd(b), airfoil_ir::Cursor::Before);
            body.move_to(id, at);
        }
        block = body.next_block(b);
    }
    body.replace_all(&replaced);
    for &id in &dead {
        // Replaced phis may use each other.
        body.set_kind(id, InstrKind::Undef);
    }
    for &id in &dead {
        body.remove(id);
    }
    progress || !dead.is_empty()
}

pub(super) fn only_source(
    body: &Body,
    phi: InstrId,
    block: BlockId,
    replaced: &Replacements,
    analyses: &mut Analyses,
) -> Option<Only> {
    let mut only: Option<InstrId> = None;
    let mut undef: Option<InstrId> = None;
    let mut copies = false;
    for src in body[phi].as_phi()? {
        let value = replaced.resolve(src.value);
        if value == phi {
            continue;
        }
        if matches!(body[value].kind, InstrKind::Undef) {
            undef = Some(value);
            continue;
        }
        match only {
            None => only = Some(value),
            Some(v) if v == value => {}
            Some(v) if body[v].as_const().is_some() && body[v].as_const() == body[value].as_const() => {
                copies = true;
            }
            Some(_) => return None,
        }
    }
    match (only, undef) {
        (Some(v), _) if copies => Some(Only::Copy(v)),
        (Some(v), None) => Some(Only::Value(v)),
        (Some(v), Some(_)) if body[v].as_const().is_some() => Some(Only::Copy(v)),
        (Some(v), Some(_)) => {
            let def = body.block_of(v);
            // A value of the same block reaches the phi over a back edge: it belongs to the previous
            // iteration. Every block dominates one that cannot be reached, those of the loop after the header, too.
            let dominance = analyses.dominance(body);
            let available = def != block && dominance.is_reachable(block) && dominance.dominates(def, block);
            available.then_some(Only::Value(v))
        }
        (None, Some(u)) => Some(Only::Copy(u)),
        // Only itself: a loop that is never entered.
        (None, None) => None,
    }
}
