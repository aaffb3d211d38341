//! Draws with transform feedback of tessellation and geometry stages: the kernels are executed by the interpreter, whose geometry
//! stage is the reference.

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::interp::run::GeometryPrimitive;
use airfoil::interp::{Binding, Config, Program as Machine, Resources, Space, System, Values};
use airfoil::ir::{Primitive, Shader, Slot, SystemValue};
use airfoil_gl::{
    Budget, CaptureCounters, CaptureStep, Device, LinkOptions, Program, Stage, StateKey, TransformFeedback,
    XfbMode,
};
use std::sync::Arc;

pub const DRIVER: u32 = CaptureCounters::SET;
/// Contents of buffers that nothing writes.
pub const UNTOUCHED: u8 = 0xa5;

pub fn generic(n: u32) -> Slot {
    Slot::generic(n).unwrap()
}

/// A program with its sources, and the captures of the API.
pub struct Feedback {
    pub program: Arc<Program>,
    sources: Vec<(Stage, String)>,
    options: TransformFeedback,
}

pub fn capturing(sources: &[(Stage, &str)], varyings: &[&str]) -> Feedback {
    capturing_on(&Device::default(), sources, varyings)
}

pub fn capturing_on(device: &Device, sources: &[(Stage, &str)], varyings: &[&str]) -> Feedback {
    let objects: Vec<_> = sources.iter().map(|(stage, text)| device.compile("o", *stage, &[*text])).collect();
    objects.iter().for_each(|o| assert!(o.status(), "{}", o.log()));
    let options = TransformFeedback {
        varyings: varyings.iter().map(|&v| v.to_owned()).collect(),
        mode: XfbMode::Interleaved,
    };
    let link = LinkOptions { transform_feedback: options.clone(), ..LinkOptions::default() };
    let objects: Vec<_> = objects.iter().collect();
    let program = device.link(&objects, &link).unwrap_or_else(|log| panic!("{log}"));
    let sources = sources.iter().map(|&(stage, text)| (stage, text.to_owned())).collect();
    Feedback { program, sources, options }
}

pub fn step(capture_step: CaptureStep) -> StateKey {
    StateKey { capture_step, ..StateKey::default() }
}

impl Feedback {
    /// The shader of a variant, which is also selected; the canonical key gives the same function.
    pub fn shader(&self, stage: Stage, key: &StateKey) -> Shader {
        let budget = Budget::default();
        let function = self.program.variant(stage, key, &budget).unwrap_or_else(|e| panic!("{stage}: {e}"));
        let canonical = self.program.stage_canonical(stage, key);
        let same = self.program.variant(stage, &canonical, &budget).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(function.metallib, same.metallib, "{stage}: {key:?} and {canonical:?}");
        self.program.variant_shader(stage, key, &budget).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The stride of a buffer.
    pub fn stride(&self, buffer: u32) -> u32 {
        let buffers = &self.program.reflection().transform_feedback.buffers;
        buffers.iter().find(|b| b.buffer == buffer).map_or(0, |b| b.stride)
    }

    /// The geometry shader as the front end makes it.
    pub fn reference(&self) -> Shader {
        let sources = self.sources.iter().map(|(stage, text)| Source { name: "", stage: *stage, text });
        let sources: Vec<Source<'_>> = sources.collect();
        let mut options = ProgramOptions::default();
        options.link.transform_feedback = self.options.clone();
        let program = airfoil::glsl::build(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
        program.shaders.into_iter().find(|s| s.stage == Stage::Geometry).unwrap()
    }

    /// The contents of each buffer after the capture of emitted primitives, and the primitives of each stream.
    pub fn expected(&self, inputs: &[Vec<Values>], first_provokes: bool) -> ([Vec<u8>; 4], [u32; 4]) {
        let shader = self.reference();
        let mut machine = Machine::new(&shader, Config::default()).unwrap();
        let primitives: Vec<GeometryPrimitive<'_>> = (0..)
            .zip(inputs)
            .map(|(n, vertices)| GeometryPrimitive {
                vertices: vertices.iter().collect(),
                system: System::new().with(SystemValue::primitive_id, n),
            })
            .collect();
        let emitted = machine.geometry(&mut Resources::new(), &System::new(), &primitives).unwrap();
        let (mut buffers, mut counts) = (<[Vec<u8>; 4]>::default(), [0; 4]);
        for streams in &emitted {
            for (n, stream) in streams.iter().enumerate() {
                for vertices in
                    stream.primitives.iter().flat_map(|strip| separate(&shader, strip, first_provokes))
                {
                    counts[n] += 1;
                    vertices.into_iter().for_each(|v| self.record(v, n as u32, &mut buffers));
                }
            }
        }
        (buffers, counts)
    }

    /// Appends the record of a vertex to each buffer of its stream.
    pub fn record(&self, vertex: &Values, stream: u32, buffers: &mut [Vec<u8>; 4]) {
        let feedback = &self.program.reflection().transform_feedback;
        for b in &feedback.buffers {
            let of: Vec<_> = feedback.varyings.iter().filter(|v| v.buffer == b.buffer).collect();
            if of.iter().any(|v| v.stream != stream) {
                continue;
            }
            let mut bytes = vec![UNTOUCHED; b.stride as usize];
            for v in of {
                for k in 0..v.components {
                    let word = vertex.get(v.slot.unwrap(), v.component + k).unwrap();
                    let at = (v.offset + 4 * k) as usize;
                    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
            buffers[b.buffer as usize].extend(bytes);
        }
    }
}

/// The points, lines or triangles of a strip, in the order of transform feedback (OpenGL 4.6 section 10.1.9).
pub fn separate<'v>(shader: &Shader, strip: &'v [Values], first_provokes: bool) -> Vec<Vec<&'v Values>> {
    let pick = |list: &[usize]| list.iter().map(|&n| &strip[n]).collect::<Vec<_>>();
    match shader.info.output_primitive {
        Primitive::Points => (0..strip.len()).map(|n| pick(&[n])).collect(),
        Primitive::LineStrip => (1..strip.len()).map(|n| pick(&[n - 1, n])).collect(),
        _ => (2..strip.len())
            .map(|n| match (n % 2, first_provokes) {
                (0, _) => pick(&[n - 2, n - 1, n]),
                (_, true) => pick(&[n - 2, n, n - 1]),
                (_, false) => pick(&[n - 1, n - 2, n]),
            })
            .collect(),
    }
}

/// The buffers of transform feedback, which several draws write.
pub struct Object {
    pub resources: Resources,
    counters: usize,
    buffers: [usize; 4],
}

impl Object {
    /// `glBeginTransformFeedback`: buffers with room for so many primitives.
    pub fn begin(feedback: &Feedback, primitives: [u32; 4]) -> Object {
        let mut resources = Resources::new();
        let vertices = feedback.program.captured_vertices().unwrap();
        let bytes = [0, 1, 2, 3].map(|n: u32| {
            let size = u64::from(primitives[n as usize]) * u64::from(vertices * feedback.stride(n));
            // A part of another primitive has no room.
            if size == 0 { 0 } else { size + 3 }
        });
        let limit = feedback.program.capture_limits(bytes, vertices);
        let counters = CaptureCounters { limit, ..CaptureCounters::default() };
        let buffers = bytes.map(|n| resources.add_buffer(vec![UNTOUCHED; n as usize]));
        let counters = words(&mut resources, &counters.words());
        for (n, buffer) in (0..).zip(buffers) {
            bind(&mut resources, Space::Storage, DRIVER, 20 + n, buffer);
        }
        bind(&mut resources, Space::Storage, DRIVER, CaptureCounters::BINDING, counters);
        Object { resources, counters, buffers }
    }

    pub fn counters(&self) -> CaptureCounters {
        let bytes = &self.resources.buffers[self.counters].bytes;
        let word = |n: usize| u32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().unwrap());
        CaptureCounters::from_words(&std::array::from_fn(word))
    }

    /// Runs the kernel that adds up.
    pub fn sums(&mut self, counts: usize, records: u32, vertices: u32) {
        let program =
            Device::default().capture_sums(&Budget::default()).unwrap_or_else(|log| panic!("{log}"));
        let key = StateKey::default();
        let function = program.variant(Stage::Compute, &key, &Budget::default()).unwrap();
        assert!(function.metallib.starts_with(b"MTLB"));
        let shader = program.variant_shader(Stage::Compute, &key, &Budget::default()).unwrap();
        let r = &mut self.resources;
        let sums = words(r, &[records, vertices]);
        bind(r, Space::Uniform, 0, 0, sums);
        bind(r, Space::Storage, 0, 0, counts);
        bind(r, Space::Storage, 0, 1, self.counters);
        Machine::new(&shader, Config::default()).unwrap().compute(r, &System::new(), [1; 3]).unwrap();
    }

    /// Draws with a geometry shader: the vertex kernel has run, and wrote these records.
    pub fn draw(
        &mut self,
        feedback: &Feedback,
        records: &[u8],
        [primitives, instances]: [u32; 2],
        key: &StateKey,
    ) {
        let [count, write] =
            [CaptureStep::Count, CaptureStep::Write].map(|capture_step| StateKey { capture_step, ..*key });
        let invocations = feedback.reference().info.invocations.max(1);
        let groups = [primitives * invocations, instances, 1];
        let r = &mut self.resources;
        let vertices = r.add_buffer(records.to_vec());
        bind(r, Space::Storage, DRIVER, 0, vertices);
        let counts = r.add_buffer(vec![UNTOUCHED; (groups[0] * groups[1] * 16) as usize]);
        bind(r, Space::Storage, DRIVER, CaptureCounters::COUNTS_BINDING, counts);
        let shader = feedback.shader(Stage::Geometry, &count);
        Machine::new(&shader, Config::default()).unwrap().compute(r, &System::new(), groups).unwrap();
        self.sums(counts, groups[0] * groups[1], feedback.program.captured_vertices().unwrap());
        let shader = feedback.shader(Stage::Geometry, &write);
        // Invocations are independent of each other's order.
        for reversed in [false, true] {
            let config = Config { reversed, ..Config::default() };
            Machine::new(&shader, config)
                .unwrap()
                .compute(&mut self.resources, &System::new(), groups)
                .unwrap();
        }
    }

    /// Compares a buffer with the first primitives of a stream that fit.
    pub fn expect(&self, n: usize, want: &[u8], fits: usize) {
        let found = &self.resources.buffers[self.buffers[n]].bytes;
        let written = want.len().min(fits);
        assert_eq!(found[..written], want[..written], "buffer {n}");
        assert!(found[written..].iter().all(|&b| b == UNTOUCHED), "buffer {n} after byte {written}");
    }
}

pub fn words(resources: &mut Resources, words: &[u32]) -> usize {
    resources.add_buffer(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

pub fn bind(resources: &mut Resources, space: Space, set: u32, binding: u32, buffer: usize) {
    resources.bind(space, set, binding, 0, Binding::Buffer { buffer, offset: 0, size: None });
}

/// Positions that differ by vertex and instance.
pub fn position(vertex: u32, instance: u32) -> [f32; 4] {
    [vertex as f32, instance as f32 + 0.5, 10.0 + vertex as f32, 1.0]
}

/// The vertex kernel on all vertices of all instances: the records, and the same as values.
pub fn vertex_records(feedback: &Feedback, count: u32, instances: u32) -> (Vec<u8>, Vec<Values>) {
    let key = StateKey::default();
    let function = feedback.program.variant(Stage::Vertex, &key, &Budget::default()).unwrap();
    let layout = function.reflection.records.iter().find(|r| r.buffer == "stage_vertices").unwrap();
    let shader = feedback.shader(Stage::Vertex, &key);
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(vec![0; (count * instances * layout.bytes) as usize]);
    bind(&mut resources, Space::Storage, DRIVER, 0, buffer);
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for n in 0..count * instances {
        let (vertex, instance) = (n % count, n / count);
        let mut input = Values::new();
        input.set_floats(generic(0), position(vertex, 0));
        inputs.push(input);
        let mut output = Values::new();
        output.set_floats(Slot::POSITION, position(vertex, instance));
        outputs.push(output);
    }
    let inputs: Vec<&Values> = inputs.iter().collect();
    let mut machine = Machine::new(&shader, Config::default()).unwrap();
    machine.kernel(&mut resources, &System::new(), [count, instances, 1], &inputs).unwrap();
    (resources.buffers.swap_remove(buffer).bytes, outputs)
}

pub const VERTEX: &str = "#version 450
    layout(location = 0) in vec4 p;
    void main() { gl_Position = p + vec4(0.0, float(gl_InstanceID), 0.0, 0.0); }";
pub const FRAGMENT: &str = "#version 450\nout vec4 c; void main() { c = vec4(1.0); }";
