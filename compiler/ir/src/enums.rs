//! Small enumerations and flag sets: the types of intrinsic indices and of properties of variables and types.
//!
//! Each enumeration is declared once; its names, numbers and conversions from them are generated.

use bitflags::bitflags;

/// An enumeration that can be written as a name and packed into a few bits.
///
/// # Examples
///
/// One function serves all enumerations.
///
/// ```
/// use airfoil_ir::diag::nearest;
/// use airfoil_ir::{Dim, Named, Scope};
///
/// fn lookup<E: Named>(name: &str) -> Result<E, Option<&'static str>> {
///     E::from_name(name).ok_or_else(|| nearest(name, E::ALL.iter().map(|v| v.name())))
/// }
/// assert_eq!(lookup("buf"), Ok(Dim::Buffer));
/// assert_eq!(lookup::<Scope>("workgrop"), Err(Some("workgroup")));
/// assert_eq!(Scope::from_number(100), None);
/// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::intrinsic::Stages;
    /// use airfoil_ir::{IntrinsicOp, Named, Stage};
    ///
    /// // `discard` is legal in fragment shaders only, `barrier` in all stages.
    /// let legal = |op: IntrinsicOp| Stage::ALL.iter().copied().filter(move |&s| op.stages().contains(s.into()));
    /// assert!(legal(IntrinsicOp::discard).eq([Stage::Fragment]));
    /// assert!(legal(IntrinsicOp::barrier).eq(Stage::ALL.iter().copied()));
    /// // Task shaders have workgroups, too.
    /// let task = Stage::from_name("task").unwrap();
    /// assert!(Stages::WORKGROUP.contains(task.into()));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::validate::{Rule, validate};
    /// use airfoil_ir::{Form, text};
    ///
    /// let mut shader = text::parse(r#"foil 1
    /// shader fragment "f" {
    ///   out float depth location=depth
    ///   fn main {
    ///     32x1 %half = const 0.5
    ///     store_deref &depth, %half
    ///   }
    /// }"#)?;
    /// assert!(validate(&shader).is_empty());
    /// // Without `lower_io`, the output is still accessed by a deref.
    /// shader.form = Form::Slots;
    /// assert_eq!(validate(&shader)[0].rule, Rule::FormDeref);
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Interpolation, Modes, Named, Scalar, Shader, Stage, Variable};
    ///
    /// let mut shader = Shader::new("main", Stage::Fragment);
    /// let vec2 = shader.types.vector(Scalar::Float32, 2);
    /// let corners = shader.types.array(vec2, 3);
    /// let mut uv = Variable::new("uv", corners, Modes::IN);
    /// // An array of three slots, unless it has one element per vertex.
    /// uv.interpolation = Interpolation::from_name("flat").unwrap();
    /// assert!(!uv.is_per_vertex(Stage::Fragment));
    /// uv.interpolation = Interpolation::PerVertex;
    /// assert!(uv.is_per_vertex(Stage::Fragment));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Named, Sampling, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader fragment "f" {
    ///   in vec2 a location=0 center
    ///   in vec2 b location=1 noperspective sample
    /// }"#)?;
    /// assert!(shader.vars.values().map(|v| v.sampling).eq([Sampling::Center, Sampling::Sample]));
    /// // The default is not printed.
    /// let printed = text::print(&shader);
    /// let is_printed = |s: &&Sampling| printed.contains(&format!(" {s}\n"));
    /// assert!(Sampling::ALL.iter().filter(is_printed).eq(&[Sampling::Sample]));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Named, Precision, Type, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader vertex "v" {
    ///   struct Light { vec3 color precision=mediump, vec3 pos }
    ///   uniform Light light precision=highp
    /// }"#)?;
    /// let light = shader.vars.values().next().unwrap();
    /// assert_eq!(light.precision, Precision::High);
    /// // Members have a hint of their own, which is part of the type.
    /// let Type::Struct(s) = &shader.types[light.ty] else { unreachable!() };
    /// assert!(s.members.iter().map(|m| m.precision).eq([Precision::Medium, Precision::None]));
    /// assert_eq!(Precision::from_name("lowp"), Some(Precision::Low));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    /// How an atomic operation combines the old value and the operand.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{AtomicOp, Named, text, validate};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   shared uint most
    ///   fn main {
    ///     32x1 %n = const 7
    ///     32x1 %old = deref_atomic &most, %n op=umax
    ///     32x1 %bad = deref_atomic &most, %n op=cmpxchg
    ///   }
    /// }"#)?;
    /// assert_eq!(AtomicOp::from_name("umax"), Some(AtomicOp::Umax));
    /// // The last one lacks the operand to compare with, which only `deref_atomic_swap` has.
    /// let violation = validate::validate(&shader).pop().unwrap();
    /// assert_eq!(violation.message, "function main: compare and exchange needs the operation for it");
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// Scopes are ordered from the smallest to the largest.
    ///
    /// ```
    /// use airfoil_ir::analysis::{Effect, SHARED_MEMORY};
    /// use airfoil_ir::{Body, Builder, Index, Intrinsic, IntrinsicOp, Modes, Scope, Ty};
    ///
    /// assert!(Scope::Invocation < Scope::Subgroup && Scope::Workgroup < Scope::Device);
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let fence = Intrinsic::new(IntrinsicOp::barrier, &[]).with(Index::MemoryModes, Modes::SSBO);
    /// let [alone, waits] = [Scope::None, Scope::Subgroup]
    ///     .map(|scope| b.insert_intrinsic(fence.with(Index::ExecutionScope, scope), Ty::NONE));
    /// // While an invocation waits, others can change any memory that they share with it.
    /// assert_eq!(Effect::of(&body, alone), Effect::Barrier(Modes::SSBO));
    /// assert_eq!(Effect::of(&body, waits), Effect::Barrier(SHARED_MEMORY));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{ReduceOp, analysis::Divergence, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   fn main {
    ///     %x = load_subgroup_invocation
    ///     %all = reduce %x reduce=umax
    ///     %fours = reduce %x reduce=umax cluster=4
    ///   }
    /// }"#)?;
    /// let body = shader.entry_body().unwrap();
    /// let divergence = Divergence::new(body);
    /// let reductions = body.entries().filter(|(_, i)| i.as_intrinsic().unwrap().reduce_op() == ReduceOp::Umax);
    /// // Each cluster has its own maximum.
    /// assert!(reductions.map(|(id, _)| divergence.is_divergent(id)).eq([false, true]));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Function, Index, Intrinsic, IntrinsicOp, Named, RoundingMode, Shader, Stage, Ty, text};
    ///
    /// let mut shader = Shader::new("main", Stage::Compute);
    /// let main = shader.add_function(Function::new("main"));
    /// let mut b = shader.builder(main).unwrap();
    /// let x = b.imm_f32(1.1);
    /// let convert = Intrinsic::new(IntrinsicOp::convert_alu_types, &[x]);
    /// let mut convert = |mode: RoundingMode| b.insert_intrinsic(convert.with(Index::Rounding, mode), Ty::new(1, 16));
    /// let (plain, down) = (convert(RoundingMode::Undef), convert(RoundingMode::from_name("rtz").unwrap()));
    /// // The mode of the operation itself is the default and not printed.
    /// let body = &shader.functions[main].body;
    /// assert!(!text::print_instr(&shader, body, plain).contains("rounding"));
    /// assert!(text::print_instr(&shader, body, down).ends_with("rounding=rtz"));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Named, Scalar, Types};
    ///
    /// assert_eq!(Scalar::from_name("uint16"), Some(Scalar::int(16, false)));
    /// assert_eq!((Scalar::Any.bits(), Scalar::Bool.bits()), (0, 1));
    /// // A boolean has one bit as a value and four bytes in memory.
    /// let mut types = Types::default();
    /// let bvec2 = types.vector(Scalar::Bool, 2);
    /// assert_eq!(types.size(bvec2), 8);
    /// let f16vec3 = types.vector(Scalar::float(16), 3);
    /// assert_eq!(types.size(f16vec3), 6);
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Named, Primitive, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader geometry "lines" {
    ///   input_primitive triangles_adjacency
    ///   output_primitive line_strip
    ///   max_vertices 4
    /// }"#)?;
    /// assert_eq!(shader.info.input_primitive, Primitive::TrianglesAdjacency);
    /// assert_eq!(shader.info.output_primitive.name(), "line_strip");
    /// let error = text::parse("foil 1\nshader mesh \"m\" {\n  output_primitive triangle\n}").unwrap_err();
    /// assert_eq!(error[0].help.as_deref(), Some("did you mean `triangles`?"));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Named, Spacing, StageInfo, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader tess_eval "t" {
    ///   input_primitive quads
    ///   spacing fractional_odd
    /// }"#)?;
    /// assert_eq!(Spacing::from_name("fractional_odd"), Some(shader.info.spacing));
    /// // In SPIR-V, the control shader may declare it instead.
    /// assert_eq!(StageInfo::default().spacing, Spacing::None);
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{DepthLayout, Named, Shader, Stage, text};
    ///
    /// let mut shader = Shader::new("main", Stage::Fragment);
    /// shader.info.depth_layout = DepthLayout::from_name("greater").unwrap();
    /// assert!(text::print(&shader).contains("\n  depth_layout greater\n"));
    /// // `any` is a declaration of its own, not the default.
    /// shader.info.depth_layout = DepthLayout::Any;
    /// assert!(text::print(&shader).contains("\n  depth_layout any\n"));
    /// shader.info.depth_layout = DepthLayout::default();
    /// assert!(!text::print(&shader).contains("depth_layout"));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Interlock, Named, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader fragment "f" {
    ///   interlock sample_unordered
    ///   fn main {
    ///     begin_interlock
    ///     end_interlock
    ///   }
    /// }"#)?;
    /// assert_eq!(shader.info.interlock, Interlock::SampleUnordered);
    /// let ordered = Interlock::ALL.iter().filter(|i| i.name().ends_with("_ordered"));
    /// assert_eq!(ordered.count(), 3);
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Control, text};
    ///
    /// let mut shader = text::parse(r#"foil 1
    /// shader vertex "v" {
    ///   fn main {
    ///     1x1 %c = const true
    ///     if %c flatten { }
    ///   }
    /// }"#)?;
    /// let body = shader.entry_body_mut().unwrap();
    /// let cf = body.next_cf(body.entry()).unwrap();
    /// assert_eq!(body.as_if(cf).unwrap().control, Control::Flatten);
    /// body.set_control(cf, Control::Keep);
    /// assert!(text::print(&shader).contains("if %0 keep {"));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Access, Modes, NamedFlags};
///
/// fn names<F: NamedFlags>(set: F) -> Vec<&'static str> {
///     F::NAMES.iter().filter(|&&(_, bit)| set.to_bits() & bit != 0).map(|&(name, _)| name).collect()
/// }
/// // In the order of the declaration.
/// assert_eq!(names(Access::VOLATILE | Access::COHERENT), ["coherent", "volatile"]);
/// // Bits without a name are not kept.
/// assert_eq!(names(Modes::from_bits_lossy(0x8000_0000 | Modes::OUT.bits())), ["out"]);
/// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Modes, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   fn read(deref(vec4 ubo|ssbo)) { }
    ///   entry fn main { }
    /// }"#)?;
    /// let read = shader.functions.values().next().unwrap();
    /// let (_, modes) = read.params[0].pointee.unwrap();
    /// // The function reads either kind of block, but no local variable.
    /// assert_eq!(modes, Modes::UBO | Modes::SSBO);
    /// assert!(!modes.intersects(Modes::FUNCTION_TEMP | Modes::SHARED));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Access, Body, Builder, Index, Intrinsic, IntrinsicOp, Ty};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let address = b.undef(Ty::new(1, 64));
    /// let load = Intrinsic::new(IntrinsicOp::load_global, &[address]);
    /// let [plain, volatile, constant] = [Access::empty(), Access::VOLATILE, Access::CAN_REORDER]
    ///     .map(|access| b.insert_intrinsic(load.with(Index::Access, access), Ty::B32));
    /// // Dead code elimination keeps volatile accesses; only reads of constant memory are merged.
    /// assert!(body[plain].can_eliminate() && !body[volatile].can_eliminate());
    /// assert!(body[constant].can_reorder() && !body[plain].can_reorder());
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{NamedFlags, Semantics, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   fn main {
    ///     barrier memory=device modes=ssbo semantics=release|make_available
    ///   }
    /// }"#)?;
    /// let (_, barrier) = shader.entry_body().unwrap().entries().next().unwrap();
    /// let semantics = barrier.as_intrinsic().unwrap().semantics();
    /// assert!(semantics.contains(Semantics::MAKE_AVAILABLE) && !semantics.contains(Semantics::ACQUIRE));
    /// assert_eq!(Semantics::from_bits_lossy(u32::MAX), Semantics::all());
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
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
