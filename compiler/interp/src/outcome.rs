//! The observable effects of a shader, and their comparison.

use crate::hash::mix;
use crate::memory::{Memory, Name, Outside, Value};
use crate::world::output::Cell;
use airfoil_ir::alu::f64_from_bits;
use airfoil_ir::{Modes, Scalar, Slot};
use std::collections::BTreeMap;
use std::fmt;

/// How far floats may be apart.
///
/// # Examples
///
/// ```
/// use airfoil_interp::Tolerance;
///
/// let some = Tolerance::default();
/// assert!(some.accepts(1000.0, 1000.05) && !some.accepts(1.0, 1.05));
/// assert!(Tolerance::EXACT.accepts(f64::NAN, -f64::NAN));
/// // Words of buffers have no type. Small integers are denormal floats, which are compared exactly.
/// assert!(some.accepts_words(1f32.to_bits(), 1.00001f32.to_bits()));
/// assert!(!some.accepts_words(1_000_000, 1_000_001));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Relative difference.
    pub relative: f64,
}

impl Tolerance {
    /// All bits equal, but for the bits of NaN.
    pub const EXACT: Tolerance = Tolerance { relative: 0.0 };

    /// Whether two floats are equal within the tolerance.
    pub fn accepts(self, a: f64, b: f64) -> bool {
        (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= self.relative * a.abs().max(b.abs())
    }

    /// Whether words of memory, the type of which is not known, are equal. Those that look like ordinary floats are compared as such.
    pub fn accepts_words(self, a: u32, b: u32) -> bool {
        let ordinary = |w: u32| f32::from_bits(w).is_normal() || f32::from_bits(w).is_nan();
        let float = |w: u32| f64::from(f32::from_bits(w));
        a == b || (ordinary(a) && ordinary(b) && self.accepts(float(a), float(b)))
    }
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { relative: 1e-4 }
    }
}

/// The first difference between two outcomes.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Options, Tolerance, execute};
///
/// let outcome = |value: &str| {
///     let item = format!("out float x location=3\nfn main {{\n32x1 %x = const {value}\nstore_deref &x, %x\n}}");
///     let shader = airfoil_ir::text::parse(&format!("foil 1\nshader vertex \"v\" {{\n{item}\n}}")).unwrap();
///     execute(&shader, &Options::default()).unwrap()
/// };
/// let found = outcome("1.0").difference(&outcome("2.0"), Tolerance::default()).unwrap();
/// assert_eq!(
///     found.to_string(),
///     "output 3, component 0, invocation 0 was 1 (0x3f800000), is 2 (0x40000000)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which output, buffer or texel.
    pub name: String,
    /// Its value in the first outcome.
    pub before: String,
    /// Its value in the second outcome.
    pub after: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was {}, is {}", self.name, self.before, self.after)
    }
}

/// Bytes of a storage block that was written, with its initial bytes and the mask of undefined ones.
#[derive(Clone, Debug)]
struct Buffer {
    initial: Vec<u8>,
    bytes: Vec<u8>,
    undef: Vec<bool>,
}

/// Name of a component of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Component {
    /// Invocation, vertex of the patch or mesh, or primitive.
    pub(crate) lane: u32,
    /// One more than the index of an emitted vertex; 0 for outputs at the end of the shader.
    pub(crate) vertex: u32,
    pub(crate) slot: u8,
    pub(crate) unit: u32,
    /// Blend source.
    pub(crate) index: u8,
}

/// Slot of the components that record ends of primitives and the size of a mesh.
pub(crate) const END: u8 = 255;

/// A texel of a storage image that was written.
#[derive(Debug)]
pub(crate) struct TexelCell {
    /// The image.
    pub(crate) object: u32,
    pub(crate) at: [i32; 4],
    pub(crate) sample: i32,
    pub(crate) value: Value,
    pub(crate) scalar: Scalar,
}

type TexelName = (Name, [i32; 4], i32, u8);

/// The observable effects of a group of invocations.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Options, Tolerance, execute};
///
/// let outcome = |code: &str| {
///     let text = format!("foil 1\nshader vertex \"v\" {{\nout uint x location=0\nfn main {{\n{code}\n}} }}");
///     execute(&airfoil_ir::text::parse(&text).unwrap(), &Options::default()).unwrap()
/// };
/// let sum = outcome("32x1 %a = const 3\n%b = iadd %a, %a\nstore_deref &x, %b");
/// let folded = outcome("32x1 %b = const 6\nstore_deref &x, %b");
/// assert_eq!(sum.difference(&folded, Tolerance::EXACT), None);
/// assert_eq!(sum.digest(), folded.digest());
/// assert!(sum.steps > folded.steps);
/// // Undefined values may become anything, but not the reverse.
/// let open = outcome("32x1 %u = undef\nstore_deref &x, %u");
/// assert_eq!((open.num_compared(), sum.num_compared()), (0, 4));
/// assert!(open.difference(&sum, Tolerance::EXACT).is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Outcome {
    outputs: BTreeMap<Component, Cell>,
    buffers: BTreeMap<Name, Buffer>,
    texels: BTreeMap<TexelName, Cell>,
    global: BTreeMap<u64, (u8, bool)>,
    discarded: u64,
    lanes: u32,
    outside: Option<Outside>,
    /// Instructions that were executed, counted once per lane.
    pub steps: u64,
}

impl Outcome {
    pub(crate) fn new(
        outputs: BTreeMap<Component, Cell>,
        memory: &Memory,
        texels: impl Iterator<Item = TexelCell>,
        discarded: u64,
        lanes: u32,
        steps: u64,
    ) -> Outcome {
        let buffers = memory.objects.iter().filter(|o| o.mode == Modes::SSBO);
        let buffers = buffers.filter_map(|o| {
            let (bytes, undef) = (o.bytes.clone(), o.undef.clone());
            Some((o.name.clone(), Buffer { initial: o.initial.clone()?, bytes, undef }))
        });
        let texels = texels.flat_map(|t| {
            let name = memory.objects[t.object as usize].name.clone();
            (0..4u8).map(move |c| {
                let undef = t.value.undef >> c & 1 != 0;
                let cell = Cell { bits: t.value.bits[usize::from(c)], scalar: t.scalar, undef };
                ((name.clone(), t.at, t.sample, c), cell)
            })
        });
        Outcome {
            outputs,
            buffers: buffers.collect(),
            texels: texels.collect(),
            global: memory.global.iter().map(|(&at, &(byte, undef, _))| (at, (byte, undef))).collect(),
            discarded,
            lanes,
            outside: memory.outside.clone(),
            steps,
        }
    }

    /// Number of defined values, which are the ones that are compared: output components, changed bytes, texels, bytes at
    /// addresses.
    pub fn num_compared(&self) -> usize {
        let buffers = self.buffers.values().map(|b| {
            let known = b.undef.iter().zip(b.bytes.iter().zip(&b.initial));
            known.filter(|(undef, (now, then))| !**undef && now != then).count()
        });
        let cells = self.outputs.values().chain(self.texels.values()).filter(|c| !c.undef).count();
        let bytes = self.global.values().filter(|(_, undef)| !undef).count();
        buffers.sum::<usize>() + cells + bytes
    }

    /// Forgets the outputs at some slots, so that they are not compared.
    pub fn forget_outputs(&mut self, slots: &[Slot]) {
        self.outputs.retain(|c, _| !slots.contains(&Slot(c.slot)));
    }

    /// Makes the values undefined that differ from `other`, another execution of the same shader: they depend on
    /// unspecified choices. False if the executions differ as a whole.
    pub fn forget_unstable(&mut self, other: &Outcome, tolerance: Tolerance) -> bool {
        let same_keys = self.outputs.keys().eq(other.outputs.keys())
            && self.texels.keys().eq(other.texels.keys())
            && self.buffers.keys().eq(other.buffers.keys())
            && self.global == other.global;
        if !same_keys || self.discarded != other.discarded {
            return false;
        }
        let cells = self.outputs.values_mut().zip(other.outputs.values());
        for (cell, moved) in cells.chain(self.texels.values_mut().zip(other.texels.values())) {
            cell.undef |= moved.undef || !same(*cell, *moved, tolerance);
        }
        for (buffer, moved) in self.buffers.values_mut().zip(other.buffers.values()) {
            let words = buffer.bytes.chunks(4).zip(moved.bytes.chunks(4));
            for ((undef, other), (a, b)) in buffer.undef.chunks_mut(4).zip(moved.undef.chunks(4)).zip(words) {
                let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
                let stable = a == b || (a.len() == 4 && tolerance.accepts_words(word(a), word(b)));
                undef.iter_mut().zip(other).for_each(|(u, o)| *u |= *o || !stable);
            }
        }
        true
    }

    /// The first difference to `other`, the outcome of a changed shader. Values that are undefined here may be anything there.
    pub fn difference(&self, other: &Outcome, tolerance: Tolerance) -> Option<Difference> {
        if self.discarded != other.discarded {
            let mask = |m: u64| format!("{m:#0w$b}", w = self.lanes as usize + 2);
            let (before, after) = (mask(self.discarded), mask(other.discarded));
            return Some(Difference { name: "the mask of discarded invocations".into(), before, after });
        }
        let cells = self.outputs.iter().map(|(k, c)| (c, other.outputs.get(k), Shown::Output(k)));
        let texels = self.texels.iter().map(|(k, c)| (c, other.texels.get(k), Shown::Texel(k)));
        for (before, after, name) in cells.chain(texels) {
            if before.undef || after.is_some_and(|a| same(*before, *a, tolerance)) {
                continue;
            }
            let after = after.map_or("not written".into(), |a| show(a.bits, before.scalar));
            return Some(Difference {
                name: name.to_string(),
                before: show(before.bits, before.scalar),
                after,
            });
        }
        for (name, b) in &self.buffers {
            let now = other.buffers.get(name).map_or(&b.initial, |o| &o.bytes);
            if let Some(d) = buffer(name, b, now, tolerance) {
                return Some(d);
            }
        }
        // Buffers that only the changed shader writes.
        for (name, o) in other.buffers.iter().filter(|(n, _)| !self.buffers.contains_key(n)) {
            let undef = vec![false; o.initial.len()];
            let kept = Buffer { initial: o.initial.clone(), bytes: o.initial.clone(), undef };
            if let Some(d) = buffer(name, &kept, &o.bytes, tolerance) {
                return Some(d);
            }
        }
        if let Some((name, cell)) = other.texels.iter().find(|(n, _)| !self.texels.contains_key(n)) {
            let after = show(cell.bits, cell.scalar);
            return Some(Difference {
                name: Shown::Texel(name).to_string(),
                before: "not written".into(),
                after,
            });
        }
        if let Some(outside) = other.outside.as_ref().filter(|o| self.outside.is_none() && !o.wild) {
            return Some(Difference {
                name: "access to buffers".into(),
                before: "in bounds".into(),
                after: outside.message.clone(),
            });
        }
        let mut bytes = self.global.iter().filter(|(_, b)| !b.1);
        let (at, byte) = bytes.find(|(at, b)| other.global.get(at).map(|o| o.0) != Some(b.0))?;
        let after = other.global.get(at).map_or("not written".into(), |o| o.0.to_string());
        Some(Difference { name: format!("the byte at address {at:#x}"), before: byte.0.to_string(), after })
    }

    /// A number that sums up everything that is defined.
    pub fn digest(&self) -> u64 {
        let mut h = self.discarded;
        for c in self.outputs.values().chain(self.texels.values()).filter(|c| !c.undef) {
            h = mix(h, c.bits);
        }
        for b in self.buffers.values() {
            let known = b.bytes.iter().zip(&b.undef).filter(|(_, undef)| !**undef);
            h = known.fold(h, |h, (&byte, _)| mix(h, u64::from(byte)));
        }
        for (&at, &(byte, _)) in self.global.iter().filter(|(_, (_, undef))| !undef) {
            h = mix(mix(h, at), u64::from(byte));
        }
        h
    }
}

enum Shown<'a> {
    Output(&'a Component),
    Texel(&'a TexelName),
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Output(c) => {
                write!(f, "output {}, component {}", Slot(c.slot), c.unit)?;
                if c.index != 0 {
                    write!(f, ", index {}", c.index)?;
                }
                write!(f, ", invocation {}", c.lane)?;
                if c.vertex != 0 {
                    write!(f, ", emitted vertex {}", c.vertex - 1)?;
                }
                Ok(())
            }
            Shown::Texel((name, at, sample, c)) => {
                write!(
                    f,
                    "component {c} of the texel {at:?} (sample {sample}) of `{}`[{}]",
                    name.name, name.element
                )
            }
        }
    }
}

fn same(a: Cell, b: Cell, tolerance: Tolerance) -> bool {
    let bits = u32::from(a.scalar.bits());
    a.bits == b.bits
        || (a.scalar.is_float() && tolerance.accepts(f64_from_bits(a.bits, bits), f64_from_bits(b.bits, bits)))
        // A boolean in a variable is a word in a slot.
        || (a.scalar == Scalar::Bool && (a.bits != 0) == (b.bits != 0))
}

fn show(bits: u64, scalar: Scalar) -> String {
    if scalar.is_float() {
        return format!("{} ({bits:#x})", f64_from_bits(bits, u32::from(scalar.bits())));
    }
    format!("{bits} ({bits:#x})")
}

/// Compares a buffer word by word. Its words have no types: those that look like ordinary floats are compared as such.
fn buffer(name: &Name, before: &Buffer, now: &[u8], tolerance: Tolerance) -> Option<Difference> {
    let words = before.bytes.chunks(4).zip(now.chunks(4)).zip(before.undef.chunks(4));
    for (i, ((a, b), undef)) in words.enumerate() {
        if a == b || a.iter().zip(b).zip(undef).all(|((a, b), u)| a == b || *u) {
            continue;
        }
        let word = |bytes: &[u8]| {
            let mut raw = [0; 4];
            raw[..bytes.len()].copy_from_slice(bytes);
            u32::from_le_bytes(raw)
        };
        let (x, y) = (word(a), word(b));
        if a.len() == 4 && tolerance.accepts_words(x, y) {
            continue;
        }
        let place = if name.set == u32::MAX {
            String::new()
        } else {
            format!(" (set {}, binding {})", name.set, name.binding)
        };
        return Some(Difference {
            name: format!("buffer `{}`{place}[{}], byte {}", name.name, name.element, i * 4),
            before: format!("{x:#x} ({})", f32::from_bits(x)),
            after: format!("{y:#x} ({})", f32::from_bits(y)),
        });
    }
    None
}
