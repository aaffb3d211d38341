//! The C interface: any sequence of calls, on handles that are live or NULL, with any constants, sizes and bytes, returns a result; memory
//! that was allocated by callbacks is given back.
#![no_main]

use airfoil_capi::*;
use libfuzzer_sys::fuzz_target;
use std::alloc::Layout;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Sources that calls choose from, besides bytes of the input.
const SOURCES: [&str; 6] = [
    "attribute vec4 p; varying vec4 v; uniform mat4 m; void main() { gl_Position = m * p; v = p; }\0",
    "varying vec4 v; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, v.xy) * v; }\0",
    "#version 430\nlayout(local_size_x = 4) in; layout(binding = 1) buffer B { int v[]; }; void main() { v[gl_LocalInvocationIndex]++; }\0",
    "#version 330\nin vec4 p; out float gl_ClipDistance[2]; out vec2 v[2]; void main() { gl_Position = p; gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = 1.0; v[0] = v[1] = p.xy; }\0",
    "#version 330\nin vec2 v[2]; uniform B { vec4 a[3]; } b[2]; out vec4 c; void main() { c = b[1].a[int(v[0].x)] + gl_FragCoord; }\0",
    "void main() { gl_Position = vec5(1.0); }\0",
];

const SLOTS: usize = 4;

struct Calls<'d> {
    data: &'d [u8],
    live: Box<AtomicI64>,
    left: Box<AtomicU64>,
    devices: [*mut AfDevice; SLOTS],
    shaders: [*mut AfShader; SLOTS],
    programs: [*mut AfProgram; SLOTS],
    functions: [*mut AfFunction; SLOTS],
    blobs: [*mut AfBlob; SLOTS],
    cancels: [*mut AfCancel; SLOTS],
}

/// Counters of the callbacks: live allocations, and those that succeed before one fails.
struct Counters(*const AtomicI64, *const AtomicU64);

unsafe extern "C" fn allocate(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void {
    let counters = unsafe { &*user.cast::<Counters>() };
    let (live, left) = unsafe { (&*counters.0, &*counters.1) };
    if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err() {
        left.store(u64::MAX, Ordering::Relaxed);
        return null_mut();
    }
    live.fetch_add(1, Ordering::Relaxed);
    unsafe { std::alloc::alloc(Layout::from_size_align(size, alignment).unwrap()).cast() }
}

unsafe extern "C" fn deallocate(user: *mut c_void, memory: *mut c_void, size: usize, alignment: usize) {
    let counters = unsafe { &*user.cast::<Counters>() };
    unsafe { &*counters.0 }.fetch_sub(1, Ordering::Relaxed);
    unsafe { std::alloc::dealloc(memory.cast(), Layout::from_size_align(size, alignment).unwrap()) }
}

unsafe extern "C" fn log(_: *mut c_void, severity: AfSeverity, message: *const c_char, length: usize) {
    assert_eq!(severity, AF_SEVERITY_ERROR);
    let text = unsafe { std::slice::from_raw_parts(message.cast::<u8>(), length + 1) };
    assert_eq!(text[length], 0);
    let text = std::str::from_utf8(&text[..length]).unwrap();
    assert!(!text.contains("bug of the library"), "{text}");
}

impl Calls<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        first
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    fn slot(&mut self) -> usize {
        usize::from(self.byte()) % SLOTS
    }

    /// Small constants, sometimes any.
    fn constant(&mut self, most: u32) -> u32 {
        let b = self.byte();
        if b > 250 { self.word() } else { u32::from(b) % most }
    }

    /// Bytes of the input that end in a NUL.
    fn text(&mut self) -> Vec<u8> {
        let length = usize::from(self.byte()).min(self.data.len());
        let (text, rest) = self.data.split_at(length);
        self.data = rest;
        text.iter().copied().filter(|&b| b != 0).chain([0]).collect()
    }

    fn source(&mut self) -> Vec<u8> {
        match usize::from(self.byte()) {
            n if n < 240 => SOURCES[n % SOURCES.len()].into(),
            _ => self.text(),
        }
    }

    /// The stage that a source is for, sometimes any.
    fn stage(&mut self, source: &[u8]) -> AfStage {
        const STAGES: [AfStage; 6] = [0, 4, 5, 0, 4, 0];
        let known = SOURCES.iter().position(|s| s.as_bytes() == source).map(|n| STAGES[n]);
        let any = self.constant(6);
        known.filter(|_| self.byte() < 240).unwrap_or(any)
    }

    fn size<T>(&mut self) -> u32 {
        let size = size_of::<T>() as u32;
        // Smaller ones are rejected before they are read; larger ones would claim memory that does not exist.
        if self.byte() > 240 { self.byte().into() } else { size }.min(size)
    }

    fn budget(&mut self) -> Option<AfBudget> {
        let cancel = self.cancels[self.slot()];
        match self.byte() {
            0..200 => None,
            b => Some(AfBudget {
                size: self.size::<AfBudget>(),
                instructions: if b < 220 { 0 } else { self.byte().into() },
                nanoseconds: if b < 240 { 0 } else { u64::from(self.word()) },
                cancel,
                memory: if b < 250 { 0 } else { u64::from(self.word()) },
            }),
        }
    }

    fn key(&mut self) -> AfStateKey {
        AfStateKey {
            size: self.size::<AfStateKey>(),
            flags: self.word() >> 8,
            clip_enable: self.byte(),
            point_size: self.constant(4) as u8,
            color_attachments: self.constant(9) as u8,
            patch_vertices: self.byte(),
            index_bits: [0, 16, 32, 7][self.constant(4) as usize % 4],
            reserved: [0, 0, (self.byte() > 250).into()],
            attachments: [(); 8].map(|()| (self.byte() % 8).saturating_sub(3)),
            alpha_func: self.constant(9) as u8,
            fog: self.constant(4) as u8,
            coord_replace: self.byte(),
            clip_planes: self.byte(),
            logic_op: self.constant(17) as u8,
            inlined_count: self.constant(5) as u8,
            blend: self.constant(16) as u8,
            spare: (self.byte() > 250).into(),
            gl_clamp: [(); 3].map(|()| self.byte().into()),
            compare_off: self.byte().into(),
            nonseamless: self.byte().into(),
            inlined: [(); 4].map(|()| AfInlinedUniform {
                offset: self.constant(64).wrapping_mul(4),
                value: self.byte().into(),
            }),
            vertex_formats: [(); 32]
                .map(|()| AfVertexFormat { kind: self.byte() % 32, components: self.constant(5) as u8 }),
            depth_modes: [(); 3].map(|()| self.byte().into()),
            external_planes: [(); 2].map(|()| self.byte().into()),
            lines: self.constant(4) as u8,
            polygon_mode: self.constant(3) as u8,
            polygons: self.constant(3) as u8,
            capture_step: self.constant(3) as u8,
            pulled: self.byte().into(),
            instanced: self.byte().into(),
            unaligned: self.byte().into(),
        }
    }

    /// One call. Results that are handles go to a slot, whose handle is released.
    unsafe fn call(&mut self, counters: &Counters) {
        let (a, b) = (self.slot(), self.slot());
        unsafe {
            match self.byte() % 24 {
                0 => {
                    let target = self.text();
                    let info = AfDeviceInfo {
                        size: self.size::<AfDeviceInfo>(),
                        level: self.constant(3),
                        target: if self.byte() < 200 { null() } else { target.as_ptr().cast() },
                        math: self.constant(4),
                        binding_policy: self.constant(3),
                        reserved_buffers: self.word() & 0x7fff_0000,
                        workarounds: self.constant(16),
                        limits: null(),
                        limit_count: 0,
                        reserved: 0,
                        allocate: Some(allocate),
                        deallocate: Some(deallocate),
                        log: Some(log),
                        user: (&raw const *counters).cast_mut().cast(),
                        driver_buffer: self.constant(33),
                        spare: 0,
                        cache: null(),
                        cache_limit: 0,
                    };
                    af_device_release(self.devices[a]);
                    let mut error = null_mut();
                    af_device_create(&info, &mut self.devices[a], &mut error);
                    af_blob_release(error);
                }
                1..=4 => {
                    let texts = [self.source(), self.source()];
                    let strings = texts.each_ref().map(|t| t.as_ptr().cast());
                    let stage = self.stage(&texts[0]);
                    let count = if self.byte() < 230 { 1 } else { 2 };
                    let budget = self.budget();
                    let bounds = budget.as_ref().map_or(null(), |b| &raw const *b);
                    let lengths = [(texts[0].len() - 1) as i32, -1];
                    let lengths = if self.byte() & 1 == 0 { null() } else { lengths.as_ptr() };
                    af_shader_release(self.shaders[a]);
                    self.shaders[a] = null_mut();
                    af_shader_compile(
                        self.devices[b],
                        stage,
                        null(),
                        count,
                        strings.as_ptr(),
                        lengths,
                        bounds,
                        &mut self.shaders[a],
                    );
                    let log = af_shader_log(self.shaders[a]);
                    assert!(
                        af_shader_status(self.shaders[a]) == 1 || self.shaders[a].is_null() || log.length > 0
                    );
                }
                5..=8 => {
                    let name = self.text();
                    let binding = AfBinding {
                        name: name.as_ptr().cast(),
                        location: self.constant(40),
                        index: self.constant(3),
                    };
                    let varyings = [c"v".as_ptr(), c"gl_SkipComponents2".as_ptr(), c"gl_Position".as_ptr()];
                    let info = AfLinkInfo {
                        size: self.size::<AfLinkInfo>(),
                        separable: self.constant(2),
                        attributes: &binding,
                        outputs: &binding,
                        attribute_count: self.byte().saturating_sub(254).into(),
                        output_count: self.byte().saturating_sub(254).into(),
                        varyings: varyings.as_ptr(),
                        varying_count: self.constant(4).min(3),
                        separate_varyings: self.constant(2),
                    };
                    let shaders: Vec<*const AfShader> =
                        (0..1 + self.byte() % 3).map(|_| self.shaders[self.slot()].cast_const()).collect();
                    let budget = self.budget();
                    let bounds = budget.as_ref().map_or(null(), |b| &raw const *b);
                    af_program_release(self.programs[a]);
                    self.programs[a] = null_mut();
                    af_program_link(
                        self.devices[b],
                        shaders.len() as u32,
                        shaders.as_ptr(),
                        &info,
                        bounds,
                        &mut self.programs[a],
                    );
                    let log = af_program_log(self.programs[a]);
                    assert!(
                        af_program_status(self.programs[a]) == 1
                            || self.programs[a].is_null()
                            || log.length > 0
                    );
                }
                9..=12 => {
                    let (stage, mut key, budget) = (self.constant(6), self.key(), self.budget());
                    let bounds = budget.as_ref().map_or(null(), |b| &raw const *b);
                    if self.byte() & 1 == 0 {
                        af_program_stage_canonical(self.programs[a], stage, &mut key);
                    }
                    af_function_release(self.functions[b]);
                    let mut error = null_mut();
                    let result = af_program_variant(
                        self.programs[a],
                        stage,
                        &key,
                        bounds,
                        &mut self.functions[b],
                        &mut error,
                    );
                    assert_eq!(result == AfResult::AF_SUCCESS, !self.functions[b].is_null());
                    af_blob_release(error);
                    let library = af_function_metallib(self.functions[b]);
                    assert!(self.functions[b].is_null() || library.length > 4);
                }
                13 => {
                    af_blob_release(self.blobs[b]);
                    self.blobs[b] = null_mut();
                    af_program_store(self.programs[a], &mut self.blobs[b]);
                }
                14 | 15 => {
                    let AfBytes { data, length } = af_blob_bytes(self.blobs[b]);
                    let mut bytes = std::slice::from_raw_parts(data.cast::<u8>(), length).to_vec();
                    if self.byte() > 100 && !bytes.is_empty() {
                        let at = self.word() as usize % bytes.len();
                        bytes[at] ^= self.byte();
                    }
                    af_program_release(self.programs[a]);
                    self.programs[a] = null_mut();
                    let slot = self.slot();
                    af_program_restore(
                        self.devices[slot],
                        bytes.as_ptr().cast(),
                        bytes.len(),
                        &mut self.programs[a],
                        null_mut(),
                    );
                }
                16 | 17 => {
                    let interface = if self.byte() < 240 {
                        0x92E1_u32.wrapping_add(self.constant(20))
                    } else {
                        self.word()
                    };
                    let (property, index) = (0x92F5_u32.wrapping_add(self.constant(32)), self.constant(8));
                    let properties = [property, 0x92F9];
                    let mut value = 0;
                    let mut values = [0; 8];
                    let (mut length, mut name) = (0, AfText { data: null(), length: 0 });
                    af_program_interface(self.programs[a], interface, property, &mut value);
                    let capacity = self.constant(9).min(8);
                    af_program_resource(
                        self.programs[a],
                        interface,
                        index,
                        2,
                        properties.as_ptr(),
                        capacity,
                        values.as_mut_ptr(),
                        &mut length,
                    );
                    if af_program_resource_name(self.programs[a], interface, index, &mut name)
                        == AfResult::AF_SUCCESS
                    {
                        let mut found = 0;
                        af_program_resource_index(self.programs[a], interface, name.data, &mut found);
                        af_program_resource_location(self.programs[a], interface, name.data, &mut value);
                    }
                    let mut uniform = AfUniform { size: self.size::<AfUniform>(), ..std::mem::zeroed() };
                    af_program_uniform(self.programs[a], index, &mut uniform);
                }
                18 => {
                    let mut argument = AfArgument { size: self.size::<AfArgument>(), ..std::mem::zeroed() };
                    let (stage, index) = (self.constant(6), self.constant(6));
                    af_program_argument(self.programs[a], stage, index, &mut argument);
                    af_function_argument(self.functions[b], index, &mut argument);
                    assert!(af_program_argument_count(self.programs[a], stage) < 100);
                }
                19 => {
                    let (mut mask, mut identity, mut key) = (0, [0; 32], self.key());
                    af_program_depends_on(self.programs[a], &mut mask);
                    af_program_identity(self.programs[a], identity.as_mut_ptr());
                    af_program_canonical(self.programs[a], &mut key);
                }
                20 => {
                    af_cancel_release(self.cancels[a]);
                    af_cancel_create(&mut self.cancels[a]);
                    if self.byte() > 200 {
                        af_cancel_set(self.cancels[a]);
                    }
                }
                21 => {
                    let text = self.source();
                    let stage = self.stage(&text);
                    let source = AfSource { name: null(), text: text.as_ptr().cast(), length: -1, stage };
                    let words: Vec<u32> =
                        text.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
                    let is_glsl = self.byte() < 200;
                    let info = AfCompileInfo {
                        size: self.size::<AfCompileInfo>(),
                        output: self.constant(4),
                        sources: &source,
                        source_count: is_glsl.into(),
                        vulkan: self.constant(2),
                        words: words.as_ptr(),
                        word_count: if is_glsl { 0 } else { words.len() },
                        entry: null(),
                    };
                    af_blob_release(self.blobs[b]);
                    self.blobs[b] = null_mut();
                    let mut error = null_mut();
                    af_compile(self.devices[a], &info, null(), &mut self.blobs[b], &mut error);
                    af_blob_release(error);
                }
                22 => {
                    // Counts: a handle that is retained and released stays.
                    af_program_release(af_program_retain(self.programs[a]));
                    af_shader_release(af_shader_retain(self.shaders[a]));
                    af_function_release(af_function_retain(self.functions[a]));
                    af_blob_release(af_blob_retain(self.blobs[a]));
                    // A copy in another slot.
                    af_program_release(self.programs[b]);
                    self.programs[b] = null_mut();
                    self.programs[b] = af_program_retain(self.programs[a]);
                }
                _ => {
                    let left = self.byte().into();
                    self.left.store(left, Ordering::Relaxed);
                }
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut calls = Calls {
        data,
        live: Box::default(),
        left: Box::new(AtomicU64::new(u64::MAX)),
        devices: [null_mut(); SLOTS],
        shaders: [null_mut(); SLOTS],
        programs: [null_mut(); SLOTS],
        functions: [null_mut(); SLOTS],
        blobs: [null_mut(); SLOTS],
        cancels: [null_mut(); SLOTS],
    };
    let counters = Counters(&raw const *calls.live, &raw const *calls.left);
    unsafe {
        // Most sequences need a device.
        for device in &mut calls.devices[..2] {
            af_device_create(null(), device, null_mut());
        }
        for _ in 0..64 {
            if calls.data.is_empty() {
                break;
            }
            calls.call(&counters);
        }
        for n in 0..SLOTS {
            af_device_release(calls.devices[n]);
            af_shader_release(calls.shaders[n]);
            af_program_release(calls.programs[n]);
            af_function_release(calls.functions[n]);
            af_blob_release(calls.blobs[n]);
            af_cancel_release(calls.cancels[n]);
        }
    }
    assert_eq!(calls.live.load(Ordering::Relaxed), 0);
});
