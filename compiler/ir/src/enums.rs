//! Small enumerations and flag sets: the types of intrinsic indices and of properties of variables and types.
//!
//! Each enumeration is declared once; its names, numbers and conversions from them are generated.

use bitflags::bitflags;

/// An enumeration that can be written as a name and packed into a few bits.
pub trait Named: Copy + Sized + 'static {
    /// All values, indexed by their number.
    const ALL: &'static [Self];
    /// Name in the text form.
    fn name(self) -> &'static str;
    /// Number, equal to the position in [`Named::ALL`].
    fn number(self) -> u32;
    /// Value of a number.
    fn from_number(n: u32) -> Option<Self> {
        Self::ALL.get(n as usize).copied()
    }
    /// Value of a name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|v| v.name() == name)
    }
}

macro_rules! named_enums {
    ($( $(#[$meta:meta])* $enum:ident { $( $(#[$vmeta:meta])* $variant:ident = $name:literal, )+ } )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $enum { $( $(#[$vmeta])* $variant, )+ }

        impl Named for $enum {
            const ALL: &'static [Self] = &[$( $enum::$variant, )+];
            fn name(self) -> &'static str {
                match self { $( $enum::$variant => $name, )+ }
            }
            fn number(self) -> u32 {
                self as u32
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    )+ };
}

named_enums! {
    /// Stage of a shader.
    Stage {
        /// Runs once per vertex.
        #[default]
        Vertex = "vertex",
        /// Tessellation control (OpenGL), hull (Direct3D).
        TessControl = "tess_control",
        /// Tessellation evaluation (OpenGL), domain (Direct3D), post-tessellation vertex (Metal).
        TessEval = "tess_eval",
        /// Runs once per primitive.
        Geometry = "geometry",
        /// Runs once per fragment or sample.
        Fragment = "fragment",
        /// Compute.
        Compute = "compute",
        /// Task (Vulkan), object (Metal).
        Task = "task",
        /// Mesh.
        Mesh = "mesh",
    }
    /// Which instructions a shader may hold: one way of doing input and output at a time.
    Form {
        /// Variables and derefs everywhere.
        #[default]
        Variables = "variables",
        /// Inputs, outputs and buffers by slot and byte offset; derefs only for locals and opaque resources.
        Slots = "slots",
        /// Input of a backend: slots, and only operations that the target supports.
        Target = "target",
    }
    /// How a fragment input comes from the values at the vertices.
    Interpolation {
        /// Perspective-correct.
        #[default]
        Smooth = "smooth",
        /// Value of the provoking vertex.
        Flat = "flat",
        /// Linear in window space.
        NoPerspective = "noperspective",
        /// The values of the three vertices themselves (per-vertex input).
        PerVertex = "pervertex",
    }
    /// Where in the pixel a fragment input is interpolated.
    Sampling {
        /// At the pixel's centre.
        #[default]
        Center = "center",
        /// At a location inside the primitive.
        Centroid = "centroid",
        /// At each sample.
        Sample = "sample",
    }
    /// Precision qualifier: a hint only.
    Precision {
        /// None given.
        #[default]
        None = "none",
        /// `lowp`.
        Low = "lowp",
        /// `mediump`, SPIR-V RelaxedPrecision.
        Medium = "mediump",
        /// `highp`.
        High = "highp",
    }
    /// Shape of an image or texture.
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
    /// How an atomic operation combines the old value and the operand.
    AtomicOp {
        /// Sum.
        #[default]
        Iadd = "iadd",
        /// Signed minimum.
        Imin = "imin",
        /// Unsigned minimum.
        Umin = "umin",
        /// Signed maximum.
        Imax = "imax",
        /// Unsigned maximum.
        Umax = "umax",
        /// Bitwise and.
        Iand = "iand",
        /// Bitwise or.
        Ior = "ior",
        /// Bitwise exclusive or.
        Ixor = "ixor",
        /// Exchange.
        Xchg = "xchg",
        /// Float sum.
        Fadd = "fadd",
        /// Float minimum.
        Fmin = "fmin",
        /// Float maximum.
        Fmax = "fmax",
        /// Compare and exchange, integers by bits.
        Cmpxchg = "cmpxchg",
        /// Atomic read; the operand is ignored (0).
        Load = "load",
        /// Atomic write; the result is undefined.
        Store = "store",
    }
    /// How far an effect or a wait reaches.
    Scope {
        /// No invocation.
        #[default]
        None = "none",
        /// The invocation itself.
        Invocation = "invocation",
        /// The subgroup.
        Subgroup = "subgroup",
        /// The workgroup.
        Workgroup = "workgroup",
        /// The queue family.
        QueueFamily = "queue_family",
        /// The device.
        Device = "device",
    }
    /// Combining operation of subgroup reductions and scans.
    ReduceOp {
        /// Integer sum.
        #[default]
        Iadd = "iadd",
        /// Float sum.
        Fadd = "fadd",
        /// Integer product.
        Imul = "imul",
        /// Float product.
        Fmul = "fmul",
        /// Signed minimum.
        Imin = "imin",
        /// Unsigned minimum.
        Umin = "umin",
        /// Float minimum.
        Fmin = "fmin",
        /// Signed maximum.
        Imax = "imax",
        /// Unsigned maximum.
        Umax = "umax",
        /// Float maximum.
        Fmax = "fmax",
        /// Bitwise and.
        Iand = "iand",
        /// Bitwise or.
        Ior = "ior",
        /// Bitwise exclusive or.
        Ixor = "ixor",
    }
    /// Rounding of a conversion.
    RoundingMode {
        /// Not stated: the operation's default.
        #[default]
        Undef = "undef",
        /// Nearest, ties to even.
        Rte = "rte",
        /// Toward zero.
        Rtz = "rtz",
        /// Toward positive infinity.
        Rtp = "rtp",
        /// Toward negative infinity.
        Rtn = "rtn",
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
    /// Type that the bits of an I/O access, image texel or conversion have.
    Scalar {
        /// Bits only.
        #[default]
        Any = "any",
        /// Boolean.
        Bool = "bool",
        /// Signed, 8 bits.
        Int8 = "int8",
        /// Signed, 16 bits.
        Int16 = "int16",
        /// Signed, 32 bits.
        Int32 = "int32",
        /// Signed, 64 bits.
        Int64 = "int64",
        /// Unsigned, 8 bits.
        Uint8 = "uint8",
        /// Unsigned, 16 bits.
        Uint16 = "uint16",
        /// Unsigned, 32 bits.
        Uint32 = "uint32",
        /// Unsigned, 64 bits.
        Uint64 = "uint64",
        /// Float, 16 bits.
        Float16 = "float16",
        /// Float, 32 bits.
        Float32 = "float32",
        /// Float, 64 bits.
        Float64 = "float64",
    }
    /// Primitive topology of geometry, tessellation and mesh stages.
    Primitive {
        /// Not stated.
        #[default]
        None = "none",
        /// Points.
        Points = "points",
        /// Lines.
        Lines = "lines",
        /// Lines with neighbours.
        LinesAdjacency = "lines_adjacency",
        /// Line strip.
        LineStrip = "line_strip",
        /// Triangles.
        Triangles = "triangles",
        /// Triangles with neighbours.
        TrianglesAdjacency = "triangles_adjacency",
        /// Triangle strip.
        TriangleStrip = "triangle_strip",
        /// Quads (tessellation domain).
        Quads = "quads",
        /// Isolines (tessellation domain).
        Isolines = "isolines",
    }
    /// Spacing of tessellation.
    Spacing {
        /// Not stated.
        #[default]
        None = "none",
        /// Equal.
        Equal = "equal",
        /// Fractional, odd.
        FractionalOdd = "fractional_odd",
        /// Fractional, even.
        FractionalEven = "fractional_even",
    }
    /// Promise about the depth that a fragment shader writes.
    DepthLayout {
        /// None given.
        #[default]
        None = "none",
        /// Any value.
        Any = "any",
        /// Not below the interpolated depth.
        Greater = "greater",
        /// Not above the interpolated depth.
        Less = "less",
        /// The interpolated depth.
        Unchanged = "unchanged",
    }
    /// Which fragments `begin_interlock` and `end_interlock` keep apart, and whether in the order of the primitives.
    Interlock {
        /// The shader has no critical section.
        #[default]
        None = "none",
        /// Fragments of the same pixel, in order.
        PixelOrdered = "pixel_ordered",
        /// Fragments of the same pixel, in any order.
        PixelUnordered = "pixel_unordered",
        /// Fragments that cover the same sample, in order.
        SampleOrdered = "sample_ordered",
        /// Fragments that cover the same sample, in any order.
        SampleUnordered = "sample_unordered",
        /// Fragments that share a pixel at the shading rate, in order.
        ShadingRateOrdered = "shading_rate_ordered",
        /// Fragments that share a pixel at the shading rate, in any order.
        ShadingRateUnordered = "shading_rate_unordered",
    }
    /// Hint on an `if` or a loop.
    Control {
        /// None given.
        #[default]
        None = "none",
        /// Flatten the `if` / unroll the loop.
        Flatten = "flatten",
        /// Keep the branch / the loop.
        Keep = "keep",
    }
}

impl Scalar {
    /// Bits of one component; 0 for `Any`, 1 for `Bool`.
    pub const fn bits(self) -> u8 {
        match self {
            Scalar::Any => 0,
            Scalar::Bool => 1,
            Scalar::Int8 | Scalar::Uint8 => 8,
            Scalar::Int16 | Scalar::Uint16 | Scalar::Float16 => 16,
            Scalar::Int32 | Scalar::Uint32 | Scalar::Float32 => 32,
            Scalar::Int64 | Scalar::Uint64 | Scalar::Float64 => 64,
        }
    }

    /// Whether this is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::Float16 | Scalar::Float32 | Scalar::Float64)
    }

    /// Whether this is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64)
    }

    /// Whether this is an unsigned integer.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64)
    }

    /// The float of `bits` bits.
    pub const fn float(bits: u8) -> Scalar {
        match bits {
            16 => Scalar::Float16,
            64 => Scalar::Float64,
            _ => Scalar::Float32,
        }
    }

    /// The integer of `bits` bits.
    pub const fn int(bits: u8, signed: bool) -> Scalar {
        match (bits, signed) {
            (8, true) => Scalar::Int8,
            (8, false) => Scalar::Uint8,
            (16, true) => Scalar::Int16,
            (16, false) => Scalar::Uint16,
            (64, true) => Scalar::Int64,
            (64, false) => Scalar::Uint64,
            (_, true) => Scalar::Int32,
            (_, false) => Scalar::Uint32,
        }
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

/// A set of flags whose members are written by name.
pub trait NamedFlags: Copy + 'static {
    /// Name and bit of every member.
    const NAMES: &'static [(&'static str, u32)];
    /// All bits of the set.
    fn to_bits(self) -> u32;
    /// The set of these bits; unknown bits are dropped.
    fn from_bits_lossy(bits: u32) -> Self;
}

macro_rules! named_flags {
    ($( $(#[doc = $doc:literal])* $set:ident { $( $(#[doc = $fdoc:literal])* $flag:ident = $bit:literal $name:literal, )+ } )+) => { $(
        bitflags! {
            $(#[doc = $doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $set: u32 { $( $(#[doc = $fdoc])* const $flag = 1 << $bit; )+ }
        }
        impl NamedFlags for $set {
            const NAMES: &'static [(&'static str, u32)] = &[$( ($name, 1 << $bit), )+];
            fn to_bits(self) -> u32 {
                self.bits()
            }
            fn from_bits_lossy(bits: u32) -> Self {
                $set::from_bits_truncate(bits)
            }
        }
    )+ };
}

named_flags! {
    /// Kinds of memory a variable or deref can live in; a set, because the memory of a deref may not be known exactly.
    Modes {
        /// Local to a function.
        FUNCTION_TEMP = 0 "function_temp",
        /// Local to an invocation, seen by all functions.
        SHADER_TEMP = 1 "shader_temp",
        /// Stage input.
        IN = 2 "in",
        /// Stage output.
        OUT = 3 "out",
        /// Uniform outside blocks: opaque resources, OpenGL's default block.
        UNIFORM = 4 "uniform",
        /// Uniform block.
        UBO = 5 "ubo",
        /// Storage block.
        SSBO = 6 "ssbo",
        /// Workgroup memory.
        SHARED = 7 "shared",
        /// Push constants.
        PUSH_CONST = 8 "push_const",
        /// System value.
        SYSTEM_VALUE = 9 "system_value",
        /// Storage image.
        IMAGE = 10 "image",
        /// Memory at a 64-bit address.
        GLOBAL = 11 "global",
        /// Task to mesh payload.
        TASK_PAYLOAD = 12 "task_payload",
        /// Specialisation constant: `binding` is its number, the initial value its default. Never written.
        SPEC_CONST = 13 "spec_const",
    }
    /// Qualifiers of memory accesses.
    Access {
        /// Visible to other invocations. GLSL `coherent`.
        COHERENT = 0 "coherent",
        /// Never left out, joined or repeated. GLSL `volatile`.
        VOLATILE = 1 "volatile",
        /// No other variable reaches this memory. GLSL `restrict`.
        RESTRICT = 2 "restrict",
        /// Never read. GLSL `writeonly`.
        NON_READABLE = 3 "non_readable",
        /// Never written. GLSL `readonly`.
        NON_WRITEABLE = 4 "non_writeable",
        /// The resource may differ between invocations of a subgroup.
        NON_UNIFORM = 5 "non_uniform",
        /// Nothing writes this memory while the shader runs, so the access can move freely.
        CAN_REORDER = 6 "can_reorder",
        /// The index is known to be in range.
        IN_BOUNDS = 7 "in_bounds",
        /// Ordered by the barriers and atomics of the Vulkan memory model. SPIR-V `NonPrivatePointer`.
        NON_PRIVATE = 8 "non_private",
        /// Coherent within the queue family only.
        QUEUE_FAMILY = 9 "queue_family",
        /// Coherent within the workgroup only.
        WORKGROUP = 10 "workgroup",
        /// Coherent within the subgroup only.
        SUBGROUP = 11 "subgroup",
    }
    /// Memory ordering of a barrier or atomic.
    Semantics {
        /// Later accesses stay after.
        ACQUIRE = 0 "acquire",
        /// Earlier accesses stay before.
        RELEASE = 1 "release",
        /// Earlier writes become available.
        MAKE_AVAILABLE = 2 "make_available",
        /// Available writes become visible.
        MAKE_VISIBLE = 3 "make_visible",
    }
}
