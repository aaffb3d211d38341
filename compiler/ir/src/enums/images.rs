//! Shapes and formats of images.

use super::Named;

named_enums! {
    /// Shape of an image or texture.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Dim, Named};
    ///
    /// let cube = Dim::from_name("cube").unwrap();
    /// assert_eq!(cube.coord_comps(), 3);
    /// assert_eq!(Dim::from_number(cube.number()), Some(cube));
    /// // Multisampled images and buffers are only fetched.
    /// let fetched = Dim::ALL.iter().filter(|dim| !dim.is_filtered());
    /// let names: Vec<_> = fetched.map(|dim| dim.name()).collect();
    /// assert_eq!(names, ["buf", "ms", "subpass", "subpass_ms"]);
    /// ```
    Dim {
        /// One dimension.
        #[default]
        D1 = "1d",
        /// Two dimensions.
        D2 = "2d",
        /// Three dimensions.
        D3 = "3d",
        /// Six faces.
        Cube = "cube",
        /// Two dimensions with unnormalised coordinates.
        Rect = "rect",
        /// Texel buffer.
        Buffer = "buf",
        /// Multisampled, two dimensions.
        Ms = "ms",
        /// Input attachment.
        Subpass = "subpass",
        /// Multisampled input attachment.
        SubpassMs = "subpass_ms",
    }
    /// Format of a storage image's texels.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{ImageFormat, Index, Named, Type, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   image image(2d uint32 r32ui) counters
    ///   image image(2d float32) picture
    /// }"#)?;
    /// let formats = shader.types.iter().filter_map(|(_, ty)| match ty {
    ///     Type::Image(image) => Some(image.format),
    ///     _ => None,
    /// });
    /// assert!(formats.eq([ImageFormat::R32ui, ImageFormat::Unknown]));
    /// assert_eq!(ImageFormat::from_name("rgb10_a2ui"), Some(ImageFormat::Rgb10A2ui));
    /// assert!(ImageFormat::ALL.len() <= 1 << Index::Format.bits());
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    ImageFormat {
        /// Not declared.
        #[default]
        Unknown = "unknown",
        /// 4 x float 32.
        Rgba32f = "rgba32f",
        /// 4 x float 16.
        Rgba16f = "rgba16f",
        /// 1 x float 32.
        R32f = "r32f",
        /// 4 x unorm 8.
        Rgba8 = "rgba8",
        /// 4 x snorm 8.
        Rgba8Snorm = "rgba8_snorm",
        /// 2 x float 32.
        Rg32f = "rg32f",
        /// 2 x float 16.
        Rg16f = "rg16f",
        /// float 11, 11, 10.
        R11fG11fB10f = "r11f_g11f_b10f",
        /// 1 x float 16.
        R16f = "r16f",
        /// 4 x unorm 16.
        Rgba16 = "rgba16",
        /// unorm 10, 10, 10, 2.
        Rgb10A2 = "rgb10_a2",
        /// 2 x unorm 16.
        Rg16 = "rg16",
        /// 2 x unorm 8.
        Rg8 = "rg8",
        /// 1 x unorm 16.
        R16 = "r16",
        /// 1 x unorm 8.
        R8 = "r8",
        /// 4 x snorm 16.
        Rgba16Snorm = "rgba16_snorm",
        /// 2 x snorm 16.
        Rg16Snorm = "rg16_snorm",
        /// 2 x snorm 8.
        Rg8Snorm = "rg8_snorm",
        /// 1 x snorm 16.
        R16Snorm = "r16_snorm",
        /// 1 x snorm 8.
        R8Snorm = "r8_snorm",
        /// 4 x int 32.
        Rgba32i = "rgba32i",
        /// 4 x int 16.
        Rgba16i = "rgba16i",
        /// 4 x int 8.
        Rgba8i = "rgba8i",
        /// 1 x int 32.
        R32i = "r32i",
        /// 2 x int 32.
        Rg32i = "rg32i",
        /// 2 x int 16.
        Rg16i = "rg16i",
        /// 2 x int 8.
        Rg8i = "rg8i",
        /// 1 x int 16.
        R16i = "r16i",
        /// 1 x int 8.
        R8i = "r8i",
        /// 4 x uint 32.
        Rgba32ui = "rgba32ui",
        /// 4 x uint 16.
        Rgba16ui = "rgba16ui",
        /// 4 x uint 8.
        Rgba8ui = "rgba8ui",
        /// 1 x uint 32.
        R32ui = "r32ui",
        /// uint 10, 10, 10, 2.
        Rgb10A2ui = "rgb10_a2ui",
        /// 2 x uint 32.
        Rg32ui = "rg32ui",
        /// 2 x uint 16.
        Rg16ui = "rg16ui",
        /// 2 x uint 8.
        Rg8ui = "rg8ui",
        /// 1 x uint 16.
        R16ui = "r16ui",
        /// 1 x uint 8.
        R8ui = "r8ui",
        /// 1 x uint 64.
        R64ui = "r64ui",
        /// 1 x int 64.
        R64i = "r64i",
    }
    /// Components of a lookup that compares depths, which `GL_DEPTH_TEXTURE_MODE` determines in the compatibility profile and in
    /// assembly programs (OpenGL 4.6 compatibility section 8.17). r is the result of the comparison.
    ///
    /// # Examples
    /// ```
    /// use airfoil_ir::{Body, Builder, DepthMode, Named};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let r = b.imm_f32(0.25);
    /// let v = b.depth_vector(r, r, DepthMode::from_name("alpha").unwrap());
    /// let lanes = body[v].as_const().unwrap();
    /// assert_eq!(lanes.map(|bits| f32::from_bits(bits as u32)), [0.0, 0.0, 0.0, 0.25]);
    /// ```
    DepthMode {
        /// (r, r, r, 1).
        #[default]
        Luminance = "luminance",
        /// (r, r, r, r).
        Intensity = "intensity",
        /// (0, 0, 0, r).
        Alpha = "alpha",
        /// (r, 0, 0, 1).
        Red = "red",
        /// The mode that the texture has in a draw: the intrinsic `depth_texture_mode`, which the pass `lower_depth_modes` lowers.
        State = "state",
    }
}

impl Dim {
    /// Components of a coordinate without the array layer.
    pub const fn coord_comps(self) -> u8 {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Ms | Dim::Subpass | Dim::SubpassMs => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }

    /// Whether images of this shape can be sampled with a sampler: texels of the others are only fetched.
    pub const fn is_filtered(self) -> bool {
        matches!(self, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube | Dim::Rect)
    }

    /// Whether an image of this shape holds several samples a texel.
    pub const fn is_multisampled(self) -> bool {
        matches!(self, Dim::Ms | Dim::SubpassMs)
    }
}
