//! Kinds of textures: Metal's handle types, and the operands that functions on them take.

use airfoil_ir::Dim;

/// A kind of texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureKind {
    /// Word in function names and, with `struct._` and `_t` around it, in the handle type.
    pub name: &'static str,
    /// Handle type.
    pub handle: &'static str,
    /// Metal's name of the type.
    pub metal: &'static str,
    /// Components of a coordinate for sampling, without layer.
    pub coords: u8,
    /// Has layers.
    pub arrayed: bool,
    /// Has faces.
    pub cube: bool,
    /// Has samples.
    pub multisampled: bool,
    /// Holds depth.
    pub depth: bool,
    /// Sampling takes an offset, of this many components; 0 if it takes none.
    pub offset: u8,
    /// Functions take a level.
    pub levels: bool,
}

macro_rules! texture_kinds {
    ($($name:literal $metal:literal $coords:literal $arrayed:literal $cube:literal $ms:literal $depth:literal $offset:literal $levels:literal;)*) => {
        static KINDS: &[TextureKind] = &[$(TextureKind {
            name: $name,
            handle: concat!("struct._", $name, "_t"),
            metal: $metal,
            coords: $coords,
            arrayed: $arrayed,
            cube: $cube,
            multisampled: $ms,
            depth: $depth,
            offset: $offset,
            levels: $levels,
        }),*];
    };
}

texture_kinds! {
    // name               metal               coords arrayed cube ms depth offset levels
    "texture_1d"          "texture1d"          1 false false false false 1 true;
    "texture_1d_array"    "texture1d_array"    1 true  false false false 1 true;
    "texture_2d"          "texture2d"          2 false false false false 2 true;
    "texture_2d_array"    "texture2d_array"    2 true  false false false 2 true;
    "texture_2d_ms"       "texture2d_ms"       2 false false true  false 0 false;
    "texture_2d_ms_array" "texture2d_ms_array" 2 true  false true  false 0 false;
    "texture_3d"          "texture3d"          3 false false false false 3 true;
    "texture_cube"        "texturecube"        3 false true  false false 0 true;
    "texture_cube_array"  "texturecube_array"  3 true  true  false false 0 true;
    "texture_buffer_1d"   "texture_buffer"     1 false false false false 0 false;
    "depth_2d"            "depth2d"            2 false false false true  2 true;
    "depth_2d_array"      "depth2d_array"      2 true  false false true  2 true;
    "depth_2d_ms"         "depth2d_ms"         2 false false true  true  0 false;
    "depth_2d_ms_array"   "depth2d_ms_array"   2 true  false true  true  0 false;
    "depth_cube"          "depthcube"          3 false true  false true  0 true;
    "depth_cube_array"    "depthcube_array"    3 true  true  false true  0 true;
}

impl TextureKind {
    /// All of them.
    pub const ALL: &'static [TextureKind] = KINDS;

    /// The kind of a shape; `None` if Metal has no such texture.
    pub(crate) fn of(dim: Dim, arrayed: bool, depth: bool) -> Option<&'static TextureKind> {
        let (coords, cube, ms, buffer) = match dim {
            Dim::D1 => (1, false, false, false),
            Dim::D2 | Dim::Rect => (2, false, false, false),
            Dim::D3 => (3, false, false, false),
            Dim::Cube => (3, true, false, false),
            Dim::Ms => (2, false, true, false),
            Dim::Buffer => (1, false, false, true),
            Dim::Subpass | Dim::SubpassMs => return None,
        };
        KINDS.iter().find(|k| {
            k.coords == coords
                && k.cube == cube
                && k.multisampled == ms
                && k.arrayed == arrayed
                && k.depth == depth
                && (k.name == "texture_buffer_1d") == buffer
        })
    }

    /// The kind with a name such as `texture_2d`.
    pub fn named(name: &str) -> Option<&'static TextureKind> {
        KINDS.iter().find(|k| k.name == name)
    }

    /// Its shape.
    pub fn dim(&self) -> Dim {
        match (self.coords, self.cube) {
            _ if self.is_buffer() => Dim::Buffer,
            (_, true) => Dim::Cube,
            (1, _) => Dim::D1,
            (3, _) => Dim::D3,
            _ if self.multisampled => Dim::Ms,
            _ => Dim::D2,
        }
    }

    /// Whether this is the texel buffer.
    pub fn is_buffer(&self) -> bool {
        self.name == "texture_buffer_1d"
    }
}

impl TextureKind {
    /// Position in the table.
    pub(crate) fn number(&self) -> usize {
        KINDS.iter().position(|k| k.name == self.name).unwrap_or_default()
    }
}
