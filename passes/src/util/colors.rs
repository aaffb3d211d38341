//! Stores of colors: outputs of fragments, and colors of vertices in the compatibility profile.

use super::outputs::{set_stored, slot_store, written_slot};
use crate::Changes;
use airfoil_ir::{AluFlags, AluOp, Body, Builder, InstrId, InstrKind, IntrinsicOp, Scalar, Slot, Ty};

/// A store of a fragment's color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorStore {
    /// The store.
    pub id: InstrId,
    /// Color attachment; `None` for `gl_FragColor`, which writes all of them.
    pub attachment: Option<u32>,
    /// Blend source, 0 or 1.
    pub source: u8,
}

/// The store of a fragment's color, if an instruction is one.
pub fn color_store(body: &Body, id: InstrId) -> Option<ColorStore> {
    let store = slot_store(body, id)?;
    let attachment = match written_slot(body, store)? {
        Slot::FRAG_COLOR => None,
        slot => Some(slot.as_generic()?),
    };
    Some(ColorStore { id, attachment, source: store.io().dual_source })
}

/// The stores of colors of a fragment shader.
pub fn color_stores(body: &Body) -> Vec<ColorStore> {
    body.all_instrs().filter_map(|id| color_store(body, id)).collect()
}

/// Whether a store writes floats of 32 bits.
pub fn stores_floats(body: &Body, id: InstrId) -> bool {
    slot_store(body, id).is_some_and(|store| {
        matches!(store.src_type(), Scalar::Float32 | Scalar::Any) && body[store.src(0)].ty.bits == 32
    })
}

/// The lane of the stored value that is written to a component of the slot, if any.
pub fn stored_lane(body: &Body, id: InstrId, component: u32) -> Option<usize> {
    let store = slot_store(body, id)?;
    let lane = component.checked_sub(store.component())?;
    let is_written = lane < u32::from(body[store.src(0)].ty.comps) && store.write_mask() >> lane & 1 != 0;
    is_written.then_some(lane as usize)
}

/// Clamps the stored values of the stores that `is_color` selects to 0 to 1, unless they are clamped already.
pub fn saturate(body: &mut Body, is_color: impl Fn(&Body, InstrId) -> bool) -> Changes {
    let in_range = |lane: u64| (0.0..=1.0).contains(&f32::from_bits(lane as u32));
    let is_clamped = |value: InstrId| match &body[value].kind {
        InstrKind::Alu(alu) => alu.op == AluOp::fsat,
        InstrKind::Const(lanes) => lanes[..usize::from(body[value].ty.comps)].iter().all(|&x| in_range(x)),
        _ => false,
    };
    let stores: Vec<(InstrId, InstrId)> = body
        .all_instrs()
        .filter(|&id| is_color(body, id))
        .filter_map(|id| Some((id, slot_store(body, id)?.src(0))))
        .filter(|&(_, value)| !is_clamped(value))
        .collect();
    for &(store, value) in &stores {
        let mut b = Builder::before(body, store);
        b.flags = AluFlags::EXACT;
        let clamped = b.fsat(value);
        set_stored(body, store, clamped);
    }
    Changes::INSTRUCTIONS.when(!stores.is_empty())
}

/// Applies the part of the pixel that a primitive covers, which is computed at the start of the body (OpenGL 4.6 section 17.1):
/// multiplies the alpha of the colors by it, except that of the second blend source. Fragments outside are discarded if they may
/// be.
pub fn cover(mut b: Builder<'_>, covered: InstrId, may_discard: bool) {
    if may_discard {
        let zero = b.imm_f32(0.0);
        let outside = b.fge(zero, covered);
        b.intrinsic(IntrinsicOp::demote_if, Ty::NONE, &[outside]);
    }
    let body = b.body;
    for color in color_stores(body) {
        if color.source != 0 || !stores_floats(body, color.id) {
            continue;
        }
        let Some((value, lane)) =
            slot_store(body, color.id).map(|s| s.src(0)).zip(stored_lane(body, color.id, 3))
        else {
            continue;
        };
        let mut b = Builder::before(body, color.id);
        let alpha = b.channel(value, lane);
        let alpha = b.fmul(alpha, covered);
        let scaled = b.vector_insert(value, alpha, lane);
        set_stored(body, color.id, scaled);
    }
}
