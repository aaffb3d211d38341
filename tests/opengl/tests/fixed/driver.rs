//! The draw of the driver.

use crate::scene::{SIZE, Scene, TEXELS, UNITS};
use crate::state::{Light, Material, Matrix, Unit};
use airfoil_gl::FogMode;
use airfoil_gl::fixed::{
    BaseFormat, ColorMaterial, CombineKey, EnvMode, FogCoordinate, Source, TexGen, UnitTarget,
};
use airfoil_opengl::gl::{self, Gl};
use airfoil_opengl::{Attribute, Context, Error, Kind};

const MODES: [u32; 6] = [gl::MODULATE, gl::DECAL, gl::BLEND, gl::REPLACE, gl::ADD, gl::COMBINE];

const FUNCTIONS: [u32; 8] = [
    gl::REPLACE,
    gl::MODULATE,
    gl::ADD,
    gl::ADD_SIGNED,
    gl::INTERPOLATE,
    gl::SUBTRACT,
    gl::DOT3_RGB,
    gl::DOT3_RGBA,
];

const OPERANDS: [u32; 4] = [gl::SRC_COLOR, gl::ONE_MINUS_SRC_COLOR, gl::SRC_ALPHA, gl::ONE_MINUS_SRC_ALPHA];

const GENERATORS: [u32; 6] =
    [0, gl::OBJECT_LINEAR, gl::EYE_LINEAR, gl::SPHERE_MAP, gl::REFLECTION_MAP, gl::NORMAL_MAP];

const TRACKED: [u32; 6] = [0, gl::EMISSION, gl::AMBIENT, gl::DIFFUSE, gl::SPECULAR, gl::AMBIENT_AND_DIFFUSE];

const FORMATS: [u32; 6] =
    [gl::ALPHA8, gl::LUMINANCE8, gl::LUMINANCE8_ALPHA8, gl::INTENSITY8, gl::RGB8, gl::RGBA8];

/// Targets, in the order of `UnitTarget`.
const TARGETS: [u32; 10] = [
    0,
    gl::TEXTURE_1D,
    gl::TEXTURE_2D,
    gl::TEXTURE_3D,
    gl::TEXTURE_CUBE_MAP,
    gl::TEXTURE_RECTANGLE,
    gl::TEXTURE_1D,
    gl::TEXTURE_2D,
    gl::TEXTURE_CUBE_MAP,
    gl::TEXTURE_RECTANGLE,
];

/// The words of the image.
pub fn draw(context: &Context, scene: &Scene) -> Result<Vec<u32>, Error> {
    let framebuffer = context.framebuffer(SIZE, SIZE, &[Kind::Float])?;
    context.reset_state();
    context.disable(gl::DEPTH_TEST);
    let mut textures = [0; UNITS];
    // SAFETY: as described in the library.
    unsafe {
        let gl = context.functions();
        gl.UseProgram(0);
        gl.ClampColor(gl::CLAMP_VERTEX_COLOR, gl::TRUE.into());
        gl.ClampColor(gl::CLAMP_FRAGMENT_COLOR, gl::TRUE.into());
        gl.GenTextures(3, textures.as_mut_ptr());
    }
    vertex_state(context, scene);
    for (n, texture) in textures.into_iter().enumerate() {
        unit_state(context, n as u32, &scene.state.units[n]);
        if scene.state.units[n].target != UnitTarget::None {
            upload(context.functions(), texture, &scene.state.units[n], &scene.textures[n]);
        }
    }
    context.check("the state is set")?;
    let attributes: Vec<Attribute> = scene.attributes.iter().map(|(_, a)| a.clone()).collect();
    context.draw_with(if scene.points { gl::POINTS } else { gl::TRIANGLES }, &attributes)?;
    // SAFETY: as described in the library.
    unsafe { context.functions().DeleteTextures(3, textures.as_ptr()) };
    reset(context);
    framebuffer.read(0)
}

fn switch(context: &Context, capability: u32, is_on: bool) {
    if is_on { context.enable(capability) } else { context.disable(capability) }
}

/// The state of other tests.
fn reset(context: &Context) {
    let all = [gl::LIGHTING, gl::COLOR_MATERIAL, gl::NORMALIZE, gl::RESCALE_NORMAL, gl::COLOR_SUM, gl::FOG];
    all.into_iter().for_each(|capability| context.disable(capability));
    // SAFETY: as described in the library.
    unsafe { context.functions().ActiveTexture(gl::TEXTURE0) };
}

fn columns(m: &Matrix) -> [f32; 16] {
    std::array::from_fn(|n| m[n % 4][n / 4] as f32)
}

fn vertex_state(context: &Context, scene: &Scene) {
    let (gl, state) = (context.functions(), &scene.state);
    for (capability, is_on) in [
        (gl::LIGHTING, state.lighting),
        (gl::NORMALIZE, state.normalize),
        (gl::RESCALE_NORMAL, state.rescale),
        (gl::COLOR_SUM, state.color_sum),
    ] {
        switch(context, capability, is_on);
    }
    // SAFETY: as described in the library.
    unsafe {
        // Positions, directions and planes are given in eye coordinates.
        gl.MatrixMode(gl::MODELVIEW);
        gl.LoadIdentity();
        for (n, light) in (0u32..).zip(&state.lights) {
            switch(context, gl::LIGHT0 + n, light.is_enabled);
            set_light(gl, gl::LIGHT0 + n, light);
        }
        gl.LightModelfv(gl::LIGHT_MODEL_AMBIENT, state.model_ambient.as_ptr());
        gl.LightModeli(gl::LIGHT_MODEL_LOCAL_VIEWER, state.local_viewer.into());
        gl.LightModeli(gl::LIGHT_MODEL_TWO_SIDE, state.two_side.into());
        let control = if state.separate_specular { gl::SEPARATE_SPECULAR_COLOR } else { gl::SINGLE_COLOR };
        gl.LightModeli(gl::LIGHT_MODEL_COLOR_CONTROL, control.cast_signed());
        // Materials that track the current color have changed.
        context.disable(gl::COLOR_MATERIAL);
        for (face, material) in [gl::FRONT, gl::BACK].into_iter().zip(&state.materials) {
            set_material(gl, face, material);
        }
        let (face, tracked) = match state.color_material {
            [ColorMaterial::None, back] => (gl::BACK, back),
            [front, ColorMaterial::None] => (gl::FRONT, front),
            [both, _] => (gl::FRONT_AND_BACK, both),
        };
        if tracked != ColorMaterial::None {
            gl.ColorMaterial(face, TRACKED[tracked as usize]);
            context.enable(gl::COLOR_MATERIAL);
        }
        for n in 0..8 {
            let plane = scene.planes.get(n as usize);
            switch(context, gl::CLIP_PLANE0 + n, plane.is_some());
            if let Some(plane) = plane {
                gl.ClipPlane(gl::CLIP_PLANE0 + n, plane.map(f64::from).as_ptr());
            }
        }
        gl.PointSize(state.point_size);
        gl.PointParameterfv(gl::POINT_DISTANCE_ATTENUATION, state.point_attenuation.as_ptr());
        let [low, high] = scene.point_limits;
        gl.PointParameterf(gl::POINT_SIZE_MIN, low);
        gl.PointParameterf(gl::POINT_SIZE_MAX, high);
        switch(context, gl::FOG, scene.fog.is_some());
        if let Some(fog) = &scene.fog {
            let mode = match fog.mode {
                FogMode::Exp => gl::EXP,
                FogMode::Exp2 => gl::EXP2,
                _ => gl::LINEAR,
            };
            let is_depth = state.fog == FogCoordinate::Depth;
            let source = if is_depth { gl::FRAGMENT_DEPTH } else { gl::FOG_COORD };
            gl.Fogi(gl::FOG_MODE, mode.cast_signed());
            gl.Fogi(gl::FOG_COORD_SRC, source.cast_signed());
            gl.Fogf(gl::FOG_DENSITY, fog.density);
            gl.Fogf(gl::FOG_START, fog.start);
            gl.Fogf(gl::FOG_END, fog.end);
            gl.Fogfv(gl::FOG_COLOR, fog.color.as_ptr());
        }
        for n in 0..UNITS {
            set_generators(context, n as u32, &state.units[n]);
        }
        gl.MatrixMode(gl::MODELVIEW);
        gl.LoadMatrixf(columns(&state.modelview).as_ptr());
        gl.MatrixMode(gl::PROJECTION);
        gl.LoadMatrixf(columns(&state.projection).as_ptr());
    }
}

fn set_light(gl: &Gl, name: u32, light: &Light) {
    let [x, y, z] = light.spot_direction;
    let vectors = [
        (gl::AMBIENT, light.ambient),
        (gl::DIFFUSE, light.diffuse),
        (gl::SPECULAR, light.specular),
        (gl::POSITION, light.position),
        (gl::SPOT_DIRECTION, [x, y, z, 0.0]),
    ];
    let [a, b, c] = light.attenuation;
    let scalars = [
        (gl::SPOT_EXPONENT, light.spot_exponent),
        (gl::SPOT_CUTOFF, light.spot_cutoff),
        (gl::CONSTANT_ATTENUATION, a),
        (gl::LINEAR_ATTENUATION, b),
        (gl::QUADRATIC_ATTENUATION, c),
    ];
    // SAFETY: as described in the library.
    unsafe {
        vectors.iter().for_each(|(parameter, value)| gl.Lightfv(name, *parameter, value.as_ptr()));
        scalars.iter().for_each(|(parameter, value)| gl.Lightf(name, *parameter, *value));
    }
}

fn set_material(gl: &Gl, face: u32, material: &Material) {
    let vectors = [
        (gl::AMBIENT, material.ambient),
        (gl::DIFFUSE, material.diffuse),
        (gl::SPECULAR, material.specular),
        (gl::EMISSION, material.emission),
    ];
    // SAFETY: as described in the library.
    unsafe {
        vectors.iter().for_each(|(parameter, value)| gl.Materialfv(face, *parameter, value.as_ptr()));
        gl.Materialf(face, gl::SHININESS, material.shininess);
    }
}

fn set_generators(context: &Context, n: u32, unit: &Unit) {
    let gl = context.functions();
    // SAFETY: as described in the library.
    unsafe {
        gl.ActiveTexture(gl::TEXTURE0 + n);
        for (c, generator) in (0u32..).zip(&unit.generators) {
            let is_on = generator.function != TexGen::None;
            switch(context, gl::TEXTURE_GEN_S + c, is_on);
            if is_on {
                let mode = GENERATORS[generator.function as usize];
                gl.TexGeni(gl::S + c, gl::TEXTURE_GEN_MODE, mode.cast_signed());
            }
            gl.TexGenfv(gl::S + c, gl::OBJECT_PLANE, generator.object.as_ptr());
            gl.TexGenfv(gl::S + c, gl::EYE_PLANE, generator.eye.as_ptr());
        }
        gl.MatrixMode(gl::TEXTURE);
        gl.LoadMatrixf(columns(&unit.matrix).as_ptr());
        gl.MatrixMode(gl::MODELVIEW);
    }
}

fn unit_state(context: &Context, n: u32, unit: &Unit) {
    let gl = context.functions();
    // SAFETY: as described in the library.
    unsafe { gl.ActiveTexture(gl::TEXTURE0 + n) };
    for target in
        [gl::TEXTURE_1D, gl::TEXTURE_2D, gl::TEXTURE_3D, gl::TEXTURE_CUBE_MAP, gl::TEXTURE_RECTANGLE]
    {
        switch(context, target, TARGETS[unit.target as usize] == target);
    }
    let set = |name: u32, value: u32| {
        // SAFETY: as described in the library.
        unsafe { gl.TexEnvi(gl::TEXTURE_ENV, name, value.cast_signed()) };
    };
    set(gl::TEXTURE_ENV_MODE, MODES[unit.mode as usize]);
    // SAFETY: as described in the library.
    unsafe { gl.TexEnvfv(gl::TEXTURE_ENV, gl::TEXTURE_ENV_COLOR, unit.color.as_ptr()) };
    if unit.mode != EnvMode::Combine {
        return;
    }
    let combine = |key: &CombineKey, [function, source, operand, scale]: [u32; 4]| {
        set(function, FUNCTIONS[key.function as usize]);
        for (k, argument) in (0u32..).zip(&key.arguments) {
            let named = (0u32..8).find(|&n| Source::texture(n as usize) == Some(argument.source));
            let value = match argument.source {
                Source::Texture => gl::TEXTURE,
                Source::Constant => gl::CONSTANT,
                Source::Primary => gl::PRIMARY_COLOR,
                Source::Previous => gl::PREVIOUS,
                _ => gl::TEXTURE0 + named.unwrap_or_default(),
            };
            set(source + k, value);
            set(operand + k, OPERANDS[argument.operand as usize]);
        }
        // SAFETY: as described in the library.
        unsafe { gl.TexEnvf(gl::TEXTURE_ENV, scale, key.scale.factor()) };
    };
    combine(&unit.rgb, [gl::COMBINE_RGB, gl::SRC0_RGB, gl::OPERAND0_RGB, gl::RGB_SCALE]);
    combine(&unit.alpha, [gl::COMBINE_ALPHA, gl::SRC0_ALPHA, gl::OPERAND0_ALPHA, gl::ALPHA_SCALE]);
}

/// Creates the texture of the active unit.
fn upload(gl: &Gl, texture: u32, unit: &Unit, texels: &[[u8; 4]]) {
    let target = TARGETS[unit.target as usize];
    let is_shadow = unit.target.is_shadow();
    let (internal, format) = match is_shadow {
        true => (gl::DEPTH_COMPONENT32F, gl::DEPTH_COMPONENT),
        false => (FORMATS[unit.format as usize], gl::RGBA),
    };
    let depths: Vec<f32> = texels.iter().map(|t| f32::from(t[0]) / 255.0).collect();
    let (data, ty) = match is_shadow {
        true => (depths.as_ptr().cast(), gl::FLOAT),
        false => (texels.as_ptr().cast(), gl::UNSIGNED_BYTE),
    };
    let (size, internal) = (TEXELS as i32, internal.cast_signed());
    let set = |name: u32, value: u32| {
        // SAFETY: as described in the library.
        unsafe { gl.TexParameteri(target, name, value.cast_signed()) };
    };
    // SAFETY: as described in the library; there are texels for all slices and faces.
    unsafe {
        gl.BindTexture(target, texture);
        match unit.target {
            UnitTarget::D1 => gl.TexImage1D(target, 0, internal, size, 0, format, ty, data),
            UnitTarget::D3 => gl.TexImage3D(target, 0, internal, size, size, size, 0, format, ty, data),
            UnitTarget::Cube => {
                for (face, texels) in (0..6).zip(texels.chunks(TEXELS * TEXELS)) {
                    let face = gl::TEXTURE_CUBE_MAP_POSITIVE_X + face;
                    gl.TexImage2D(face, 0, internal, size, size, 0, format, ty, texels.as_ptr().cast());
                }
            }
            _ => gl.TexImage2D(target, 0, internal, size, size, 0, format, ty, data),
        }
    }
    set(gl::TEXTURE_MIN_FILTER, gl::NEAREST);
    set(gl::TEXTURE_MAG_FILTER, gl::NEAREST);
    let wrap = if unit.target == UnitTarget::Rect { gl::CLAMP_TO_EDGE } else { gl::REPEAT };
    [gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T, gl::TEXTURE_WRAP_R].iter().for_each(|&name| set(name, wrap));
    if is_shadow {
        let mode = match unit.format {
            BaseFormat::Intensity => gl::INTENSITY,
            BaseFormat::Alpha => gl::ALPHA,
            BaseFormat::Rgb => gl::RED,
            _ => gl::LUMINANCE,
        };
        set(gl::DEPTH_TEXTURE_MODE, mode);
        set(gl::TEXTURE_COMPARE_MODE, gl::COMPARE_REF_TO_TEXTURE);
        set(gl::TEXTURE_COMPARE_FUNC, gl::LEQUAL);
    }
}
