//! Reflection of a shader that is written as SPIR-V: its resources, interface and specialization constants.

use airfoil_ir::{
    Access, Constant, Dim, ImageType, Modes, Named, Scalar, Shader, Slot, Type, TypeId, Types, Variable,
};
use serde::Serialize;

/// Kind of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// Uniform block.
    UniformBuffer,
    /// Storage block.
    StorageBuffer,
    /// Push constants.
    PushConstants,
    /// Texture without sampler.
    Texture,
    /// Texture with sampler.
    SampledTexture,
    /// Storage image.
    Image,
    /// Sampler.
    Sampler,
    /// Uniform of OpenGL outside of blocks.
    Uniform,
}

/// A resource that the caller binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resource {
    /// Kind.
    pub kind: ResourceKind,
    /// Descriptor set (Vulkan).
    pub set: Option<u32>,
    /// Binding; `None` if the module assigns it.
    pub binding: Option<u32>,
    /// Elements of an array; 1 without one, 0 if the length is known at run time only.
    pub count: u32,
    /// Name.
    pub name: String,
    /// Type in GLSL, or the name of the block.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Bytes of a block, without a trailing array of unknown length; 0 for others.
    pub size: u32,
    /// Whether the shader may write it.
    pub written: bool,
}

/// A stage input or output with a location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InterfaceValue {
    /// Location.
    pub location: u32,
    /// First component of the location.
    pub component: u8,
    /// Source of blending: 1 for the second one.
    pub index: u8,
    /// Per patch rather than per vertex; patch locations are counted on their own.
    pub patch: bool,
    /// Name.
    pub name: String,
    /// Type in GLSL.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// A specialization constant that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpecConstant {
    /// `SpecId`.
    pub id: u32,
    /// Name.
    pub name: String,
    /// Type in GLSL.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Bits of the default.
    pub default: u64,
}

/// The resources, the interface and the specialization constants of a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reflection {
    /// Stage.
    pub stage: &'static str,
    /// Name of the entry point.
    pub entry: String,
    /// Resources, by set and binding.
    pub resources: Vec<Resource>,
    /// Inputs, by location.
    pub inputs: Vec<InterfaceValue>,
    /// Outputs, by location.
    pub outputs: Vec<InterfaceValue>,
    /// Built-in inputs and outputs, by name.
    pub built_ins: Vec<String>,
    /// Specialization constants, by id.
    pub constants: Vec<SpecConstant>,
    /// Invocations of a workgroup (compute, task and mesh shaders).
    pub workgroup_size: Option<[u32; 3]>,
    /// The specialization constants that replace the size along each axis.
    pub workgroup_constants: [Option<u32>; 3],
}

impl Reflection {
    /// The reflection of a shader in form `variables`.
    pub fn new(shader: &Shader) -> Reflection {
        let types = &shader.types;
        let mut r = Reflection {
            stage: shader.stage.name(),
            entry: shader.name.to_string(),
            resources: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            built_ins: Vec::new(),
            constants: Vec::new(),
            workgroup_size: shader.info.workgroup_size,
            workgroup_constants: shader.info.workgroup_constants,
        };
        for var in shader.vars.values() {
            match var.mode {
                Modes::IN | Modes::OUT | Modes::SYSTEM_VALUE => {
                    let generic = |slot: Slot| slot.as_generic().or(slot.as_patch());
                    let Some(location) = var.location.and_then(generic) else {
                        r.built_ins.push(var.name.to_string());
                        continue;
                    };
                    let list = if var.mode == Modes::OUT { &mut r.outputs } else { &mut r.inputs };
                    let (name, type_name) = (var.name.to_string(), type_name(types, var.ty));
                    let (component, index, patch) = (var.component, var.index, var.patch);
                    list.push(InterfaceValue { location, component, index, patch, name, type_name });
                }
                Modes::SPEC_CONST => r.constants.extend(constant(types, var)),
                _ => r.resources.extend(resource(types, var)),
            }
        }
        r.resources.sort_by_key(|r| (r.set, r.binding));
        r.inputs.sort_by_key(|v| (v.location, v.component));
        r.outputs.sort_by_key(|v| (v.location, v.component));
        r.built_ins.sort_unstable();
        r.constants.sort_by_key(|c| c.id);
        r
    }

    /// As JSON text: one object with keys in the order of the fields.
    pub fn to_json(&self) -> String {
        // Neither maps with other keys than strings nor failing implementations are part of it.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn constant(types: &Types, var: &Variable) -> Option<SpecConstant> {
    let default = match &var.initializer {
        Some(Constant::Value(lanes)) => lanes[0],
        _ => 0,
    };
    Some(SpecConstant {
        id: var.binding?,
        name: var.name.to_string(),
        type_name: type_name(types, var.ty),
        default,
    })
}

fn resource(types: &Types, var: &Variable) -> Option<Resource> {
    let (mut ty, mut count) = (var.ty, 1u32);
    while let Type::Array { elem, len, .. } = types[ty] {
        (ty, count) = (elem, count.saturating_mul(len));
    }
    let kind = match (var.mode, &types[ty]) {
        (Modes::UBO, _) => ResourceKind::UniformBuffer,
        (Modes::SSBO, _) => ResourceKind::StorageBuffer,
        (Modes::PUSH_CONST, _) => ResourceKind::PushConstants,
        (Modes::IMAGE, _) => ResourceKind::Image,
        (Modes::UNIFORM, Type::Image(image)) if image.combined => ResourceKind::SampledTexture,
        (Modes::UNIFORM, Type::Image(image)) if image.storage => ResourceKind::Image,
        (Modes::UNIFORM, Type::Image(_)) => ResourceKind::Texture,
        (Modes::UNIFORM, Type::Sampler) => ResourceKind::Sampler,
        (Modes::UNIFORM, _) => ResourceKind::Uniform,
        _ => return None,
    };
    let is_block = matches!(types[ty], Type::Struct(_));
    Some(Resource {
        kind,
        set: var.set,
        binding: var.binding,
        count,
        name: var.name.to_string(),
        type_name: type_name(types, ty),
        // Uniform blocks end at a multiple of 16 bytes (std140, OpenGL 4.6 section 7.6.2.2).
        size: match kind {
            ResourceKind::UniformBuffer => types.size(ty).checked_next_multiple_of(16).unwrap_or(u32::MAX),
            _ if is_block => types.size(ty),
            _ => 0,
        },
        written: matches!(kind, ResourceKind::StorageBuffer | ResourceKind::Image)
            && !var.access.contains(Access::NON_WRITEABLE),
    })
}

/// A type as GLSL writes it.
fn type_name(types: &Types, id: TypeId) -> String {
    let (mut ty, mut lengths) = (id, String::new());
    while let Type::Array { elem, len, .. } = types[ty] {
        lengths += &if len == 0 { "[]".to_string() } else { format!("[{len}]") };
        ty = elem;
    }
    let base = match &types[ty] {
        Type::Vector { scalar, comps: 1 } => scalar_name(*scalar).0.to_string(),
        Type::Vector { scalar, comps } => format!("{}vec{comps}", scalar_name(*scalar).1),
        Type::Matrix { scalar, cols, rows, .. } => format!("{}mat{cols}x{rows}", scalar_name(*scalar).1),
        Type::Struct(s) => s.name.to_string(),
        Type::Image(image) => image_name(image),
        Type::Sampler => "sampler".to_string(),
        Type::Array { .. } => unreachable!("arrays have been taken off"),
    };
    base + &lengths
}

/// The name of a scalar, and the prefix of its vectors.
fn scalar_name(scalar: Scalar) -> (&'static str, &'static str) {
    match scalar {
        Scalar::Any => ("any", ""),
        Scalar::Bool => ("bool", "b"),
        Scalar::Float16 => ("float16_t", "f16"),
        Scalar::Float32 => ("float", ""),
        Scalar::Float64 => ("double", "d"),
        Scalar::Int8 => ("int8_t", "i8"),
        Scalar::Int16 => ("int16_t", "i16"),
        Scalar::Int32 => ("int", "i"),
        Scalar::Int64 => ("int64_t", "i64"),
        Scalar::Uint8 => ("uint8_t", "u8"),
        Scalar::Uint16 => ("uint16_t", "u16"),
        Scalar::Uint32 => ("uint", "u"),
        Scalar::Uint64 => ("uint64_t", "u64"),
    }
}

fn image_name(image: &ImageType) -> String {
    let prefix = match image.sampled {
        Scalar::Float32 => "",
        other => scalar_name(other).1,
    };
    let base = match (image.storage, image.combined) {
        (true, _) => "image",
        (false, true) => "sampler",
        (false, false) => "texture",
    };
    let dim = match image.dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "Cube",
        Dim::Rect => "2DRect",
        Dim::Buffer => "Buffer",
        Dim::Ms => "2DMS",
        _ => "",
    };
    let array = if image.arrayed { "Array" } else { "" };
    let shadow = if image.shadow { "Shadow" } else { "" };
    format!("{prefix}{base}{dim}{array}{shadow}")
}
