//! Races: who accessed a byte since the last barrier.

/// The last accesses to memory: an epoch, and the lane or several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessor {
    pub(crate) lane: u32,
    pub(crate) atomic: bool,
    pub(crate) epoch: u32,
}

const MANY: u32 = 0x3f;

impl Accessor {
    fn tag(self) -> u32 {
        self.epoch << 8 | u32::from(self.atomic) << 7 | (self.lane + 1)
    }

    /// Whether somebody else accessed since the last barrier, and whether that was only atomically.
    fn other(self, tag: u32) -> (bool, bool) {
        let here = tag & 0x7f != 0 && tag >> 8 == self.epoch;
        (here && tag & 0x7f != self.lane + 1, tag & 0x80 != 0)
    }

    /// Records a write in `tag`; returns whether a race makes the value that was read, and the value that is now stored, undefined.
    pub(crate) fn write(self, tag: &mut u32, commutes: bool) -> (bool, bool) {
        let (other, atomic) = self.other(*tag);
        let open = other && !(self.atomic && atomic && commutes);
        *tag = if other { Accessor { lane: MANY, ..self }.tag() } else { self.tag() };
        (other, open)
    }

    /// Whether a read is left open by a race.
    pub(crate) fn read(self, tag: u32) -> bool {
        self.other(tag).0
    }
}
