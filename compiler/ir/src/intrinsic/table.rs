//! The table of intrinsics.
//!
//! A row reads `name(operand: shape, ...) -> result { indices }: property, ...;`.
//!
//! * Shapes: a type word (`float32`, `uint32`, `int32`, `bool`, `any`) with `[n]` components, or with any number of
//!   components if `[n]` is left out; `any` alone accepts every width too; `deref` is a deref instruction; `same` has
//!   the shape of the result. An intrinsic without a result has no `->`.
//! * Properties are the names of [`IntrinsicFlags`] and
//!   * `memory(action mode at block + offset = value)`: the memory that the intrinsic touches. The operands after `at`
//!     give the location (a deref is the `block`, any other operand the `offset`), the one after `=` the value. The mode
//!     `any` leaves the kind of memory to the deref. The action implies properties (a load of memory that is never
//!     written can be eliminated and reordered, a store writes, ...) and the divergence of the result.
//!   * `form(...)`: the forms in which it is legal (default: all).
//!   * `stages(...)`: the stages in which it is legal (default: all); `workgroup` is compute, task and mesh, `inputs`
//!     and `outputs` are the stages with inputs and with outputs.
//!   * `varies(...)`: the divergence of the result, see [`Varies`] (default: that of the memory column, else divergent).
//! * `system_values` rows read `name load_name: shape, property, ...;` and declare a [`SystemValue`] and the intrinsic
//!   that loads it.

use super::index::Index;
use super::row::{
    Forms, IntrinsicFlags, IntrinsicInfo, MemoryAction, MemoryOp, OperandShape, Stages, Varies,
};
use crate::alu::Base;
use crate::enums::Modes;
use crate::value::Ty;

macro_rules! shape {
    (@ $base:ident, $bits:literal, $comps:expr) => {
        OperandShape { base: Base::$base, comps: $comps, bits: $bits, deref: false, same: false }
    };
    (deref, $n:expr) => { OperandShape { base: Base::Any, comps: 1, bits: 32, deref: true, same: false } };
    (same, $n:expr) => { OperandShape { base: Base::Any, comps: 0, bits: 0, deref: false, same: true } };
    (any, $n:expr) => { shape!(@ Any, 0, $n) };
    (any32, $n:expr) => { shape!(@ Any, 32, $n) };
    (float32, $n:expr) => { shape!(@ Float, 32, $n) };
    (float, $n:expr) => { shape!(@ Float, 0, $n) };
    (int32, $n:expr) => { shape!(@ Int, 32, $n) };
    (uint32, $n:expr) => { shape!(@ Uint, 32, $n) };
    (uint64, $n:expr) => { shape!(@ Uint, 64, $n) };
    (bool, $n:expr) => { shape!(@ Bool, 1, $n) };
}

/// Applies a property to the row `$info`.
macro_rules! property {
    ($info:ident, memory($action:ident $mode:ident at $block:ident $(+ $offset:ident)? $(= $value:ident)?)) => {
        $info.set_memory(action!($action), mode!($mode));
        $info.set_location(stringify!($block));
        $( $info.set_location(stringify!($offset)); )?
        $( $info.set_value(stringify!($value)); )?
    };
    ($info:ident, form($($form:ident),+)) => {
        $info.forms = Forms::empty()$(.union(form!($form)))+;
    };
    ($info:ident, stages($($stage:ident),+)) => {
        $info.stages = Stages::empty()$(.union(stage!($stage)))+;
    };
    ($info:ident, varies($varies:ident)) => {
        $info.varies = varies!($varies);
    };
    ($info:ident, $flag:ident) => {
        $info.flags = $info.flags.union(flag!($flag));
    };
}

/// Declares a macro that maps the words of the table to constants.
macro_rules! words {
    ($name:ident: $($word:ident = $value:expr;)+) => {
        macro_rules! $name { $( ($word) => { $value }; )+ }
    };
}

words! { flag:
    can_eliminate = IntrinsicFlags::CAN_ELIMINATE;
    can_reorder = IntrinsicFlags::CAN_REORDER;
    convergent = IntrinsicFlags::CONVERGENT;
    subgroup = IntrinsicFlags::SUBGROUP;
    quad = IntrinsicFlags::QUAD;
    writes = IntrinsicFlags::WRITES;
    reads = IntrinsicFlags::READS;
    terminates = IntrinsicFlags::TERMINATES;
}

words! { action:
    load = MemoryAction::Load;
    store = MemoryAction::Store;
    copy = MemoryAction::Copy;
    atomic = MemoryAction::Atomic;
    exchange = MemoryAction::Exchange;
    size = MemoryAction::Size;
}

words! { mode:
    any = Modes::all();
    input = Modes::IN;
    output = Modes::OUT;
    uniform = Modes::UNIFORM;
    ubo = Modes::UBO;
    ssbo = Modes::SSBO;
    shared = Modes::SHARED;
    push_const = Modes::PUSH_CONST;
    image = Modes::IMAGE;
    global = Modes::GLOBAL;
}

words! { form:
    variables = Forms::VARIABLES;
    slots = Forms::SLOTS;
    target = Forms::TARGET;
}

words! { stage:
    vertex = Stages::VERTEX;
    tess_control = Stages::TESS_CONTROL;
    tess_eval = Stages::TESS_EVAL;
    geometry = Stages::GEOMETRY;
    fragment = Stages::FRAGMENT;
    inputs = Stages::INPUTS;
    task = Stages::TASK;
    mesh = Stages::MESH;
    workgroup = Stages::WORKGROUP;
    outputs = Stages::OUTPUTS;
}

words! { varies:
    uniform = Varies::Uniform;
    operands = Varies::Operands;
    first = Varies::First;
    all_operands = Varies::AllOperands;
    cluster = Varies::Cluster;
}

macro_rules! result {
    () => {
        None
    };
    ($ty:ident) => {
        Some(shape!($ty, 0))
    };
    ($ty:ident $n:literal) => {
        Some(shape!($ty, $n))
    };
}

macro_rules! intrinsics {
    (
        $(
            $(#[doc = $doc:literal])+
            $name:ident( $($arg:ident : $aty:ident $([$an:literal])?),* ) $(-> $rty:ident $([$rn:literal])?)?
                { $($index:ident),* } $(: $($property:ident $(($($argument:tt)*))?),+)?;
        )+
        system_values {
            $( $(#[doc = $sdoc:literal])+ $sv:ident $load:ident: $sty:ident [$sn:literal]
                $(, $sproperty:ident $(($($sargument:tt)*))?)*; )+
        }
    ) => {
        /// An intrinsic; the variants are named as in the text form.
        ///
        /// # Examples
        ///
        /// ```
        /// use airfoil_ir::intrinsic::{INTRINSIC_OPS, IntrinsicFlags, Stages};
        /// use airfoil_ir::{IntrinsicOp, SystemValue};
        ///
        /// let op = IntrinsicOp::from_name("demote_if").unwrap();
        /// assert!(op.has(IntrinsicFlags::TERMINATES | IntrinsicFlags::CONVERGENT));
        /// assert_eq!(op.stages(), Stages::FRAGMENT);
        /// // Each system value has an intrinsic that loads it.
        /// assert_eq!(IntrinsicOp::load_layer_id.system_value(), Some(SystemValue::layer_id));
        /// let loads = INTRINSIC_OPS.iter().filter_map(|op| op.system_value());
        /// assert!(loads.eq(SystemValue::ALL.iter().copied()));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(non_camel_case_types)]
        pub enum IntrinsicOp {
            $( $(#[doc = $doc])+ $name, )+
            $( $(#[doc = $sdoc])+ $load, )+
        }

        /// Every intrinsic in table order.
        pub const INTRINSIC_OPS: &[IntrinsicOp] =
            &[$( IntrinsicOp::$name, )+ $( IntrinsicOp::$load, )+];

        static INFOS: [IntrinsicInfo; INTRINSIC_OPS.len()] = [
            $( {
                #[allow(unused_mut)]
                let mut info = IntrinsicInfo {
                    name: stringify!($name),
                    doc: concat!($($doc, "\n"),+),
                    operand_names: &[$(stringify!($arg)),*],
                    operands: &[$( shape!($aty, 0 $(+ $an)?) ),*],
                    result: result!($($rty $($rn)?)?),
                    indices: &[$( Index::$index ),*],
                    flags: IntrinsicFlags::empty(),
                    memory: None,
                    forms: Forms::all(),
                    stages: Stages::all(),
                    varies: Varies::Divergent,
                };
                $( $( property!(info, $property $(($($argument)*))?); )+ )?
                info
            }, )+
            $( {
                #[allow(unused_mut)]
                let mut info = IntrinsicInfo {
                    name: stringify!($load),
                    doc: concat!($($sdoc, "\n"),+),
                    operand_names: &[],
                    operands: &[],
                    result: Some(shape!($sty, $sn)),
                    indices: &[],
                    flags: IntrinsicFlags::CAN_ELIMINATE.union(IntrinsicFlags::CAN_REORDER),
                    memory: None,
                    forms: Forms::all(),
                    stages: Stages::all(),
                    varies: Varies::Divergent,
                };
                $( property!(info, $sproperty $(($($sargument)*))?); )*
                info
            }, )+
        ];

        /// Apart from the rows, which are larger: walks over operands read nothing else.
        static NUM_OPERANDS: [u8; INTRINSIC_OPS.len()] = [
            $( <[&str]>::len(&[$(stringify!($arg)),*]) as u8, )+
            $( { const _: &str = stringify!($load); 0 }, )+
        ];

        /// A value that the environment supplies; the variants are named as in the text form.
        ///
        /// # Examples
        ///
        /// ```
        /// use airfoil_ir::intrinsic::{Stages, Varies};
        /// use airfoil_ir::{SystemValue, Ty};
        ///
        /// let coord = SystemValue::from_name("frag_coord").unwrap();
        /// assert_eq!((coord.ty(), coord.load_op().name()), (Ty::new(4, 32), "load_frag_coord"));
        /// assert_eq!(coord.load_op().stages(), Stages::FRAGMENT);
        /// // All invocations of a subgroup are in one workgroup.
        /// assert_eq!(SystemValue::workgroup_id.load_op().varies(), Varies::Uniform);
        /// assert_eq!(SystemValue::local_invocation_id.load_op().varies(), Varies::Divergent);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(non_camel_case_types)]
        pub enum SystemValue { $( $(#[doc = $sdoc])+ $sv, )+ }

        impl SystemValue {
            /// All system values.
            pub const ALL: &'static [SystemValue] = &[$( SystemValue::$sv, )+];

            /// Name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $( SystemValue::$sv => stringify!($sv), )+ }
            }

            /// The intrinsic that reads it.
            pub const fn load_op(self) -> IntrinsicOp {
                match self { $( SystemValue::$sv => IntrinsicOp::$load, )+ }
            }

            /// Shape of the value.
            pub fn ty(self) -> Ty {
                let shape = self.load_op().info().result.and_then(OperandShape::fixed);
                shape.unwrap_or(Ty::B32)
            }

            /// System value of a name.
            pub fn from_name(name: &str) -> Option<SystemValue> {
                SystemValue::ALL.iter().copied().find(|v| v.name() == name)
            }
        }

        /// A pattern of all intrinsics that load a system value, for matches without a wildcard.
        #[macro_export]
        macro_rules! system_value_loads {
            () => { $( $crate::IntrinsicOp::$load )|+ };
        }

        impl IntrinsicOp {
            /// The system value that this intrinsic reads, if it is such a read.
            pub fn system_value(self) -> Option<SystemValue> {
                match self {
                    $( IntrinsicOp::$load => Some(SystemValue::$sv), )+
                    _ => None,
                }
            }
        }
    };
}

impl IntrinsicOp {
    /// The table row.
    #[inline]
    pub fn info(self) -> &'static IntrinsicInfo {
        &INFOS[self as usize]
    }

    /// Name in the text form.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The intrinsic of a name.
    pub fn from_name(name: &str) -> Option<IntrinsicOp> {
        use std::sync::LazyLock;
        static BY_NAME: LazyLock<rustc_hash::FxHashMap<&'static str, IntrinsicOp>> =
            LazyLock::new(|| INTRINSIC_OPS.iter().map(|&op| (op.name(), op)).collect());
        BY_NAME.get(name).copied()
    }

    /// Number of operands, 0 to 4.
    #[inline]
    pub fn num_operands(self) -> usize {
        usize::from(NUM_OPERANDS[self as usize])
    }

    /// Whether the row has all of `flags`.
    pub fn has(self, flags: IntrinsicFlags) -> bool {
        self.info().flags.contains(flags)
    }

    /// The memory that it touches.
    pub fn memory(self) -> Option<MemoryOp> {
        self.info().memory
    }

    /// The forms in which it is legal.
    pub fn forms(self) -> Forms {
        self.info().forms
    }

    /// The stages in which it is legal.
    pub fn stages(self) -> Stages {
        self.info().stages
    }

    /// The divergence of its result.
    pub fn varies(self) -> Varies {
        self.info().varies
    }
}

intrinsics! {
    // ---- variables ----

    /// Reads a scalar or vector variable.
    load_deref(deref: deref) -> any { Access }: memory(load any at deref);
    /// Writes the components of `value` that the mask selects to a scalar or vector variable.
    store_deref(deref: deref, value: any) { WriteMask, Access }: memory(store any at deref = value);
    /// Copies a variable of any type. Both sides have the same type, apart from explicit layout.
    copy_deref(dst: deref, src: deref) { Access, SrcAccess }: memory(copy any at dst = src);
    /// Atomic read-modify-write of a variable; returns the old value. An atomic that orders memory orders the given kinds,
    /// or the kind of the variable if there are none.
    deref_atomic(deref: deref, data: any[1]) -> any[1] { Atomic, Access, MemoryScope, MemoryModes, Semantics }:
        memory(atomic any at deref = data);
    /// Atomic compare and exchange of a variable: stores `data` if the old value equals `compare`. Returns the old value.
    deref_atomic_swap(deref: deref, compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, MemoryModes, Semantics }:
        memory(exchange any at deref = data);
    /// Length of the run-time array at the end of a storage block.
    deref_buffer_array_length(deref: deref) -> uint32[1] { Access }:
        memory(size ssbo at deref), form(variables);
    /// Value of a function parameter.
    load_param() -> any { Param }: can_eliminate, can_reorder;

    // ---- inputs and outputs ----

    /// Fragment input interpolated at the centroid. GLSL `interpolateAtCentroid`.
    interp_deref_at_centroid(deref: deref) -> any {}:
        memory(load input at deref), form(variables), stages(fragment);
    /// Fragment input interpolated at the given sample. GLSL `interpolateAtSample`.
    interp_deref_at_sample(deref: deref, sample: int32[1]) -> any {}:
        memory(load input at deref), form(variables), stages(fragment);
    /// Fragment input interpolated at an offset, in pixels, from the pixel centre. GLSL `interpolateAtOffset`.
    interp_deref_at_offset(deref: deref, offset: float32[2]) -> any {}:
        memory(load input at deref), form(variables), stages(fragment);
    /// Reads a stage input. `offset` is in slots, relative to the location. A compute shader that replaces a vertex shader
    /// has inputs too (Metal `[[stage_in]]`).
    load_input(offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load input at offset), form(slots, target), stages(inputs);
    /// Reads an input of the given vertex of the primitive or patch.
    load_per_vertex_input(vertex: uint32[1], offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load input at offset), form(slots, target), stages(tess_control, tess_eval, geometry, fragment);
    /// Reads a fragment input interpolated with the given barycentric coordinates.
    load_interpolated_input(bary: float32[2], offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load input at offset), form(slots, target), stages(fragment);
    /// Reads back an output (tessellation control shaders, framebuffer fetch).
    load_output(offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load output at offset), form(slots, target), stages(outputs);
    /// Reads back an output of the given vertex of the patch.
    load_per_vertex_output(vertex: uint32[1], offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load output at offset), form(slots, target), stages(tess_control, mesh);
    /// Writes a stage output.
    store_output(value: any, offset: uint32[1]) { Io, Component, WriteMask, SrcType }:
        memory(store output at offset = value), form(slots, target), stages(outputs);
    /// Writes an output of the given vertex of the patch or mesh.
    store_per_vertex_output(value: any, vertex: uint32[1], offset: uint32[1]) { Io, Component, WriteMask, SrcType }:
        memory(store output at offset = value), form(slots, target), stages(tess_control, mesh);
    /// Barycentric coordinates of the pixel centre.
    load_barycentric_pixel() -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates of the centroid: a location inside both the pixel and the primitive.
    load_barycentric_centroid() -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates of the current sample; runs the shader once per sample.
    load_barycentric_sample() -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates of the given sample.
    load_barycentric_at_sample(sample: int32[1]) -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates at an offset, in pixels, from the pixel centre.
    load_barycentric_at_offset(offset: float32[2]) -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);

    // ---- buffers: `block` is a deref of the block variable or of an element of an array of blocks;
    // ---- offsets are in bytes ----

    /// Reads a uniform block at a byte offset.
    load_ubo(block: deref, offset: uint32[1]) -> any { Access, Align }:
        memory(load ubo at block + offset), form(slots, target);
    /// Reads a storage block at a byte offset.
    load_ssbo(block: deref, offset: uint32[1]) -> any { Access, Align }:
        memory(load ssbo at block + offset), form(slots, target);
    /// Writes the components of `value` that the mask selects to a storage block at a byte offset.
    store_ssbo(value: any, block: deref, offset: uint32[1]) { WriteMask, Access, Align }:
        memory(store ssbo at block + offset = value), form(slots, target);
    /// Atomic read-modify-write of a storage block; returns the old value.
    ssbo_atomic(block: deref, offset: uint32[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(atomic ssbo at block + offset = data), form(slots, target);
    /// Atomic compare and exchange in a storage block; returns the old value.
    ssbo_atomic_swap(block: deref, offset: uint32[1], compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(exchange ssbo at block + offset = data), form(slots, target);
    /// Size, in bytes, of the buffer range that is bound to a storage block.
    get_ssbo_size(block: deref) -> uint32[1] { Access }: memory(size ssbo at block), form(slots, target);
    /// Reads the push constants at a byte offset.
    load_push_constant(offset: uint32[1]) -> any { Align }:
        memory(load push_const at offset), form(slots, target);
    /// Reads the default uniform block at a byte offset.
    load_uniform(offset: uint32[1]) -> any { Align }: memory(load uniform at offset), form(slots, target);
    /// Reads workgroup memory at a byte offset.
    load_shared(offset: uint32[1]) -> any { Align }:
        memory(load shared at offset), form(slots, target), stages(workgroup);
    /// Writes the components of `value` that the mask selects to workgroup memory at a byte offset.
    store_shared(value: any, offset: uint32[1]) { WriteMask, Align }:
        memory(store shared at offset = value), form(slots, target), stages(workgroup);
    /// Atomic read-modify-write of workgroup memory; returns the old value.
    shared_atomic(offset: uint32[1], data: any[1]) -> any[1] { Atomic, MemoryScope, Semantics }:
        memory(atomic shared at offset = data), form(slots, target), stages(workgroup);
    /// Atomic compare and exchange in workgroup memory; returns the old value.
    shared_atomic_swap(offset: uint32[1], compare: any[1], data: any[1]) -> any[1] { Atomic, MemoryScope, Semantics }:
        memory(exchange shared at offset = data), form(slots, target), stages(workgroup);
    /// Reads memory at a 64-bit address.
    load_global(address: uint64[1]) -> any { Access, Align }:
        memory(load global at address), form(slots, target);
    /// Writes the components of `value` that the mask selects to memory at a 64-bit address.
    store_global(value: any, address: uint64[1]) { WriteMask, Access, Align }:
        memory(store global at address = value), form(slots, target);
    /// Atomic read-modify-write of memory at a 64-bit address; returns the old value.
    global_atomic(address: uint64[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(atomic global at address = data), form(slots, target);
    /// Atomic compare and exchange of memory at a 64-bit address; returns the old value.
    global_atomic_swap(address: uint64[1], compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(exchange global at address = data), form(slots, target);

    // ---- storage images: the last component of the coordinate is the layer (for cubes `layer * 6 + face`);
    // ---- `sample` is the sample index of a multisampled image and 0 otherwise ----

    /// Reads a texel of a storage image.
    image_load(image: deref, coord: int32, sample: int32[1]) -> any { Dim, Array, Format, Access, DestType }:
        memory(load image at image + coord);
    /// Writes a texel of a storage image.
    image_store(image: deref, coord: int32, sample: int32[1], value: any[4]) { Dim, Array, Format, Access, SrcType }:
        memory(store image at image + coord = value);
    /// Atomic read-modify-write of a texel; returns the old value.
    image_atomic(image: deref, coord: int32, sample: int32[1], data: any[1]) -> any[1] { Atomic, Dim, Array, Format, Access, MemoryScope, MemoryModes, Semantics }:
        memory(atomic image at image + coord = data);
    /// Atomic compare and exchange of a texel. `compare_data` is the pair of expected and new value. Returns the old value.
    image_atomic_swap(image: deref, coord: int32, sample: int32[1], compare_data: any[2]) -> any[1] { Atomic, Dim, Array, Format, Access, MemoryScope, MemoryModes, Semantics }:
        memory(exchange image at image + coord = compare_data);
    /// Size of a storage image in texels: width, height, depth and layers, as far as the dimension has them.
    image_size(image: deref, lod: int32[1]) -> uint32 { Dim, Array, Access }: memory(size image at image);
    /// Residency code of the texel that `image_load` reads. SPIR-V OpImageSparseRead.
    image_residency(image: deref, coord: int32, sample: int32[1]) -> uint32[1] { Dim, Array, Format, Access }:
        memory(load image at image + coord);
    /// Number of samples per texel of a storage image.
    image_samples(image: deref) -> uint32[1] { Dim, Array, Access }: memory(size image at image);

    // ---- synchronisation and lifetime of invocations ----

    /// Waits until all invocations of the execution scope reach the barrier, and orders memory accesses.
    barrier() { ExecutionScope, MemoryScope, MemoryModes, Semantics }: convergent, reads, writes;
    /// Discards the fragment: terminates the invocation or demotes it to a helper. GLSL `discard`.
    discard() {}: convergent, writes, terminates, stages(fragment);
    /// `discard` if the condition is true.
    discard_if(condition: bool[1]) {}: convergent, writes, terminates, stages(fragment);
    /// Demotes the invocation to a helper, which continues without side effects. SPIR-V OpDemoteToHelperInvocation.
    demote() {}: convergent, writes, terminates, stages(fragment);
    /// `demote` if the condition is true.
    demote_if(condition: bool[1]) {}: convergent, writes, terminates, stages(fragment);
    /// Terminates the invocation. SPIR-V OpTerminateInvocation.
    terminate() {}: convergent, writes, terminates, stages(fragment);
    /// `terminate` if the condition is true.
    terminate_if(condition: bool[1]) {}: convergent, writes, terminates, stages(fragment);
    /// Begins a critical section: `StageInfo::interlock` states which fragments exclude each other. SPIR-V
    /// OpBeginInvocationInterlockEXT.
    begin_interlock() {}: convergent, reads, writes, stages(fragment);
    /// Ends the critical section.
    end_interlock() {}: convergent, reads, writes, stages(fragment);
    /// Whether the invocation is currently a helper, including demoted invocations. SPIR-V OpIsHelperInvocationEXT.
    is_helper_invocation() -> bool[1] {}: can_eliminate, reads, stages(fragment);

    // ---- subgroups and quads ----

    /// Whether the condition is true in any active invocation.
    vote_any(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// Whether the condition is true in all active invocations.
    vote_all(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// Whether all active invocations have the same bits.
    vote_ieq(value: any) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// Whether the floats of all active invocations are equal.
    vote_feq(value: float) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// True in the active invocation with the lowest index, false in all others.
    elect() -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// Bit mask of the active invocations whose condition is true.
    ballot(condition: bool[1]) -> uint32[4] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// The bit of the current invocation in a ballot.
    inverse_ballot(mask: uint32[4]) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// The bit at an index in a ballot.
    ballot_bit_extract(mask: uint32[4], index: uint32[1]) -> bool[1] {}:
        can_eliminate, convergent, subgroup, varies(operands);
    /// Number of set bits in a ballot.
    ballot_bit_count_reduce(mask: uint32[4]) -> uint32[1] {}:
        can_eliminate, convergent, subgroup, varies(operands);
    /// Number of set bits in a ballot up to and including the current invocation.
    ballot_bit_count_inclusive(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Number of set bits in a ballot below the current invocation.
    ballot_bit_count_exclusive(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Index of the lowest set bit in a ballot.
    ballot_find_lsb(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup, varies(operands);
    /// Index of the highest set bit in a ballot.
    ballot_find_msb(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup, varies(operands);
    /// The value of the given invocation, whose index is uniform over the subgroup. SPIR-V OpGroupNonUniformBroadcast.
    read_invocation(value: same, invocation: uint32[1]) -> any {}:
        can_eliminate, convergent, subgroup, varies(uniform);
    /// The value of the active invocation with the lowest index.
    read_first_invocation(value: same) -> any {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// The value of the given invocation, whose index may differ between invocations.
    shuffle(value: same, invocation: uint32[1]) -> any {}:
        can_eliminate, convergent, subgroup, varies(all_operands);
    /// The value of the invocation whose index is that of the current one XOR `mask`.
    shuffle_xor(value: same, mask: uint32[1]) -> any {}: can_eliminate, convergent, subgroup, varies(first);
    /// The value of the invocation whose index is lower by `delta`.
    shuffle_up(value: same, delta: uint32[1]) -> any {}: can_eliminate, convergent, subgroup, varies(first);
    /// The value of the invocation whose index is higher by `delta`.
    shuffle_down(value: same, delta: uint32[1]) -> any {}: can_eliminate, convergent, subgroup, varies(first);
    /// Reduction over the active invocations of the cluster.
    reduce(value: same) -> any { Reduce, Cluster }: can_eliminate, convergent, subgroup, varies(cluster);
    /// Inclusive scan: reduction over the active invocations up to and including the current one.
    inclusive_scan(value: same) -> any { Reduce }: can_eliminate, convergent, subgroup;
    /// Exclusive scan: reduction over the active invocations below the current one.
    exclusive_scan(value: same) -> any { Reduce }: can_eliminate, convergent, subgroup;
    /// The value of the given invocation of the quad.
    quad_broadcast(value: same, invocation: uint32[1]) -> any {}:
        can_eliminate, convergent, quad, varies(first);
    /// The value of the horizontal neighbour.
    quad_swap_horizontal(value: same) -> any {}: can_eliminate, convergent, quad, varies(first);
    /// The value of the vertical neighbour.
    quad_swap_vertical(value: same) -> any {}: can_eliminate, convergent, quad, varies(first);
    /// The value of the diagonal neighbour.
    quad_swap_diagonal(value: same) -> any {}: can_eliminate, convergent, quad, varies(first);
    /// Whether the condition is true in any invocation of the quad.
    quad_vote_any(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, quad, varies(first);
    /// Whether the condition is true in all invocations of the quad.
    quad_vote_all(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, quad, varies(first);

    // ---- geometry, tessellation, mesh ----

    /// Emits a vertex with the current outputs, which are undefined afterwards.
    emit_vertex() { Stream }: writes, stages(geometry);
    /// Ends the current primitive.
    end_primitive() { Stream }: writes, stages(geometry);
    /// Sets the number of vertices and primitives of the mesh.
    set_mesh_outputs(vertices: uint32[1], primitives: uint32[1]) {}: convergent, writes, stages(mesh);
    /// Launches a grid of mesh workgroups and ends the task workgroup.
    launch_mesh_workgroups(count: uint32[3]) {}: convergent, writes, stages(task);

    // ---- others ----

    /// Conversion between any two scalar types, with rounding mode and saturation. NIR `convert_alu_types`, OpenCL
    /// `convert_T_sat_rtz`.
    convert_alu_types(value: any) -> any { SrcType, DestType, Rounding, Saturate }:
        can_eliminate, can_reorder, varies(operands);
    /// A conversion that AIR performs with one `air.convert.*` call.
    convert_air(value: any) -> any { SrcType, DestType, Rounding, Saturate }:
        can_eliminate, can_reorder, form(target), varies(operands);
    /// Whether all texels of a residency code are in memory. SPIR-V OpImageSparseTexelsResident.
    is_resident(code: uint32[1]) -> bool[1] {}: can_eliminate, can_reorder, varies(operands);
    /// Components of a lookup that compares depths, by the `GL_DEPTH_TEXTURE_MODE` of the texture, from the result of the
    /// comparison: see `DepthMode`. Without `lower_depth_modes` the mode is `GL_LUMINANCE`, (r, r, r, 1).
    depth_texture_mode(value: float32[1], texture: deref) -> float32[4] {}: can_eliminate, can_reorder, varies(operands);
    /// Position of the given sample within the pixel, in [0, 1].
    load_sample_pos_from_id(sample: int32[1]) -> float32[2] {}:
        can_eliminate, can_reorder, stages(fragment), varies(operands);
    /// Value of a counter that increases while the shader runs. GLSL `clockARB`.
    shader_clock() -> uint32[2] { MemoryScope }: can_eliminate, reads;

    system_values {
        /// Index of the vertex, including the base vertex. OpenGL `gl_VertexID`, Vulkan `gl_VertexIndex`, Metal `vertex_id`.
        vertex_id load_vertex_id: uint32[1], stages(vertex);
        /// Index of the vertex, relative to the base vertex.
        vertex_id_zero_base load_vertex_id_zero_base: uint32[1], stages(vertex);
        /// Index of the instance, relative to the base instance. OpenGL `gl_InstanceID`.
        instance_id load_instance_id: uint32[1], stages(vertex);
        /// Index of the instance, including the base instance. Vulkan `gl_InstanceIndex`, Metal `instance_id`.
        instance_index load_instance_index: uint32[1], stages(vertex);
        /// Base vertex of the draw. OpenGL `gl_BaseVertex`.
        base_vertex load_base_vertex: uint32[1], stages(vertex), varies(uniform);
        /// Base instance of the draw.
        base_instance load_base_instance: uint32[1], stages(vertex), varies(uniform);
        /// Index of the draw in a multi-draw command. GLSL `gl_DrawID`.
        draw_id load_draw_id: uint32[1], stages(vertex, task, mesh), varies(uniform);
        /// Window coordinates of the fragment: x, y, depth and 1/w. GLSL `gl_FragCoord`.
        frag_coord load_frag_coord: float32[4], stages(fragment);
        /// Whether the primitive is front-facing.
        front_face load_front_face: bool[1], stages(fragment);
        /// Coordinates within the point sprite, in [0, 1].
        point_coord load_point_coord: float32[2], stages(fragment);
        /// Index of the current sample; runs the shader once per sample.
        sample_id load_sample_id: uint32[1], stages(fragment);
        /// Position of the current sample within the pixel, in [0, 1]; runs the shader once per sample.
        sample_pos load_sample_pos: float32[2], stages(fragment);
        /// Mask of the samples that the fragment covers. GLSL `gl_SampleMaskIn`.
        sample_mask_in load_sample_mask_in: uint32[1], stages(fragment);
        /// Whether the invocation was a helper when it started. GLSL `gl_HelperInvocation`.
        helper_invocation load_helper_invocation: bool[1], stages(fragment);
        /// Perspective-correct barycentric coordinates of the fragment.
        barycentric_coord load_barycentric_coord: float32[3], stages(fragment);
        /// Barycentric coordinates of the fragment, linear in window space.
        barycentric_coord_linear load_barycentric_coord_linear: float32[3], stages(fragment);
        /// Index of the primitive in the draw. GLSL `gl_PrimitiveID`.
        primitive_id load_primitive_id: uint32[1], stages(tess_control, tess_eval, geometry, fragment);
        /// Index of the geometry shader instance, or of the control point in tessellation control. GLSL `gl_InvocationID`.
        invocation_id load_invocation_id: uint32[1], stages(tess_control, geometry);
        /// Index of the patch, counted across instances. Metal `patch_id`.
        patch_id load_patch_id: uint32[1], stages(tess_eval);
        /// Number of vertices in the input patch.
        patch_vertices_in load_patch_vertices_in: uint32[1], stages(tess_control, tess_eval), varies(uniform);
        /// Coordinates within the tessellated patch. GLSL `gl_TessCoord`.
        tess_coord load_tess_coord: float32[3], stages(tess_eval);
        /// Outer tessellation levels.
        tess_level_outer load_tess_level_outer: float32[4], stages(tess_eval);
        /// Inner tessellation levels.
        tess_level_inner load_tess_level_inner: float32[2], stages(tess_eval);
        /// Framebuffer layer of the fragment. GLSL `gl_Layer`.
        layer_id load_layer_id: uint32[1], stages(fragment);
        /// Viewport index of the primitive. GLSL `gl_ViewportIndex`.
        viewport_id load_viewport_id: uint32[1], stages(fragment);
        /// Index of the view in multiview rendering.
        view_index load_view_index: uint32[1];
        /// Index of the device in a device group.
        device_index load_device_index: uint32[1], varies(uniform);
        /// Position of the invocation in the workgroup.
        local_invocation_id load_local_invocation_id: uint32[3], stages(workgroup);
        /// Linear index of the invocation in the workgroup.
        local_invocation_index load_local_invocation_index: uint32[1], stages(workgroup);
        /// Position of the workgroup in the grid.
        workgroup_id load_workgroup_id: uint32[3], stages(workgroup), varies(uniform);
        /// Number of workgroups in the grid, per dimension.
        num_workgroups load_num_workgroups: uint32[3], stages(workgroup), varies(uniform);
        /// Number of invocations in a workgroup, per dimension.
        workgroup_size load_workgroup_size: uint32[3], stages(workgroup), varies(uniform);
        /// Position of the invocation in the grid.
        global_invocation_id load_global_invocation_id: uint32[3], stages(workgroup);
        /// Origin of the positions of invocations, for grids that do not start at 0. Metal `grid_origin`.
        base_global_invocation_id load_base_global_invocation_id: uint32[3], stages(workgroup), varies(uniform);
        /// Number of invocations in the whole grid, per dimension. Metal `grid_size`.
        global_size load_global_size: uint32[3], stages(workgroup), varies(uniform);
        /// Maximum number of invocations in a subgroup.
        subgroup_size load_subgroup_size: uint32[1], varies(uniform);
        /// Index of the invocation in the subgroup.
        subgroup_invocation load_subgroup_invocation: uint32[1];
        /// Index of the subgroup in the workgroup.
        subgroup_id load_subgroup_id: uint32[1], stages(workgroup), varies(uniform);
        /// Number of subgroups in the workgroup.
        num_subgroups load_num_subgroups: uint32[1], stages(workgroup), varies(uniform);
        /// Ballot mask with the bit of the current invocation.
        subgroup_eq_mask load_subgroup_eq_mask: uint32[4];
        /// Ballot mask with the bits of the current and all higher invocations.
        subgroup_ge_mask load_subgroup_ge_mask: uint32[4];
        /// Ballot mask with the bits of all higher invocations.
        subgroup_gt_mask load_subgroup_gt_mask: uint32[4];
        /// Ballot mask with the bits of the current and all lower invocations.
        subgroup_le_mask load_subgroup_le_mask: uint32[4];
        /// Ballot mask with the bits of all lower invocations.
        subgroup_lt_mask load_subgroup_lt_mask: uint32[4];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_fit_and_names_are_found() {
        for &op in INTRINSIC_OPS {
            let info = op.info();
            assert!(info.indices.iter().map(|i| i.bits()).sum::<u32>() <= 64, "{}", info.name);
            assert!(info.operands.len() <= 4, "{}", info.name);
            assert_eq!(op.num_operands(), info.operands.len(), "{}", info.name);
            assert_eq!(IntrinsicOp::from_name(info.name), Some(op));
        }
        for &sv in SystemValue::ALL {
            assert_eq!(sv.load_op().system_value(), Some(sv));
            assert_eq!(sv.load_op().name(), format!("load_{}", sv.name()));
        }
    }
}
