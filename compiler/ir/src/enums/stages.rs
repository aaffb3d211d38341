//! Stages, forms, and properties of their interfaces.

use super::Named;

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
}
