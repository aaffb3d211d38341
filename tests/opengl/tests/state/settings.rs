//! State, as OpenGL's commands set it and as a driver passes it to `airfoil-gl`.

use crate::programs::Kind;
use crate::scene::Scene;
use airfoil_gl::{Attachment, BlendEquation, CompareFunc, FogMode, LogicOp, PointSize, StateFlags};
use airfoil_ir::generate::{Choices, Seed};
use airfoil_opengl::gl;

/// A state of OpenGL.
pub struct Setting {
    pub name: &'static str,
    /// A program with all of these has something that the state acts on.
    pub programs: Needs,
    apply: fn(&mut Scene<'_>, &mut Seed) -> bool,
}

/// Kinds of programs.
pub struct Needs(Kind);

impl Needs {
    pub fn contains(&self, kind: Kind) -> bool {
        kind.contains(self.0)
    }
}

impl Setting {
    /// Sets it; `false` if the driver lacks it.
    pub fn apply(&self, scene: &mut Scene<'_>, seed: &mut Seed) -> bool {
        (self.apply)(scene, seed)
    }
}

/// Declares settings: the name, the programs that have something which it acts on, and how it is set.
macro_rules! settings {
    ($( $name:literal $kind:expr, |$scene:ident, $seed:ident| $body:block )+) => {
        pub const SETTINGS: &[Setting] = &[$(
            Setting {
                name: $name,
                programs: Needs($kind),
                apply: |$scene, $seed| { let _ = &$seed; $body },
            },
        )+];
    };
}

const COMPARE: [(u32, CompareFunc); 8] = [
    (gl::NEVER, CompareFunc::Never),
    (gl::LESS, CompareFunc::Less),
    (gl::EQUAL, CompareFunc::Equal),
    (gl::LEQUAL, CompareFunc::LessEqual),
    (gl::GREATER, CompareFunc::Greater),
    (gl::NOTEQUAL, CompareFunc::NotEqual),
    (gl::GEQUAL, CompareFunc::GreaterEqual),
    (gl::ALWAYS, CompareFunc::Always),
];

const EQUATIONS: [(u32, BlendEquation); 4] = [
    (gl::MULTIPLY_KHR, BlendEquation::Multiply),
    (gl::SCREEN_KHR, BlendEquation::Screen),
    (gl::OVERLAY_KHR, BlendEquation::Overlay),
    (gl::DARKEN_KHR, BlendEquation::Darken),
];

fn flag(scene: &mut Scene<'_>, flag: StateFlags) {
    scene.key.flags |= flag;
}

settings! {
    "alpha test" Kind::FLOATS, |scene, seed| {
        // Drivers may compare with the precision of the attachment.
        if scene.kind.contains(Kind::UNORM) {
            return false;
        }
        let (name, func) = COMPARE[seed.below(8) as usize];
        // Not a value that interpolation comes close to.
        let reference = seed.below(17) as f32 / 16.0 + 0.0031;
        scene.context.enable(gl::ALPHA_TEST);
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().AlphaFunc(name, reference) };
        scene.key.alpha_func = func;
        scene.values.alpha_reference = reference;
        true
    }
    "flat colors" Kind::COLORS, |scene, seed| {
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().ShadeModel(gl::FLAT) };
        flag(scene, StateFlags::FLAT_COLORS);
        true
    }
    "two-sided colors" Kind::COLORS.union(Kind::TRIANGLES), |scene, seed| {
        scene.context.enable(gl::VERTEX_PROGRAM_TWO_SIDE);
        flag(scene, StateFlags::TWO_SIDED_COLORS);
        true
    }
    "front faces" Kind::TRIANGLES, |scene, seed| {
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().FrontFace(gl::CW) };
        scene.state.front_clockwise = true;
        true
    }
    "clamped vertex colors" Kind::COLORS, |scene, seed| {
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().ClampColor(gl::CLAMP_VERTEX_COLOR, gl::TRUE.into()) };
        flag(scene, StateFlags::CLAMP_VERTEX_COLORS);
        true
    }
    "clamped fragment colors" Kind::FLOATS, |scene, seed| {
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().ClampColor(gl::CLAMP_FRAGMENT_COLOR, gl::TRUE.into()) };
        flag(scene, StateFlags::CLAMP_FRAGMENT_COLORS);
        true
    }
    "fog" Kind::FIXED, |scene, seed| {
        let (name, mode) = [
            (gl::LINEAR, FogMode::Linear),
            (gl::EXP, FogMode::Exp),
            (gl::EXP2, FogMode::Exp2),
        ][seed.below(3) as usize];
        let color = [0.75, 0.25, 0.5, 1.0];
        let (density, start, end) = (0.75, 0.25, 1.5);
        scene.context.enable(gl::FOG);
        let gl = scene.context.functions();
        // SAFETY: as described in the library.
        unsafe {
            gl.Fogi(gl::FOG_MODE, name.cast_signed());
            gl.Fogi(gl::FOG_COORD_SRC, gl::FOG_COORD.cast_signed());
            gl.Fogf(gl::FOG_DENSITY, density);
            gl.Fogf(gl::FOG_START, start);
            gl.Fogf(gl::FOG_END, end);
            gl.Fogfv(gl::FOG_COLOR, color.as_ptr());
        }
        scene.key.fog = mode;
        scene.values.fog_color = color;
        scene.values.fog_density = density;
        scene.values.fog_end = end;
        scene.values.fog_scale = 1.0 / (end - start);
        true
    }
    "clip planes" Kind::PLANES, |scene, seed| {
        let planes = [[1.0, 0.0, 0.0, 0.27], [0.0, -1.0, 0.0, 0.4], [-1.0, 0.0, 0.0, 0.71]];
        let mask = 1 + seed.below(7);
        for (n, plane) in (0u32..).zip(planes) {
            if mask >> n & 1 != 0 {
                scene.context.enable(gl::CLIP_PLANE0 + n);
                // SAFETY: as described in the library.
                unsafe { scene.context.functions().ClipPlane(gl::CLIP_PLANE0 + n, plane.as_ptr()) };
                scene.values.clip_planes[n as usize] = plane.map(|x| x as f32);
            }
        }
        scene.key.clip_planes = mask as u8;
        true
    }
    "clip distances" Kind::DISTANCES, |scene, seed| {
        let mask = 1 + seed.below(7);
        for n in (0..3).filter(|n| mask >> n & 1 != 0) {
            scene.context.enable(gl::CLIP_DISTANCE0 + n);
        }
        scene.key.clip_enable |= mask as u8;
        true
    }
    "depth from 0 to 1" Kind::TRIANGLES, |scene, seed| {
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().ClipControl(gl::LOWER_LEFT, gl::ZERO_TO_ONE) };
        scene.key.flags.remove(StateFlags::HALF_Z);
        true
    }
    "depth range" Kind::TRIANGLES, |scene, seed| {
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().DepthRange(0.75, 0.25) };
        scene.state.depth_range = [0.75, 0.25];
        true
    }
    "no depth test" Kind::empty(), |scene, seed| {
        scene.context.disable(gl::DEPTH_TEST);
        scene.state.depth_test = None;
        true
    }
    "rasterizer discard" Kind::UINTS, |scene, seed| {
        scene.context.enable(gl::RASTERIZER_DISCARD);
        flag(scene, StateFlags::RASTERIZER_DISCARD);
        true
    }
    "culled faces" Kind::TRIANGLES, |scene, seed| {
        scene.context.enable(gl::CULL_FACE);
        scene.state.cull_back = true;
        true
    }
    "point size" Kind::POINTS, |scene, seed| {
        let size = 1.0 + seed.below(6) as f32;
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().PointSize(size) };
        scene.values.point_size = size;
        true
    }
    "point size of the program" Kind::POINTS, |scene, seed| {
        scene.context.enable(gl::PROGRAM_POINT_SIZE);
        scene.key.point_size = PointSize::Shader;
        true
    }
    "point sprites" Kind::POINTS, |scene, seed| {
        let mask = 1 + seed.below(3);
        for n in (0..2).filter(|n| mask >> n & 1 != 0) {
            let gl = scene.context.functions();
            // SAFETY: as described in the library.
            unsafe {
                gl.ActiveTexture(gl::TEXTURE0 + n);
                gl.TexEnvi(gl::POINT_SPRITE, gl::COORD_REPLACE, 1);
                gl.ActiveTexture(gl::TEXTURE0);
            }
        }
        scene.key.coord_replace = mask as u8;
        true
    }
    "lower left origin of points" Kind::POINTS, |scene, seed| {
        let gl = scene.context.functions();
        // SAFETY: as described in the library.
        unsafe { gl.PointParameteri(gl::POINT_SPRITE_COORD_ORIGIN, gl::LOWER_LEFT.cast_signed()) };
        flag(scene, StateFlags::POINT_LOWER_LEFT);
        true
    }
    "polygon stipple" Kind::TRIANGLES, |scene, seed| {
        let mut bytes = [0u8; 128];
        for (row, words) in scene.values.polygon_stipple.iter_mut().enumerate() {
            let bits = 0x5ac3_0ff1u32.rotate_left(row as u32 * 3);
            // The first bit of a byte is that of the lowest x (OpenGL 4.6 compatibility section 14.6.2).
            bytes[4 * row..4 * row + 4].copy_from_slice(&bits.to_be_bytes());
            *words = bits.reverse_bits();
        }
        scene.context.enable(gl::POLYGON_STIPPLE);
        // SAFETY: as described in the library; the pattern has 128 bytes.
        unsafe { scene.context.functions().PolygonStipple(bytes.as_ptr()) };
        flag(scene, StateFlags::POLYGON_STIPPLE);
        true
    }
    "logic operation" Kind::TRIANGLES, |scene, seed| {
        if !scene.kind.intersects(Kind::UINTS.union(Kind::UNORM)) {
            return false;
        }
        let ops = [
            (gl::CLEAR, LogicOp::Clear),
            (gl::AND, LogicOp::And),
            (gl::XOR, LogicOp::Xor),
            (gl::NOR, LogicOp::Nor),
            (gl::OR_REVERSE, LogicOp::OrReverse),
            (gl::EQUIV, LogicOp::Equiv),
            (gl::COPY_INVERTED, LogicOp::CopyInverted),
            (gl::INVERT, LogicOp::Invert),
        ];
        let (name, op) = ops[seed.below(8) as usize];
        scene.context.enable(gl::COLOR_LOGIC_OP);
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().LogicOp(name) };
        scene.key.logic_op = op;
        let uints = scene.kind.contains(Kind::UINTS);
        scene.key.attachments[..2].fill(if uints { Attachment::Uint } else { Attachment::Unorm8 });
        true
    }
    "advanced blending" Kind::DISTANCES, |scene, seed| {
        if !scene.context.has("GL_KHR_blend_equation_advanced_coherent") {
            return false;
        }
        // Mesa 22.3.6 tests and clamps the color after it is blended. Fragments are tested before (OpenGL 4.6 compatibility chapter 15
        // and figure 17.1), as NVIDIA's driver does.
        let after = scene.key.flags.contains(StateFlags::CLAMP_FRAGMENT_COLORS)
            || scene.key.alpha_func != CompareFunc::Always;
        if after && scene.context.renderer().contains("Mesa") {
            return false;
        }
        let (name, equation) = EQUATIONS[seed.below(4) as usize];
        scene.context.enable(gl::BLEND);
        // SAFETY: as described in the library.
        unsafe { scene.context.functions().BlendEquation(name) };
        scene.key.blend = equation;
        true
    }
}
