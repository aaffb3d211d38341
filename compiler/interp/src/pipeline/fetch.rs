//! Framebuffer fetch: outputs of a fragment shader that start with the colour of their attachment.

use airfoil_ir::{Body, DerefKind, Form, InstrId, IntrinsicOp, Modes, Shader, Slot, SlotSet, VarId};

/// An output whose initial value the shader may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fetched {
    /// The output.
    pub slot: Slot,
    /// Its attachment.
    pub attachment: usize,
    /// The shader writes it, too.
    pub is_written: bool,
}

/// The outputs that a fragment shader reads before it writes them.
pub(super) fn outputs(shader: &Shader) -> Vec<Fetched> {
    let mut written = SlotSet::default();
    let mut read = SlotSet::default();
    let insert = |set: &mut SlotSet, slot: Slot, count: u32| {
        (0..count).map_while(|n| slot.offset(n)).for_each(|slot| set.insert(slot));
    };
    let slots = |var: VarId| {
        let v = &shader.vars[var];
        v.location.map(|slot| (slot, shader.types.num_slots(v.ty)))
    };
    for (var, _) in shader.vars.iter().filter(|(_, v)| v.fetched && shader.form == Form::Variables) {
        slots(var).into_iter().for_each(|(slot, count)| insert(&mut read, slot, count));
    }
    if read.is_empty() && shader.form == Form::Variables {
        return Vec::new();
    }
    for body in shader.functions.values().map(|f| &f.body) {
        for id in body.all_instrs().filter(|&id| body[id].as_deref().is_none()) {
            let intrinsic = body[id].as_intrinsic();
            match intrinsic.map(|i| i.op) {
                Some(IntrinsicOp::load_deref) => {}
                Some(op @ (IntrinsicOp::load_output | IntrinsicOp::store_output)) => {
                    let set = if op == IntrinsicOp::load_output { &mut read } else { &mut written };
                    let io = intrinsic.map(|i| i.io());
                    io.into_iter().for_each(|io| insert(set, io.location, io.num_slots.into()));
                }
                _ => body[id].visit_operands(|operand| {
                    let output = output(body, operand).and_then(slots);
                    output.into_iter().for_each(|(slot, count)| insert(&mut written, slot, count));
                }),
            }
        }
    }
    let attachment = |slot: Slot| if slot == Slot::FRAG_COLOR { Some(0) } else { slot.as_generic() };
    let fetched = |slot: Slot| {
        let attachment = attachment(slot)? as usize;
        Some(Fetched { slot, attachment, is_written: written.contains(slot) })
    };
    read.iter().filter_map(fetched).collect()
}

/// The output that a deref leads to.
fn output(body: &Body, mut id: InstrId) -> Option<VarId> {
    loop {
        let deref = body[id].as_deref().filter(|d| d.modes.intersects(Modes::OUT))?;
        match deref.kind {
            DerefKind::Var(var) => return Some(var),
            _ => id = deref.parent()?,
        }
    }
}
