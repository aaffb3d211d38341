//! State that changes colors, and the attachments that they go to.

use crate::scene::{CLEAR, SIZE, Scene, WHITE, expect, expect_close, link_with, white_if};
use airfoil::interp::pipeline::Target;
use airfoil::interp::texture::{Compare, Format};
use airfoil_gl::{
    Attachment, BlendEquation, Budget, CompareFunc, DriverValues, FogMode, LinkOptions, LogicOp, Stage,
    StateFlags, StateKey,
};

/// The color is that of the position: red and green grow from -1 to 1 with x and y.
const VERTEX: &str = "#version 120
    attribute vec4 p;
    void main() { gl_Position = vec4(p.xy, 0.5, 1.0); gl_FrontColor = vec4(p.xy, 2.0, 0.5); gl_BackColor = vec4(0.25); }";

const COLOR: &str = "#version 120\nvoid main() { gl_FragColor = gl_Color; }";

fn flags(flags: StateFlags) -> StateKey {
    StateKey { flags, ..StateKey::default() }
}

/// The coordinate of the center of a pixel, in -1 to 1.
fn center(n: u32) -> f32 {
    (n as f32 + 0.5) / SIZE as f32 * 2.0 - 1.0
}

#[test]
fn fragments_pass_the_alpha_test() {
    let fragment =
        "#version 120\nvoid main() { gl_FragColor = vec4(1.0, 1.0, 1.0, floor(gl_FragCoord.x) / 8.0); }";
    let mut scene = Scene::new(VERTEX, fragment);
    let reference = 3.0 / 8.0;
    scene.values(&DriverValues { alpha_reference: reference, ..DriverValues::default() });
    type Passes = fn(f32, f32) -> bool;
    let functions: [(CompareFunc, Passes); 8] = [
        (CompareFunc::Never, |_, _| false),
        (CompareFunc::Less, |a, b| a < b),
        (CompareFunc::Equal, |a, b| a == b),
        (CompareFunc::LessEqual, |a, b| a <= b),
        (CompareFunc::Greater, |a, b| a > b),
        (CompareFunc::NotEqual, |a, b| a != b),
        (CompareFunc::GreaterEqual, |a, b| a >= b),
        (CompareFunc::Always, |_, _| true),
    ];
    for (alpha_func, passes) in functions {
        let image = scene.draw(&StateKey { alpha_func, ..StateKey::default() });
        expect(&image, 0, |x, _| {
            let alpha = x as f32 / 8.0;
            if passes(alpha, reference) { [1.0, 1.0, 1.0, alpha] } else { CLEAR }
        });
    }
    // A discarded fragment does not write depth either, and a NaN is not equal to anything.
    let mut state = scene.state();
    state.depth_test = Some(Compare::Always);
    let mut target = Target::new(SIZE, SIZE, 1, 1);
    target.depth = Some(vec![1.0; (SIZE * SIZE) as usize]);
    scene.draw_to(&StateKey { alpha_func: CompareFunc::Less, ..StateKey::default() }, &state, &mut target);
    let depth = target.depth.unwrap();
    for (x, y) in [(2, 5), (3, 5)] {
        assert_eq!(depth[y * SIZE as usize + x], if x < 3 { 0.5 } else { 1.0 });
    }
}

#[test]
fn effects_precede_the_alpha_test() {
    // All invocations count, also those that are discarded.
    let fragment = "#version 430 compatibility
        layout(std430, binding = 0) buffer Count { uint count; };
        out vec4 color;
        void main() { color = vec4(0.25); atomicAdd(count, 1u); }";
    let vertex = "#version 430 compatibility\nin vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
    let mut scene = Scene::new(vertex, fragment);
    scene.values(&DriverValues { alpha_reference: 0.5, ..DriverValues::default() });
    let buffer = scene.storage(0, &[0]);
    let image = scene.draw(&StateKey { alpha_func: CompareFunc::Greater, ..StateKey::default() });
    expect(&image, 0, |_, _| CLEAR);
    assert_eq!(scene.resources.buffers[buffer].bytes, (SIZE * SIZE).to_le_bytes());
}

#[test]
fn flat_colors_are_those_of_the_provoking_vertex() {
    let mut scene = Scene::new(VERTEX, COLOR);
    expect_close(&scene.draw(&StateKey::default()), 0, |x, y| [center(x), center(y), 2.0, 0.5]);
    // The first vertices of both triangles.
    let image = scene.draw(&flags(StateFlags::FLAT_COLORS));
    expect(&image, 0, |x, y| {
        let [px, py] = if x + y < SIZE - 1 { [-1.0, -1.0] } else { [1.0, -1.0] };
        // Pixels on the diagonal belong to either triangle.
        let on_edge = x + y == SIZE - 1;
        let found = image.floats(0, x, y, 0).unwrap();
        if on_edge { [found[0], -1.0, 2.0, 0.5] } else { [px, py, 2.0, 0.5] }
    });
    // An interpolation that the shader declares is not state.
    let vertex = "#version 330 compatibility
        layout(location = 0) in vec4 p; noperspective out vec4 gl_FrontColor;
        void main() { gl_Position = vec4(p.xy, 0.5, 1.0); gl_FrontColor = vec4(p.xy, 2.0, 0.5); }";
    let fragment = "#version 330 compatibility
        noperspective in vec4 gl_Color; out vec4 c; void main() { c = gl_Color; }";
    let mut scene = Scene::new(vertex, fragment);
    assert_eq!(
        scene.program.stage_canonical(Stage::Fragment, &flags(StateFlags::FLAT_COLORS)),
        StateKey::default()
    );
    let image = scene.draw(&flags(StateFlags::FLAT_COLORS));
    expect_close(&image, 0, |x, y| [center(x), center(y), 2.0, 0.5]);
}

#[test]
fn back_faces_have_back_colors() {
    let mut scene = Scene::new(VERTEX, COLOR);
    let two = flags(StateFlags::TWO_SIDED_COLORS);
    expect_close(&scene.draw(&two), 0, |x, y| [center(x), center(y), 2.0, 0.5]);
    scene.vertices.chunks_exact_mut(3).for_each(|triangle| triangle.swap(0, 1));
    expect_close(&scene.draw(&StateKey::default()), 0, |x, y| [center(x), center(y), 2.0, 0.5]);
    expect_close(&scene.draw(&two), 0, |_, _| [0.25; 4]);
    // With faces inverted they are front faces.
    let inverted = flags(StateFlags::TWO_SIDED_COLORS | StateFlags::FLIP_FACE);
    expect_close(&scene.draw(&inverted), 0, |x, y| [center(x), center(y), 2.0, 0.5]);
    // A vertex shader without back colors leaves them undefined: no input is added that it does not write.
    let front = "#version 120\nattribute vec4 p; void main() { gl_Position = p; gl_FrontColor = vec4(1.0); }";
    let mut scene = Scene::new(front, COLOR);
    assert!(!scene.program.depends_on().contains(airfoil_gl::StateMask::TWO_SIDED_COLORS));
    expect(&scene.draw(&two), 0, |_, _| WHITE);
    // One without front colors still has back colors.
    let back = "#version 120\nattribute vec4 p; void main() { gl_Position = p; gl_BackColor = vec4(0.5); }";
    let mut scene = Scene::new(back, COLOR);
    expect(&scene.draw(&StateKey::default()), 0, |_, _| CLEAR);
    scene.vertices.chunks_exact_mut(3).for_each(|triangle| triangle.swap(0, 1));
    expect(&scene.draw(&two), 0, |_, _| [0.5; 4]);
}

#[test]
fn vertex_colors_are_clamped() {
    let mut scene = Scene::new(VERTEX, COLOR);
    let image = scene.draw(&flags(StateFlags::CLAMP_VERTEX_COLORS));
    // Clamped before interpolation: vertices have 0 and 1.
    expect_close(&image, 0, |x, y| [(center(x) + 1.0) / 2.0, (center(y) + 1.0) / 2.0, 1.0, 0.5]);
}

#[test]
fn fragment_colors_are_clamped() {
    let mut scene = Scene::new(VERTEX, COLOR);
    let clamp = flags(StateFlags::CLAMP_FRAGMENT_COLORS);
    expect_close(&scene.draw(&clamp), 0, |x, y| [center(x).max(0.0), center(y).max(0.0), 1.0, 0.5]);
    // The clamped alpha is tested.
    let fragment = "#version 120\nvoid main() { gl_FragColor = vec4(1.0, 1.0, 1.0, gl_FragCoord.x); }";
    let mut scene = Scene::new(VERTEX, fragment);
    scene.values(&DriverValues { alpha_reference: 1.0, ..DriverValues::default() });
    let equal = StateKey { alpha_func: CompareFunc::Equal, ..clamp };
    expect(&scene.draw(&equal), 0, |x, _| white_if(x >= 1));
}

#[test]
fn fog_blends_colors() {
    let vertex = "#version 120\nattribute vec4 p;
        void main() { gl_Position = vec4(p.xy, 0.5, 1.0) * 2.0; gl_FogFragCoord = p.x + 1.0; }";
    let mut scene =
        Scene::new(vertex, "#version 120\nvoid main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 0.75); }");
    let fog_color = [0.0, 1.0, 0.25, 0.5];
    let (start, end, density) = (0.5, 1.5, 0.75);
    scene.values(&DriverValues {
        fog_color,
        fog_density: density,
        fog_end: end,
        fog_scale: 1.0 / (end - start),
        ..DriverValues::default()
    });
    let blend = |f: f32| {
        let color = [1.0, 0.5, 0.0];
        let rgb: [f32; 3] = std::array::from_fn(|c| f * color[c] + (1.0 - f) * fog_color[c]);
        [rgb[0], rgb[1], rgb[2], 0.75]
    };
    let factor = |mode, c: f32| match mode {
        FogMode::None => 1.0,
        FogMode::Linear => ((end - c) / (end - start)).clamp(0.0, 1.0),
        FogMode::Exp => (-density * c).exp(),
        FogMode::Exp2 => (-(density * c) * (density * c)).exp(),
    };
    for fog in [FogMode::None, FogMode::Linear, FogMode::Exp, FogMode::Exp2] {
        let image = scene.draw(&StateKey { fog, ..StateKey::default() });
        expect_close(&image, 0, |x, _| blend(factor(fog, center(x) + 1.0)));
        // w of the position is 2.
        let image = scene.draw(&StateKey { fog, ..flags(StateFlags::FOG_DEPTH) });
        expect_close(&image, 0, |_, _| blend(factor(fog, 2.0)));
    }
}

#[test]
fn outputs_follow_the_attachments() {
    let fragment = "#version 330
        layout(location = 0) out vec4 a; layout(location = 1) out ivec4 b; layout(location = 2) out vec4 c;
        void main() { a = vec4(1.0); b = ivec4(3); c = vec4(0.5); }";
    let vertex = "#version 330\nlayout(location = 0) in vec4 p; void main() { gl_Position = p; }";
    let mut scene = Scene::new(vertex, fragment);
    scene.colors = 3;
    let mut attachments = [Attachment::AsWritten; 8];
    (attachments[0], attachments[1]) = (Attachment::None, Attachment::Uint);
    let key = StateKey { attachments, ..StateKey::default() };
    let image = scene.draw(&key);
    expect(&image, 0, |_, _| CLEAR);
    expect(&image, 1, |_, _| [f32::from_bits(3); 4]);
    expect(&image, 2, |_, _| [0.5; 4]);
    let function = scene.program.variant(Stage::Fragment, &key, &Budget::default()).unwrap();
    let outputs: Vec<String> = function
        .reflection
        .outputs
        .iter()
        .map(|o| format!("{} {}", o.type_name, o.location.unwrap_or(9)))
        .collect();
    assert_eq!(outputs, ["uint4 1", "float4 2"]);
    // Kinds that the shader writes, and attachments that it does not write, are no difference.
    let mut same = attachments;
    (same[2], same[3]) = (Attachment::Float, Attachment::None);
    let same = StateKey { attachments: same, ..key };
    assert_eq!(scene.program.canonical(&same), scene.program.canonical(&key));
    // `gl_FragColor` goes to the attachments that are there.
    let mut scene = Scene::new(VERTEX, "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }");
    scene.colors = 3;
    let mut attachments = [Attachment::AsWritten; 8];
    attachments[1] = Attachment::None;
    let image = scene.draw(&StateKey { attachments, color_attachments: 3, ..StateKey::default() });
    for n in 0..3 {
        expect(&image, n, |_, _| if n == 1 { CLEAR } else { WHITE });
    }
}

#[test]
fn depth_and_stencil_need_attachments() {
    let fragment = "#version 330
        #extension GL_ARB_shader_stencil_export : require
        out vec4 c; void main() { c = vec4(1.0); gl_FragDepth = 0.25; gl_FragStencilRefARB = 3; }";
    let vertex =
        "#version 330\nlayout(location = 0) in vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
    let mut scene = Scene::new(vertex, fragment);
    let roles = |key: &StateKey| -> Vec<&'static str> {
        let function = scene.program.variant(Stage::Fragment, key, &Budget::default()).unwrap();
        function.reflection.outputs.iter().map(|o| o.role.name()).collect()
    };
    assert_eq!(roles(&StateKey::default()), ["render_target", "depth", "stencil"]);
    assert_eq!(roles(&flags(StateFlags::NO_DEPTH)), ["render_target", "stencil"]);
    assert_eq!(roles(&flags(StateFlags::NO_STENCIL)), ["render_target", "depth"]);
    let mut state = scene.state();
    state.depth_test = Some(Compare::Always);
    for (key, depth) in [(StateKey::default(), 0.25), (flags(StateFlags::NO_DEPTH), 0.5)] {
        let mut target = Target::new(SIZE, SIZE, 1, 1);
        target.depth = Some(vec![1.0; (SIZE * SIZE) as usize]);
        scene.draw_to(&key, &state, &mut target);
        assert!(target.depth.unwrap().iter().all(|&d| d == depth));
        expect(&Target { depth: None, ..target }, 0, |_, _| WHITE);
    }
}

#[test]
fn the_second_source_needs_blending() {
    let fragment = "#version 330
        layout(location = 0, index = 0) out vec4 a; layout(location = 0, index = 1) out vec4 b;
        void main() { a = vec4(1.0); b = vec4(0.5); }";
    let vertex = "#version 330\nlayout(location = 0) in vec4 p; void main() { gl_Position = p; }";
    let options = LinkOptions::default();
    let mut scene = Scene::of(link_with(vertex, fragment, &options));
    for (key, outputs) in [(StateKey::default(), 2), (flags(StateFlags::NO_DUAL_SOURCE), 1)] {
        let function = scene.program.variant(Stage::Fragment, &key, &Budget::default()).unwrap();
        assert_eq!(function.reflection.outputs.len(), outputs);
        expect(&scene.draw(&key), 0, |_, _| WHITE);
    }
}

#[test]
fn logic_operations_combine_colors() {
    type Op = fn(u32, u32) -> u32;
    let operations: [(LogicOp, Op); 16] = [
        (LogicOp::Clear, |_, _| 0),
        (LogicOp::And, |s, d| s & d),
        (LogicOp::AndReverse, |s, d| s & !d),
        (LogicOp::Copy, |s, _| s),
        (LogicOp::AndInverted, |s, d| !s & d),
        (LogicOp::Noop, |_, d| d),
        (LogicOp::Xor, |s, d| s ^ d),
        (LogicOp::Or, |s, d| s | d),
        (LogicOp::Nor, |s, d| !(s | d)),
        (LogicOp::Equiv, |s, d| !(s ^ d)),
        (LogicOp::Invert, |_, d| !d),
        (LogicOp::OrReverse, |s, d| s | !d),
        (LogicOp::CopyInverted, |s, _| !s),
        (LogicOp::OrInverted, |s, d| !s | d),
        (LogicOp::Nand, |s, d| !(s & d)),
        (LogicOp::Set, |_, _| !0),
    ];
    // The source is a byte per column, the destination a byte per row.
    let bytes = |n: u32| (n * 37 + 11) & 0xff;
    let vertex =
        "#version 330\nlayout(location = 0) in vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
    let fragment = "#version 330
        layout(location = 0) out vec4 a; layout(location = 1) out uvec4 b; layout(location = 2) out vec4 c;
        void main() {
            uint n = (uint(gl_FragCoord.x) * 37u + 11u) & 255u;
            a = vec4(float(n) / 255.0); b = uvec4(n); c = vec4(0.25);
        }";
    let mut scene = Scene::new(vertex, fragment);
    scene.colors = 3;
    let mut attachments = [Attachment::AsWritten; 8];
    attachments[0] = Attachment::Unorm8;
    for (logic_op, op) in operations {
        let mut target = Target::new(SIZE, SIZE, 1, 3);
        target.formats[0] = Format::Rgba8;
        target.formats[1] = Format::Rgba32ui;
        for y in 0..SIZE {
            for x in 0..SIZE {
                let at = (y * SIZE + x) as usize;
                target.colors[0][at] = [(bytes(y) as f32 / 255.0).to_bits(); 4];
                target.colors[1][at] = [bytes(y); 4];
            }
        }
        let key = StateKey { logic_op, attachments, ..StateKey::default() };
        let state = scene.state();
        scene.draw_to(&key, &state, &mut target);
        for (x, y) in (0..SIZE * SIZE).map(|n| (n % SIZE, n / SIZE)) {
            let at = (y * SIZE + x) as usize;
            let want = op(bytes(x), bytes(y));
            let found = target.colors[0][at].map(|w| (f32::from_bits(w) * 255.0).round() as u32);
            assert_eq!(found, [want & 0xff; 4], "{logic_op:?} at ({x}, {y})");
            assert_eq!(target.colors[1][at], [want; 4], "{logic_op:?} at ({x}, {y})");
            // Floats are not combined.
            assert_eq!(target.colors[2][at].map(f32::from_bits), [0.25; 4]);
        }
    }
    // Without attachments that it applies to, the operation does not matter.
    let scene = Scene::new(VERTEX, COLOR);
    let key = StateKey { logic_op: LogicOp::Xor, ..StateKey::default() };
    assert_eq!(scene.program.canonical(&key), StateKey::default());
}

/// The blend of colors without the factor alpha, as the extension defines it, in doubles.
fn blend(equation: BlendEquation, s: [f64; 3], d: [f64; 3]) -> [f64; 3] {
    let each = |f: &dyn Fn(f64, f64) -> f64| std::array::from_fn(|c| f(s[c], d[c]));
    let light = |s: f64, d: f64| 1.0 - 2.0 * (1.0 - s) * (1.0 - d);
    let lum = |c: [f64; 3]| 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2];
    let low = |c: [f64; 3]| c[0].min(c[1]).min(c[2]);
    let high = |c: [f64; 3]| c[0].max(c[1]).max(c[2]);
    let set_lum = |base: [f64; 3], of: [f64; 3]| {
        let add = lum(of) - lum(base);
        let mut color = base.map(|x| x + add);
        let (l, n, x) = (lum(color), low(color), high(color));
        if n < 0.0 {
            color = color.map(|c| l + (c - l) * l / (l - n));
        }
        if x > 1.0 {
            color = color.map(|c| l + (c - l) * (1.0 - l) / (x - l));
        }
        color
    };
    let set_sat = |base: [f64; 3], of: [f64; 3], light: [f64; 3]| {
        let (least, own, wanted) = (low(base), high(base) - low(base), high(of) - low(of));
        let color = if own > 0.0 { base.map(|c| (c - least) * wanted / own) } else { [0.0; 3] };
        set_lum(color, light)
    };
    match equation {
        BlendEquation::None => s,
        BlendEquation::Multiply => each(&|s, d| s * d),
        BlendEquation::Screen => each(&|s, d| s + d - s * d),
        BlendEquation::Overlay => each(&|s, d| if d <= 0.5 { 2.0 * s * d } else { light(s, d) }),
        BlendEquation::Darken => each(&f64::min),
        BlendEquation::Lighten => each(&f64::max),
        BlendEquation::ColorDodge => each(&|s, d| match () {
            () if d <= 0.0 => 0.0,
            () if s >= 1.0 => 1.0,
            () => (d / (1.0 - s)).min(1.0),
        }),
        BlendEquation::ColorBurn => each(&|s, d| match () {
            () if d >= 1.0 => 1.0,
            () if s <= 0.0 => 0.0,
            () => 1.0 - ((1.0 - d) / s).min(1.0),
        }),
        BlendEquation::HardLight => each(&|s, d| if s <= 0.5 { 2.0 * s * d } else { light(s, d) }),
        BlendEquation::SoftLight => each(&|s, d| match () {
            () if s <= 0.5 => d - (1.0 - 2.0 * s) * d * (1.0 - d),
            () if d <= 0.25 => d + (2.0 * s - 1.0) * d * ((16.0 * d - 12.0) * d + 3.0),
            () => d + (2.0 * s - 1.0) * (d.sqrt() - d),
        }),
        BlendEquation::Difference => each(&|s, d| (d - s).abs()),
        BlendEquation::Exclusion => each(&|s, d| s + d - 2.0 * s * d),
        BlendEquation::HslHue => set_sat(s, d, d),
        BlendEquation::HslSaturation => set_sat(d, s, d),
        BlendEquation::HslColor => set_lum(s, d),
        BlendEquation::HslLuminosity => set_lum(d, s),
    }
}

#[test]
fn equations_blend_colors() {
    let vertex =
        "#version 330\nlayout(location = 0) in vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
    // Colors of the columns, premultiplied by alpha.
    let fragment = "#version 330
        layout(location = 0) out vec4 c;
        void main() {
            float n = floor(gl_FragCoord.x);
            float alpha = n == 7.0 ? 0.0 : n == 6.0 ? 1.0 : 0.25 + n * 0.125;
            c = vec4(n / 7.0, fract(n * 0.375), n == 3.0 ? 1.0 : 0.5, 1.0);
            c = vec4(c.xyz * alpha, alpha);
        }";
    let source = |n: u32| {
        let x = f64::from(n);
        let alpha = if n == 7 {
            0.0
        } else if n == 6 {
            1.0
        } else {
            0.25 + x * 0.125
        };
        ([x / 7.0, (x * 0.375).fract(), if n == 3 { 1.0 } else { 0.5 }], alpha)
    };
    let stored = |n: u32| {
        let x = f64::from(n);
        ([1.0 - x / 7.0, (x * 0.625).fract(), 0.2], if n == 0 { 0.0 } else { 0.125 * x + 0.125 })
    };
    let mut scene = Scene::new(vertex, fragment);
    let state = scene.state();
    for &(equation, name) in BlendEquation::NAMES {
        let mut target = Target::new(SIZE, SIZE, 1, 1);
        for (x, y) in (0..SIZE * SIZE).map(|n| (n % SIZE, n / SIZE)) {
            let (d, da) = stored(y);
            let color = [d[0] * da, d[1] * da, d[2] * da, da];
            target.colors[0][(y * SIZE + x) as usize] = color.map(|c| (c as f32).to_bits());
        }
        scene.draw_to(&StateKey { blend: equation, ..StateKey::default() }, &state, &mut target);
        for (x, y) in (0..SIZE * SIZE).map(|n| (n % SIZE, n / SIZE)) {
            let ((s, sa), (d, da)) = (source(x), stored(y));
            // Colors of alpha 0 are zero.
            let (s, d) =
                (s.map(|c| if sa == 0.0 { 0.0 } else { c }), d.map(|c| if da == 0.0 { 0.0 } else { c }));
            let want = if equation == BlendEquation::None {
                [s[0] * sa, s[1] * sa, s[2] * sa, sa]
            } else {
                let [both, only_s, only_d] = [sa * da, sa * (1.0 - da), da * (1.0 - sa)];
                let f = blend(equation, s, d);
                let mix = |c: usize| f[c] * both + s[c] * only_s + d[c] * only_d;
                [mix(0), mix(1), mix(2), both + only_s + only_d]
            };
            let found = target.floats(0, x, y, 0).unwrap();
            let is_close = found.iter().zip(want).all(|(&a, b)| (f64::from(a) - b).abs() < 2e-6);
            assert!(is_close, "{name} at ({x}, {y}): {found:?}, expected {want:?}");
        }
    }
}
