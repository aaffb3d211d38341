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

        static INFOS: &[IntrinsicInfo] = &[
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

        /// A value that the environment supplies; the variants are named as in the text form.
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
    pub fn num_operands(self) -> usize {
        self.info().operands.len()
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
    /// Writes the components of `value` that the mask names.
    store_deref(deref: deref, value: any) { WriteMask, Access }: memory(store any at deref = value);
    /// Copies a variable of any type; both sides have the same type apart from explicit layout.
    copy_deref(dst: deref, src: deref) { Access, SrcAccess }: memory(copy any at dst = src);
    /// Atomic operation on a variable; gives the old value.
    deref_atomic(deref: deref, data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(atomic any at deref = data);
    /// Stores `data` if the old value equals `compare`; gives the old value.
    deref_atomic_swap(deref: deref, compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(exchange any at deref = data);
    /// Number of elements of the run-time array at the end of a storage block.
    deref_buffer_array_length(deref: deref) -> uint32[1] { Access }:
        memory(size ssbo at deref), form(variables);
    /// A parameter of the function.
    load_param() -> any { Param }: can_eliminate, can_reorder;

    // ---- inputs and outputs ----

    /// Reads a fragment input interpolated at the centroid.
    interp_deref_at_centroid(deref: deref) -> any {}:
        memory(load input at deref), form(variables), stages(fragment);
    /// Reads a fragment input interpolated at a sample.
    interp_deref_at_sample(deref: deref, sample: int32[1]) -> any {}:
        memory(load input at deref), form(variables), stages(fragment);
    /// Reads a fragment input interpolated at an offset in pixels from the centre.
    interp_deref_at_offset(deref: deref, offset: float32[2]) -> any {}:
        memory(load input at deref), form(variables), stages(fragment);
    /// Reads a stage input; `offset` counts slots from the location. A compute shader has inputs if it replaces a vertex
    /// shader, as Metal's `[[stage_in]]`.
    load_input(offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load input at offset), form(slots, target), stages(inputs);
    /// Reads an input of one vertex of the primitive or patch.
    load_per_vertex_input(vertex: uint32[1], offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load input at offset), form(slots, target), stages(tess_control, tess_eval, geometry, fragment);
    /// Reads a fragment input at the place and with the interpolation of the barycentric coordinates.
    load_interpolated_input(bary: float32[2], offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load input at offset), form(slots, target), stages(fragment);
    /// Reads an output written before (tessellation control, framebuffer fetch).
    load_output(offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load output at offset), form(slots, target), stages(outputs);
    /// Reads an output of one vertex of the patch.
    load_per_vertex_output(vertex: uint32[1], offset: uint32[1]) -> any { Io, Component, DestType }:
        memory(load output at offset), form(slots, target), stages(tess_control, mesh);
    /// Writes a stage output.
    store_output(value: any, offset: uint32[1]) { Io, Component, WriteMask, SrcType }:
        memory(store output at offset = value), form(slots, target), stages(outputs);
    /// Writes an output of one vertex of the patch or mesh.
    store_per_vertex_output(value: any, vertex: uint32[1], offset: uint32[1]) { Io, Component, WriteMask, SrcType }:
        memory(store output at offset = value), form(slots, target), stages(tess_control, mesh);
    /// Barycentric coordinates of the pixel's centre.
    load_barycentric_pixel() -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates of a place inside the primitive.
    load_barycentric_centroid() -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates of the sample that runs.
    load_barycentric_sample() -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates of a given sample.
    load_barycentric_at_sample(sample: int32[1]) -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);
    /// Barycentric coordinates at an offset in pixels from the centre.
    load_barycentric_at_offset(offset: float32[2]) -> float32[2] { Interp }:
        can_eliminate, can_reorder, form(slots, target), stages(fragment);

    // ---- buffers: `block` is a deref of the block variable or of an element of an array of blocks;
    // ---- offsets are in bytes ----

    /// Reads a uniform block.
    load_ubo(block: deref, offset: uint32[1]) -> any { Access, Align }:
        memory(load ubo at block + offset), form(slots, target);
    /// Reads a storage block.
    load_ssbo(block: deref, offset: uint32[1]) -> any { Access, Align }:
        memory(load ssbo at block + offset), form(slots, target);
    /// Writes a storage block.
    store_ssbo(value: any, block: deref, offset: uint32[1]) { WriteMask, Access, Align }:
        memory(store ssbo at block + offset = value), form(slots, target);
    /// Atomic operation on a storage block; gives the old value.
    ssbo_atomic(block: deref, offset: uint32[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(atomic ssbo at block + offset = data), form(slots, target);
    /// Compare and exchange in a storage block; gives the old value.
    ssbo_atomic_swap(block: deref, offset: uint32[1], compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(exchange ssbo at block + offset = data), form(slots, target);
    /// Size of a storage block in bytes.
    get_ssbo_size(block: deref) -> uint32[1] { Access }: memory(size ssbo at block), form(slots, target);
    /// Reads the push constants.
    load_push_constant(offset: uint32[1]) -> any { Align }:
        memory(load push_const at offset), form(slots, target);
    /// Reads the default uniform block.
    load_uniform(offset: uint32[1]) -> any { Align }: memory(load uniform at offset), form(slots, target);
    /// Reads workgroup memory.
    load_shared(offset: uint32[1]) -> any { Align }:
        memory(load shared at offset), form(slots, target), stages(workgroup);
    /// Writes workgroup memory.
    store_shared(value: any, offset: uint32[1]) { WriteMask, Align }:
        memory(store shared at offset = value), form(slots, target), stages(workgroup);
    /// Atomic operation on workgroup memory; gives the old value.
    shared_atomic(offset: uint32[1], data: any[1]) -> any[1] { Atomic, MemoryScope, Semantics }:
        memory(atomic shared at offset = data), form(slots, target), stages(workgroup);
    /// Compare and exchange in workgroup memory; gives the old value.
    shared_atomic_swap(offset: uint32[1], compare: any[1], data: any[1]) -> any[1] { Atomic, MemoryScope, Semantics }:
        memory(exchange shared at offset = data), form(slots, target), stages(workgroup);
    /// Reads memory behind an address.
    load_global(address: uint64[1]) -> any { Access, Align }:
        memory(load global at address), form(slots, target);
    /// Writes memory behind an address.
    store_global(value: any, address: uint64[1]) { WriteMask, Access, Align }:
        memory(store global at address = value), form(slots, target);
    /// Atomic operation on memory behind an address; gives the old value.
    global_atomic(address: uint64[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(atomic global at address = data), form(slots, target);
    /// Compare and exchange in memory behind an address; gives the old value.
    global_atomic_swap(address: uint64[1], compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }:
        memory(exchange global at address = data), form(slots, target);

    // ---- storage images: the coordinate holds the layer last (a cube's is layer * 6 + face);
    // ---- `sample` is the sample of a multisampled image and 0 otherwise ----

    /// Reads a texel.
    image_load(image: deref, coord: int32, sample: int32[1]) -> any { Dim, Array, Format, Access, DestType }:
        memory(load image at image + coord);
    /// Writes a texel.
    image_store(image: deref, coord: int32, sample: int32[1], value: any[4]) { Dim, Array, Format, Access, SrcType }:
        memory(store image at image + coord = value);
    /// Atomic operation on a texel; gives the old value.
    image_atomic(image: deref, coord: int32, sample: int32[1], data: any[1]) -> any[1] { Atomic, Dim, Array, Format, Access, MemoryScope, Semantics }:
        memory(atomic image at image + coord = data);
    /// Compare and exchange of a texel; `compare_data` holds the compared and the new value. Gives the old.
    image_atomic_swap(image: deref, coord: int32, sample: int32[1], compare_data: any[2]) -> any[1] { Atomic, Dim, Array, Format, Access, MemoryScope, Semantics }:
        memory(exchange image at image + coord = compare_data);
    /// Width, height, depth and layers, as many as the shape has.
    image_size(image: deref, lod: int32[1]) -> uint32 { Dim, Array, Access }: memory(size image at image);
    /// Samples a texel.
    image_samples(image: deref) -> uint32[1] { Dim, Array, Access }: memory(size image at image);

    // ---- synchronisation and lifetime of invocations ----

    /// Waits for the execution scope and orders memory.
    barrier() { ExecutionScope, MemoryScope, MemoryModes, Semantics }: convergent, reads, writes;
    /// Ends or demotes the invocation, as the implementation likes. GLSL `discard`.
    discard() {}: convergent, writes, terminates, stages(fragment);
    /// `discard` where the condition is true.
    discard_if(condition: bool[1]) {}: convergent, writes, terminates, stages(fragment);
    /// Becomes a helper invocation: goes on without effects. SPIR-V OpDemoteToHelperInvocation.
    demote() {}: convergent, writes, terminates, stages(fragment);
    /// `demote` where the condition is true.
    demote_if(condition: bool[1]) {}: convergent, writes, terminates, stages(fragment);
    /// Ends the invocation. SPIR-V OpTerminateInvocation.
    terminate() {}: convergent, writes, terminates, stages(fragment);
    /// `terminate` where the condition is true.
    terminate_if(condition: bool[1]) {}: convergent, writes, terminates, stages(fragment);
    /// Whether the invocation is a helper now, demoted ones included.
    is_helper_invocation() -> bool[1] {}: can_eliminate, reads, stages(fragment);

    // ---- subgroups and quads ----

    /// Whether the condition is true in any active invocation.
    vote_any(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// Whether the condition is true in all active invocations.
    vote_all(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// Whether the bits are the same in all active invocations.
    vote_ieq(value: any) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// Whether the floats are equal in all active invocations.
    vote_feq(value: float) -> bool[1] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// True in exactly one active invocation.
    elect() -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// Bit mask of the active invocations where the condition is true.
    ballot(condition: bool[1]) -> uint32[4] {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// The bit of the own invocation.
    inverse_ballot(mask: uint32[4]) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// One bit of a mask.
    ballot_bit_extract(mask: uint32[4], index: uint32[1]) -> bool[1] {}:
        can_eliminate, convergent, subgroup, varies(operands);
    /// Number of bits of the subgroup's invocations.
    ballot_bit_count_reduce(mask: uint32[4]) -> uint32[1] {}:
        can_eliminate, convergent, subgroup, varies(operands);
    /// Number of bits up to the own invocation, inclusive.
    ballot_bit_count_inclusive(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Number of bits below the own invocation.
    ballot_bit_count_exclusive(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Lowest invocation in the mask.
    ballot_find_lsb(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup, varies(operands);
    /// Highest invocation in the mask.
    ballot_find_msb(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup, varies(operands);
    /// The value in a given invocation, the same for all.
    read_invocation(value: same, invocation: uint32[1]) -> any {}:
        can_eliminate, convergent, subgroup, varies(uniform);
    /// The value in the first active invocation.
    read_first_invocation(value: same) -> any {}: can_eliminate, convergent, subgroup, varies(uniform);
    /// The value in a given invocation.
    shuffle(value: same, invocation: uint32[1]) -> any {}:
        can_eliminate, convergent, subgroup, varies(all_operands);
    /// The value in the invocation whose index differs by `mask`.
    shuffle_xor(value: same, mask: uint32[1]) -> any {}: can_eliminate, convergent, subgroup, varies(first);
    /// The value `delta` invocations below.
    shuffle_up(value: same, delta: uint32[1]) -> any {}: can_eliminate, convergent, subgroup, varies(first);
    /// The value `delta` invocations above.
    shuffle_down(value: same, delta: uint32[1]) -> any {}: can_eliminate, convergent, subgroup, varies(first);
    /// Combination over the active invocations of the cluster.
    reduce(value: same) -> any { Reduce, Cluster }: can_eliminate, convergent, subgroup, varies(cluster);
    /// Combination of the invocations up to the own.
    inclusive_scan(value: same) -> any { Reduce }: can_eliminate, convergent, subgroup;
    /// Combination of the invocations below the own.
    exclusive_scan(value: same) -> any { Reduce }: can_eliminate, convergent, subgroup;
    /// The value in a given invocation of the quad.
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

    /// Emits the outputs as a vertex; they are undefined afterwards.
    emit_vertex() { Stream }: writes, stages(geometry);
    /// Ends the primitive.
    end_primitive() { Stream }: writes, stages(geometry);
    /// Sets how many vertices and primitives the mesh has.
    set_mesh_outputs(vertices: uint32[1], primitives: uint32[1]) {}: convergent, writes, stages(mesh);
    /// Starts mesh workgroups and ends the task.
    launch_mesh_workgroups(count: uint32[3]) {}: convergent, writes, stages(task);

    // ---- others ----

    /// Converts between any two types. NIR's `convert_alu_types`, OpenCL's `convert_T_sat_rtz`.
    convert_alu_types(value: any) -> any { SrcType, DestType, Rounding, Saturate }:
        can_eliminate, can_reorder, varies(operands);
    /// A conversion that AIR has as `air.convert.*`; target form only.
    convert_air(value: any) -> any { SrcType, DestType, Rounding, Saturate }:
        can_eliminate, can_reorder, form(target), varies(operands);
    /// Position of a sample within the pixel, 0 to 1.
    load_sample_pos_from_id(sample: int32[1]) -> float32[2] {}:
        can_eliminate, can_reorder, stages(fragment), varies(operands);
    /// A counter that runs on.
    shader_clock() -> uint32[2] { MemoryScope }: can_eliminate, reads;

    system_values {
        /// Index of the vertex, base vertex included. OpenGL `gl_VertexID`, Vulkan `gl_VertexIndex`, Metal.
        vertex_id load_vertex_id: uint32[1], stages(vertex);
        /// Index of the vertex without the base vertex.
        vertex_id_zero_base load_vertex_id_zero_base: uint32[1], stages(vertex);
        /// Index of the instance without the base instance. OpenGL `gl_InstanceID`.
        instance_id load_instance_id: uint32[1], stages(vertex);
        /// Index of the instance, base instance included. Vulkan `gl_InstanceIndex`, Metal.
        instance_index load_instance_index: uint32[1], stages(vertex);
        /// Base vertex of the draw. OpenGL `gl_BaseVertex`.
        base_vertex load_base_vertex: uint32[1], stages(vertex), varies(uniform);
        /// Base instance of the draw.
        base_instance load_base_instance: uint32[1], stages(vertex), varies(uniform);
        /// Index of the draw within a multi-draw.
        draw_id load_draw_id: uint32[1], stages(vertex, task, mesh), varies(uniform);
        /// Window position of the fragment: x, y, depth, 1/w.
        frag_coord load_frag_coord: float32[4], stages(fragment);
        /// Whether the primitive faces front.
        front_face load_front_face: bool[1], stages(fragment);
        /// Place within the point sprite.
        point_coord load_point_coord: float32[2], stages(fragment);
        /// Index of the sample that runs; reading it makes the shader run per sample.
        sample_id load_sample_id: uint32[1], stages(fragment);
        /// Position of the sample that runs within the pixel.
        sample_pos load_sample_pos: float32[2], stages(fragment);
        /// Coverage of the fragment.
        sample_mask_in load_sample_mask_in: uint32[1], stages(fragment);
        /// Whether the invocation started as a helper.
        helper_invocation load_helper_invocation: bool[1], stages(fragment);
        /// Barycentric coordinates, perspective-correct.
        barycentric_coord load_barycentric_coord: float32[3], stages(fragment);
        /// Barycentric coordinates, linear.
        barycentric_coord_linear load_barycentric_coord_linear: float32[3], stages(fragment);
        /// Index of the primitive.
        primitive_id load_primitive_id: uint32[1], stages(tess_control, tess_eval, geometry, fragment);
        /// Index of the invocation in its geometry or tessellation-control instance.
        invocation_id load_invocation_id: uint32[1], stages(tess_control, geometry);
        /// Number of the patch, counted on over instances. Metal `patch_id`.
        patch_id load_patch_id: uint32[1], stages(tess_eval);
        /// Vertices of the input patch.
        patch_vertices_in load_patch_vertices_in: uint32[1], stages(tess_control, tess_eval), varies(uniform);
        /// Place within the patch.
        tess_coord load_tess_coord: float32[3], stages(tess_eval);
        /// Outer tessellation levels.
        tess_level_outer load_tess_level_outer: float32[4], stages(tess_eval);
        /// Inner tessellation levels.
        tess_level_inner load_tess_level_inner: float32[2], stages(tess_eval);
        /// Layer of the framebuffer.
        layer_id load_layer_id: uint32[1], stages(fragment);
        /// Viewport of the primitive.
        viewport_id load_viewport_id: uint32[1], stages(fragment);
        /// View of multiview rendering.
        view_index load_view_index: uint32[1];
        /// Index of the device.
        device_index load_device_index: uint32[1], varies(uniform);
        /// Position within the workgroup.
        local_invocation_id load_local_invocation_id: uint32[3], stages(workgroup);
        /// Position within the workgroup as one number.
        local_invocation_index load_local_invocation_index: uint32[1], stages(workgroup);
        /// Position of the workgroup.
        workgroup_id load_workgroup_id: uint32[3], stages(workgroup), varies(uniform);
        /// Number of workgroups.
        num_workgroups load_num_workgroups: uint32[3], stages(workgroup), varies(uniform);
        /// Size of the workgroup.
        workgroup_size load_workgroup_size: uint32[3], stages(workgroup), varies(uniform);
        /// Position of the invocation.
        global_invocation_id load_global_invocation_id: uint32[3], stages(workgroup);
        /// Where positions of invocations count from, for grids that do not start at 0. Metal `grid_origin`.
        base_global_invocation_id load_base_global_invocation_id: uint32[3], stages(workgroup), varies(uniform);
        /// Invocations of the whole grid. Metal `grid_size`.
        global_size load_global_size: uint32[3], stages(workgroup), varies(uniform);
        /// Invocations of a subgroup.
        subgroup_size load_subgroup_size: uint32[1], varies(uniform);
        /// Index within the subgroup.
        subgroup_invocation load_subgroup_invocation: uint32[1];
        /// Index of the subgroup within the workgroup.
        subgroup_id load_subgroup_id: uint32[1], stages(workgroup), varies(uniform);
        /// Subgroups of the workgroup.
        num_subgroups load_num_subgroups: uint32[1], stages(workgroup), varies(uniform);
        /// Mask of the own invocation.
        subgroup_eq_mask load_subgroup_eq_mask: uint32[4];
        /// Mask of the own and higher invocations.
        subgroup_ge_mask load_subgroup_ge_mask: uint32[4];
        /// Mask of higher invocations.
        subgroup_gt_mask load_subgroup_gt_mask: uint32[4];
        /// Mask of the own and lower invocations.
        subgroup_le_mask load_subgroup_le_mask: uint32[4];
        /// Mask of lower invocations.
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
            assert_eq!(IntrinsicOp::from_name(info.name), Some(op));
        }
        for &sv in SystemValue::ALL {
            assert_eq!(sv.load_op().system_value(), Some(sv));
            assert_eq!(sv.load_op().name(), format!("load_{}", sv.name()));
        }
    }
}
