//! Names of built-in types, their versions, and the spelling of types in messages.

use crate::extension::Ext;
use crate::token::Interner;
use crate::types::{Base, Opaque, OpaqueKind, Type, TypeTable};
use crate::version::{Avail, NEVER};
use airfoil_ir::Dim;
use std::fmt::Write as _;

/// A name of a built-in type.
#[derive(Clone, Copy, Debug)]
pub struct BasicType {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub ty: Type,
    /// Where the name is that of the type.
    pub avail: Avail,
    /// Where it is a reserved word, unless it is available.
    pub reserved: Avail,
}

/// A type as users write it: `vec4`, `mat2x3[4]`, `struct Light`.
pub fn type_name(ty: Type, types: &TypeTable, names: &Interner) -> String {
    let mut dims = String::new();
    let mut elem = ty;
    while let Some(array) = types.as_array(elem) {
        if array.len == 0 {
            dims.push_str("[]");
        } else {
            let _ = write!(dims, "[{}]", array.len);
        }
        elem = array.elem;
    }
    let mut text = match elem {
        Type::Struct(_) => {
            let entry = types.as_struct(elem);
            let kind = if entry.is_some_and(|s| s.block) { "block" } else { "struct" };
            match entry.and_then(|s| s.name) {
                Some(name) => format!("{kind} {}", &names[name]),
                None => format!("{kind} without name"),
            }
        }
        Type::Reference(id) => {
            let name = types.structs.get(id.0 as usize).and_then(|s| s.name);
            format!("reference to {}", name.map_or("a block", |n| &names[n]))
        }
        other => basic_name(other).to_string(),
    };
    text.push_str(&dims);
    text
}

/// The name of a type that is neither array nor structure: the shortest of its names.
pub fn basic_name(ty: Type) -> &'static str {
    let named = BASIC_TYPES.iter().filter(|t| t.ty == ty).min_by_key(|t| t.name.len());
    named.map_or("error", |t| t.name)
}

const fn row(name: &'static str, ty: Type, avail: Avail, reserved: Avail) -> BasicType {
    BasicType { name, ty, avail, reserved }
}

const fn vector(base: Base, size: u8) -> Type {
    Type::Vector { base, size }
}

const fn matrix(base: Base, cols: u8, rows: u8) -> Type {
    Type::Matrix { base, cols, rows }
}

const fn opaque(kind: OpaqueKind, sampled: Base, dim: Dim, arrayed: bool) -> Type {
    Type::Opaque(Opaque { kind, sampled, dim, arrayed, shadow: false, external: false })
}

const fn shadow(dim: Dim, arrayed: bool) -> Type {
    let (kind, sampled) = (OpaqueKind::Sampled, Base::Float);
    Type::Opaque(Opaque { kind, sampled, dim, arrayed, shadow: true, external: false })
}

// Where they are available.
const NONE: Avail = Avail::since(NEVER, NEVER);
const DESKTOP: Avail = Avail::since(110, NEVER);
const UINT: Avail = Avail::since(130, 300).or(&[Ext::EXT_gpu_shader4]);
const DOUBLE: Avail = Avail::since(400, NEVER).or(&[Ext::ARB_gpu_shader_fp64]);
const F16: Avail = NONE.or(&[
    Ext::EXT_shader_explicit_arithmetic_types_float16,
    Ext::EXT_shader_16bit_storage,
    Ext::AMD_gpu_shader_half_float,
]);
const F32: Avail = NONE.or(&[Ext::EXT_shader_explicit_arithmetic_types_float32]);
const F64: Avail = NONE.or(&[Ext::EXT_shader_explicit_arithmetic_types_float64]);
const I8: Avail = NONE.or(&[Ext::EXT_shader_explicit_arithmetic_types_int8, Ext::EXT_shader_8bit_storage]);
const I16: Avail = NONE.or(&[
    Ext::EXT_shader_explicit_arithmetic_types_int16,
    Ext::EXT_shader_16bit_storage,
    Ext::AMD_gpu_shader_int16,
]);
const I32: Avail = NONE.or(&[Ext::EXT_shader_explicit_arithmetic_types_int32]);
const I64: Avail = NONE.or(&[
    Ext::EXT_shader_explicit_arithmetic_types_int64,
    Ext::ARB_gpu_shader_int64,
    Ext::AMD_gpu_shader_int64,
]);
const INT: Avail = UINT;
const INT_1D: Avail = Avail::since(130, NEVER).or(&[Ext::EXT_gpu_shader4]);
const INT_RECT: Avail = Avail::since(140, NEVER).or(&[Ext::EXT_gpu_shader4]);
const INT_ARRAY_1D: Avail = INT_1D;
const INT_ARRAY_2D: Avail = UINT;
const SAMPLER_3D: Avail = Avail::since(110, 300).or(&[Ext::OES_texture_3D]);
const RECT: Avail = Avail::since(140, NEVER).or(&[Ext::ARB_texture_rectangle]);
const ARRAY_1D: Avail = Avail::since(130, NEVER).or(&[Ext::EXT_texture_array, Ext::EXT_gpu_shader4]);
const ARRAY_2D: Avail = Avail::since(130, 300).or(&[Ext::EXT_texture_array, Ext::EXT_gpu_shader4]);
const CUBE_ARRAY: Avail = Avail::since(400, 320).or(&[
    Ext::ARB_texture_cube_map_array,
    Ext::EXT_texture_cube_map_array,
    Ext::OES_texture_cube_map_array,
]);
const BUFFER: Avail = Avail::since(140, 320).or(&[
    Ext::EXT_gpu_shader4,
    Ext::ARB_texture_buffer_object,
    Ext::EXT_texture_buffer_object,
    Ext::EXT_texture_buffer,
    Ext::OES_texture_buffer,
]);
const MS: Avail = Avail::since(150, 310).or(&[Ext::ARB_texture_multisample]);
const MS_ARRAY: Avail =
    Avail::since(150, 320).or(&[Ext::ARB_texture_multisample, Ext::OES_texture_storage_multisample_2d_array]);
const SHADOW_2D: Avail = Avail::since(110, 300).or(&[Ext::EXT_shadow_samplers]);
const CUBE_SHADOW: Avail = UINT;
const IMAGE: Avail =
    Avail::since(420, 310).or(&[Ext::ARB_shader_image_load_store, Ext::EXT_shader_image_load_store]);
const IMAGE_DESKTOP: Avail =
    Avail::since(420, NEVER).or(&[Ext::ARB_shader_image_load_store, Ext::EXT_shader_image_load_store]);
const IMAGE_BUFFER: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::EXT_shader_image_load_store,
    Ext::EXT_texture_buffer,
    Ext::OES_texture_buffer,
]);
const IMAGE_CUBE_ARRAY: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::EXT_shader_image_load_store,
    Ext::EXT_texture_cube_map_array,
    Ext::OES_texture_cube_map_array,
]);
const IMAGE_64: Avail = NONE.or(&[Ext::EXT_shader_image_int64]);
const VULKAN: Avail = NONE.or(&[Ext::KHR_vulkan_glsl]);
const EXTERNAL: Avail = NONE.or(&[Ext::OES_EGL_image_external, Ext::OES_EGL_image_external_essl3]);
const ATOMIC: Avail = Avail::since(420, 310).or(&[Ext::ARB_shader_atomic_counters]);

// Where they are reserved.
const OLD: Avail = Avail::since(110, 100);
const DMAT: Avail = NONE;
const RES_130: Avail = Avail::since(130, 300);
const RES_420: Avail = Avail::since(420, 300);
const RES_140: Avail = Avail::since(NEVER, 300);
const ES100_RES: Avail = Avail::since(NEVER, 100);
const ES300_RES: Avail = Avail::since(NEVER, 300);
const CUBE_ARRAY_RES: Avail = Avail::since(NEVER, 310);
const SAMPLER_1D_RES: Avail = ES100_RES;

/// All names of built-in types, sorted.
#[rustfmt::skip]
pub static BASIC_TYPES: &[BasicType] = &[
    row("atomic_uint", opaque(OpaqueKind::AtomicCounter, Base::Uint, Dim::D2, false), ATOMIC, RES_420),
    row("bool", vector(Base::Bool, 1), Avail::ALWAYS, NONE),
    row("bvec2", vector(Base::Bool, 2), Avail::ALWAYS, NONE),
    row("bvec3", vector(Base::Bool, 3), Avail::ALWAYS, NONE),
    row("bvec4", vector(Base::Bool, 4), Avail::ALWAYS, NONE),
    row("dmat2", matrix(Base::Double, 2, 2), DOUBLE, DMAT),
    row("dmat2x2", matrix(Base::Double, 2, 2), DOUBLE, DMAT),
    row("dmat2x3", matrix(Base::Double, 2, 3), DOUBLE, DMAT),
    row("dmat2x4", matrix(Base::Double, 2, 4), DOUBLE, DMAT),
    row("dmat3", matrix(Base::Double, 3, 3), DOUBLE, DMAT),
    row("dmat3x2", matrix(Base::Double, 3, 2), DOUBLE, DMAT),
    row("dmat3x3", matrix(Base::Double, 3, 3), DOUBLE, DMAT),
    row("dmat3x4", matrix(Base::Double, 3, 4), DOUBLE, DMAT),
    row("dmat4", matrix(Base::Double, 4, 4), DOUBLE, DMAT),
    row("dmat4x2", matrix(Base::Double, 4, 2), DOUBLE, DMAT),
    row("dmat4x3", matrix(Base::Double, 4, 3), DOUBLE, DMAT),
    row("dmat4x4", matrix(Base::Double, 4, 4), DOUBLE, DMAT),
    row("double", vector(Base::Double, 1), DOUBLE, OLD),
    row("dvec2", vector(Base::Double, 2), DOUBLE, OLD),
    row("dvec3", vector(Base::Double, 3), DOUBLE, OLD),
    row("dvec4", vector(Base::Double, 4), DOUBLE, OLD),
    row("f16mat2", matrix(Base::Half, 2, 2), F16, NONE),
    row("f16mat2x2", matrix(Base::Half, 2, 2), F16, NONE),
    row("f16mat2x3", matrix(Base::Half, 2, 3), F16, NONE),
    row("f16mat2x4", matrix(Base::Half, 2, 4), F16, NONE),
    row("f16mat3", matrix(Base::Half, 3, 3), F16, NONE),
    row("f16mat3x2", matrix(Base::Half, 3, 2), F16, NONE),
    row("f16mat3x3", matrix(Base::Half, 3, 3), F16, NONE),
    row("f16mat3x4", matrix(Base::Half, 3, 4), F16, NONE),
    row("f16mat4", matrix(Base::Half, 4, 4), F16, NONE),
    row("f16mat4x2", matrix(Base::Half, 4, 2), F16, NONE),
    row("f16mat4x3", matrix(Base::Half, 4, 3), F16, NONE),
    row("f16mat4x4", matrix(Base::Half, 4, 4), F16, NONE),
    row("f16vec2", vector(Base::Half, 2), F16, NONE),
    row("f16vec3", vector(Base::Half, 3), F16, NONE),
    row("f16vec4", vector(Base::Half, 4), F16, NONE),
    row("f32mat2", matrix(Base::Float, 2, 2), F32, NONE),
    row("f32mat2x2", matrix(Base::Float, 2, 2), F32, NONE),
    row("f32mat2x3", matrix(Base::Float, 2, 3), F32, NONE),
    row("f32mat2x4", matrix(Base::Float, 2, 4), F32, NONE),
    row("f32mat3", matrix(Base::Float, 3, 3), F32, NONE),
    row("f32mat3x2", matrix(Base::Float, 3, 2), F32, NONE),
    row("f32mat3x3", matrix(Base::Float, 3, 3), F32, NONE),
    row("f32mat3x4", matrix(Base::Float, 3, 4), F32, NONE),
    row("f32mat4", matrix(Base::Float, 4, 4), F32, NONE),
    row("f32mat4x2", matrix(Base::Float, 4, 2), F32, NONE),
    row("f32mat4x3", matrix(Base::Float, 4, 3), F32, NONE),
    row("f32mat4x4", matrix(Base::Float, 4, 4), F32, NONE),
    row("f32vec2", vector(Base::Float, 2), F32, NONE),
    row("f32vec3", vector(Base::Float, 3), F32, NONE),
    row("f32vec4", vector(Base::Float, 4), F32, NONE),
    row("f64mat2", matrix(Base::Double, 2, 2), F64, NONE),
    row("f64mat2x2", matrix(Base::Double, 2, 2), F64, NONE),
    row("f64mat2x3", matrix(Base::Double, 2, 3), F64, NONE),
    row("f64mat2x4", matrix(Base::Double, 2, 4), F64, NONE),
    row("f64mat3", matrix(Base::Double, 3, 3), F64, NONE),
    row("f64mat3x2", matrix(Base::Double, 3, 2), F64, NONE),
    row("f64mat3x3", matrix(Base::Double, 3, 3), F64, NONE),
    row("f64mat3x4", matrix(Base::Double, 3, 4), F64, NONE),
    row("f64mat4", matrix(Base::Double, 4, 4), F64, NONE),
    row("f64mat4x2", matrix(Base::Double, 4, 2), F64, NONE),
    row("f64mat4x3", matrix(Base::Double, 4, 3), F64, NONE),
    row("f64mat4x4", matrix(Base::Double, 4, 4), F64, NONE),
    row("f64vec2", vector(Base::Double, 2), F64, NONE),
    row("f64vec3", vector(Base::Double, 3), F64, NONE),
    row("f64vec4", vector(Base::Double, 4), F64, NONE),
    row("float", vector(Base::Float, 1), Avail::ALWAYS, NONE),
    row("float16_t", vector(Base::Half, 1), F16, NONE),
    row("float32_t", vector(Base::Float, 1), F32, NONE),
    row("float64_t", vector(Base::Double, 1), F64, NONE),
    row("i16vec2", vector(Base::Int16, 2), I16, NONE),
    row("i16vec3", vector(Base::Int16, 3), I16, NONE),
    row("i16vec4", vector(Base::Int16, 4), I16, NONE),
    row("i32vec2", vector(Base::Int, 2), I32, NONE),
    row("i32vec3", vector(Base::Int, 3), I32, NONE),
    row("i32vec4", vector(Base::Int, 4), I32, NONE),
    row("i64image1D", opaque(OpaqueKind::Image, Base::Int64, Dim::D1, false), IMAGE_64, NONE),
    row("i64image1DArray", opaque(OpaqueKind::Image, Base::Int64, Dim::D1, true), IMAGE_64, NONE),
    row("i64image2D", opaque(OpaqueKind::Image, Base::Int64, Dim::D2, false), IMAGE_64, NONE),
    row("i64image2DArray", opaque(OpaqueKind::Image, Base::Int64, Dim::D2, true), IMAGE_64, NONE),
    row("i64image2DMS", opaque(OpaqueKind::Image, Base::Int64, Dim::Ms, false), IMAGE_64, NONE),
    row("i64image2DMSArray", opaque(OpaqueKind::Image, Base::Int64, Dim::Ms, true), IMAGE_64, NONE),
    row("i64image2DRect", opaque(OpaqueKind::Image, Base::Int64, Dim::Rect, false), IMAGE_64, NONE),
    row("i64image3D", opaque(OpaqueKind::Image, Base::Int64, Dim::D3, false), IMAGE_64, NONE),
    row("i64imageBuffer", opaque(OpaqueKind::Image, Base::Int64, Dim::Buffer, false), IMAGE_64, NONE),
    row("i64imageCube", opaque(OpaqueKind::Image, Base::Int64, Dim::Cube, false), IMAGE_64, NONE),
    row("i64imageCubeArray", opaque(OpaqueKind::Image, Base::Int64, Dim::Cube, true), IMAGE_64, NONE),
    row("i64vec2", vector(Base::Int64, 2), I64, NONE),
    row("i64vec3", vector(Base::Int64, 3), I64, NONE),
    row("i64vec4", vector(Base::Int64, 4), I64, NONE),
    row("i8vec2", vector(Base::Int8, 2), I8, NONE),
    row("i8vec3", vector(Base::Int8, 3), I8, NONE),
    row("i8vec4", vector(Base::Int8, 4), I8, NONE),
    row("iimage1D", opaque(OpaqueKind::Image, Base::Int, Dim::D1, false), IMAGE_DESKTOP, RES_130),
    row("iimage1DArray", opaque(OpaqueKind::Image, Base::Int, Dim::D1, true), IMAGE_DESKTOP, RES_130),
    row("iimage2D", opaque(OpaqueKind::Image, Base::Int, Dim::D2, false), IMAGE, RES_130),
    row("iimage2DArray", opaque(OpaqueKind::Image, Base::Int, Dim::D2, true), IMAGE, RES_130),
    row("iimage2DMS", opaque(OpaqueKind::Image, Base::Int, Dim::Ms, false), IMAGE_DESKTOP, NONE),
    row("iimage2DMSArray", opaque(OpaqueKind::Image, Base::Int, Dim::Ms, true), IMAGE_DESKTOP, NONE),
    row("iimage2DRect", opaque(OpaqueKind::Image, Base::Int, Dim::Rect, false), IMAGE_DESKTOP, NONE),
    row("iimage3D", opaque(OpaqueKind::Image, Base::Int, Dim::D3, false), IMAGE, RES_130),
    row("iimageBuffer", opaque(OpaqueKind::Image, Base::Int, Dim::Buffer, false), IMAGE_BUFFER, RES_130),
    row("iimageCube", opaque(OpaqueKind::Image, Base::Int, Dim::Cube, false), IMAGE, RES_130),
    row("iimageCubeArray", opaque(OpaqueKind::Image, Base::Int, Dim::Cube, true), IMAGE_CUBE_ARRAY, NONE),
    row("image1D", opaque(OpaqueKind::Image, Base::Float, Dim::D1, false), IMAGE_DESKTOP, RES_130),
    row("image1DArray", opaque(OpaqueKind::Image, Base::Float, Dim::D1, true), IMAGE_DESKTOP, RES_130),
    row("image2D", opaque(OpaqueKind::Image, Base::Float, Dim::D2, false), IMAGE, RES_130),
    row("image2DArray", opaque(OpaqueKind::Image, Base::Float, Dim::D2, true), IMAGE, RES_130),
    row("image2DMS", opaque(OpaqueKind::Image, Base::Float, Dim::Ms, false), IMAGE_DESKTOP, NONE),
    row("image2DMSArray", opaque(OpaqueKind::Image, Base::Float, Dim::Ms, true), IMAGE_DESKTOP, NONE),
    row("image2DRect", opaque(OpaqueKind::Image, Base::Float, Dim::Rect, false), IMAGE_DESKTOP, NONE),
    row("image3D", opaque(OpaqueKind::Image, Base::Float, Dim::D3, false), IMAGE, RES_130),
    row("imageBuffer", opaque(OpaqueKind::Image, Base::Float, Dim::Buffer, false), IMAGE_BUFFER, RES_130),
    row("imageCube", opaque(OpaqueKind::Image, Base::Float, Dim::Cube, false), IMAGE, RES_130),
    row("imageCubeArray", opaque(OpaqueKind::Image, Base::Float, Dim::Cube, true), IMAGE_CUBE_ARRAY, NONE),
    row("int", vector(Base::Int, 1), Avail::ALWAYS, NONE),
    row("int16_t", vector(Base::Int16, 1), I16, NONE),
    row("int32_t", vector(Base::Int, 1), I32, NONE),
    row("int64_t", vector(Base::Int64, 1), I64, NONE),
    row("int8_t", vector(Base::Int8, 1), I8, NONE),
    row("isampler1D", opaque(OpaqueKind::Sampled, Base::Int, Dim::D1, false), INT_1D, ES300_RES),
    row("isampler1DArray", opaque(OpaqueKind::Sampled, Base::Int, Dim::D1, true), INT_ARRAY_1D, ES300_RES),
    row("isampler2D", opaque(OpaqueKind::Sampled, Base::Int, Dim::D2, false), INT, NONE),
    row("isampler2DArray", opaque(OpaqueKind::Sampled, Base::Int, Dim::D2, true), INT_ARRAY_2D, NONE),
    row("isampler2DMS", opaque(OpaqueKind::Sampled, Base::Int, Dim::Ms, false), MS, RES_140),
    row("isampler2DMSArray", opaque(OpaqueKind::Sampled, Base::Int, Dim::Ms, true), MS_ARRAY, RES_140),
    row("isampler2DRect", opaque(OpaqueKind::Sampled, Base::Int, Dim::Rect, false), INT_RECT, RES_130),
    row("isampler3D", opaque(OpaqueKind::Sampled, Base::Int, Dim::D3, false), INT, NONE),
    row("isamplerBuffer", opaque(OpaqueKind::Sampled, Base::Int, Dim::Buffer, false), BUFFER, RES_130),
    row("isamplerCube", opaque(OpaqueKind::Sampled, Base::Int, Dim::Cube, false), INT, NONE),
    row("isamplerCubeArray", opaque(OpaqueKind::Sampled, Base::Int, Dim::Cube, true), CUBE_ARRAY, CUBE_ARRAY_RES),
    row("isubpassInput", opaque(OpaqueKind::Subpass, Base::Int, Dim::Subpass, false), VULKAN, NONE),
    row("isubpassInputMS", opaque(OpaqueKind::Subpass, Base::Int, Dim::SubpassMs, false), VULKAN, NONE),
    row("itexture1D", opaque(OpaqueKind::Texture, Base::Int, Dim::D1, false), VULKAN, NONE),
    row("itexture1DArray", opaque(OpaqueKind::Texture, Base::Int, Dim::D1, true), VULKAN, NONE),
    row("itexture2D", opaque(OpaqueKind::Texture, Base::Int, Dim::D2, false), VULKAN, NONE),
    row("itexture2DArray", opaque(OpaqueKind::Texture, Base::Int, Dim::D2, true), VULKAN, NONE),
    row("itexture2DMS", opaque(OpaqueKind::Texture, Base::Int, Dim::Ms, false), VULKAN, NONE),
    row("itexture2DMSArray", opaque(OpaqueKind::Texture, Base::Int, Dim::Ms, true), VULKAN, NONE),
    row("itexture2DRect", opaque(OpaqueKind::Texture, Base::Int, Dim::Rect, false), VULKAN, NONE),
    row("itexture3D", opaque(OpaqueKind::Texture, Base::Int, Dim::D3, false), VULKAN, NONE),
    row("itextureBuffer", opaque(OpaqueKind::Texture, Base::Int, Dim::Buffer, false), VULKAN, NONE),
    row("itextureCube", opaque(OpaqueKind::Texture, Base::Int, Dim::Cube, false), VULKAN, NONE),
    row("itextureCubeArray", opaque(OpaqueKind::Texture, Base::Int, Dim::Cube, true), VULKAN, NONE),
    row("ivec2", vector(Base::Int, 2), Avail::ALWAYS, NONE),
    row("ivec3", vector(Base::Int, 3), Avail::ALWAYS, NONE),
    row("ivec4", vector(Base::Int, 4), Avail::ALWAYS, NONE),
    row("mat2", matrix(Base::Float, 2, 2), Avail::ALWAYS, NONE),
    row("mat2x2", matrix(Base::Float, 2, 2), Avail::since(120, 300), NONE),
    row("mat2x3", matrix(Base::Float, 2, 3), Avail::since(120, 300), NONE),
    row("mat2x4", matrix(Base::Float, 2, 4), Avail::since(120, 300), NONE),
    row("mat3", matrix(Base::Float, 3, 3), Avail::ALWAYS, NONE),
    row("mat3x2", matrix(Base::Float, 3, 2), Avail::since(120, 300), NONE),
    row("mat3x3", matrix(Base::Float, 3, 3), Avail::since(120, 300), NONE),
    row("mat3x4", matrix(Base::Float, 3, 4), Avail::since(120, 300), NONE),
    row("mat4", matrix(Base::Float, 4, 4), Avail::ALWAYS, NONE),
    row("mat4x2", matrix(Base::Float, 4, 2), Avail::since(120, 300), NONE),
    row("mat4x3", matrix(Base::Float, 4, 3), Avail::since(120, 300), NONE),
    row("mat4x4", matrix(Base::Float, 4, 4), Avail::since(120, 300), NONE),
    row("sampler", opaque(OpaqueKind::Sampler, Base::Float, Dim::D2, false), VULKAN, NONE),
    row("sampler1D", opaque(OpaqueKind::Sampled, Base::Float, Dim::D1, false), DESKTOP, SAMPLER_1D_RES),
    row("sampler1DArray", opaque(OpaqueKind::Sampled, Base::Float, Dim::D1, true), ARRAY_1D, ES300_RES),
    row("sampler1DArrayShadow", shadow(Dim::D1, true), ARRAY_1D, ES300_RES),
    row("sampler1DShadow", shadow(Dim::D1, false), DESKTOP, SAMPLER_1D_RES),
    row("sampler2D", opaque(OpaqueKind::Sampled, Base::Float, Dim::D2, false), Avail::ALWAYS, NONE),
    row("sampler2DArray", opaque(OpaqueKind::Sampled, Base::Float, Dim::D2, true), ARRAY_2D, NONE),
    row("sampler2DArrayShadow", shadow(Dim::D2, true), ARRAY_2D, NONE),
    row("sampler2DMS", opaque(OpaqueKind::Sampled, Base::Float, Dim::Ms, false), MS, RES_140),
    row("sampler2DMSArray", opaque(OpaqueKind::Sampled, Base::Float, Dim::Ms, true), MS_ARRAY, RES_140),
    row("sampler2DRect", opaque(OpaqueKind::Sampled, Base::Float, Dim::Rect, false), RECT, OLD),
    row("sampler2DRectShadow", shadow(Dim::Rect, false), RECT, OLD),
    row("sampler2DShadow", shadow(Dim::D2, false), SHADOW_2D, ES100_RES),
    row("sampler3D", opaque(OpaqueKind::Sampled, Base::Float, Dim::D3, false), SAMPLER_3D, ES100_RES),
    row("samplerBuffer", opaque(OpaqueKind::Sampled, Base::Float, Dim::Buffer, false), BUFFER, RES_130),
    row("samplerCube", opaque(OpaqueKind::Sampled, Base::Float, Dim::Cube, false), Avail::ALWAYS, NONE),
    row("samplerCubeArray", opaque(OpaqueKind::Sampled, Base::Float, Dim::Cube, true), CUBE_ARRAY, CUBE_ARRAY_RES),
    row("samplerCubeArrayShadow", shadow(Dim::Cube, true), CUBE_ARRAY, CUBE_ARRAY_RES),
    row("samplerCubeShadow", shadow(Dim::Cube, false), CUBE_SHADOW, NONE),
    row("samplerExternalOES", Type::Opaque(Opaque { kind: OpaqueKind::Sampled, sampled: Base::Float, dim: Dim::D2, arrayed: false, shadow: false, external: true }), EXTERNAL, NONE),
    row("samplerShadow", Type::Opaque(Opaque { kind: OpaqueKind::Sampler, sampled: Base::Float, dim: Dim::D2, arrayed: false, shadow: true, external: false }), VULKAN, NONE),
    row("subpassInput", opaque(OpaqueKind::Subpass, Base::Float, Dim::Subpass, false), VULKAN, NONE),
    row("subpassInputMS", opaque(OpaqueKind::Subpass, Base::Float, Dim::SubpassMs, false), VULKAN, NONE),
    row("texture1D", opaque(OpaqueKind::Texture, Base::Float, Dim::D1, false), VULKAN, NONE),
    row("texture1DArray", opaque(OpaqueKind::Texture, Base::Float, Dim::D1, true), VULKAN, NONE),
    row("texture2D", opaque(OpaqueKind::Texture, Base::Float, Dim::D2, false), VULKAN, NONE),
    row("texture2DArray", opaque(OpaqueKind::Texture, Base::Float, Dim::D2, true), VULKAN, NONE),
    row("texture2DMS", opaque(OpaqueKind::Texture, Base::Float, Dim::Ms, false), VULKAN, NONE),
    row("texture2DMSArray", opaque(OpaqueKind::Texture, Base::Float, Dim::Ms, true), VULKAN, NONE),
    row("texture2DRect", opaque(OpaqueKind::Texture, Base::Float, Dim::Rect, false), VULKAN, NONE),
    row("texture3D", opaque(OpaqueKind::Texture, Base::Float, Dim::D3, false), VULKAN, NONE),
    row("textureBuffer", opaque(OpaqueKind::Texture, Base::Float, Dim::Buffer, false), VULKAN, NONE),
    row("textureCube", opaque(OpaqueKind::Texture, Base::Float, Dim::Cube, false), VULKAN, NONE),
    row("textureCubeArray", opaque(OpaqueKind::Texture, Base::Float, Dim::Cube, true), VULKAN, NONE),
    row("u16vec2", vector(Base::Uint16, 2), I16, NONE),
    row("u16vec3", vector(Base::Uint16, 3), I16, NONE),
    row("u16vec4", vector(Base::Uint16, 4), I16, NONE),
    row("u32vec2", vector(Base::Uint, 2), I32, NONE),
    row("u32vec3", vector(Base::Uint, 3), I32, NONE),
    row("u32vec4", vector(Base::Uint, 4), I32, NONE),
    row("u64image1D", opaque(OpaqueKind::Image, Base::Uint64, Dim::D1, false), IMAGE_64, NONE),
    row("u64image1DArray", opaque(OpaqueKind::Image, Base::Uint64, Dim::D1, true), IMAGE_64, NONE),
    row("u64image2D", opaque(OpaqueKind::Image, Base::Uint64, Dim::D2, false), IMAGE_64, NONE),
    row("u64image2DArray", opaque(OpaqueKind::Image, Base::Uint64, Dim::D2, true), IMAGE_64, NONE),
    row("u64image2DMS", opaque(OpaqueKind::Image, Base::Uint64, Dim::Ms, false), IMAGE_64, NONE),
    row("u64image2DMSArray", opaque(OpaqueKind::Image, Base::Uint64, Dim::Ms, true), IMAGE_64, NONE),
    row("u64image2DRect", opaque(OpaqueKind::Image, Base::Uint64, Dim::Rect, false), IMAGE_64, NONE),
    row("u64image3D", opaque(OpaqueKind::Image, Base::Uint64, Dim::D3, false), IMAGE_64, NONE),
    row("u64imageBuffer", opaque(OpaqueKind::Image, Base::Uint64, Dim::Buffer, false), IMAGE_64, NONE),
    row("u64imageCube", opaque(OpaqueKind::Image, Base::Uint64, Dim::Cube, false), IMAGE_64, NONE),
    row("u64imageCubeArray", opaque(OpaqueKind::Image, Base::Uint64, Dim::Cube, true), IMAGE_64, NONE),
    row("u64vec2", vector(Base::Uint64, 2), I64, NONE),
    row("u64vec3", vector(Base::Uint64, 3), I64, NONE),
    row("u64vec4", vector(Base::Uint64, 4), I64, NONE),
    row("u8vec2", vector(Base::Uint8, 2), I8, NONE),
    row("u8vec3", vector(Base::Uint8, 3), I8, NONE),
    row("u8vec4", vector(Base::Uint8, 4), I8, NONE),
    row("uimage1D", opaque(OpaqueKind::Image, Base::Uint, Dim::D1, false), IMAGE_DESKTOP, RES_130),
    row("uimage1DArray", opaque(OpaqueKind::Image, Base::Uint, Dim::D1, true), IMAGE_DESKTOP, RES_130),
    row("uimage2D", opaque(OpaqueKind::Image, Base::Uint, Dim::D2, false), IMAGE, RES_130),
    row("uimage2DArray", opaque(OpaqueKind::Image, Base::Uint, Dim::D2, true), IMAGE, RES_130),
    row("uimage2DMS", opaque(OpaqueKind::Image, Base::Uint, Dim::Ms, false), IMAGE_DESKTOP, NONE),
    row("uimage2DMSArray", opaque(OpaqueKind::Image, Base::Uint, Dim::Ms, true), IMAGE_DESKTOP, NONE),
    row("uimage2DRect", opaque(OpaqueKind::Image, Base::Uint, Dim::Rect, false), IMAGE_DESKTOP, NONE),
    row("uimage3D", opaque(OpaqueKind::Image, Base::Uint, Dim::D3, false), IMAGE, RES_130),
    row("uimageBuffer", opaque(OpaqueKind::Image, Base::Uint, Dim::Buffer, false), IMAGE_BUFFER, RES_130),
    row("uimageCube", opaque(OpaqueKind::Image, Base::Uint, Dim::Cube, false), IMAGE, RES_130),
    row("uimageCubeArray", opaque(OpaqueKind::Image, Base::Uint, Dim::Cube, true), IMAGE_CUBE_ARRAY, NONE),
    row("uint", vector(Base::Uint, 1), UINT, NONE),
    row("uint16_t", vector(Base::Uint16, 1), I16, NONE),
    row("uint32_t", vector(Base::Uint, 1), I32, NONE),
    row("uint64_t", vector(Base::Uint64, 1), I64, NONE),
    row("uint8_t", vector(Base::Uint8, 1), I8, NONE),
    row("usampler1D", opaque(OpaqueKind::Sampled, Base::Uint, Dim::D1, false), INT_1D, ES300_RES),
    row("usampler1DArray", opaque(OpaqueKind::Sampled, Base::Uint, Dim::D1, true), INT_ARRAY_1D, ES300_RES),
    row("usampler2D", opaque(OpaqueKind::Sampled, Base::Uint, Dim::D2, false), INT, NONE),
    row("usampler2DArray", opaque(OpaqueKind::Sampled, Base::Uint, Dim::D2, true), INT_ARRAY_2D, NONE),
    row("usampler2DMS", opaque(OpaqueKind::Sampled, Base::Uint, Dim::Ms, false), MS, RES_140),
    row("usampler2DMSArray", opaque(OpaqueKind::Sampled, Base::Uint, Dim::Ms, true), MS_ARRAY, RES_140),
    row("usampler2DRect", opaque(OpaqueKind::Sampled, Base::Uint, Dim::Rect, false), INT_RECT, RES_130),
    row("usampler3D", opaque(OpaqueKind::Sampled, Base::Uint, Dim::D3, false), INT, NONE),
    row("usamplerBuffer", opaque(OpaqueKind::Sampled, Base::Uint, Dim::Buffer, false), BUFFER, RES_130),
    row("usamplerCube", opaque(OpaqueKind::Sampled, Base::Uint, Dim::Cube, false), INT, NONE),
    row("usamplerCubeArray", opaque(OpaqueKind::Sampled, Base::Uint, Dim::Cube, true), CUBE_ARRAY, CUBE_ARRAY_RES),
    row("usubpassInput", opaque(OpaqueKind::Subpass, Base::Uint, Dim::Subpass, false), VULKAN, NONE),
    row("usubpassInputMS", opaque(OpaqueKind::Subpass, Base::Uint, Dim::SubpassMs, false), VULKAN, NONE),
    row("utexture1D", opaque(OpaqueKind::Texture, Base::Uint, Dim::D1, false), VULKAN, NONE),
    row("utexture1DArray", opaque(OpaqueKind::Texture, Base::Uint, Dim::D1, true), VULKAN, NONE),
    row("utexture2D", opaque(OpaqueKind::Texture, Base::Uint, Dim::D2, false), VULKAN, NONE),
    row("utexture2DArray", opaque(OpaqueKind::Texture, Base::Uint, Dim::D2, true), VULKAN, NONE),
    row("utexture2DMS", opaque(OpaqueKind::Texture, Base::Uint, Dim::Ms, false), VULKAN, NONE),
    row("utexture2DMSArray", opaque(OpaqueKind::Texture, Base::Uint, Dim::Ms, true), VULKAN, NONE),
    row("utexture2DRect", opaque(OpaqueKind::Texture, Base::Uint, Dim::Rect, false), VULKAN, NONE),
    row("utexture3D", opaque(OpaqueKind::Texture, Base::Uint, Dim::D3, false), VULKAN, NONE),
    row("utextureBuffer", opaque(OpaqueKind::Texture, Base::Uint, Dim::Buffer, false), VULKAN, NONE),
    row("utextureCube", opaque(OpaqueKind::Texture, Base::Uint, Dim::Cube, false), VULKAN, NONE),
    row("utextureCubeArray", opaque(OpaqueKind::Texture, Base::Uint, Dim::Cube, true), VULKAN, NONE),
    row("uvec2", vector(Base::Uint, 2), UINT, NONE),
    row("uvec3", vector(Base::Uint, 3), UINT, NONE),
    row("uvec4", vector(Base::Uint, 4), UINT, NONE),
    row("vec2", vector(Base::Float, 2), Avail::ALWAYS, NONE),
    row("vec3", vector(Base::Float, 3), Avail::ALWAYS, NONE),
    row("vec4", vector(Base::Float, 4), Avail::ALWAYS, NONE),
    row("void", Type::Void, Avail::ALWAYS, NONE),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extension::ExtSet;
    use crate::types::Struct;
    use crate::version::{Profile, Version};

    /// The position of a name in [`BASIC_TYPES`].
    fn find(name: &str) -> Option<usize> {
        BASIC_TYPES.binary_search_by(|t| t.name.cmp(name)).ok()
    }

    #[test]
    fn the_table_is_sorted() {
        for (i, t) in BASIC_TYPES.iter().enumerate() {
            assert!(i == 0 || BASIC_TYPES[i - 1].name < t.name, "{}", t.name);
            assert_eq!(find(t.name), Some(i));
        }
        assert_eq!(find("vec5"), None);
    }

    #[test]
    fn names_are_available_by_version_and_extension() {
        let v = |number, profile| Version { number, profile };
        let holds = |name: &str, version, set| BASIC_TYPES[find(name).unwrap()].avail.holds(version, set);
        let none = ExtSet::EMPTY;
        assert!(holds("uint", v(130, Profile::Compatibility), none));
        assert!(!holds("uint", v(120, Profile::Compatibility), none));
        assert!(holds("uint", v(120, Profile::Compatibility), none.with(Ext::EXT_gpu_shader4)));
        assert!(!holds("sampler3D", v(100, Profile::Es), none));
        assert!(holds("sampler3D", v(300, Profile::Es), none));
        assert!(!holds("texture2D", v(450, Profile::Core), none));
        assert!(holds("texture2D", v(450, Profile::Core), none.with(Ext::KHR_vulkan_glsl)));
        assert!(BASIC_TYPES[find("dvec2").unwrap()].reserved.holds(v(300, Profile::Es), none));
    }

    #[test]
    fn every_type_has_a_name_that_means_it() {
        for t in BASIC_TYPES {
            let name = basic_name(t.ty);
            assert_eq!(BASIC_TYPES[find(name).unwrap()].ty, t.ty, "{name}");
        }
        assert_eq!(basic_name(Type::MAT4), "mat4");
        assert_eq!(basic_name(Type::Matrix { base: Base::Float, cols: 2, rows: 3 }), "mat2x3");
        assert_eq!(basic_name(Type::DOUBLE), "double");
        assert_eq!(basic_name(Type::scalar(Base::Half)), "float16_t");
        assert_eq!(basic_name(Type::Error), "error");
    }

    #[test]
    fn arrays_and_structures_are_written_as_declared() {
        let (mut types, mut names) = (TypeTable::default(), Interner::default());
        let inner = types.array(Type::FLOAT, 2);
        let outer = types.array(inner, 3);
        assert_eq!(type_name(outer, &types, &names), "float[3][2]");
        let name = Some(names.intern("S"));
        let s = types.add_struct(Struct {
            name,
            fields: vec![],
            block: false,
            span: Default::default(),
            reference: None,
        });
        let unsized_array = types.array(Type::Struct(s), 0);
        assert_eq!(type_name(unsized_array, &types, &names), "struct S[]");
    }
}
