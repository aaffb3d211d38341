//! Values of slots, of one vertex, patch, primitive or fragment, and system values.

use airfoil_ir::{Lanes, Slot, SystemValue, bit_mask};
use smallvec::SmallVec;

/// Values by slot and component.
///
/// A slot has four components of 32 bits. A number of 64 bits takes two of them, the low half first; one of 16 or 8 bits
/// takes the low bits of one; a boolean is 0 or 1. Values that were never set, or set to an undefined value, are
/// absent.
///
/// # Examples
///
/// ```
/// use airfoil_interp::Values;
/// use airfoil_ir::Slot;
///
/// let slot = Slot::generic(0).unwrap();
/// let mut values = Values::new();
/// // The low half of a number of 64 bits comes first.
/// values.set_wide(slot, 2, 0x1_0000_0002);
/// assert_eq!([0, 2, 3].map(|c| values.get(slot, c)), [None, Some(2), Some(1)]);
/// assert_eq!(values.defined(slot), 0b1100);
/// // Colours of the two blend sources are apart.
/// values.set_of_source(Slot::FRAG_COLOR, 1, 0, 7);
/// assert_eq!(values.get(Slot::FRAG_COLOR, 0), None);
/// assert_eq!(values.of_source(Slot::FRAG_COLOR, 1, 0), Some(7));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    entries: SmallVec<[Entry; 4]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    slot: Slot,
    index: u8,
    defined: u8,
    words: [u32; 4],
}

impl Values {
    /// No values.
    pub fn new() -> Values {
        Values::default()
    }

    fn entry(&mut self, slot: Slot, index: u8) -> &mut Entry {
        let at = self.entries.iter().position(|e| e.slot == slot && e.index == index);
        let at = at.unwrap_or_else(|| {
            self.entries.push(Entry { slot, index, defined: 0, words: [0; 4] });
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }

    /// Sets a component, 0 to 3.
    pub fn set(&mut self, slot: Slot, component: u32, word: u32) {
        self.set_bits(slot, 0, component, u64::from(word), 32, false);
    }

    /// Sets a component of a fragment output with a blend source, 0 or 1.
    pub fn set_of_source(&mut self, slot: Slot, source: u8, component: u32, word: u32) {
        self.set_bits(slot, source, component, u64::from(word), 32, false);
    }

    /// Sets a whole slot to floats.
    pub fn set_floats(&mut self, slot: Slot, floats: [f32; 4]) {
        let e = self.entry(slot, 0);
        (e.words, e.defined) = (floats.map(f32::to_bits), 0xf);
    }

    /// Sets a whole slot.
    pub fn set_words(&mut self, slot: Slot, words: [u32; 4]) {
        let e = self.entry(slot, 0);
        (e.words, e.defined) = (words, 0xf);
    }

    /// Sets a number of 64 bits at an even component.
    pub fn set_wide(&mut self, slot: Slot, component: u32, value: u64) {
        self.set_bits(slot, 0, component, value, 64, false);
    }

    pub(crate) fn set_bits(
        &mut self,
        slot: Slot,
        index: u8,
        component: u32,
        value: u64,
        bits: u32,
        undef: bool,
    ) {
        let e = self.entry(slot, index);
        for (i, part) in [value, value >> 32].into_iter().enumerate().take(if bits == 64 { 2 } else { 1 }) {
            let at = (component as usize & 3) + i;
            if at > 3 {
                continue;
            }
            e.words[at] = part as u32;
            e.defined = e.defined & !(1 << at) | u8::from(!undef) << at;
        }
    }

    /// A component.
    pub fn get(&self, slot: Slot, component: u32) -> Option<u32> {
        self.of_source(slot, 0, component)
    }

    /// A component of a fragment output with a blend source, 0 or 1.
    pub fn of_source(&self, slot: Slot, source: u8, component: u32) -> Option<u32> {
        let e = self.entries.iter().find(|e| e.slot == slot && e.index == source)?;
        (component < 4 && e.defined >> component & 1 != 0).then(|| e.words[component as usize])
    }

    /// A number of 64 bits.
    pub fn wide(&self, slot: Slot, component: u32) -> Option<u64> {
        Some(u64::from(self.get(slot, component)?) | u64::from(self.get(slot, component + 1)?) << 32)
    }

    /// Bits of a component of any width, and whether they are undefined.
    pub(crate) fn bits(&self, slot: Slot, index: u8, component: u32, bits: u32) -> (u64, bool) {
        let Some(e) = self.entries.iter().find(|e| e.slot == slot && e.index == index) else {
            return (0, true);
        };
        let at = component as usize & 3;
        let need = if bits == 64 && at < 3 { 3u8 } else { 1 };
        let high = if bits == 64 { e.words.get(at + 1).copied().unwrap_or(0) } else { 0 };
        let value = (u64::from(e.words[at]) | u64::from(high) << 32) & bit_mask(bits.max(1));
        (value, e.defined >> at & need != need)
    }

    /// A slot as floats; absent components are 0, the last one 1.
    pub fn floats(&self, slot: Slot) -> Option<[f32; 4]> {
        self.entries.iter().find(|e| e.slot == slot && e.index == 0)?;
        Some(std::array::from_fn(|c| {
            self.get(slot, c as u32).map_or(if c == 3 { 1.0 } else { 0.0 }, f32::from_bits)
        }))
    }

    /// Slot, blend source, components, and a mask of the defined components.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, u8, [u32; 4], u8)> + '_ {
        self.entries.iter().map(|e| (e.slot, e.index, e.words, e.defined))
    }

    /// Mask of the defined components.
    pub fn defined(&self, slot: Slot) -> u8 {
        self.entries.iter().find(|e| e.slot == slot && e.index == 0).map_or(0, |e| e.defined)
    }

    /// Removes the values of a slot.
    pub(crate) fn remove(&mut self, slot: Slot) {
        self.entries.retain(|e| e.slot != slot);
    }

    /// Takes all values away.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(|e| e.defined == 0)
    }
}

/// System values that a caller gives.
///
/// # Examples
///
/// The shader writes `vertex_id`, which follows from the values of the draw:
///
/// ```
/// use airfoil_interp::{Config, Program, Resources, System, run::Vertex};
/// use airfoil_ir::{Slot, SystemValue};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader vertex "id" {
/// #   system_value uint id builtin=vertex_id
/// #   out uint o location=0
/// #   fn main {
/// #     %i = load_deref &id
/// #     store_deref &o, %i
/// #   }
/// # }"#).unwrap();
/// let own = System::new().with(SystemValue::vertex_id_zero_base, 3);
/// let common = System::new().with(SystemValue::base_vertex, 100);
/// assert_eq!(own.get(SystemValue::vertex_id), None);
/// let vertex = Vertex { system: own, ..Vertex::default() };
/// let out = Program::new(&shader, Config::default())?.vertex(&mut Resources::new(), &common, &[vertex])?;
/// assert_eq!(out[0].get(Slot::generic(0).unwrap(), 0), Some(103));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System(SmallVec<[(SystemValue, Lanes); 2]>);

impl System {
    /// None.
    pub fn new() -> System {
        System::default()
    }

    /// Sets a system value: raw bits of each component.
    pub fn set(&mut self, value: SystemValue, bits: Lanes) {
        match self.0.iter_mut().find(|(v, _)| *v == value) {
            Some(old) => old.1 = bits,
            None => self.0.push((value, bits)),
        }
    }

    /// With a scalar system value.
    #[must_use]
    pub fn with(mut self, value: SystemValue, bits: u64) -> System {
        self.set(value, [bits, 0, 0, 0]);
        self
    }

    /// A system value.
    pub fn get(&self, value: SystemValue) -> Option<Lanes> {
        self.0.iter().find(|(v, _)| *v == value).map(|v| v.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_their_widths() {
        let slot = Slot(70);
        let mut v = Values::new();
        assert!(v.is_empty());
        v.set_wide(slot, 2, 0x1_0000_0002);
        assert_eq!((v.get(slot, 0), v.get(slot, 2), v.get(slot, 3)), (None, Some(2), Some(1)));
        assert_eq!(v.wide(slot, 2), Some(0x1_0000_0002));
        assert_eq!(v.wide(slot, 1), None);
        assert_eq!(v.bits(slot, 0, 2, 16), (2, false));
        v.set_bits(slot, 0, 2, 0, 32, true);
        assert_eq!(v.get(slot, 2), None);
        v.set_bits(slot, 1, 0, 7, 32, false);
        assert_eq!((v.of_source(slot, 1, 0), v.get(slot, 0)), (Some(7), None));
        v.set_floats(slot, [1.0; 4]);
        assert_eq!(v.floats(slot), Some([1.0; 4]));
        assert_eq!(v.floats(Slot(71)), None);
    }
}
