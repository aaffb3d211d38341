//! The table of intrinsics.
//!
//! A row reads `name(operand: shape, ...) -> result { indices } [flags];`.
//!
//! * Shapes: a type word (`float32`, `uint32`, `int32`, `bool`, `any`) with `[n]` components, or any number of
//!   components without; `any` alone takes every width too; `deref` is a deref instruction; `same` has the
//!   result's shape. No result: leave `->` out.
//! * `system_values` rows read `name load_name: shape;` and make a [`SystemValue`] and the intrinsic that
//!   reads it.

use super::index::Index;
use crate::alu::Base;
use crate::value::Ty;
use bitflags::bitflags;

/// What an operand or result of an intrinsic may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandShape {
    /// How the operation reads the bits.
    pub base: Base,
    /// Components; 0 = any number.
    pub comps: u8,
    /// Bits; 0 = any width.
    pub bits: u8,
    /// Must be a deref instruction.
    pub deref: bool,
    /// Must have the shape of the result.
    pub same: bool,
}

impl OperandShape {
    /// Whether a value of shape `ty` fits; `result` is the shape of the instruction's result.
    pub fn accepts(self, ty: Ty, result: Ty) -> bool {
        if self.same {
            return ty == result;
        }
        (self.comps == 0 || self.comps == ty.comps) && (self.bits == 0 || self.bits == ty.bits)
    }

    /// The only shape that fits, if there is just one.
    pub fn fixed(self) -> Option<Ty> {
        (self.comps != 0 && self.bits != 0).then_some(Ty::new(self.comps, self.bits))
    }
}

bitflags! {
    /// What passes may do with an intrinsic.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct IntrinsicFlags: u8 {
        /// Can be removed if the result is unused.
        const CAN_ELIMINATE = 1;
        /// The result depends on the operands and indices only, so equal ones can be joined and moved.
        const CAN_REORDER = 2;
        /// Depends on which invocations are active: must not move into other control flow.
        const CONVERGENT = 4;
        /// Reads other invocations of the subgroup.
        const SUBGROUP = 8;
        /// Reads other invocations of the quad.
        const QUAD = 16;
        /// Writes memory or outputs.
        const WRITES = 32;
        /// Reads memory that may be written while the shader runs.
        const READS = 64;
    }
}

/// A row of the intrinsic table.
#[derive(Debug)]
pub struct IntrinsicInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// Documentation of the row.
    pub doc: &'static str,
    /// Operand names.
    pub operand_names: &'static [&'static str],
    /// Operand shapes.
    pub operands: &'static [OperandShape],
    /// Result shape; `None` if there is no result.
    pub result: Option<OperandShape>,
    /// Constant operands, in the order in which they are written.
    pub indices: &'static [Index],
    /// Properties.
    pub flags: IntrinsicFlags,
}

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

macro_rules! flag {
    (can_eliminate) => {
        IntrinsicFlags::CAN_ELIMINATE
    };
    (can_reorder) => {
        IntrinsicFlags::CAN_REORDER
    };
    (convergent) => {
        IntrinsicFlags::CONVERGENT
    };
    (subgroup) => {
        IntrinsicFlags::SUBGROUP
    };
    (quad) => {
        IntrinsicFlags::QUAD
    };
    (writes) => {
        IntrinsicFlags::WRITES
    };
    (reads) => {
        IntrinsicFlags::READS
    };
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
                { $($index:ident),* } $(: $($flag:ident),+)?;
        )+
        system_values {
            $( $(#[doc = $sdoc:literal])+ $sv:ident $load:ident: $sty:ident [$sn:literal]; )+
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
            $( IntrinsicInfo {
                name: stringify!($name),
                doc: concat!($($doc, "\n"),+),
                operand_names: &[$(stringify!($arg)),*],
                operands: &[$( shape!($aty, 0 $(+ $an)?) ),*],
                result: result!($($rty $($rn)?)?),
                indices: &[$( Index::$index ),*],
                flags: IntrinsicFlags::empty() $($(.union(flag!($flag)))+)?,
            }, )+
            $( IntrinsicInfo {
                name: stringify!($load),
                doc: concat!($($sdoc, "\n"),+),
                operand_names: &[],
                operands: &[],
                result: Some(shape!($sty, $sn)),
                indices: &[],
                flags: IntrinsicFlags::CAN_ELIMINATE.union(IntrinsicFlags::CAN_REORDER),
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
}

intrinsics! {
    // ---- variables ----

    /// Reads a scalar or vector variable.
    load_deref(deref: deref) -> any { Access }: can_eliminate, reads;
    /// Writes the components of `value` that the mask names.
    store_deref(deref: deref, value: any) { WriteMask, Access }: writes;
    /// Copies a variable of any type; both sides have the same type apart from explicit layout.
    copy_deref(dst: deref, src: deref) { Access, SrcAccess }: reads, writes;
    /// Atomic operation on a variable; gives the old value.
    deref_atomic(deref: deref, data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }: reads, writes;
    /// Stores `data` if the old value equals `compare`; gives the old value.
    deref_atomic_swap(deref: deref, compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }: reads, writes;
    /// Number of elements of the run-time array at the end of a storage block.
    deref_buffer_array_length(deref: deref) -> uint32[1] { Access }: can_eliminate, can_reorder;
    /// A parameter of the function.
    load_param() -> any { Param }: can_eliminate, can_reorder;

    // ---- inputs and outputs ----

    /// Reads a fragment input interpolated at the centroid.
    interp_deref_at_centroid(deref: deref) -> any {}: can_eliminate, can_reorder;
    /// Reads a fragment input interpolated at a sample.
    interp_deref_at_sample(deref: deref, sample: int32[1]) -> any {}: can_eliminate, can_reorder;
    /// Reads a fragment input interpolated at an offset in pixels from the centre.
    interp_deref_at_offset(deref: deref, offset: float32[2]) -> any {}: can_eliminate, can_reorder;
    /// Reads a stage input; `offset` counts slots from the location.
    load_input(offset: uint32[1]) -> any { Io, Component, DestType }: can_eliminate, can_reorder;
    /// Reads an input of one vertex of the primitive or patch.
    load_per_vertex_input(vertex: uint32[1], offset: uint32[1]) -> any { Io, Component, DestType }: can_eliminate, can_reorder;
    /// Reads a fragment input at the place and with the interpolation of the barycentric coordinates.
    load_interpolated_input(bary: float32[2], offset: uint32[1]) -> any { Io, Component, DestType }: can_eliminate, can_reorder;
    /// Reads an output written before (tessellation control, framebuffer fetch).
    load_output(offset: uint32[1]) -> any { Io, Component, DestType }: can_eliminate, reads;
    /// Reads an output of one vertex of the patch.
    load_per_vertex_output(vertex: uint32[1], offset: uint32[1]) -> any { Io, Component, DestType }: can_eliminate, reads;
    /// Writes a stage output.
    store_output(value: any, offset: uint32[1]) { Io, Component, WriteMask, SrcType }: writes;
    /// Writes an output of one vertex of the patch or mesh.
    store_per_vertex_output(value: any, vertex: uint32[1], offset: uint32[1]) { Io, Component, WriteMask, SrcType }: writes;
    /// Barycentric coordinates of the pixel's centre.
    load_barycentric_pixel() -> float32[2] { Interp }: can_eliminate, can_reorder;
    /// Barycentric coordinates of a place inside the primitive.
    load_barycentric_centroid() -> float32[2] { Interp }: can_eliminate, can_reorder;
    /// Barycentric coordinates of the sample that runs.
    load_barycentric_sample() -> float32[2] { Interp }: can_eliminate, can_reorder;
    /// Barycentric coordinates of a given sample.
    load_barycentric_at_sample(sample: int32[1]) -> float32[2] { Interp }: can_eliminate, can_reorder;
    /// Barycentric coordinates at an offset in pixels from the centre.
    load_barycentric_at_offset(offset: float32[2]) -> float32[2] { Interp }: can_eliminate, can_reorder;

    // ---- buffers: `block` is a deref of the block variable or of an element of an array of blocks;
    // ---- offsets are in bytes ----

    /// Reads a uniform block.
    load_ubo(block: deref, offset: uint32[1]) -> any { Access, Align }: can_eliminate, can_reorder;
    /// Reads a storage block.
    load_ssbo(block: deref, offset: uint32[1]) -> any { Access, Align }: can_eliminate, reads;
    /// Writes a storage block.
    store_ssbo(value: any, block: deref, offset: uint32[1]) { WriteMask, Access, Align }: writes;
    /// Atomic operation on a storage block; gives the old value.
    ssbo_atomic(block: deref, offset: uint32[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }: reads, writes;
    /// Compare and exchange in a storage block; gives the old value.
    ssbo_atomic_swap(block: deref, offset: uint32[1], compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }: reads, writes;
    /// Size of a storage block in bytes.
    get_ssbo_size(block: deref) -> uint32[1] { Access }: can_eliminate, can_reorder;
    /// Reads the push constants.
    load_push_constant(offset: uint32[1]) -> any { Align }: can_eliminate, can_reorder;
    /// Reads the default uniform block.
    load_uniform(offset: uint32[1]) -> any { Align }: can_eliminate, can_reorder;
    /// Reads workgroup memory.
    load_shared(offset: uint32[1]) -> any { Align }: can_eliminate, reads;
    /// Writes workgroup memory.
    store_shared(value: any, offset: uint32[1]) { WriteMask, Align }: writes;
    /// Atomic operation on workgroup memory; gives the old value.
    shared_atomic(offset: uint32[1], data: any[1]) -> any[1] { Atomic, MemoryScope, Semantics }: reads, writes;
    /// Compare and exchange in workgroup memory; gives the old value.
    shared_atomic_swap(offset: uint32[1], compare: any[1], data: any[1]) -> any[1] { Atomic, MemoryScope, Semantics }: reads, writes;
    /// Reads memory behind an address.
    load_global(address: uint64[1]) -> any { Access, Align }: can_eliminate, reads;
    /// Writes memory behind an address.
    store_global(value: any, address: uint64[1]) { WriteMask, Access, Align }: writes;
    /// Atomic operation on memory behind an address; gives the old value.
    global_atomic(address: uint64[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }: reads, writes;
    /// Compare and exchange in memory behind an address; gives the old value.
    global_atomic_swap(address: uint64[1], compare: any[1], data: any[1]) -> any[1] { Atomic, Access, MemoryScope, Semantics }: reads, writes;

    // ---- storage images: the coordinate holds the layer last (a cube's is layer * 6 + face);
    // ---- `sample` is the sample of a multisampled image and 0 otherwise ----

    /// Reads a texel.
    image_load(image: deref, coord: int32, sample: int32[1]) -> any { Dim, Array, Format, Access, DestType }: can_eliminate, reads;
    /// Writes a texel.
    image_store(image: deref, coord: int32, sample: int32[1], value: any[4]) { Dim, Array, Format, Access, SrcType }: writes;
    /// Atomic operation on a texel; gives the old value.
    image_atomic(image: deref, coord: int32, sample: int32[1], data: any[1]) -> any[1] { Atomic, Dim, Array, Format, Access, MemoryScope, Semantics }: reads, writes;
    /// Compare and exchange of a texel; `compare_data` holds the compared and the new value. Gives the old.
    image_atomic_swap(image: deref, coord: int32, sample: int32[1], compare_data: any[2]) -> any[1] { Atomic, Dim, Array, Format, Access, MemoryScope, Semantics }: reads, writes;
    /// Width, height, depth and layers, as many as the shape has.
    image_size(image: deref, lod: int32[1]) -> uint32 { Dim, Array, Access }: can_eliminate, can_reorder;
    /// Samples a texel.
    image_samples(image: deref) -> uint32[1] { Dim, Array, Access }: can_eliminate, can_reorder;

    // ---- synchronisation and lifetime of invocations ----

    /// Waits for the execution scope and orders memory.
    barrier() { ExecutionScope, MemoryScope, MemoryModes, Semantics }: convergent, reads, writes;
    /// Ends or demotes the invocation, as the implementation likes. GLSL `discard`.
    discard() {}: convergent, writes;
    /// `discard` where the condition is true.
    discard_if(condition: bool[1]) {}: convergent, writes;
    /// Becomes a helper invocation: goes on without effects. SPIR-V OpDemoteToHelperInvocation.
    demote() {}: convergent, writes;
    /// `demote` where the condition is true.
    demote_if(condition: bool[1]) {}: convergent, writes;
    /// Ends the invocation. SPIR-V OpTerminateInvocation.
    terminate() {}: convergent, writes;
    /// `terminate` where the condition is true.
    terminate_if(condition: bool[1]) {}: convergent, writes;
    /// Whether the invocation is a helper now, demoted ones included.
    is_helper_invocation() -> bool[1] {}: can_eliminate, reads;

    // ---- subgroups and quads ----

    /// Whether the condition is true in any active invocation.
    vote_any(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// Whether the condition is true in all active invocations.
    vote_all(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// Whether the bits are the same in all active invocations.
    vote_ieq(value: any) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// Whether the floats are equal in all active invocations.
    vote_feq(value: float) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// True in exactly one active invocation.
    elect() -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// Bit mask of the active invocations where the condition is true.
    ballot(condition: bool[1]) -> uint32[4] {}: can_eliminate, convergent, subgroup;
    /// The bit of the own invocation.
    inverse_ballot(mask: uint32[4]) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// One bit of a mask.
    ballot_bit_extract(mask: uint32[4], index: uint32[1]) -> bool[1] {}: can_eliminate, convergent, subgroup;
    /// Number of bits of the subgroup's invocations.
    ballot_bit_count_reduce(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Number of bits up to the own invocation, inclusive.
    ballot_bit_count_inclusive(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Number of bits below the own invocation.
    ballot_bit_count_exclusive(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Lowest invocation in the mask.
    ballot_find_lsb(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// Highest invocation in the mask.
    ballot_find_msb(mask: uint32[4]) -> uint32[1] {}: can_eliminate, convergent, subgroup;
    /// The value in a given invocation, the same for all.
    read_invocation(value: same, invocation: uint32[1]) -> any {}: can_eliminate, convergent, subgroup;
    /// The value in the first active invocation.
    read_first_invocation(value: same) -> any {}: can_eliminate, convergent, subgroup;
    /// The value in a given invocation.
    shuffle(value: same, invocation: uint32[1]) -> any {}: can_eliminate, convergent, subgroup;
    /// The value in the invocation whose index differs by `mask`.
    shuffle_xor(value: same, mask: uint32[1]) -> any {}: can_eliminate, convergent, subgroup;
    /// The value `delta` invocations below.
    shuffle_up(value: same, delta: uint32[1]) -> any {}: can_eliminate, convergent, subgroup;
    /// The value `delta` invocations above.
    shuffle_down(value: same, delta: uint32[1]) -> any {}: can_eliminate, convergent, subgroup;
    /// Combination over the active invocations of the cluster.
    reduce(value: same) -> any { Reduce, Cluster }: can_eliminate, convergent, subgroup;
    /// Combination of the invocations up to the own.
    inclusive_scan(value: same) -> any { Reduce }: can_eliminate, convergent, subgroup;
    /// Combination of the invocations below the own.
    exclusive_scan(value: same) -> any { Reduce }: can_eliminate, convergent, subgroup;
    /// The value in a given invocation of the quad.
    quad_broadcast(value: same, invocation: uint32[1]) -> any {}: can_eliminate, convergent, quad;
    /// The value of the horizontal neighbour.
    quad_swap_horizontal(value: same) -> any {}: can_eliminate, convergent, quad;
    /// The value of the vertical neighbour.
    quad_swap_vertical(value: same) -> any {}: can_eliminate, convergent, quad;
    /// The value of the diagonal neighbour.
    quad_swap_diagonal(value: same) -> any {}: can_eliminate, convergent, quad;
    /// Whether the condition is true in any invocation of the quad.
    quad_vote_any(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, quad;
    /// Whether the condition is true in all invocations of the quad.
    quad_vote_all(condition: bool[1]) -> bool[1] {}: can_eliminate, convergent, quad;

    // ---- geometry, tessellation, mesh ----

    /// Emits the outputs as a vertex; they are undefined afterwards.
    emit_vertex() { Stream }: writes;
    /// Ends the primitive.
    end_primitive() { Stream }: writes;
    /// Sets how many vertices and primitives the mesh has.
    set_mesh_outputs(vertices: uint32[1], primitives: uint32[1]) {}: convergent, writes;
    /// Starts mesh workgroups and ends the task.
    launch_mesh_workgroups(count: uint32[3]) {}: convergent, writes;

    // ---- others ----

    /// Converts between any two types. NIR's `convert_alu_types`, OpenCL's `convert_T_sat_rtz`.
    convert_alu_types(value: any) -> any { SrcType, DestType, Rounding, Saturate }: can_eliminate, can_reorder;
    /// A conversion that AIR has as `air.convert.*`; target form only.
    convert_air(value: any) -> any { SrcType, DestType, Rounding, Saturate }: can_eliminate, can_reorder;
    /// Position of a sample within the pixel, 0 to 1.
    load_sample_pos_from_id(sample: int32[1]) -> float32[2] {}: can_eliminate, can_reorder;
    /// A counter that runs on.
    shader_clock() -> uint32[2] { MemoryScope }: can_eliminate, reads;

    system_values {
        /// Index of the vertex, base vertex included. OpenGL `gl_VertexID`, Vulkan `gl_VertexIndex`, Metal.
        vertex_id load_vertex_id: uint32[1];
        /// Index of the vertex without the base vertex.
        vertex_id_zero_base load_vertex_id_zero_base: uint32[1];
        /// Index of the instance without the base instance. OpenGL `gl_InstanceID`.
        instance_id load_instance_id: uint32[1];
        /// Index of the instance, base instance included. Vulkan `gl_InstanceIndex`, Metal.
        instance_index load_instance_index: uint32[1];
        /// Base vertex of the draw. OpenGL `gl_BaseVertex`.
        base_vertex load_base_vertex: uint32[1];
        /// Base instance of the draw.
        base_instance load_base_instance: uint32[1];
        /// Index of the draw within a multi-draw.
        draw_id load_draw_id: uint32[1];
        /// Window position of the fragment: x, y, depth, 1/w.
        frag_coord load_frag_coord: float32[4];
        /// Whether the primitive faces front.
        front_face load_front_face: bool[1];
        /// Place within the point sprite.
        point_coord load_point_coord: float32[2];
        /// Index of the sample that runs; reading it makes the shader run per sample.
        sample_id load_sample_id: uint32[1];
        /// Position of the sample that runs within the pixel.
        sample_pos load_sample_pos: float32[2];
        /// Coverage of the fragment.
        sample_mask_in load_sample_mask_in: uint32[1];
        /// Whether the invocation started as a helper.
        helper_invocation load_helper_invocation: bool[1];
        /// Barycentric coordinates, perspective-correct.
        barycentric_coord load_barycentric_coord: float32[3];
        /// Barycentric coordinates, linear.
        barycentric_coord_linear load_barycentric_coord_linear: float32[3];
        /// Index of the primitive.
        primitive_id load_primitive_id: uint32[1];
        /// Index of the invocation in its geometry or tessellation-control instance.
        invocation_id load_invocation_id: uint32[1];
        /// Number of the patch, counted on over instances. Metal `patch_id`.
        patch_id load_patch_id: uint32[1];
        /// Vertices of the input patch.
        patch_vertices_in load_patch_vertices_in: uint32[1];
        /// Place within the patch.
        tess_coord load_tess_coord: float32[3];
        /// Outer tessellation levels.
        tess_level_outer load_tess_level_outer: float32[4];
        /// Inner tessellation levels.
        tess_level_inner load_tess_level_inner: float32[2];
        /// Layer of the framebuffer.
        layer_id load_layer_id: uint32[1];
        /// Viewport of the primitive.
        viewport_id load_viewport_id: uint32[1];
        /// View of multiview rendering.
        view_index load_view_index: uint32[1];
        /// Index of the device.
        device_index load_device_index: uint32[1];
        /// Position within the workgroup.
        local_invocation_id load_local_invocation_id: uint32[3];
        /// Position within the workgroup as one number.
        local_invocation_index load_local_invocation_index: uint32[1];
        /// Position of the workgroup.
        workgroup_id load_workgroup_id: uint32[3];
        /// Number of workgroups.
        num_workgroups load_num_workgroups: uint32[3];
        /// Size of the workgroup.
        workgroup_size load_workgroup_size: uint32[3];
        /// Position of the invocation.
        global_invocation_id load_global_invocation_id: uint32[3];
        /// Where positions of invocations count from, for grids that do not start at 0. Metal `grid_origin`.
        base_global_invocation_id load_base_global_invocation_id: uint32[3];
        /// Invocations of the whole grid. Metal `grid_size`.
        global_size load_global_size: uint32[3];
        /// Invocations of a subgroup.
        subgroup_size load_subgroup_size: uint32[1];
        /// Index within the subgroup.
        subgroup_invocation load_subgroup_invocation: uint32[1];
        /// Index of the subgroup within the workgroup.
        subgroup_id load_subgroup_id: uint32[1];
        /// Subgroups of the workgroup.
        num_subgroups load_num_subgroups: uint32[1];
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
