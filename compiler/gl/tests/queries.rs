//! Program-interface queries, compared with section 7.3.1 of the OpenGL 4.6 specification.

use airfoil_gl::query::enums::*;
use airfoil_gl::{Device, LinkOptions, Program, QueryError, Stage, XfbMode};
use std::sync::Arc;

fn link(sources: &[(Stage, &str)], options: &LinkOptions) -> Arc<Program> {
    let device = Device::default();
    let objects: Vec<_> = sources.iter().map(|(stage, text)| device.compile("o", *stage, &[text])).collect();
    for object in &objects {
        assert!(object.status(), "{}", object.log());
    }
    device.link(&objects.iter().collect::<Vec<_>>(), options).unwrap_or_else(|log| panic!("{log}"))
}

/// Properties of the resource with a name; -99 for those that the interface lacks.
fn of(program: &Program, interface: u32, name: &str, properties: &[u32]) -> Vec<i32> {
    let index = program.resource_index(interface, name).unwrap().unwrap_or_else(|| panic!("no {name}"));
    let value = |&p: &u32| program.resource(interface, index, p);
    properties.iter().flat_map(|p| value(p).unwrap_or_else(|_| vec![-99])).collect()
}

const MEMORY: [u32; 6] = [TYPE, ARRAY_SIZE, OFFSET, ARRAY_STRIDE, MATRIX_STRIDE, IS_ROW_MAJOR];

#[test]
fn uniforms_blocks_and_buffers() {
    let vertex = "#version 430
        struct S { float f; vec3 v[2]; }; struct Item { vec2 p; float q[4]; };
        uniform S s; uniform mat4x3 m[2]; layout(location = 40) uniform sampler2D image;
        layout(std140, row_major) uniform Block { vec2 a; mat3x2 b; float c[3]; } blocks[2];
        layout(std140, binding = 3) uniform Named { vec4 tint; };
        layout(std430, binding = 2) buffer Data { int head; Item items[]; };
        layout(binding = 1, offset = 8) uniform atomic_uint counters[2];
        in vec4 position; in mat3 frame[2];
        void main() {
            atomicCounterIncrement(counters[1]);
            items[3].q[1] = float(head);
            gl_Position = position + vec4(frame[1][0] * frame[0][2], 1.0) * s.f * s.v[1].x * m[1][2].z * blocks[0].c[1]
                + vec4(blocks[1].a * blocks[1].b[0], 0.0, 0.0) + tint + texture(image, position.xy);
        }";
    let fragment = "#version 430
        layout(location = 0, index = 1) out vec4 second; layout(location = 0) out vec4 first;
        uniform Named2 { float g; }; void main() { first = vec4(g); second = vec4(1.0); }";
    let p = link(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], &LinkOptions::default());
    let count = |interface| p.interface(interface, ACTIVE_RESOURCES).unwrap();

    // The default block is not in memory that queries describe.
    assert_eq!(of(&p, UNIFORM, "s.v", &MEMORY), [0x8B51, 2, -1, -1, -1, 0]);
    assert_eq!(of(&p, UNIFORM, "m[0]", &MEMORY), [0x8B6A, 2, -1, -1, -1, 0]);
    assert_eq!(of(&p, UNIFORM, "image", &[LOCATION, BLOCK_INDEX]), [40, -1]);
    assert_eq!(of(&p, UNIFORM, "Block.b", &MEMORY), [0x8B67, 1, 16, 0, 16, 1]);
    assert_eq!(of(&p, UNIFORM, "Block.c[0]", &MEMORY), [0x1406, 3, 48, 16, 0, 0]);
    assert_eq!(of(&p, UNIFORM, "Block.a", &[LOCATION, ATOMIC_COUNTER_BUFFER_INDEX]), [-1, -1]);
    assert_eq!(of(&p, UNIFORM, "counters", &[OFFSET, ARRAY_STRIDE, MATRIX_STRIDE]), [8, 4, 0]);
    assert_eq!(of(&p, UNIFORM, "counters", &[BLOCK_INDEX, ATOMIC_COUNTER_BUFFER_INDEX]), [-1, 0]);
    assert_eq!(of(&p, UNIFORM, "g", &[REFERENCED_BY_VERTEX_SHADER, REFERENCED_BY_FRAGMENT_SHADER]), [0, 1]);

    // A binding that is not declared is 0.
    assert_eq!(of(&p, UNIFORM_BLOCK, "Named", &[BUFFER_BINDING, BUFFER_DATA_SIZE]), [3, 16]);
    assert_eq!(of(&p, UNIFORM_BLOCK, "Block[0]", &[BUFFER_BINDING, NUM_ACTIVE_VARIABLES]), [0, 3]);
    assert_eq!(of(&p, UNIFORM_BLOCK, "Named2", &[BUFFER_BINDING, REFERENCED_BY_VERTEX_SHADER]), [0, 0]);
    assert_eq!(count(UNIFORM_BLOCK), 4);
    let tint = p.resource_index(UNIFORM, "tint").unwrap().unwrap() as i32;
    assert_eq!(of(&p, UNIFORM_BLOCK, "Named", &[ACTIVE_VARIABLES]), [tint]);
    assert_eq!(p.interface(UNIFORM_BLOCK, MAX_NUM_ACTIVE_VARIABLES), Ok(3));

    let top = [OFFSET, ARRAY_STRIDE, TOP_LEVEL_ARRAY_SIZE, TOP_LEVEL_ARRAY_STRIDE, LOCATION];
    assert_eq!(of(&p, BUFFER_VARIABLE, "items[0].q", &top), [16, 4, 0, 24, -99]);
    assert_eq!(of(&p, SHADER_STORAGE_BLOCK, "Data", &[BUFFER_BINDING, NUM_ACTIVE_VARIABLES]), [2, 3]);

    let counters = p.resource_index(UNIFORM, "counters").unwrap().unwrap() as i32;
    let buffer = |property| p.resource(ATOMIC_COUNTER_BUFFER, 0, property);
    assert_eq!(buffer(BUFFER_BINDING), Ok(vec![1]));
    assert_eq!(buffer(BUFFER_DATA_SIZE), Ok(vec![16]));
    assert_eq!(buffer(ACTIVE_VARIABLES), Ok(vec![counters]));
    assert_eq!(buffer(NAME_LENGTH), Err(QueryError::InvalidOperation));
    assert_eq!(p.resource_name(ATOMIC_COUNTER_BUFFER, 0), Err(QueryError::InvalidEnum));
    assert_eq!(p.resource_index(ATOMIC_COUNTER_BUFFER, "x"), Err(QueryError::InvalidEnum));
    assert_eq!(p.interface(ATOMIC_COUNTER_BUFFER, MAX_NAME_LENGTH), Err(QueryError::InvalidOperation));

    // Inputs and outputs; elements of matrices take a location per column.
    let location = |interface, name| p.resource_location(interface, name).unwrap();
    let frame = location(PROGRAM_INPUT, "frame").unwrap();
    assert_eq!(location(PROGRAM_INPUT, "frame[1]"), Some(frame + 3));
    assert_eq!(location(PROGRAM_INPUT, "frame[2]"), None);
    assert_eq!(location(UNIFORM, "m[1]"), Some(location(UNIFORM, "m").unwrap() + 1));
    assert_eq!(location(UNIFORM, "tint"), None);
    assert_eq!(p.resource_location(UNIFORM_BLOCK, "Named"), Err(QueryError::InvalidEnum));
    assert_eq!(of(&p, PROGRAM_OUTPUT, "second", &[LOCATION, LOCATION_INDEX, IS_PER_PATCH]), [0, 1, 0]);
    assert_eq!(of(&p, PROGRAM_INPUT, "position", &[LOCATION_INDEX, LOCATION_COMPONENT]), [-99, 0]);

    // Faults.
    assert_eq!(p.interface(UNIFORM, TYPE), Err(QueryError::InvalidEnum));
    assert_eq!(p.interface(1, ACTIVE_RESOURCES), Err(QueryError::InvalidEnum));
    assert_eq!(p.resource(UNIFORM, count(UNIFORM) as u32, TYPE), Err(QueryError::InvalidValue));
    assert_eq!(p.resource(UNIFORM, 0, 0x1234), Err(QueryError::InvalidEnum));
    assert_eq!(p.resource(UNIFORM, 0, BUFFER_BINDING), Err(QueryError::InvalidOperation));
    // Names and their lengths agree.
    for interface in [UNIFORM, UNIFORM_BLOCK, PROGRAM_INPUT, PROGRAM_OUTPUT, BUFFER_VARIABLE] {
        for n in 0..count(interface) as u32 {
            let name = p.resource_name(interface, n).unwrap();
            assert_eq!(p.resource(interface, n, NAME_LENGTH), Ok(vec![name.len() as i32 + 1]));
            assert_eq!(p.resource_index(interface, name), Ok(Some(n)));
        }
    }
    assert_eq!(p.resource_index(UNIFORM, "s"), Ok(None));
}

#[test]
fn inputs_and_outputs_between_stages() {
    let geometry = "#version 430
        layout(triangles) in; layout(points, max_vertices = 1) out;
        struct S { vec2 a; float b; };
        in vec4 color[]; layout(location = 5) in S s[]; out vec4 shade; layout(location = 3) out float depth;
        void main() {
            gl_Position = gl_in[1].gl_Position; shade = color[2]; depth = s[1].a.x + s[0].b; EmitVertex();
        }";
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    let p = link(&[(Stage::Geometry, geometry)], &options);
    let names = |interface| -> Vec<String> {
        let count = p.interface(interface, ACTIVE_RESOURCES).unwrap() as u32;
        let mut names: Vec<_> =
            (0..count).map(|n| p.resource_name(interface, n).unwrap().to_owned()).collect();
        names.sort();
        names
    };
    // Members of `gl_in` that are not accessed are not active; vertices of structures are elements of an array.
    let inputs =
        ["color[0]", "gl_PerVertex.gl_Position", "s[0].a", "s[0].b", "s[1].a", "s[1].b", "s[2].a", "s[2].b"];
    assert_eq!(names(PROGRAM_INPUT), inputs);
    assert_eq!(of(&p, PROGRAM_INPUT, "color[0]", &[ARRAY_SIZE, LOCATION]), [3, -1]);
    assert_eq!(of(&p, PROGRAM_INPUT, "s[0].b", &[LOCATION]), [6]);
    assert_eq!(of(&p, PROGRAM_INPUT, "s[2].b", &[LOCATION]), [6]);
    // Only attributes and colors have a location that is not declared, and only colors have an index.
    assert_eq!(names(PROGRAM_OUTPUT), ["depth", "gl_Position", "shade"]);
    assert_eq!(of(&p, PROGRAM_OUTPUT, "shade", &[LOCATION, LOCATION_INDEX]), [-1, -1]);
    assert_eq!(of(&p, PROGRAM_OUTPUT, "depth", &[LOCATION, LOCATION_INDEX]), [3, -1]);
}

#[test]
fn references_to_blocks() {
    let vertex = "#version 430
        layout(std140) uniform Unused { vec4 u; };
        uniform Foo { vec4 x; } foo[2][3];
        void main() { gl_Position = foo[0][1].x; }";
    let fragment = "#version 430
        uniform Foo { vec4 x; } foo[2][3]; uniform int n; out vec4 color; void main() { color = foo[1][n].x; }";
    let p = link(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], &LinkOptions::default());
    let by =
        |name| of(&p, UNIFORM_BLOCK, name, &[REFERENCED_BY_VERTEX_SHADER, REFERENCED_BY_FRAGMENT_SHADER]);
    assert_eq!(by("Unused"), [0, 0]);
    assert_eq!(by("Foo[0][1]"), [1, 1]);
    assert_eq!(by("Foo[0][2]"), [0, 1]);
    assert_eq!(of(&p, UNIFORM, "u", &[REFERENCED_BY_VERTEX_SHADER]), [0]);
}

#[test]
fn special_names_of_transform_feedback() {
    let text = "#version 430
        in vec4 p; out vec4 a; out float b[2]; void main() { gl_Position = p; a = p; b = float[2](p.x, p.y); }";
    let mut options = LinkOptions { separable: true, ..LinkOptions::default() };
    let names = ["a", "gl_SkipComponents3", "b[1]", "gl_NextBuffer", "gl_Position"];
    options.transform_feedback.varyings = names.map(str::to_owned).to_vec();
    let p = link(&[(Stage::Vertex, text)], &options);
    let varying = [TYPE, ARRAY_SIZE, OFFSET, TRANSFORM_FEEDBACK_BUFFER_INDEX];
    let list: Vec<_> = (0..5)
        .map(|n| {
            let values = varying.map(|v| p.resource(TRANSFORM_FEEDBACK_VARYING, n, v).unwrap()[0]);
            (p.resource_name(TRANSFORM_FEEDBACK_VARYING, n).unwrap(), values)
        })
        .collect();
    assert_eq!(
        list,
        [
            ("a", [0x8B52, 1, 0, 0]),
            ("gl_SkipComponents3", [0, 3, -1, -1]),
            ("b[1]", [0x1406, 1, 28, 0]),
            ("gl_NextBuffer", [0, 0, -1, -1]),
            ("gl_Position", [0x8B52, 1, 0, 1]),
        ]
    );
    let buffer = |n, property| p.resource(TRANSFORM_FEEDBACK_BUFFER, n, property).unwrap();
    assert_eq!(buffer(0, TRANSFORM_FEEDBACK_BUFFER_STRIDE), [32]);
    assert_eq!((buffer(0, ACTIVE_VARIABLES), buffer(1, ACTIVE_VARIABLES)), (vec![0, 2], vec![4]));
    assert_eq!(p.interface(TRANSFORM_FEEDBACK_BUFFER, MAX_NUM_ACTIVE_VARIABLES), Ok(2));
    options.transform_feedback.varyings = vec!["a".to_owned(), "b".to_owned()];
    options.transform_feedback.mode = XfbMode::Separate;
    let p = link(&[(Stage::Vertex, text)], &options);
    assert_eq!(p.interface(TRANSFORM_FEEDBACK_BUFFER, ACTIVE_RESOURCES), Ok(2));
}

#[test]
fn subroutines() {
    let text = "#version 430
        subroutine float Get(float x);
        layout(index = 1) subroutine(Get) float one(float x) { return x; }
        layout(index = 0) subroutine(Get) float two(float x) { return 2.0 * x; }
        layout(location = 1) subroutine uniform Get gets[2]; layout(location = 0) subroutine uniform Get get;
        void main() { gl_Position = vec4(gets[1](1.0) + gets[0](2.0) + get(3.0)); }";
    let p = link(&[(Stage::Vertex, text)], &LinkOptions { separable: true, ..LinkOptions::default() });
    assert_eq!(p.interface(VERTEX_SUBROUTINE, ACTIVE_RESOURCES), Ok(2));
    assert_eq!(p.resource_index(VERTEX_SUBROUTINE, "one"), Ok(Some(1)));
    assert_eq!(p.resource_index(VERTEX_SUBROUTINE, "two"), Ok(Some(0)));
    assert_eq!(p.interface(COMPUTE_SUBROUTINE, ACTIVE_RESOURCES), Ok(0));
    let list = [ARRAY_SIZE, LOCATION, NUM_COMPATIBLE_SUBROUTINES];
    assert_eq!(of(&p, VERTEX_SUBROUTINE_UNIFORM, "gets", &list), [2, 1, 2]);
    assert_eq!(of(&p, VERTEX_SUBROUTINE_UNIFORM, "get", &list), [1, 0, 2]);
    assert_eq!(p.resource_location(VERTEX_SUBROUTINE_UNIFORM, "gets[1]"), Ok(Some(2)));
    assert_eq!(p.interface(VERTEX_SUBROUTINE_UNIFORM, MAX_NUM_COMPATIBLE_SUBROUTINES), Ok(2));
}
