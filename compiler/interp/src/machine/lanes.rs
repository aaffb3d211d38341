//! Masks of invocations in lock step.

/// Maximum number of lanes in lock step.
pub(crate) const MAX_LANES: usize = 64;

/// Lanes of a mask in ascending order.
pub(crate) fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}
