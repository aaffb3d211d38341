//! Transform feedback of tessellation and geometry stages: buffers and counters are compared with the primitives that the
//! interpreter's geometry stage emits, or with values of the test.

use crate::capture::*;
use airfoil::interp::{Config, Program as Machine, Space, System, Values};
use airfoil::ir::Slot;
use airfoil_gl::{
    Budget, CaptureCounters, CaptureStep, Device, DeviceOptions, OptLevel, Stage, StateFlags, StateKey,
};

/// Captures draws of a geometry shader into buffers of all sizes, and compares them with the reference.
fn captures(geometry: &str, varyings: &[&str], size: u32) -> Feedback {
    captures_of(&Device::default(), geometry, varyings, size)
}

fn captures_of(device: &Device, geometry: &str, varyings: &[&str], size: u32) -> Feedback {
    let sources = [(Stage::Vertex, VERTEX), (Stage::Geometry, geometry), (Stage::Fragment, FRAGMENT)];
    let feedback = capturing_on(device, &sources, varyings);
    let (primitives, instances) = (5, 2);
    let (records, values) = vertex_records(&feedback, primitives * size, instances);
    // A draw counts primitives by instance.
    let of_instance = |n: u32| {
        let of = values.chunks((primitives * size) as usize).nth(n as usize).unwrap();
        of.chunks(size as usize).map(<[Values]>::to_vec).collect::<Vec<_>>()
    };
    for first_provokes in [false, true] {
        let flags = if first_provokes { StateFlags::FIRST_PROVOKES } else { StateFlags::empty() };
        let key = StateKey { flags, ..StateKey::default() };
        let (mut want, mut counts) = (<[Vec<u8>; 4]>::default(), [0; 4]);
        for instance in 0..instances {
            let (bytes, more) = feedback.expected(&of_instance(instance), first_provokes);
            want.iter_mut().zip(bytes).for_each(|(to, from)| to.extend(from));
            counts.iter_mut().zip(more).for_each(|(to, from)| *to += from);
        }
        let most = counts.iter().max().copied().unwrap();
        assert!(most > 8, "{counts:?}");
        for room in [0, 1, most / 2, most - 1, most, most + 3, most * 2, most * 3] {
            let mut object = Object::begin(&feedback, [room; 4]);
            // Two draws follow each other.
            for draw in 1..=2_u32 {
                object.draw(&feedback, &records, [primitives, instances], &key);
                let counters = object.counters();
                assert_eq!(counters.generated, counts.map(|n| n * draw));
                let capped = |draws: u32| {
                    let of = |n: usize| (counts[n] * draws).min(counters.limit[n]);
                    [0, 1, 2, 3].map(of)
                };
                assert_eq!((counters.first, counters.written), (capped(draw - 1), capped(draw)));
                let vertices = feedback.program.captured_vertices().unwrap();
                assert_eq!(counters.vertices, counters.written.map(|n| n * vertices));
                for (n, want) in want.iter().enumerate() {
                    let size = (room * vertices * feedback.stride(n as u32)) as usize;
                    object.expect(n, &want.repeat(draw as usize), size);
                }
            }
        }
    }
    feedback
}

#[test]
fn strips_are_captured_as_separate_primitives() {
    // Strips of several lengths, incomplete ones among them, an early end, and several invocations.
    let strips = |output: &str, input: &str| {
        format!(
            "#version 450
            layout({input}, invocations = 3) in; layout({output}, max_vertices = 12) out;
            out vec2 v; flat out int id;
            void vertex(int n) {{
                gl_Position = gl_in[n % gl_in.length()].gl_Position * (1.0 + float(n));
                v = gl_Position.yx + float(gl_InvocationID); id = gl_PrimitiveIDIn * 100 + n; EmitVertex();
            }}
            void main() {{
                int length = (gl_PrimitiveIDIn + gl_InvocationID) % 7;
                for (int i = 0; i < length; i++) vertex(i);
                EndPrimitive();
                if (gl_InvocationID == 2) return;
                vertex(20); vertex(21); EndPrimitive(); EndPrimitive(); vertex(22); vertex(23); vertex(24);
            }}"
        )
    };
    for (input, size) in [("points", 1), ("triangles", 3), ("lines_adjacency", 4)] {
        for output in ["points", "line_strip", "triangle_strip"] {
            captures(&strips(output, input), &["v", "gl_Position", "id"], size);
        }
    }
}

#[test]
fn streams_are_captured_in_their_buffers() {
    let geometry = "#version 450
        layout(points) in; layout(points, max_vertices = 16) out;
        layout(xfb_buffer = 2, xfb_offset = 4, xfb_stride = 12) out vec2 a;
        layout(stream = 1, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 20) out vec3 b;
        layout(stream = 1, xfb_buffer = 3, xfb_offset = 4, xfb_stride = 8) flat out int c;
        layout(stream = 3, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 4) flat out uint d;
        void main() {
            for (int i = 0; i < 2 + gl_PrimitiveIDIn % 3; i++) {
                a = gl_in[0].gl_Position.xy + float(i); gl_Position = vec4(0.0); EmitStreamVertex(0);
                if (i == 1) { EndStreamPrimitive(0); continue; }
                b = gl_in[0].gl_Position.zyx; c = i - 7; EmitStreamVertex(1);
                b *= 2.0; c = 9; EmitStreamVertex(1);
                d = uint(i) + 5u; EmitStreamVertex(3);
                EmitStreamVertex(2);
            }
        }";
    let feedback = captures(geometry, &[], 1);
    // The function that draws has stream 0 only.
    let mesh = feedback.shader(Stage::Geometry, &StateKey::default());
    assert_eq!(mesh.stage, Stage::Mesh);
    let only_one = "#version 450
        layout(points) in; layout(points, max_vertices = 1) out; layout(stream = 1) out float a;
        void main() { a = 1.0; EmitStreamVertex(1); }";
    let sources = [(Stage::Vertex, VERTEX), (Stage::Geometry, only_one), (Stage::Fragment, FRAGMENT)];
    let other = capturing(&sources, &["a"]);
    assert_eq!(other.shader(Stage::Geometry, &StateKey::default()).stage, Stage::Mesh);
    // Streams overflow apart from each other.
    let (records, _) = vertex_records(&feedback, 5, 1);
    let mut object = Object::begin(&feedback, [3, 100, 2, 100]);
    object.draw(&feedback, &records, [5, 1], &StateKey::default());
    let counters = object.counters();
    assert_eq!((counters.limit, counters.written), ([2, 3, 0, 100], [2, 3, 0, 9]));
    assert_eq!(counters.generated, [14, 18, 9, 9]);
}

#[test]
fn special_names_skip_components_and_buffers() {
    let geometry = "#version 450
        layout(lines) in; layout(line_strip, max_vertices = 3) out;
        out vec4 a; out float b; out vec3 c[2];
        void main() {
            for (int i = 0; i < 3; i++) {
                a = gl_in[i % 2].gl_Position; b = a.x * 3.0; c[0] = a.yzw; c[1] = c[0] + 1.0; gl_Position = a; EmitVertex();
            }
        }";
    let names =
        ["a", "gl_SkipComponents2", "b", "gl_NextBuffer", "gl_SkipComponents1", "c[1]", "gl_Position"];
    captures(geometry, &names, 2);
    // Without optimisation.
    let device = Device::new(DeviceOptions { level: OptLevel::O0, ..DeviceOptions::default() });
    captures_of(&device, geometry, &names, 2);
}

#[test]
fn built_in_outputs_are_captured_as_written() {
    let geometry = "#version 450
        layout(points) in; layout(triangle_strip, max_vertices = 5) out;
        out float gl_ClipDistance[2]; out float gl_CullDistance[1];
        void main() {
            for (int i = 0; i < 5; i++) {
                gl_Position = gl_in[0].gl_Position + float(i); gl_PointSize = float(i) * 0.5; gl_Layer = i;
                gl_ClipDistance[0] = -1.0; gl_ClipDistance[1] = float(i); gl_CullDistance[0] = 3.0; EmitVertex();
            }
        }";
    captures(geometry, &["gl_ClipDistance", "gl_PointSize", "gl_Position", "gl_Layer"], 1);
    // Cull distances are flags on Metal, in vertex shaders likewise.
    let vertex = "#version 450
        layout(location = 0) in vec4 p; out float gl_CullDistance[1];
        void main() { gl_Position = p; gl_CullDistance[0] = 1.0; }";
    let capture = StateKey { flags: StateFlags::CAPTURE, ..step(CaptureStep::Write) };
    for (stage, sources) in [
        (
            Stage::Geometry,
            vec![(Stage::Vertex, VERTEX), (Stage::Geometry, geometry), (Stage::Fragment, FRAGMENT)],
        ),
        (Stage::Vertex, vec![(Stage::Vertex, vertex), (Stage::Fragment, FRAGMENT)]),
    ] {
        let feedback = capturing(&sources, &["gl_CullDistance"]);
        let errors = feedback.program.variant(stage, &capture, &Budget::default()).unwrap_err();
        assert!(errors.to_string().contains("`cull_dist0` cannot be captured"), "{errors}");
    }
}

#[test]
fn geometry_after_tessellation_is_captured() {
    let control = "#version 450
        layout(vertices = 3) out;
        void main() {
            gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            gl_TessLevelOuter = float[4](1.0, 1.0, 1.0, 1.0); gl_TessLevelInner = float[2](1.0, 1.0);
        }";
    let evaluation = "#version 450
        layout(triangles) in; out vec3 w; void main() { gl_Position = gl_in[0].gl_Position; w = gl_TessCoord; }";
    let geometry = "#version 450
        layout(triangles) in; layout(points, max_vertices = 1) out; in vec3 w[]; out vec4 v; flat out int id;
        void main() { v = vec4(w[0], w[2].z); id = gl_PrimitiveIDIn; EmitVertex(); }";
    let sources = [
        (Stage::Vertex, VERTEX),
        (Stage::TessControl, control),
        (Stage::TessEval, evaluation),
        (Stage::Geometry, geometry),
        (Stage::Fragment, FRAGMENT),
    ];
    let feedback = capturing(&sources, &["v", "id"]);
    let layout = |stage, key: &StateKey| {
        let function = feedback.program.variant(stage, key, &Budget::default());
        let records = function.unwrap_or_else(|e| panic!("{stage}: {e}")).reflection.records;
        records.into_iter().find(|r| r.buffer == "stage_vertices").unwrap()
    };
    // Kernels and functions that draw read the same records, and the kernels before them are the same.
    let written = layout(Stage::TessEval, &StateKey::default());
    for capture_step in [CaptureStep::None, CaptureStep::Count, CaptureStep::Write] {
        let read = layout(Stage::Geometry, &step(capture_step));
        assert_eq!((read.bytes, read.slots), (written.bytes, written.slots.clone()), "{capture_step:?}");
        for stage in [Stage::Vertex, Stage::TessControl, Stage::TessEval] {
            assert_eq!(
                feedback.program.stage_canonical(stage, &step(capture_step)),
                StateKey::default(),
                "{stage}"
            );
            feedback.shader(stage, &step(capture_step));
        }
    }
    // Records of one triangle of patch 7.
    let mut records = vec![0; 3 * written.bytes as usize];
    for vertex in 0..3_u32 {
        let mut put = |slot: &str, words: &[u32]| {
            let Some(slot) = written.slots.iter().find(|s| s.slot == slot) else { panic!("{slot}") };
            let at = (vertex * written.bytes + slot.offset) as usize;
            for (n, word) in words.iter().enumerate() {
                records[at + 4 * n..at + 4 * n + 4].copy_from_slice(&word.to_le_bytes());
            }
        };
        put("0", &[1.0_f32, 2.0, vertex as f32].map(f32::to_bits));
        put("primitive_id", &[7]);
    }
    let mut object = Object::begin(&feedback, [1, 0, 0, 0]);
    object.draw(&feedback, &records, [1, 1], &StateKey::default());
    let want: Vec<u8> =
        [1.0_f32, 2.0, 0.0, 2.0].iter().flat_map(|x| x.to_le_bytes()).chain([7, 0, 0, 0]).collect();
    object.expect(0, &want, want.len());
}

#[test]
fn doubles_are_captured_as_pairs_of_words() {
    let geometry = "#version 450
        layout(points) in; layout(points, max_vertices = 1) out;
        flat out dvec3 d; out float f;
        void main() { d = dvec3(gl_in[0].gl_Position.xyz) * 0.1LF; f = 2.0; EmitVertex(); }";
    let sources = [(Stage::Vertex, VERTEX), (Stage::Geometry, geometry), (Stage::Fragment, FRAGMENT)];
    let feedback = capturing(&sources, &["f", "gl_SkipComponents1", "d"]);
    let (records, _) = vertex_records(&feedback, 3, 1);
    let mut object = Object::begin(&feedback, [3, 0, 0, 0]);
    object.draw(&feedback, &records, [3, 1], &StateKey::default());
    let mut want = Vec::new();
    for n in 0..3 {
        want.extend(2.0_f32.to_le_bytes());
        want.extend([UNTOUCHED; 4]);
        let [x, y, z, _] = position(n, 0);
        want.extend([x, y, z].iter().flat_map(|&c| (f64::from(c) * 0.1).to_le_bytes()));
    }
    object.expect(0, &want, want.len());
}

#[test]
fn many_invocations_keep_their_order() {
    let geometry = "#version 450
        layout(points) in; layout(points, max_vertices = 3) out; flat out ivec2 v;
        void main() { for (int i = 0; i < gl_PrimitiveIDIn * 7 % 4; i++) { v = ivec2(gl_PrimitiveIDIn, i); EmitVertex(); } }";
    let sources = [(Stage::Vertex, VERTEX), (Stage::Geometry, geometry), (Stage::Fragment, FRAGMENT)];
    let feedback = capturing(&sources, &["v"]);
    for count in [1, 255, 256, 257, 1000_u32] {
        let (records, _) = vertex_records(&feedback, count, 1);
        let mut object = Object::begin(&feedback, [3 * count, 0, 0, 0]);
        object.draw(&feedback, &records, [count, 1], &StateKey::default());
        let want = (0..count).flat_map(|n| (0..n * 7 % 4).map(move |i| [n, i]));
        let want: Vec<u8> = want.flatten().flat_map(u32::to_le_bytes).collect();
        assert_eq!(object.counters().written[0] as usize * 8, want.len());
        object.expect(0, &want, want.len());
    }
}

#[test]
fn effects_of_geometry_happen_once() {
    let geometry = |code: &str| {
        format!(
            "#version 450
            layout(points) in; layout(points, max_vertices = 1) out; flat out uint v;
            layout(std430, binding = 0) buffer B {{ uint count, other; }};
            layout(std430, binding = 1) buffer R {{ uint read; }};
            void main() {{ {code} EmitVertex(); }}"
        )
    };
    let link = |code: &str| {
        let geometry = geometry(code);
        let sources = [(Stage::Vertex, VERTEX), (Stage::Geometry, &*geometry), (Stage::Fragment, FRAGMENT)];
        capturing(&sources, &["v"])
    };
    let feedback = link("v = read + 7u; atomicAdd(count, 2u); other = 5u;");
    let (records, _) = vertex_records(&feedback, 4, 1);
    let discard = StateKey { flags: StateFlags::RASTERIZER_DISCARD, ..StateKey::default() };
    for (key, want) in [(StateKey::default(), [0, 0]), (discard, [8, 5])] {
        let mut object = Object::begin(&feedback, [4, 0, 0, 0]);
        let buffer = words(&mut object.resources, &[0, 0]);
        bind(&mut object.resources, Space::Storage, 0, 0, buffer);
        let read = words(&mut object.resources, &[1]);
        // The kernel that adds up has bindings of its own: counts and draws are steps apart.
        bind(&mut object.resources, Space::Storage, 0, 1, read);
        let mut effects = Effects { object, buffer, read };
        effects.draw(&feedback, &records, &key);
        let found = &effects.object.resources.buffers[buffer].bytes;
        assert_eq!(*found, want.iter().flat_map(|w: &u32| w.to_le_bytes()).collect::<Vec<u8>>(), "{key:?}");
        let want: Vec<u8> = [8_u32; 4].iter().flat_map(|w| w.to_le_bytes()).collect();
        effects.object.expect(0, &want, want.len());
    }
    // Code that depends on its own effects.
    for code in ["v = atomicAdd(count, 2u);", "other = 3u; v = count;"] {
        let feedback = link(code);
        for capture_step in [CaptureStep::Count, CaptureStep::Write] {
            let errors = feedback.program.variant(Stage::Geometry, &step(capture_step), &Budget::default());
            assert!(errors.unwrap_err().to_string().contains("E0357"), "{code}");
        }
        assert!(feedback.program.variant(Stage::Geometry, &StateKey::default(), &Budget::default()).is_ok());
    }
}

/// A draw with storage blocks of the application.
struct Effects {
    object: Object,
    buffer: usize,
    read: usize,
}

impl Effects {
    fn draw(&mut self, feedback: &Feedback, records: &[u8], key: &StateKey) {
        let object = &mut self.object;
        let vertices = object.resources.add_buffer(records.to_vec());
        bind(&mut object.resources, Space::Storage, DRIVER, 0, vertices);
        let counts = object.resources.add_buffer(vec![0; 64]);
        bind(&mut object.resources, Space::Storage, DRIVER, CaptureCounters::COUNTS_BINDING, counts);
        for capture_step in [CaptureStep::Count, CaptureStep::Write] {
            let shader = feedback.shader(Stage::Geometry, &StateKey { capture_step, ..*key });
            let r = &mut object.resources;
            bind(r, Space::Storage, 0, 0, self.buffer);
            bind(r, Space::Storage, 0, 1, self.read);
            Machine::new(&shader, Config::default()).unwrap().compute(r, &System::new(), [4, 1, 1]).unwrap();
            if capture_step == CaptureStep::Count {
                object.sums(counts, 4, 1);
            }
        }
    }
}

/// Captures points of patches that a tessellator made, and compares values and counters.
fn evaluates(layout: &str, vertices: u32) {
    let evaluation = format!(
        "#version 450
        layout({layout}) in; out vec3 v; flat out int id;
        void main() {{
            gl_Position = gl_in[gl_PatchVerticesIn - 1].gl_Position + vec4(gl_TessCoord, 0.0);
            v = gl_TessCoord * 2.0; id = gl_PrimitiveID + 50;
        }}"
    );
    let sources = [(Stage::Vertex, VERTEX), (Stage::TessEval, &*evaluation), (Stage::Fragment, FRAGMENT)];
    let feedback = capturing(&sources, &["gl_Position", "gl_SkipComponents1", "id", "v"]);
    assert_eq!(feedback.program.captured_vertices(), Some(vertices));
    let function = feedback.program.variant(Stage::TessEval, &step(CaptureStep::Write), &Budget::default());
    let records = function.unwrap_or_else(|e| panic!("{e}")).reflection.records;
    let layout_of = |name: &str| records.iter().find(|r| r.buffer == name).unwrap();
    let (patches, instances) = (4_u32, 2_u32);
    // Records of vertices are those of the vertex kernel, whatever the last stage becomes.
    let kernel = feedback.program.variant(Stage::Vertex, &StateKey::default(), &Budget::default()).unwrap();
    let written = kernel.reflection.records.iter().find(|r| r.buffer == "stage_vertices").unwrap();
    let read = layout_of("stage_control_points");
    assert_eq!((written.bytes, &written.slots), (read.bytes, &read.slots));
    let (control, values) = vertex_records(&feedback, 3 * patches / instances, instances);
    let layout = layout_of("stage_patches");
    let id = layout.slots.iter().find(|s| s.slot == "primitive_id").unwrap().offset;
    let mut of_patches = vec![0; (patches * layout.bytes) as usize];
    for n in 0..patches {
        let at = (n * layout.bytes + id) as usize;
        of_patches[at..at + 4].copy_from_slice(&(n % (patches / instances)).to_le_bytes());
    }
    // Three primitives of each patch.
    let points: Vec<([f32; 3], u32)> = (0..patches)
        .flat_map(|patch| (0..3 * vertices).map(move |n| ([n as f32 / 8.0, 0.25, patch as f32], patch)))
        .collect();
    let tessellated: Vec<u8> = points
        .iter()
        .flat_map(|(c, patch)| c.map(f32::to_bits).into_iter().chain([*patch]))
        .flat_map(u32::to_le_bytes)
        .collect();
    let record = |&(c, patch): &([f32; 3], u32)| {
        let corner = values[3 * patch as usize + 2].floats(Slot::POSITION).unwrap();
        let position = [corner[0] + c[0], corner[1] + c[1], corner[2] + c[2], corner[3]];
        let mut bytes: Vec<u8> = position.iter().flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend([UNTOUCHED; 4]);
        bytes.extend((patch % (patches / instances) + 50).to_le_bytes());
        bytes.extend(c.iter().flat_map(|x| (x * 2.0).to_le_bytes()));
        bytes
    };
    let want: Vec<u8> = points.iter().flat_map(record).collect();
    let primitives = 3 * patches;
    for room in [0, 1, primitives - 1, primitives, 2 * primitives - 2, 3 * primitives] {
        let mut object = Object::begin(&feedback, [room, 0, 0, 0]);
        for draw in 1..=2 {
            // The tessellator counts its primitives.
            let counts = words(&mut object.resources, &[primitives, 0, 0, 0]);
            object.sums(counts, 1, vertices);
            let r = &mut object.resources;
            for (binding, bytes) in [(1, &control), (2, &of_patches), (4, &tessellated)] {
                let buffer = r.add_buffer(bytes.clone());
                bind(r, Space::Storage, DRIVER, binding, buffer);
            }
            let shader = feedback.shader(Stage::TessEval, &step(CaptureStep::Write));
            let mut machine = Machine::new(&shader, Config::default()).unwrap();
            machine.compute(r, &System::new(), [points.len() as u32, 1, 1]).unwrap();
            let counters = object.counters();
            assert_eq!(counters.generated, [primitives * draw, 0, 0, 0]);
            assert_eq!(counters.written[0], (primitives * draw).min(room));
            let size = (room * vertices * feedback.stride(0)) as usize;
            object.expect(0, &want.repeat(draw as usize), size);
        }
    }
    let counted = feedback.program.variant(Stage::TessEval, &step(CaptureStep::Count), &Budget::default());
    assert!(counted.unwrap_err().to_string().contains("only primitives of geometry shaders are counted"));
}

#[test]
fn primitives_of_tessellation_are_captured() {
    evaluates("triangles", 3);
    evaluates("quads, cw", 3);
    // Metal cannot draw these.
    evaluates("triangles, point_mode", 1);
    evaluates("isolines", 2);
    evaluates("isolines, point_mode", 1);
    // A mesh function draws the primitives that the kernel captures.
    let evaluation = "#version 450\nlayout(isolines) in; void main() { gl_Position = gl_in[0].gl_Position; }";
    let sources = [(Stage::Vertex, VERTEX), (Stage::TessEval, evaluation), (Stage::Fragment, FRAGMENT)];
    let feedback = capturing(&sources, &["gl_Position"]);
    let stages = |key| feedback.program.draw_stages(&key).collect::<Vec<_>>();
    assert_eq!(stages(step(CaptureStep::Write)), [Stage::Vertex, Stage::TessEval, Stage::Fragment]);
    let drawn = stages(step(CaptureStep::None));
    assert_eq!(drawn, [Stage::Vertex, Stage::TessEval, Stage::Geometry, Stage::Fragment]);
}

#[test]
fn only_the_last_stage_depends_on_the_step() {
    let geometry = "#version 450
        layout(points) in; layout(points, max_vertices = 1) out; out vec2 v;
        void main() { v = gl_in[0].gl_Position.xy; gl_Position = gl_in[0].gl_Position; EmitVertex(); }";
    let sources = [(Stage::Vertex, VERTEX), (Stage::Geometry, geometry), (Stage::Fragment, FRAGMENT)];
    let feedback = capturing(&sources, &["v"]);
    let program = &feedback.program;
    let key = step(CaptureStep::Write);
    for stage in [Stage::Vertex, Stage::Fragment] {
        assert_eq!(program.stage_canonical(stage, &key), StateKey::default(), "{stage}");
        feedback.shader(stage, &key);
    }
    // State of outputs does not matter to a kernel.
    let flags =
        StateFlags::FLIP_Y | StateFlags::HALF_Z | StateFlags::RASTERIZER_DISCARD | StateFlags::CAPTURE;
    let other = StateKey { flags, clip_enable: 3, ..key };
    assert_eq!(program.stage_canonical(Stage::Geometry, &other), key);
    feedback.shader(Stage::Geometry, &other);
    // The function that draws does not capture.
    let draws = StateKey { flags: StateFlags::CAPTURE, ..StateKey::default() };
    assert_eq!(program.stage_canonical(Stage::Geometry, &draws), StateKey::default());
    let reflection = |key: &StateKey| {
        program.variant(Stage::Geometry, key, &Budget::default()).unwrap_or_else(|e| panic!("{e}")).reflection
    };
    let names = |key: &StateKey| -> Vec<String> {
        reflection(key).arguments.iter().map(|a| a.name.to_string()).collect()
    };
    assert_eq!(names(&step(CaptureStep::Count)), ["xfb_counts"]);
    assert_eq!(names(&key), ["stage_vertices", "xfb_buffer_0", "xfb_counts", "xfb_counters"]);
    let records = reflection(&key).records;
    let layout: Vec<(&str, u32)> = records.iter().map(|r| (&*r.buffer, r.bytes)).collect();
    assert_eq!(layout, [("stage_vertices", 16), ("xfb_buffer_0", 8)]);
    // A program without captures is not captured.
    let sources = [(Stage::Vertex, VERTEX), (Stage::Fragment, FRAGMENT)];
    let plain = capturing(&sources, &[]);
    assert_eq!(plain.program.stage_canonical(Stage::Vertex, &key), StateKey::default());
    plain.shader(Stage::Vertex, &key);
    assert_eq!(plain.program.captured_vertices(), None);
}

#[test]
fn vertices_are_captured_in_the_order_of_a_draw() {
    let vertex = "#version 450
        layout(location = 0) in vec4 p; flat out ivec2 id; out vec3 v;
        void main() { gl_Position = p.yxzw; v = p.xyz * 2.0; id = ivec2(gl_VertexID, gl_InstanceID); }";
    let sources = [(Stage::Vertex, vertex), (Stage::Fragment, FRAGMENT)];
    let feedback = capturing(&sources, &["id", "gl_SkipComponents1", "v"]);
    let program = &feedback.program;
    let [drawn, kernel] = [CaptureStep::None, CaptureStep::Write].map(step);
    // The triangles of a strip, as indices of a list.
    let indices = [7_u32, 8, 9, 9, 8, 10];
    let (count, instances, first, end) = (indices.len() as u32, 2_u32, 3_u32, 12_u32);
    for index_bits in [0_u8, 16, 32] {
        let key = StateKey { index_bits, ..kernel };
        let shader = feedback.shader(Stage::Vertex, &key);
        assert_eq!(shader.stage, Stage::Compute);
        let reflection = program.variant(Stage::Vertex, &key, &Budget::default()).unwrap().reflection;
        let names: Vec<&str> = reflection.arguments.iter().map(|a| &*a.name).collect();
        assert!(!names.contains(&"stage_vertices"), "{names:?}");
        assert_eq!(names.contains(&"stage_indices"), index_bits != 0);
        let buffers: Vec<(&str, u32)> = reflection.records.iter().map(|r| (&*r.buffer, r.bytes)).collect();
        assert_eq!(buffers, [("xfb_buffer_0", 24)]);
        let mut resources = airfoil::interp::Resources::new();
        let draw = words(&mut resources, &[count, first, end]);
        bind(&mut resources, Space::Uniform, DRIVER, 16, draw);
        let bytes = indices.iter().flat_map(|&n| n.to_le_bytes()[..usize::from(index_bits / 8)].to_vec());
        let bytes = resources.add_buffer(bytes.collect());
        bind(&mut resources, Space::Storage, DRIVER, 5, bytes);
        let buffer = resources.add_buffer(vec![UNTOUCHED; 24 * 16]);
        bind(&mut resources, Space::Storage, DRIVER, 20, buffer);
        let inputs: Vec<Values> = (0..count * instances)
            .map(|n| {
                let mut values = Values::new();
                values.set_floats(generic(0), position(indices[(n % count) as usize], 0));
                values
            })
            .collect();
        let inputs: Vec<&Values> = inputs.iter().collect();
        let mut machine = Machine::new(&shader, Config::default()).unwrap();
        machine.kernel(&mut resources, &System::new(), [count, instances, 1], &inputs).unwrap();
        let mut want = vec![UNTOUCHED; 24 * 16];
        for n in (0..count * instances).filter(|n| first + n < end) {
            let (vertex, at) = (n % count, 24 * (first + n) as usize);
            let index = indices[vertex as usize];
            let id = [if index_bits == 0 { vertex } else { index }, n / count];
            let [x, y, z, _] = position(index, 0);
            let values = [x, y, z].map(|c| (c * 2.0).to_bits());
            let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
            want[at..at + 8].copy_from_slice(&bytes(&id));
            want[at + 12..at + 24].copy_from_slice(&bytes(&values));
        }
        assert_eq!(resources.buffers[buffer].bytes, want, "{index_bits} bits");
    }
    // Indices matter to the kernel only, outputs to the function that draws only.
    let indexed = StateKey { index_bits: 16, ..drawn };
    assert_eq!(program.stage_canonical(Stage::Vertex, &indexed), drawn);
    let flags = StateFlags::FLIP_Y | StateFlags::RASTERIZER_DISCARD | StateFlags::CAPTURE;
    assert_eq!(program.stage_canonical(Stage::Vertex, &StateKey { flags, ..kernel }), kernel);
    for key in [indexed, StateKey { flags, ..kernel }, StateKey { flags, ..drawn }] {
        feedback.shader(Stage::Vertex, &key);
    }
    assert_eq!(program.stage_canonical(Stage::Fragment, &kernel), drawn);
    let counted = program.variant(Stage::Vertex, &step(CaptureStep::Count), &Budget::default());
    assert!(counted.unwrap_err().to_string().contains("only primitives of geometry shaders are counted"));
}
