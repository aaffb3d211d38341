//! Locations of inputs and outputs.

use std::fmt;

/// Location of an input or output: a built-in or a generic location.
///
/// One numbering serves all stages, so that the two ends of an interface compare directly. Numbered
/// locations start at [`Slot::GENERIC`], per-patch ones at [`Slot::PATCH`]; vertex attributes and colour
/// attachments are numbered locations too.
///
/// # Examples
///
/// ```
/// use airfoil_ir::Slot;
///
/// // One numbering holds built-in, numbered and per-patch locations.
/// let slots = [Slot::from_name("clip_dist1"), Slot::generic(5), Slot::patch(5)].map(Option::unwrap);
/// assert_eq!(slots.map(|s| s.to_string()), ["clip_dist1", "5", "patch5"]);
/// assert!(slots.is_sorted());
/// assert_eq!(slots[0], Slot::CLIP_DIST0.offset(1).unwrap());
/// // They do not overlap.
/// assert_eq!(Slot::generic(u32::from(Slot::NUM_GENERIC)), None);
/// assert_eq!(slots[2].as_generic(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u8);

macro_rules! slots {
    ($( $(#[doc = $doc:literal])+ $name:ident = $n:literal $text:literal; )+) => {
        impl Slot {
            $( $(#[doc = $doc])+ pub const $name: Slot = Slot($n); )+
        }
        /// Name of every built-in slot.
        pub const SLOT_NAMES: &[(&str, Slot)] = &[$( ($text, Slot::$name), )+];
    };
}

slots! {
    /// `gl_Position`.
    POSITION = 0 "position";
    /// `gl_PointSize`.
    POINT_SIZE = 1 "point_size";
    /// `gl_ClipDistance`, elements 0 to 3.
    CLIP_DIST0 = 2 "clip_dist0";
    /// `gl_ClipDistance`, elements 4 to 7.
    CLIP_DIST1 = 3 "clip_dist1";
    /// `gl_CullDistance`, elements 0 to 3.
    CULL_DIST0 = 4 "cull_dist0";
    /// `gl_CullDistance`, elements 4 to 7.
    CULL_DIST1 = 5 "cull_dist1";
    /// `gl_ClipVertex`.
    CLIP_VERTEX = 6 "clip_vertex";
    /// `gl_PrimitiveID` between stages.
    PRIMITIVE_ID = 7 "primitive_id";
    /// `gl_Layer`.
    LAYER = 8 "layer";
    /// `gl_ViewportIndex`.
    VIEWPORT = 9 "viewport";
    /// `gl_FrontFacing` as an input.
    FACE = 10 "face";
    /// `gl_PointCoord` as an input.
    POINT_COORD = 11 "point_coord";
    /// `gl_TessLevelOuter`.
    TESS_LEVEL_OUTER = 12 "tess_level_outer";
    /// `gl_TessLevelInner`.
    TESS_LEVEL_INNER = 13 "tess_level_inner";
    /// `gl_FragDepth`.
    DEPTH = 14 "depth";
    /// Stencil reference written by the fragment stage.
    STENCIL = 15 "stencil";
    /// `gl_SampleMask`.
    SAMPLE_MASK = 16 "sample_mask";
    /// `gl_FragColor`: broadcast to all colour attachments.
    FRAG_COLOR = 17 "frag_color";
    /// Front colour of the compatibility profile.
    COLOR0 = 18 "color0";
    /// Front secondary colour.
    COLOR1 = 19 "color1";
    /// Back colour.
    BACK_COLOR0 = 20 "back_color0";
    /// Back secondary colour.
    BACK_COLOR1 = 21 "back_color1";
    /// Fog coordinate.
    FOG = 22 "fog";
    /// Edge flag.
    EDGE = 23 "edge";
    /// `gl_TexCoord[0]`.
    TEX0 = 24 "tex0";
    /// `gl_TexCoord[1]`.
    TEX1 = 25 "tex1";
    /// `gl_TexCoord[2]`.
    TEX2 = 26 "tex2";
    /// `gl_TexCoord[3]`.
    TEX3 = 27 "tex3";
    /// `gl_TexCoord[4]`.
    TEX4 = 28 "tex4";
    /// `gl_TexCoord[5]`.
    TEX5 = 29 "tex5";
    /// `gl_TexCoord[6]`.
    TEX6 = 30 "tex6";
    /// `gl_TexCoord[7]`.
    TEX7 = 31 "tex7";
    /// Shading rate.
    SHADING_RATE = 32 "shading_rate";
    /// Primitive indices of a mesh shader.
    PRIMITIVE_INDICES = 33 "primitive_indices";
    /// Culled flag of a mesh primitive.
    CULL_PRIMITIVE = 34 "cull_primitive";
    /// View index.
    VIEW_INDEX = 35 "view_index";
    /// Bounding box of a patch.
    BOUNDING_BOX = 36 "bounding_box";
}

impl Slot {
    /// First numbered location.
    pub const GENERIC: u8 = 64;
    /// First per-patch location.
    pub const PATCH: u8 = 160;
    /// Number of numbered locations.
    pub const NUM_GENERIC: u8 = Self::PATCH - Self::GENERIC;
    /// Number of per-patch locations.
    pub const NUM_PATCH: u8 = 64;

    /// Numbered location `n`; `None` if `n` is 96 or more.
    pub fn generic(n: u32) -> Option<Slot> {
        (n < u32::from(Self::NUM_GENERIC)).then(|| Slot(Self::GENERIC + n as u8))
    }

    /// Per-patch location `n`; `None` if `n` is 64 or more.
    pub fn patch(n: u32) -> Option<Slot> {
        (n < u32::from(Self::NUM_PATCH)).then(|| Slot(Self::PATCH + n as u8))
    }

    /// The index of a generic location.
    pub fn as_generic(self) -> Option<u32> {
        (Self::GENERIC..Self::PATCH).contains(&self.0).then(|| u32::from(self.0 - Self::GENERIC))
    }

    /// The index of a per-patch location.
    pub fn as_patch(self) -> Option<u32> {
        (Self::PATCH..Self::PATCH + Self::NUM_PATCH)
            .contains(&self.0)
            .then(|| u32::from(self.0 - Self::PATCH))
    }

    /// The slot `n` further on; `None` past the last.
    pub fn offset(self, n: u32) -> Option<Slot> {
        u8::try_from(u32::from(self.0).checked_add(n)?).ok().map(Slot)
    }

    /// Slot of a built-in's name.
    pub fn from_name(name: &str) -> Option<Slot> {
        SLOT_NAMES.iter().find(|(n, _)| *n == name).map(|&(_, s)| s)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(n) = self.as_generic() {
            write!(f, "{n}")
        } else if let Some(n) = self.as_patch() {
            write!(f, "patch{n}")
        } else if let Some((name, _)) = SLOT_NAMES.iter().find(|(_, s)| s == self) {
            f.write_str(name)
        } else {
            write!(f, "slot{}", self.0)
        }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({self})")
    }
}

/// A set of slots.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Slot, SlotSet};
///
/// let mut written = SlotSet::default();
/// for slot in [Slot::patch(1).unwrap(), Slot::generic(3).unwrap(), Slot::POSITION] {
///     written.insert(slot);
/// }
/// assert!(written.contains(Slot::POSITION) && !written.contains(Slot::POINT_SIZE));
/// // Built-in slots first, then numbered, then per-patch ones.
/// let names: Vec<_> = written.iter().map(|slot| slot.to_string()).collect();
/// assert_eq!(names, ["position", "3", "patch1"]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SlotSet([u64; 4]);

impl SlotSet {
    /// Adds a slot.
    pub fn insert(&mut self, slot: Slot) {
        self.0[slot.0 as usize / 64] |= 1 << (slot.0 % 64);
    }

    /// Whether the slot is in the set.
    pub fn contains(&self, slot: Slot) -> bool {
        self.0[slot.0 as usize / 64] & (1 << (slot.0 % 64)) != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The slots in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..=255u8).map(Slot).filter(|&s| self.contains(s))
    }
}

impl fmt::Debug for SlotSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
