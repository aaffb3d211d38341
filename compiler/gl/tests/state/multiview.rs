//! Draws to several views: each instance is repeated for each view, and the layers are compared with images of draws by view.

use crate::scene::{CLEAR, SIZE, Scene, link_with};
use airfoil::interp::Config;
use airfoil::interp::System;
use airfoil::interp::pipeline::{Draw, Pipeline, Target};
use airfoil::interp::run::Vertex;
use airfoil::ir::{Slot, SystemValue};
use airfoil_gl::{Budget, Device, LinkOptions, Program, Stage, StateFlags, StateKey};
use std::sync::Arc;

/// Instances of the draws.
const INSTANCES: u32 = 4;
/// The base instance of the draws.
const BASE: u32 = 3;
/// Instances that share an element of the second attribute.
const DIVISOR: u32 = 2;

/// An instance covers a cell of 2 x 2 pixels, whose column depends on the view.
const VERTEX: &str = "layout(location = 0) in vec4 p; layout(location = 1) in float element;
    flat out vec4 v;
    void main() {
        vec2 cell = vec2((gl_InstanceID + int(gl_ViewID_OVR)) % 4, gl_InstanceID);
        gl_Position = vec4((cell + 0.5 * (p.xy + 1.0)) * 0.5 - 1.0, 0.0, 1.0);
        v = vec4(gl_ViewID_OVR, gl_InstanceID, gl_BaseInstance, element);
    }";

const FRAGMENT: &str = "flat in vec4 v; layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
    void main() { a = v; b = vec4(gl_ViewID_OVR, gl_Layer, 0.5, 1.0); }";

fn source(views: u32, text: &str) -> String {
    let declared = if views > 0 { format!("layout(num_views = {views}) in;") } else { String::new() };
    format!("#version 460\n#extension GL_OVR_multiview2 : require\n{declared} {text}")
}

/// Draws instances as a driver does: as many times as there are views, and with multiplied divisors.
fn draw(scene: &mut Scene, key: &StateKey, layers: u32) -> Target {
    let views = scene.program.views();
    let mut target = Target::new(SIZE, SIZE, layers, scene.colors);
    let state = scene.state();
    let shaders = scene.shaders(key);
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    for n in 0..INSTANCES * views {
        let element = (BASE + n / (DIVISOR * views)) as f32;
        let vertex = |attributes: &Vec<[f32; 4]>| {
            let mut v = Vertex::default();
            v.inputs.set_floats(Slot::generic(0).unwrap_or(Slot::POSITION), attributes[0]);
            v.inputs.set_floats(Slot::generic(1).unwrap_or(Slot::POSITION), [element, 0.0, 0.0, 1.0]);
            v.system = System::new()
                .with(SystemValue::instance_id, n.into())
                .with(SystemValue::instance_index, (BASE + n).into());
            v
        };
        let vertices: Vec<Vertex> = scene.vertices.iter().map(vertex).collect();
        let system = System::new().with(SystemValue::base_instance, BASE.into());
        let draw = Draw { topology: scene.topology, vertices: &vertices, indices: None, system };
        pipeline.draw(&mut scene.resources, &draw, &state, &mut target).unwrap_or_else(|e| panic!("{e:?}"));
    }
    target
}

/// Compares the layers with draws by view, as GL_OVR_multiview defines them.
fn expect_views(target: &Target, views: u32, up: bool) {
    for (layer, y, x) in
        (0..target.layers).flat_map(|l| (0..SIZE).flat_map(move |y| (0..SIZE).map(move |x| (l, y, x))))
    {
        let row = if up { y } else { SIZE - 1 - y };
        let (instance, view) = (row / 2, layer);
        let is_covered = view < views && x / 2 == (instance + view) % 4;
        let element = BASE + instance / DIVISOR;
        let a = [view, instance, BASE, element].map(|n| n as f32);
        let found: Vec<_> = (0..2).filter_map(|color| target.floats(color, x, y, layer)).collect();
        match is_covered {
            // Without a shader that writes gl_Layer it is zero (GLSL 4.60 section 7.1.5).
            true => assert_eq!(found, [a, [view as f32, 0.0, 0.5, 1.0]], "view {view} at ({x}, {y})"),
            false => assert_eq!(found, [CLEAR; 2], "view {view} at ({x}, {y})"),
        }
    }
}

fn linked(views: u32) -> Scene {
    let (vertex, fragment) = (source(views, VERTEX), source(0, FRAGMENT));
    Scene { colors: 2, ..Scene::of(link_with(&vertex, &fragment, &LinkOptions::default())) }
}

#[test]
fn instances_are_repeated_for_views() {
    for views in [1, 2, 3, 6, 32] {
        let mut scene = linked(views);
        assert_eq!(scene.program.views(), views);
        expect_views(&draw(&mut scene, &StateKey::default(), views + 1), views, true);
        let flipped = StateKey { flags: StateFlags::FLIP_Y, ..StateKey::default() };
        expect_views(&draw(&mut scene, &flipped, views + 1), views, false);
    }
    // Without a declaration there is one view.
    let mut scene = linked(0);
    assert_eq!(scene.program.views(), 1);
    expect_views(&draw(&mut scene, &StateKey::default(), 2), 1, true);
}

#[test]
fn only_programs_of_several_views_write_layers() {
    let outputs = |views: u32| {
        let scene = linked(views);
        let function = scene.program.variant(Stage::Vertex, &StateKey::default(), &Budget::default());
        function.unwrap_or_else(|e| panic!("{e}")).reflection.outputs.len()
    };
    assert_eq!(outputs(2), outputs(1) + 1);
}

#[test]
fn views_do_not_depend_on_state() {
    assert_eq!(linked(2).program.depends_on(), linked(1).program.depends_on());
}

fn separable(stage: Stage, source: &str) -> Arc<Program> {
    let device = Device::default();
    let object = device.compile("separable", stage, &[source]);
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    device.link(&[&object], &options).unwrap_or_else(|log| panic!("{}{log}", object.log()))
}

#[test]
fn pipelines_have_the_views_of_the_vertex_shader() {
    for views in [0, 1, 2] {
        let vertex = format!("out gl_PerVertex {{ vec4 gl_Position; }};\n{VERTEX}");
        let vertex = separable(Stage::Vertex, &source(views, &vertex));
        let fragment = separable(Stage::Fragment, &source(0, FRAGMENT));
        let programs = [(&*vertex, u32::MAX), (&*fragment, u32::MAX)];
        let joined = Device::default().pipeline(&programs, &Budget::default());
        let mut scene = Scene { colors: 2, ..Scene::of(joined.unwrap_or_else(|log| panic!("{log}"))) };
        assert_eq!(scene.program.views(), views.max(1));
        expect_views(&draw(&mut scene, &StateKey::default(), 3), views.max(1), true);
    }
}

#[test]
fn programs_keep_their_views_in_storage() {
    let program = linked(2).program;
    let stored = program.store().unwrap_or_else(|e| panic!("{e}"));
    let restored = Device::default().restore(&stored).unwrap_or_else(|e| panic!("{e}"));
    let mut scene = Scene { colors: 2, ..Scene::of(restored) };
    expect_views(&draw(&mut scene, &StateKey::default(), 3), 2, true);
}

#[test]
fn programs_with_geometry_have_one_view() {
    let device = Device::default();
    let geometry = "#version 460
        layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; flat in vec4 v[]; flat out vec4 w;
        void main() {
            for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; w = v[i]; EmitVertex(); }
        }";
    let fragment = FRAGMENT.replace("in vec4 v", "in vec4 w").replace("a = v", "a = w");
    let objects = [
        device.compile("vertex", Stage::Vertex, &[&source(2, VERTEX)]),
        device.compile("geometry", Stage::Geometry, &[geometry]),
        device.compile("fragment", Stage::Fragment, &[&source(0, &fragment)]),
    ];
    let objects: Vec<_> = objects.iter().collect();
    let program = device.link(&objects, &LinkOptions::default()).unwrap_or_else(|log| panic!("{log}"));
    assert!(program.log().to_string().contains("num_views is 2"), "{}", program.log());
    assert_eq!(program.views(), 2);
    // Draws that are valid have one view.
    for stage in [Stage::Vertex, Stage::Geometry, Stage::Fragment] {
        let function = program.variant(stage, &StateKey::default(), &Budget::default());
        assert!(function.is_ok(), "{stage}: {function:?}");
    }
}

#[test]
fn vertex_shaders_of_several_views_cannot_write_layers() {
    let device = Device::default();
    let object = |views| {
        let text = "void main() { gl_Layer = 1; gl_Position = vec4(gl_ViewID_OVR); }";
        let text = source(views, text)
            .replace("460\n", "460\n#extension GL_ARB_shader_viewport_layer_array : require\n");
        device.compile("vertex", Stage::Vertex, &[&text])
    };
    assert!(device.link(&[&object(1)], &LinkOptions::default()).is_ok());
    let log = device.link(&[&object(2)], &LinkOptions::default()).map(drop).unwrap_err().to_string();
    assert!(log.contains("cannot write the layer"), "{log}");
}
