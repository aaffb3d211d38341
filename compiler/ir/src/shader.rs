//! Shaders and functions.

use crate::body::Body;
use crate::enums::*;
use crate::ids::{FuncId, VarId};
use crate::instr::Loc;
use crate::name::Name;
use crate::slot::{Slot, SlotSet};
use crate::types::{TypeId, Types};
use crate::value::{Ty, bit_mask};
use crate::var::{Constant, Variable};
use slotmap::SlotMap;

/// One entry point of one stage, with all that it needs.
///
/// # Examples
///
/// ```
/// use airfoil_ir::validate::validate;
/// use airfoil_ir::{Function, Modes, Scalar, Shader, Slot, Stage, Variable, text};
///
/// let mut shader = Shader::new("main", Stage::Fragment);
/// let float = shader.types.vector(Scalar::Float32, 1);
/// let depth = Variable { location: Some(Slot::DEPTH), ..Variable::new("depth", float, Modes::OUT) };
/// let depth = shader.add_var(depth);
/// shader.entry = Some(shader.functions.insert(Function::new("main")));
/// let vars = shader.vars.clone();
/// let mut b = shader.builder(shader.entry.unwrap()).unwrap();
/// let (target, half) = (b.deref_var(&vars, depth), b.imm_f32(0.5));
/// b.store_deref(target, half);
/// assert!(validate(&shader).is_empty());
/// assert!(text::print(&shader).contains("store_deref %0, %1 mask=x\n"));
/// ```
#[derive(Clone, Debug)]
pub struct Shader {
    /// Name of the entry point.
    pub name: Name,
    /// Stage.
    pub stage: Stage,
    /// Which instructions it may hold.
    pub form: Form,
    /// Types of variables.
    pub types: Types,
    /// Variables of all modes.
    pub vars: SlotMap<VarId, Variable>,
    /// Functions.
    pub functions: SlotMap<FuncId, Function>,
    /// The function where execution starts.
    pub entry: Option<FuncId>,
    /// Declarations of the source about the stage.
    pub info: StageInfo,
    /// Facts about the code, collected by the pass `gather_info`; `None` when unknown or out of date.
    pub gathered: Option<Gathered>,
    /// Names of source files that instructions refer to.
    pub files: Vec<Box<str>>,
}

impl Shader {
    /// A shader without functions.
    pub fn new(name: &str, stage: Stage) -> Shader {
        Shader {
            name: name.into(),
            stage,
            form: Form::Variables,
            types: Types::default(),
            vars: SlotMap::with_key(),
            functions: SlotMap::with_capacity_and_key(1),
            entry: None,
            info: StageInfo::default(),
            gathered: None,
            files: Vec::new(),
        }
    }

    /// Adds a variable.
    pub fn add_var(&mut self, var: Variable) -> VarId {
        self.vars.insert(var)
    }

    /// Adds a variable local to `function`.
    pub fn add_local(&mut self, function: FuncId, name: &str, ty: TypeId) -> VarId {
        let mut var = Variable::new(name, ty, Modes::FUNCTION_TEMP);
        var.function = Some(function);
        self.vars.insert(var)
    }

    /// Adds a function.
    pub fn add_function(&mut self, function: Function) -> FuncId {
        self.functions.insert(function)
    }

    /// Keeps the names of values in all functions, for debug information, see [`Names`](crate::Names). Call it before passes run.
    pub fn keep_names(&mut self) {
        self.functions.values_mut().for_each(|f| f.body.keep_names());
    }

    /// Moves the bodies of all functions to the memory that they need, see [`Body::compact`].
    pub fn compact(&mut self) {
        self.functions.values_mut().for_each(|f| f.body.compact());
    }

    /// Bytes of memory of all bodies, see [`Body::memory`].
    pub fn memory(&self) -> usize {
        self.functions.values().map(|f| f.body.memory()).sum()
    }

    /// The body of the entry function.
    pub fn entry_body(&self) -> Option<&Body> {
        Some(&self.functions.get(self.entry?)?.body)
    }

    /// The body of the entry function.
    pub fn entry_body_mut(&mut self) -> Option<&mut Body> {
        Some(&mut self.functions.get_mut(self.entry?)?.body)
    }

    /// Gives a specialisation constant that is still open another default, as raw bits; false if there is none with this
    /// number. Executions of the IR take the default.
    pub fn set_spec_constant(&mut self, id: u32, bits: u64) -> bool {
        let constants = self.vars.values_mut().filter(|v| v.mode == Modes::SPEC_CONST);
        let mut found = false;
        for v in constants.filter(|v| v.binding == Some(id)) {
            let width = self.types.value_ty(v.ty).map_or(64, |t| u32::from(t.bits));
            v.initializer = Some(Constant::Value([bits & bit_mask(width), 0, 0, 0]));
            found = true;
        }
        for (size, constant) in
            self.info.workgroup_size.iter_mut().flatten().zip(self.info.workgroup_constants)
        {
            if constant == Some(id) {
                (*size, found) = (bits as u32, true);
            }
        }
        found
    }

    /// Instructions of all functions.
    pub fn num_instrs(&self) -> usize {
        self.functions.values().map(|f| f.body.num_instrs()).sum()
    }
}

/// A function.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Function, Param, Shader, Stage, Ty, text};
///
/// let mut shader = Shader::new("main", Stage::Compute);
/// let mut square = Function::new("square");
/// square.params.push(Param::value(Ty::new(2, 32)));
/// let square = shader.add_function(square);
/// // The body is not empty: it has its first block.
/// assert_eq!(shader.functions[square].body.num_blocks(), 1);
/// assert!(text::print(&shader).contains("fn square(32x2) {\n  b0:\n  }\n"));
/// // No function is the entry until the shader has one.
/// assert!(shader.entry_body().is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Function {
    /// Name; need not be unique.
    pub name: Name,
    /// Parameters, read by `load_param`.
    pub params: Vec<Param>,
    /// Location of its head in the source.
    pub loc: Loc,
    /// Code.
    pub body: Body,
}

impl Function {
    /// A function with an empty body.
    pub fn new(name: &str) -> Function {
        Function { name: name.into(), params: Vec::new(), loc: Loc::NONE, body: Body::new() }
    }
}

/// A parameter: a value, or a deref of a variable of type `pointee`.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Modes, Param, Precision, Ty, text};
///
/// let shader = text::parse(r#"foil 1
/// shader compute "c" {
///   fn f(16x3 precision=mediump, deref(vec4 function_temp)) { }
/// }"#)?;
/// let params = &shader.functions.values().next().unwrap().params;
/// assert_eq!(params[0], Param::value(Ty::new(3, 16)).with_precision(Precision::Medium));
/// // All derefs are passed as abstract pointers of one shape.
/// let (vec4, modes) = params[1].pointee.unwrap();
/// assert_eq!((params[1].ty, modes), (Ty::DEREF, Modes::FUNCTION_TEMP));
/// assert_eq!(shader.types.value_ty(vec4), Some(Ty::new(4, 32)));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Shape of the value; [`Ty::DEREF`] for derefs.
    pub ty: Ty,
    /// Type and memory of the pointee of a deref; `None` for plain values.
    pub pointee: Option<(TypeId, Modes)>,
    /// Precision hint of the value, or of the pointee of the deref.
    pub precision: Precision,
}

impl Param {
    /// A value.
    pub fn value(ty: Ty) -> Param {
        Param { ty, pointee: None, precision: Precision::None }
    }

    /// A deref of a variable of a type in memory.
    pub fn deref(ty: TypeId, modes: Modes) -> Param {
        Param { ty: Ty::DEREF, pointee: Some((ty, modes)), precision: Precision::None }
    }

    /// This parameter with a precision hint.
    #[must_use]
    pub fn with_precision(mut self, precision: Precision) -> Param {
        self.precision = precision;
        self
    }
}

/// Declarations of the source about the stage. Fields of other stages keep their defaults.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{StageInfo, text};
///
/// let shader = text::parse(r#"foil 1
/// shader compute "c" {
///   workgroup_size 4 4 1
///   workgroup_constants none 7 none
/// }"#)?;
/// // A specialization constant can still change the size.
/// assert_eq!(shader.info.fixed_workgroup_size(), None);
/// let quads = StageInfo { quad_groups: true, ..shader.info.clone() };
/// let first = |info: &StageInfo| [1, 2, 4].map(|n| info.local_invocation([4, 4, 1], n));
/// assert_eq!(first(&shader.info), [[1, 0, 0], [2, 0, 0], [0, 1, 0]]);
/// assert_eq!(first(&quads), [[1, 0, 0], [0, 1, 0], [2, 0, 0]]);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageInfo {
    /// Size of the workgroup in invocations (compute, task, mesh); `None` if the dispatch chooses it.
    pub workgroup_size: Option<[u32; 3]>,
    /// Specialization constants (`SpecId`) that replace the size along each axis, which is their default.
    pub workgroup_constants: [Option<u32>; 3],
    /// Depth and stencil tests come before the fragment shader.
    pub early_fragment_tests: bool,
    /// `gl_SampleMaskIn` holds the coverage after early tests.
    pub post_depth_coverage: bool,
    /// Critical section of the fragment shader.
    pub interlock: Interlock,
    /// Accesses follow the Vulkan memory model: only those with the flag are coherent or ordered by barriers.
    pub vulkan_memory_model: bool,
    /// Window origin is the upper left corner.
    pub origin_upper_left: bool,
    /// Pixel centres have integer coordinates.
    pub pixel_center_integer: bool,
    /// Colours of the compatibility profile (bit 0: the first, bit 1: the second) whose interpolation the fragment shader states:
    /// flat shading as state of the API does not touch them.
    pub stated_colors: u8,
    /// Promise about the written depth.
    pub depth_layout: DepthLayout,
    /// Input topology (geometry) or tessellation domain.
    pub input_primitive: Primitive,
    /// Output topology (geometry, mesh).
    pub output_primitive: Primitive,
    /// Most vertices that are emitted (geometry, mesh).
    pub max_vertices: u32,
    /// Most primitives that are emitted (mesh).
    pub max_primitives: u32,
    /// Geometry instances a primitive.
    pub invocations: u32,
    /// Vertices of the output patch (tessellation control).
    pub patch_vertices_out: u32,
    /// Spacing of tessellation.
    pub spacing: Spacing,
    /// Tessellated triangles wind clockwise.
    pub clockwise: bool,
    /// Tessellation emits points.
    pub point_mode: bool,
    /// Mask of the views that each draw is repeated for (multiview rendering); 0 if the shader does not state them
    /// (before lower_multiview).
    pub view_mask: u32,
    /// Elements of `gl_ClipDistance` that the compact array holds first (after lower_clip_distance_arrays).
    pub clip_distances: u8,
    /// Elements of `gl_CullDistance` that follow them.
    pub cull_distances: u8,
    /// Widths of floats (bits 16, 32, 64 as a mask) whose NaN, infinity and signed zero must be kept
    /// (SPIR-V SignedZeroInfNanPreserve).
    pub preserve_float_special: u8,
    /// Widths of floats whose denormals must be kept (SPIR-V DenormPreserve), as a mask like `preserve_float_special`.
    pub denorm_preserve: u8,
    /// Widths of floats whose denormals must be flushed to zero (SPIR-V DenormFlushToZero), as a mask.
    pub denorm_flush: u8,
    /// Widths of floats whose operations must round to nearest even (SPIR-V RoundingModeRTE), as a mask.
    pub round_to_even: u8,
    /// Widths of floats whose operations must round toward zero (SPIR-V RoundingModeRTZ), as a mask.
    pub round_to_zero: u8,
    /// Bytes of workgroup memory (after lower_io).
    pub shared_size: u32,
    /// Derivatives are taken in groups of 2 x 2 invocations instead of four that follow each other (compute, until
    /// `lower_system_values`). Invocations are then counted group by group, so that four that follow each other are one.
    pub quad_groups: bool,
    /// The entry is a function that other functions call: inputs are its arguments, the output is its result (compute).
    pub visible: bool,
}

impl StageInfo {
    /// The size of the workgroup, if neither the dispatch nor a specialization constant chooses it.
    pub fn fixed_workgroup_size(&self) -> Option<[u32; 3]> {
        self.workgroup_size.filter(|_| self.workgroup_constants == [None; 3])
    }
}

impl StageInfo {
    /// Position in a workgroup of a size of the invocation that is executed as number `n`.
    pub fn local_invocation(&self, size: [u32; 3], n: u32) -> [u32; 3] {
        let [x, y, _] = size.map(|n| n.max(1));
        if !self.quad_groups {
            return [n % x, n / x % y, n / x / y];
        }
        let (quad, across, down) = (n / 4, (x / 2).max(1), (y / 2).max(1));
        [quad % across * 2 + n % 2, quad / across % down * 2 + n / 2 % 2, quad / across / down]
    }
}

/// Facts about the code, collected by the pass `gather_info`.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Gathered, Slot, SystemValue, text};
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "v" {
///   gathered {
///     outputs_written position 2
///     system_values_read vertex_id
///   }
/// }"#)?;
/// let facts: &Gathered = shader.gathered.as_ref().unwrap();
/// assert!(facts.writes(Slot::POSITION) && facts.writes(Slot::generic(2).unwrap()));
/// assert!(!facts.writes(Slot::POINT_SIZE));
/// assert_eq!(facts.system_values_read, 1 << SystemValue::vertex_id as u64);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// Slots of inputs that are read.
    pub inputs_read: SlotSet,
    /// Slots of outputs that are written.
    pub outputs_written: SlotSet,
    /// Slots of outputs that are read back.
    pub outputs_read: SlotSet,
    /// System values that are read, as a mask over their numbers.
    pub system_values_read: u64,
    /// Ends or demotes invocations.
    pub uses_discard: bool,
    /// Reads neighbours in the quad: derivatives, implicit levels, quad operations.
    pub uses_quad: bool,
    /// Reads other invocations of the subgroup.
    pub uses_subgroup: bool,
    /// Waits for the workgroup.
    pub uses_barrier: bool,
    /// Writes buffers or images.
    pub writes_memory: bool,
    /// Runs once per sample.
    pub uses_sample_shading: bool,
}

impl Gathered {
    /// Whether a slot's value is written.
    pub fn writes(&self, slot: Slot) -> bool {
        self.outputs_written.contains(slot)
    }
}
