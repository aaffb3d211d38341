//! Shader objects of the fixed functions.

use crate::call::read;
use crate::device::AfDevice;
use crate::handle::get;
use crate::shader::{AfShader, make_shader};
use crate::sized::{self, Versioned};
use crate::types::*;
use airfoil_gl::fixed::{
    Argument, BaseFormat, ColorMaterial, CombineFunction, CombineKey, CoordinateFlags, CoordinateKey,
    EnvMode, FixedFragmentKey, FixedVertexKey, FogCoordinate, FragmentFlags, LightFlags, Operand, Scale,
    Source, TexGen, TextureUnitKey, UnitTarget, VertexFlags,
};
use airfoil_gl::{Device, ShaderObject};

const INVALID: AfResult = AfResult::AF_ERROR_INVALID_ARGUMENT;

/// A set of texture coordinates of the fixed functions.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct AfCoordinates {
    /// 1: they are an output: the fragment shader reads them. 2: the texture matrix is not the identity.
    pub flags: u8,
    /// The functions that generate s, t, r and q. 0: none. 1: GL_OBJECT_LINEAR. 2: GL_EYE_LINEAR. 3: GL_SPHERE_MAP.
    /// 4: GL_REFLECTION_MAP. 5: GL_NORMAL_MAP.
    pub texgen: [u8; 4],
}

/// The state that a vertex shader of the fixed functions depends on. All zeros (but `size`) are the initial state of OpenGL.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct AfFixedVertexKey {
    /// sizeof(AfFixedVertexKey).
    pub size: u32,
    /// 1: GL_LIGHTING. 2: GL_LIGHT_MODEL_LOCAL_VIEWER. 4: GL_LIGHT_MODEL_TWO_SIDE. 8: GL_SEPARATE_SPECULAR_COLOR. 16: GL_NORMALIZE.
    /// 32: GL_RESCALE_NORMAL. 64: points are drawn, and GL_POINT_DISTANCE_ATTENUATION is not (1, 0, 0). 128: the fragment shader reads
    /// the secondary color. 256: a clip plane is enabled.
    pub flags: u16,
    /// Properties of the front and back material that are the current color. 0: none. 1: GL_EMISSION. 2: GL_AMBIENT. 3: GL_DIFFUSE.
    /// 4: GL_SPECULAR. 5: GL_AMBIENT_AND_DIFFUSE.
    pub color_material: [u8; 2],
    /// The origin of the fog coordinate. 0: none. 1: GL_FRAGMENT_DEPTH. 2: GL_FOG_COORD.
    pub fog: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// The lights. 1: enabled. 2: w of the position is not 0. 4: GL_SPOT_CUTOFF is not 180. 8: the attenuation is not (1, 0, 0).
    pub lights: [u8; 8],
    /// The sets of texture coordinates.
    pub coordinates: [AfCoordinates; 8],
}

// SAFETY: `repr(C)`, with integers.
unsafe impl Versioned for AfFixedVertexKey {
    const FIRST: usize = size_of::<Self>();
}

/// How red, green and blue, or alpha, are combined (GL_COMBINE).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct AfCombine {
    /// 0: GL_REPLACE. 1: GL_MODULATE. 2: GL_ADD. 3: GL_ADD_SIGNED. 4: GL_INTERPOLATE. 5: GL_SUBTRACT. 6: GL_DOT3_RGB. 7: GL_DOT3_RGBA.
    pub function: u8,
    /// The sources. 0: GL_TEXTURE. 1: GL_CONSTANT. 2: GL_PRIMARY_COLOR. 3: GL_PREVIOUS. 4 to 11: GL_TEXTURE0 to GL_TEXTURE7.
    pub sources: [u8; 3],
    /// The parts of the sources. 0: GL_SRC_COLOR. 1: GL_ONE_MINUS_SRC_COLOR. 2: GL_SRC_ALPHA. 3: GL_ONE_MINUS_SRC_ALPHA.
    pub operands: [u8; 3],
    /// The factor of the result. 0: 1. 1: 2. 2: 4.
    pub scale: u8,
}

/// A texture unit of the fixed functions.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct AfTextureUnit {
    /// The enabled target. 0: none. 1: GL_TEXTURE_1D. 2: GL_TEXTURE_2D. 3: GL_TEXTURE_3D. 4: GL_TEXTURE_CUBE_MAP.
    /// 5: GL_TEXTURE_RECTANGLE. 6 to 9: depth textures that are compared: 1D, 2D, cube map, rectangle.
    pub target: u8,
    /// The base internal format. 0: GL_ALPHA. 1: GL_LUMINANCE. 2: GL_LUMINANCE_ALPHA. 3: GL_INTENSITY. 4: GL_RGB. 5: GL_RGBA.
    pub format: u8,
    /// The texture environment. 0: GL_MODULATE. 1: GL_DECAL. 2: GL_BLEND. 3: GL_REPLACE. 4: GL_ADD. 5: GL_COMBINE.
    pub mode: u8,
    /// Zero.
    pub reserved: u8,
    /// How red, green and blue are combined by GL_COMBINE.
    pub rgb: AfCombine,
    /// How alpha is combined by GL_COMBINE.
    pub alpha: AfCombine,
}

/// The state that a fragment shader of the fixed functions depends on.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct AfFixedFragmentKey {
    /// sizeof(AfFixedFragmentKey).
    pub size: u32,
    /// 1: GL_COLOR_SUM, or lighting with a separate specular color. 2: colors are clamped (GL_CLAMP_FRAGMENT_COLOR).
    pub flags: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// The texture units.
    pub units: [AfTextureUnit; 8],
}

// SAFETY: `repr(C)`, with integers.
unsafe impl Versioned for AfFixedFragmentKey {
    const FIRST: usize = size_of::<Self>();
}

// The values of the interface, in order.
const TEXGEN: [TexGen; 6] = [
    TexGen::None,
    TexGen::ObjectLinear,
    TexGen::EyeLinear,
    TexGen::SphereMap,
    TexGen::ReflectionMap,
    TexGen::NormalMap,
];
const COLOR_MATERIAL: [ColorMaterial; 6] = [
    ColorMaterial::None,
    ColorMaterial::Emission,
    ColorMaterial::Ambient,
    ColorMaterial::Diffuse,
    ColorMaterial::Specular,
    ColorMaterial::AmbientAndDiffuse,
];
const FOG: [FogCoordinate; 3] = [FogCoordinate::None, FogCoordinate::Depth, FogCoordinate::Attribute];
const MODES: [EnvMode; 6] =
    [EnvMode::Modulate, EnvMode::Decal, EnvMode::Blend, EnvMode::Replace, EnvMode::Add, EnvMode::Combine];
const SOURCES: [Source; 4] = [Source::Texture, Source::Constant, Source::Primary, Source::Previous];
const OPERANDS: [Operand; 4] =
    [Operand::Color, Operand::OneMinusColor, Operand::Alpha, Operand::OneMinusAlpha];
const SCALES: [Scale; 3] = [Scale::One, Scale::Two, Scale::Four];

fn pick<T: Copy>(table: &[T], n: u8) -> Result<T, AfResult> {
    table.get(usize::from(n)).copied().ok_or(INVALID)
}

impl AfFixedVertexKey {
    fn key(&self) -> Result<FixedVertexKey, AfResult> {
        let mut key = FixedVertexKey {
            flags: VertexFlags::from_bits(self.flags).ok_or(INVALID)?,
            fog: pick(&FOG, self.fog)?,
            ..FixedVertexKey::default()
        };
        if self.reserved != [0; 3] {
            return Err(INVALID);
        }
        for (to, from) in key.color_material.iter_mut().zip(self.color_material) {
            *to = pick(&COLOR_MATERIAL, from)?;
        }
        for (to, from) in key.lights.iter_mut().zip(self.lights) {
            *to = LightFlags::from_bits(from).ok_or(INVALID)?;
        }
        for (to, from) in key.coordinates.iter_mut().zip(&self.coordinates) {
            let flags = CoordinateFlags::from_bits(from.flags).ok_or(INVALID)?;
            let [s, t, r, q] = from.texgen.map(|n| pick(&TEXGEN, n));
            *to = CoordinateKey { flags, texgen: [s?, t?, r?, q?] };
        }
        Ok(key)
    }
}

impl AfCombine {
    fn key(&self) -> Result<CombineKey, AfResult> {
        let argument = |n: usize| -> Result<Argument, AfResult> {
            let source = match self.sources[n] {
                from @ 4.. => Source::texture(usize::from(from) - 4).ok_or(INVALID)?,
                from => pick(&SOURCES, from)?,
            };
            Ok(Argument::new(source, pick(&OPERANDS, self.operands[n])?))
        };
        let function = CombineFunction::all().nth(usize::from(self.function)).ok_or(INVALID)?;
        let arguments = [argument(0)?, argument(1)?, argument(2)?];
        Ok(CombineKey { function, arguments, scale: pick(&SCALES, self.scale)? })
    }
}

impl AfFixedFragmentKey {
    fn key(&self) -> Result<FixedFragmentKey, AfResult> {
        let flags = FragmentFlags::from_bits(self.flags).ok_or(INVALID)?;
        let mut key = FixedFragmentKey { flags, ..FixedFragmentKey::default() };
        if self.reserved != [0; 3] {
            return Err(INVALID);
        }
        for (to, from) in key.units.iter_mut().zip(&self.units) {
            let target = UnitTarget::all().nth(usize::from(from.target)).ok_or(INVALID)?;
            if from.reserved != 0 {
                return Err(INVALID);
            }
            *to = TextureUnitKey {
                target,
                format: pick(&BaseFormat::ALL, from.format)?,
                mode: pick(&MODES, from.mode)?,
                rgb: from.rgb.key()?,
                alpha: from.alpha.key()?,
            };
        }
        Ok(key)
    }
}

/// Writes the shader of a key.
///
/// # Safety
/// The caller has a count of the device or passes NULL, passes a key that begins with its size, and a pointer to write to.
unsafe fn give<K: Versioned>(
    device: *const AfDevice,
    key: *const K,
    shader: *mut *mut AfShader,
    object: impl FnOnce(&Device, K) -> Result<ShaderObject, AfResult>,
) -> AfResult {
    // SAFETY: the caller's contract.
    unsafe { make_shader(device, shader, |device| object(device, sized::read(key)?)) }
}

/// Makes the vertex shader that stands for the fixed functions of a state. It links with a fragment shader of fixed functions, of
/// assembly or of GLSL. af_shader_parameter has the contents of its block of parameters, and af_program_parameter_block the block.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_fixed_vertex(
    device: *const AfDevice,
    key: *const AfFixedVertexKey,
    shader: *mut *mut AfShader,
) -> AfResult {
    // SAFETY: the caller's contract.
    unsafe { give(device, key, shader, |device, key| Ok(device.fixed_vertex_object(&key.key()?))) }
}

/// Makes the fragment shader that stands for the fixed functions of a state: as af_shader_fixed_vertex. Textures have the binding of
/// their unit.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_fixed_fragment(
    device: *const AfDevice,
    key: *const AfFixedFragmentKey,
    shader: *mut *mut AfShader,
) -> AfResult {
    // SAFETY: the caller's contract.
    unsafe { give(device, key, shader, |device, key| Ok(device.fixed_fragment_object(&key.key()?))) }
}

/// The number of vectors in the block of parameters of a shader of assembly or fixed functions; 0 for others.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_shader_parameter_count(shader: *const AfShader) -> u32 {
    // SAFETY: the caller has a count, or passes NULL.
    read(0, || Some(unsafe { get(shader) }.ok()?.object.parameters().len() as u32))
}
