//! Values: their shape, swizzles and constants.
//!
//! A value is typeless bits: one to four components of 1, 8, 16, 32 or 64 bits.
//! The operation that uses a value determines how to read it (NIR's convention).

use std::fmt;

/// Most components that a value can have.
pub const MAX_COMPONENTS: usize = 4;

/// Shape of a value: number of components and bits per component.
///
/// `comps == 0` means "no value" and is the shape of instructions that define nothing.
///
/// # Examples
///
/// ```
/// use airfoil_ir::Ty;
///
/// let bvec3 = Ty::BOOL.with_comps(3);
/// assert_eq!((bvec3.to_string(), bvec3.full_mask()), ("1x3".to_owned(), 0b111));
/// // A boolean takes four bytes in memory.
/// assert_eq!((bvec3.bytes(), bvec3.with_bits(16).bytes()), (12, 6));
/// assert!(bvec3.is_legal() && !Ty::NONE.is_legal() && !Ty::new(1, 24).is_legal());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty {
    /// Components, 1 to 4; 0 for no value.
    pub comps: u8,
    /// Bits per component: 1 (boolean), 8, 16, 32 or 64; 0 for no value.
    pub bits: u8,
}

impl Ty {
    /// Shape of an instruction that defines no value.
    pub const NONE: Ty = Ty { comps: 0, bits: 0 };
    /// One boolean.
    pub const BOOL: Ty = Ty { comps: 1, bits: 1 };
    /// One 32-bit component.
    pub const B32: Ty = Ty { comps: 1, bits: 32 };
    /// Shape of every deref: an abstract pointer, counted as one 32-bit component.
    pub const DEREF: Ty = Ty { comps: 1, bits: 32 };

    /// A shape of `comps` components of `bits` bits.
    pub const fn new(comps: u8, bits: u8) -> Ty {
        Ty { comps, bits }
    }

    /// The same number of components with another width in bits.
    pub const fn with_bits(self, bits: u8) -> Ty {
        Ty { comps: self.comps, bits }
    }

    /// The same width with another number of components.
    pub const fn with_comps(self, comps: u8) -> Ty {
        Ty { comps, bits: self.bits }
    }

    /// Whether this is the shape of an instruction without a value.
    pub const fn is_none(self) -> bool {
        self.comps == 0
    }

    /// Whether components and bits are among the legal ones.
    pub const fn is_legal(self) -> bool {
        matches!(self.comps, 1..=4) && matches!(self.bits, 1 | 8 | 16 | 32 | 64)
    }

    /// Bytes that the value takes in memory when tightly packed; booleans count as 4 bytes each.
    pub const fn bytes(self) -> u32 {
        let bits = if self.bits == 1 { 32 } else { self.bits as u32 };
        self.comps as u32 * bits / 8
    }

    /// Mask with one bit per component.
    pub const fn full_mask(self) -> u8 {
        (1u8 << self.comps) - 1
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.bits, self.comps)
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Names of components in text.
pub const COMPONENT_NAMES: [char; 4] = ['x', 'y', 'z', 'w'];

/// Which component of a source each lane of an operation reads; two bits a lane.
///
/// Lanes that the operation does not read keep their identity value, so that equal swizzles are
/// equal bits.
///
/// # Examples
///
/// ```
/// use airfoil_ir::Swizzle;
///
/// let zyx = Swizzle::from_lanes(&[2, 1, 0]);
/// // The lane that is not given reads its own component.
/// assert_eq!(format!("{zyx:?}"), "zyxw");
/// // `v.zyx.xx` is `v.zz`.
/// let xx = Swizzle::splat(0, 2);
/// assert_eq!(xx.compose(zyx, 2), Swizzle::splat(2, 2));
/// // Lanes x and z read components z and x.
/// assert_eq!(zyx.components(0b101), 0b101);
/// assert!(zyx.canonical(0).is_identity(4) && !zyx.is_identity(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Swizzle(u8);

impl Swizzle {
    /// Lane `i` reads component `i`.
    pub const IDENTITY: Swizzle = Swizzle(0b11_10_01_00);

    /// The lanes, two bits each: equal for equal swizzles.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Lane 0 reads component `c`.
    pub const fn scalar(c: usize) -> Swizzle {
        Swizzle::IDENTITY.with(0, c)
    }

    /// The first `lanes` lanes read component `c`.
    pub const fn splat(c: usize, lanes: usize) -> Swizzle {
        let mut s = Swizzle::IDENTITY;
        let mut i = 0;
        while i < lanes {
            s = s.with(i, c);
            i += 1;
        }
        s
    }

    /// Lane `i` reads component `lanes[i]`; at most four lanes count.
    pub fn from_lanes(lanes: &[u8]) -> Swizzle {
        lanes
            .iter()
            .take(MAX_COMPONENTS)
            .enumerate()
            .fold(Swizzle::IDENTITY, |s, (i, &c)| s.with(i, c as usize))
    }

    /// The component that lane `lane` reads.
    pub const fn get(self, lane: usize) -> usize {
        (self.0 >> (lane * 2)) as usize & 3
    }

    /// The set of components that a set of lanes reads; bit 0 is the first.
    pub const fn components(self, lanes: u8) -> u8 {
        let mut components = 0;
        let mut left = lanes & 15;
        while left != 0 {
            components |= 1 << self.get(left.trailing_zeros() as usize);
            left &= left - 1;
        }
        components
    }

    /// This swizzle with lane `lane` reading component `c`.
    #[must_use]
    pub const fn with(self, lane: usize, c: usize) -> Swizzle {
        Swizzle((self.0 & !(3 << (lane * 2))) | ((c as u8 & 3) << (lane * 2)))
    }

    /// Whether the first `lanes` lanes read their own component.
    pub const fn is_identity(self, lanes: usize) -> bool {
        let mask = Swizzle::mask(lanes);
        (self.0 ^ Swizzle::IDENTITY.0) & mask == 0
    }

    /// Swizzle that reads through `self` first: lane `i` gives `inner[self[i]]`, for `lanes` lanes.
    #[must_use]
    pub const fn compose(self, inner: Swizzle, lanes: usize) -> Swizzle {
        if self.is_identity(lanes) {
            return inner.canonical(lanes);
        }
        let mut s = Swizzle::IDENTITY;
        let mut i = 0;
        while i < lanes {
            s = s.with(i, inner.get(self.get(i)));
            i += 1;
        }
        s
    }

    /// The same swizzle with all lanes from `lanes` on set back to identity.
    #[must_use]
    pub const fn canonical(self, lanes: usize) -> Swizzle {
        let mask = Swizzle::mask(lanes);
        Swizzle((self.0 & mask) | (Swizzle::IDENTITY.0 & !mask))
    }

    /// The bits of the first `lanes` lanes.
    const fn mask(lanes: usize) -> u8 {
        if lanes >= 4 { 0xff } else { (1u8 << (lanes * 2)) - 1 }
    }

    /// Highest component that the first `lanes` lanes read.
    pub const fn max_component(self, lanes: usize) -> usize {
        let mut m = 0;
        let mut i = 0;
        while i < lanes {
            if self.get(i) > m {
                m = self.get(i);
            }
            i += 1;
        }
        m
    }
}

impl Default for Swizzle {
    fn default() -> Self {
        Swizzle::IDENTITY
    }
}

impl fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..4).try_for_each(|i| write!(f, "{}", COMPONENT_NAMES[self.get(i)]))
    }
}

/// Raw bits of the up to four components of a constant or of an evaluated value.
///
/// Each component is zero-extended to 64 bits; components that do not exist are 0.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Lanes, Ty, sign_extend};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let v = b.constant(Ty::new(2, 8), [1, 0x1ff, 3, 0]);
/// let negated = b.ineg(v);
/// // Bits beyond the width and lanes beyond the components are zero.
/// let lanes: &Lanes = body[v].as_const().unwrap();
/// assert_eq!(*lanes, [1, 0xff, 0, 0]);
/// assert_eq!(*body[negated].as_const().unwrap(), [0xff, 1, 0, 0]);
/// assert_eq!(sign_extend(lanes[1], 8), -1);
/// ```
pub type Lanes = [u64; MAX_COMPONENTS];

/// All ones in the low `bits` bits.
pub const fn bit_mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The `bits` low bits of `raw` read as a two's complement number. A 1-bit true reads as -1.
pub const fn sign_extend(raw: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((raw << shift) as i64) >> shift
}
