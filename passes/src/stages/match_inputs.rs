//! Matches the inputs of a fragment shader to the outputs of the stage before it.
//!
//! At slots where they differ, the variables are declared again with the components and types of the outputs, and components
//! that no output contains read as zero. OpenGL leaves them undefined. Other slots stay as they are.
//! [`match_interfaces`](super::match_interfaces) computes the option.
//!
//! ```foil-example
//! foil 1
//! shader fragment "f" {
//!   form slots
//!   in float a location=0 flat
//!   out float o location=0
//!   entry fn main {
//!     32x1 %z = const 0
//!     32x1 %0 = load_input %z io=0 dest_type=float32
//!     store_output %0, %z io=0 mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "f" {
//!   form slots
//!   out float o location=0
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = const 0
//!     store_output %1, %0 io=0 mask=x src_type=float32
//!   }
//! }
//! ```

use super::interface::{Interface, Leaf, Piece, is_varying, leaves, leaves_of, reach};
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Modes, Scalar, Shader,
    Slot, Stage, Ty, VarId, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct MatchInputs {
        /// The outputs of the stage before: `0.0.4.float32|1.0.2.int32` (slot, component, components, type of each).
        outputs: Interface = Interface::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "match_inputs",
    "matches the inputs of a fragment shader to the outputs of the stage before it",
    include_str!("match_inputs.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<MatchInputs as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for MatchInputs {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let differ = reads(shader).into_iter().filter(|read| !self.outputs.has(read));
        let slots: Vec<Slot> = differ.map(|read| read.slot).collect();
        if slots.is_empty() {
            return Ok(Changes::NONE);
        }
        let declared = self.declare(shader, &slots);
        Ok(declared
            | replace_intrinsics(shader, |_, _, i| is_read(i), |b, id, i| self.replace(b, id, i, &slots)))
    }
}

/// Whether an intrinsic reads a varying of a fragment shader.
fn is_read(i: &Intrinsic) -> bool {
    matches!(i.op, IntrinsicOp::load_input | IntrinsicOp::load_interpolated_input)
}

/// The varyings that a fragment shader reads: the declared values, or the components that are read where none is declared.
pub fn reads(shader: &Shader) -> Vec<Piece> {
    let declared = leaves(shader, Modes::IN);
    let mut list: Vec<Piece> = Vec::new();
    let Some(body) = shader.entry_body() else { return list };
    for (_, instr) in body.entries() {
        let Some(i) = instr.as_intrinsic().filter(|i| is_read(i)) else { continue };
        let first = i.component() as u8;
        let end = first.saturating_add(instr.ty.comps).min(4);
        for slot in reach(body, i).into_iter().filter(|&slot| is_varying(slot)) {
            let mut component = first;
            while component < end {
                let leaf = declared.iter().map(Leaf::piece).find(|p| p.contains(slot, component));
                let scalar = i.dest_type();
                let piece = leaf.unwrap_or(Piece { slot, component, comps: end - component, scalar });
                component = piece.component + piece.comps;
                if !list.contains(&piece) {
                    list.push(piece);
                }
            }
        }
    }
    list
}

impl MatchInputs {
    /// Declares the inputs of these slots as the outputs are.
    fn declare(&self, shader: &mut Shader, slots: &[Slot]) -> Changes {
        let flat_name = |shader: &Shader, slot| {
            leaves(shader, Modes::IN).into_iter().find(|l| l.slot == slot).map(|l| l.name)
        };
        let names: Vec<Option<airfoil_ir::Name>> =
            slots.iter().map(|&slot| flat_name(shader, slot)).collect();
        let concerns = |shader: &Shader, v: &Variable| {
            v.mode == Modes::IN
                && !v.compact
                && !v.is_per_vertex(shader.stage)
                && leaves_of(shader, v).iter().any(|l| slots.contains(&l.slot))
        };
        let old: Vec<VarId> =
            shader.vars.iter().filter(|(_, v)| concerns(shader, v)).map(|(id, _)| id).collect();
        let mut templates: Vec<(Slot, Variable)> = Vec::new();
        for id in old {
            let Some(var) = shader.vars.remove(id) else { continue };
            for leaf in leaves_of(shader, &var) {
                if slots.contains(&leaf.slot) {
                    templates.push((leaf.slot, var.clone()));
                } else {
                    declare_piece(shader, &var, leaf.piece(), &leaf.name);
                }
            }
        }
        let mut done: Vec<Slot> = Vec::new();
        for (&slot, name) in slots.iter().zip(&names) {
            if done.contains(&slot) {
                continue;
            }
            done.push(slot);
            let template = templates.iter().find(|(at, _)| *at == slot).map(|(_, v)| v.clone());
            let ty = shader.types.vector(Scalar::Float32, 4);
            let template = template.unwrap_or_else(|| Variable::new("", ty, Modes::IN));
            for piece in self.outputs.0.iter().filter(|p| p.slot == slot) {
                declare_piece(shader, &template, *piece, name.as_deref().unwrap_or_default());
            }
        }
        Changes::VARIABLES
    }

    /// Replaces a read of components that no output contains.
    fn replace(&self, b: &mut Builder<'_>, id: InstrId, i: Intrinsic, slots: &[Slot]) -> Replacement {
        let (ty, first) = (b.body[id].ty, i.component() as u8);
        let reached = reach(b.body, &i);
        let whole = |slot: Slot| (first..first + ty.comps).all(|c| self.outputs.contains(slot, c));
        if !reached.iter().any(|slot| slots.contains(slot)) || reached.iter().all(|&slot| whole(slot)) {
            return Replacement::Keep;
        }
        let offset = i.src(i.srcs().len() - 1);
        let mut result = None;
        for (n, &slot) in (0u32..).zip(&reached) {
            let value = self.read(b, &i, slot, ty);
            result = Some(match result {
                None => value,
                Some(other) => {
                    let n = b.imm_u32(n);
                    let here = b.ieq(offset, n);
                    b.bcsel(here, value, other)
                }
            });
        }
        result.map_or(Replacement::Keep, Replacement::Value)
    }

    /// Reads the components of a slot that the outputs contain; the others are zero.
    fn read(&self, b: &mut Builder<'_>, i: &Intrinsic, slot: Slot, ty: Ty) -> InstrId {
        let first = i.component() as u8;
        let known = |c: u8| self.outputs.contains(slot, first + c);
        if !(0..ty.comps).any(known) {
            return b.zero(ty);
        }
        let load = |b: &mut Builder<'_>, c: u8, ty: Ty| {
            let mut load = *i;
            let zero = b.imm_u32(0);
            load.set_src(load.srcs().len() - 1, zero);
            let io = IoSemantics { location: slot, num_slots: 1, ..load.io() };
            let load = load.with(Index::Io, io).with(Index::Component, u32::from(first + c));
            b.insert_intrinsic(load, ty)
        };
        if (0..ty.comps).all(known) {
            return load(b, 0, ty);
        }
        let one = Ty::new(1, ty.bits);
        let lanes: Vec<InstrId> =
            (0..ty.comps).map(|c| if known(c) { load(b, c, one) } else { b.zero(one) }).collect();
        b.vec(&lanes)
    }
}

/// Declares a value like a variable.
fn declare_piece(shader: &mut Shader, like: &Variable, piece: Piece, name: &str) {
    let scalar = if piece.scalar == Scalar::Any { Scalar::Float32 } else { piece.scalar };
    let ty = shader.types.vector(scalar, piece.comps);
    let mut var = like.clone();
    (var.name, var.ty, var.location) = (name.into(), ty, Some(piece.slot));
    var.component = piece.component;
    let _ = shader.add_var(var);
}
