//! Reflection: the arguments and the interface of a compiled function.

use super::sampler_state::SamplerState;
use super::types::vector_name;
use airfoil_ir::{Name, Primitive, Scalar, Shader, Spacing, alu};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Declares enums whose words in JSON are the variants in snake case.
macro_rules! words {
    ($($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ })+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Word in JSON.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )+ };
}

words! {
    /// Kind of a function.
    #[derive(Default)]
    FunctionStage {
        /// Vertex function, post-tessellation ones included.
        #[default]
        Vertex = "vertex",
        /// Fragment function.
        Fragment = "fragment",
        /// Kernel.
        Kernel = "kernel",
        /// Object function.
        Object = "object",
        /// Mesh function.
        Mesh = "mesh",
        /// Visible function.
        Visible = "visible",
    }

    /// Kind of an argument that the caller binds.
    ArgumentKind {
        /// Uniform block.
        UniformBuffer = "uniform_buffer",
        /// Storage block.
        StorageBuffer = "storage_buffer",
        /// Push constants.
        PushConstants = "push_constants",
        /// Default uniform block.
        DefaultUniforms = "default_uniforms",
        /// Sizes in bytes of the storage buffers as 32-bit numbers, by [`Argument::size_slot`].
        BufferSizes = "buffer_sizes",
        /// Sampled texture.
        Texture = "texture",
        /// Storage image.
        Image = "image",
        /// Sampler.
        Sampler = "sampler",
        /// Argument buffer: a descriptor set, or an array of unknown length.
        ArgumentBuffer = "argument_buffer",
    }

    /// Role of a stage input or output.
    InterfaceRole {
        /// Attribute of a vertex function.
        VertexInput = "vertex_input",
        /// Attribute of a kernel that replaces a vertex function.
        StageIn = "stage_in",
        /// Varying that a fragment function reads.
        FragmentInput = "fragment_input",
        /// Argument of a visible function.
        VisibleInput = "visible_input",
        /// Colour attachment.
        RenderTarget = "render_target",
        /// Position.
        Position = "position",
        /// Varying that a vertex function writes.
        VertexOutput = "vertex_output",
        /// Size of a point.
        PointSize = "point_size",
        /// Clip distances.
        ClipDistance = "clip_distance",
        /// Layer of the render target.
        RenderTargetArrayIndex = "render_target_array_index",
        /// Viewport.
        ViewportArrayIndex = "viewport_array_index",
        /// Depth.
        Depth = "depth",
        /// Stencil reference.
        Stencil = "stencil",
        /// Mask of samples.
        SampleMask = "sample_mask",
        /// Value of a visible function.
        VisibleOutput = "visible_output",
        /// Index of a primitive.
        PrimitiveId = "primitive_id",
        /// Whether a primitive is culled.
        PrimitiveCulled = "primitive_culled",
        /// Varying per vertex of a mesh.
        MeshVertexData = "mesh_vertex_data",
        /// Varying per primitive of a mesh.
        MeshPrimitiveData = "mesh_primitive_data",
    }

    /// Primitives of a mesh.
    Topology {
        /// Points.
        Point = "point",
        /// Lines.
        Line = "line",
        /// Triangles.
        Triangle = "triangle",
    }

    /// Domain of a patch.
    PatchDomain {
        /// Triangles.
        Triangle = "triangle",
        /// Quads.
        Quad = "quad",
    }

    /// Division of a patch: `MTLTessellationPartitionMode`.
    Partition {
        /// Integer, for equal spacing.
        Integer = "integer",
        /// Odd fractional spacing.
        FractionalOdd = "fractional_odd",
        /// Even fractional spacing.
        FractionalEven = "fractional_even",
    }
}

/// A resource that the function uses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "ArgumentJson", from = "ArgumentJson")]
pub struct Argument {
    /// Kind.
    pub kind: ArgumentKind,
    /// Descriptor set, if the source has one.
    pub set: Option<u32>,
    /// Binding, if the source has one.
    pub binding: Option<u32>,
    /// First Metal index among buffers, textures or samplers; first id in an argument buffer, where it is at 8 * id
    /// bytes.
    pub index: u32,
    /// Elements of an array of resources; `None` for an array of unknown length, at the end of an argument buffer.
    pub count: Option<u32>,
    /// Name.
    pub name: Name,
    /// Metal type of the contents or of the texture.
    pub type_name: Name,
    /// Bytes of a block's fixed part and of an argument buffer (one element of a run-time array counts); 0 for textures and samplers.
    pub size: u32,
    /// The function writes it.
    pub written: bool,
    /// Buffer index of the argument buffer that it is in.
    pub argument_buffer: Option<u32>,
    /// Indices or ids from one element to the next: 2 in arrays of pairs of texture and sampler, else 1.
    pub step: u32,
    /// Index of the first element's size in the buffer of sizes, for storage buffers that have one: the Metal index, or a later
    /// one for members of argument buffers. The sizes of further elements follow.
    pub size_slot: Option<u32>,
}

/// A value of a stage interface.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InterfaceValue {
    /// Role.
    pub role: InterfaceRole,
    /// Index of the vertex attribute or colour attachment, location of a varying; none for built-ins.
    pub location: Option<u32>,
    /// Name: of a varying the one that both stages must share.
    pub name: Name,
    /// Metal type.
    #[serde(rename = "type")]
    pub type_name: Name,
}

/// The largest mesh that a mesh function emits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MeshSize {
    /// Most vertices.
    pub max_vertices: u32,
    /// Most primitives.
    pub max_primitives: u32,
    /// Primitives.
    pub topology: Topology,
}

/// How the patches of a post-tessellation vertex function are divided, for the pipeline's descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Patch {
    /// Domain.
    pub domain: PatchDomain,
    /// Division.
    pub partition: Partition,
    /// Winding in the source: clockwise or, by default, counter-clockwise. `MTLWinding` has the same word with
    /// Vulkan's default domain origin (upper left), and the other one with OpenGL's (lower left).
    pub clockwise: bool,
}

impl PatchDomain {
    /// That of a tessellation evaluation shader; `None` for domains that Metal lacks.
    pub(super) fn of(shader: &Shader) -> Option<PatchDomain> {
        match shader.info.input_primitive {
            Primitive::Triangles => Some(PatchDomain::Triangle),
            Primitive::Quads => Some(PatchDomain::Quad),
            _ => None,
        }
    }
}

impl Patch {
    /// That of a tessellation evaluation shader; `None` for domains that Metal lacks.
    pub(super) fn of(shader: &Shader) -> Option<Patch> {
        let partition = match shader.info.spacing {
            Spacing::FractionalOdd => Partition::FractionalOdd,
            Spacing::FractionalEven => Partition::FractionalEven,
            Spacing::None | Spacing::Equal => Partition::Integer,
        };
        Some(Patch { domain: PatchDomain::of(shader)?, partition, clockwise: shader.info.clockwise })
    }
}

/// A slot of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordSlot {
    /// Name of the slot: a number, `patchN`, or a built-in as `position`.
    pub slot: String,
    /// Byte offset in the record.
    pub offset: u32,
}

/// Layout of a buffer between stages, see [`stage_buffer`](airfoil_passes::stages::stage_buffer).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Records {
    /// Name of the argument.
    pub buffer: Cow<'static, str>,
    /// Bytes of a record.
    pub bytes: u32,
    /// Records of a patch, or 1.
    pub per_patch: u32,
    /// Slots of a record.
    pub slots: Vec<RecordSlot>,
}

/// A sampler whose state is in the module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ConstantSampler {
    /// Descriptor set, if the source has one.
    pub set: Option<u32>,
    /// Binding.
    pub binding: Option<u32>,
    /// Name.
    pub name: Name,
    /// Its state, which JSON leaves out: the caller has it.
    #[serde(skip)]
    pub state: SamplerState,
}

/// A function constant. The application may leave it out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "ConstantJson", try_from = "ConstantJson")]
pub struct Constant {
    /// Its index, which is the ID of the specialisation constant.
    pub index: u16,
    /// Name.
    pub name: Name,
    /// Type.
    pub scalar: Scalar,
    /// Bits of the value that it has without one of the application.
    pub default: u64,
}

impl Constant {
    /// The default as text: a number, `true` or `false`.
    pub fn default_text(&self) -> String {
        let bits = self.default;
        match self.scalar {
            Scalar::Bool => (bits != 0).to_string(),
            s if s.is_float() => format!("{:?}", alu::f64_from_bits(bits, u32::from(s.bits()))),
            s if s.is_signed() => {
                let unused = 64 - u32::from(s.bits());
                (((bits << unused) as i64) >> unused).to_string()
            }
            _ => bits.to_string(),
        }
    }
}

/// The arguments and the interface of a compiled function.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reflection {
    /// Kind of the function.
    pub stage: FunctionStage,
    /// Name of the function.
    pub entry: String,
    /// Resources.
    pub arguments: Vec<Argument>,
    /// Stage inputs.
    pub inputs: Vec<InterfaceValue>,
    /// Stage outputs.
    pub outputs: Vec<InterfaceValue>,
    /// Threads of a threadgroup (kernels, object and mesh functions); `None` if the dispatch chooses it.
    pub workgroup_size: Option<[u32; 3]>,
    /// Bytes of threadgroup memory that the function declares itself.
    pub threadgroup_memory: u32,
    /// Bytes of the payload that an object function passes to its meshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<u32>,
    /// Size of the mesh of a mesh function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshSize>,
    /// How patches are divided (post-tessellation vertex functions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
    /// Samplers that the caller does not bind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constant_samplers: Vec<ConstantSampler>,
    /// Function constants that the function reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<Constant>,
    /// Layouts of the buffers between stages that the function reads or writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Records>,
}

impl Reflection {
    /// As JSON text: one object with keys in the order of the fields.
    pub fn to_json(&self) -> String {
        // Neither maps with other keys than strings nor failing implementations are part of it.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads JSON text back. The states of constant samplers are not part of it.
    ///
    /// # Errors
    /// The text is not JSON, or not that of a reflection.
    pub fn from_json(text: &str) -> Result<Reflection, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// An argument in JSON, where only members of argument buffers have a step, and an array of unknown length has the count 0.
#[derive(Serialize, Deserialize)]
struct ArgumentJson {
    kind: ArgumentKind,
    set: Option<u32>,
    binding: Option<u32>,
    index: u32,
    count: u32,
    name: Name,
    #[serde(rename = "type")]
    type_name: Name,
    size: u32,
    written: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    argument_buffer: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<u32>,
    /// Of members of argument buffers: for others it is the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size_slot: Option<u32>,
}

impl From<Argument> for ArgumentJson {
    fn from(a: Argument) -> ArgumentJson {
        let Argument { kind, set, binding, index, count, name, type_name, size, written, .. } = a;
        let (argument_buffer, step) = (a.argument_buffer, a.argument_buffer.map(|_| a.step));
        ArgumentJson {
            kind,
            set,
            binding,
            index,
            count: count.unwrap_or(0),
            name,
            type_name,
            size,
            written,
            argument_buffer,
            step,
            size_slot: a.size_slot.filter(|_| argument_buffer.is_some()),
        }
    }
}

impl From<ArgumentJson> for Argument {
    fn from(a: ArgumentJson) -> Argument {
        let ArgumentJson { kind, set, binding, index, count, name, type_name, size, written, .. } = a;
        let (argument_buffer, step) = (a.argument_buffer, a.step.unwrap_or(1));
        let count = (count > 0).then_some(count);
        let is_alone = kind == ArgumentKind::StorageBuffer && argument_buffer.is_none();
        let size_slot = if is_alone { Some(index) } else { a.size_slot };
        Argument {
            kind,
            set,
            binding,
            index,
            count,
            name,
            type_name,
            size,
            written,
            argument_buffer,
            step,
            size_slot,
        }
    }
}

/// A function constant in JSON.
#[derive(Serialize, Deserialize)]
struct ConstantJson {
    index: u16,
    name: Name,
    #[serde(rename = "type")]
    type_name: Name,
    default: DefaultJson,
}

/// A default in JSON, which has no infinities and NaNs: they are text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum DefaultJson {
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
}

impl From<Constant> for ConstantJson {
    fn from(c: Constant) -> ConstantJson {
        let bits = u32::from(c.scalar.bits());
        let default = match c.scalar {
            Scalar::Bool => DefaultJson::Bool(c.default != 0),
            s if s.is_float() => match alu::f64_from_bits(c.default, bits) {
                value if value.is_finite() => DefaultJson::Float(value),
                _ => DefaultJson::Text(c.default_text()),
            },
            s if s.is_signed() => DefaultJson::Signed(((c.default << (64 - bits)) as i64) >> (64 - bits)),
            _ => DefaultJson::Unsigned(c.default),
        };
        let type_name = Name::new_static(vector_name(c.scalar, 1));
        ConstantJson { index: c.index, name: c.name, type_name, default }
    }
}

impl TryFrom<ConstantJson> for Constant {
    type Error = String;

    fn try_from(c: ConstantJson) -> Result<Constant, String> {
        const SCALARS: [Scalar; 12] = [
            Scalar::Bool,
            Scalar::Int8,
            Scalar::Int16,
            Scalar::Int32,
            Scalar::Int64,
            Scalar::Uint8,
            Scalar::Uint16,
            Scalar::Uint32,
            Scalar::Uint64,
            Scalar::Float16,
            Scalar::Float32,
            Scalar::Float64,
        ];
        let scalar = SCALARS.into_iter().find(|&s| vector_name(s, 1) == c.type_name);
        let scalar = scalar.ok_or_else(|| format!("`{}` is not a scalar type of Metal", c.type_name))?;
        let bits = u32::from(scalar.bits());
        let float = |value: f64| alu::f64_to_bits(value, bits);
        let default = match c.default {
            DefaultJson::Bool(value) => u64::from(value),
            DefaultJson::Unsigned(value) if scalar.is_float() => float(value as f64),
            DefaultJson::Signed(value) if scalar.is_float() => float(value as f64),
            DefaultJson::Unsigned(value) => value & airfoil_ir::bit_mask(bits),
            DefaultJson::Signed(value) => value as u64 & airfoil_ir::bit_mask(bits),
            DefaultJson::Float(value) => float(value),
            DefaultJson::Text(text) => float(text.parse().map_err(|_| format!("`{text}` is not a number"))?),
        };
        Ok(Constant { index: c.index, name: c.name, scalar, default })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_reads_back() {
        let argument = |argument_buffer, step, size_slot| Argument {
            kind: ArgumentKind::StorageBuffer,
            set: Some(1),
            binding: None,
            index: 2,
            count: None,
            name: "a \"b\"".into(),
            type_name: "Block".into(),
            size: 16,
            written: true,
            argument_buffer,
            step,
            size_slot: Some(size_slot),
        };
        let constant =
            |index, scalar, default| Constant { index, name: format!("c{index}").into(), scalar, default };
        let reflection = Reflection {
            stage: FunctionStage::Mesh,
            entry: "main".to_owned(),
            arguments: vec![argument(None, 1, 2), argument(Some(3), 2, 33)],
            outputs: vec![InterfaceValue {
                role: InterfaceRole::MeshVertexData,
                location: Some(4),
                name: "user(locn4)".into(),
                type_name: "float4".into(),
            }],
            mesh: Some(MeshSize { max_vertices: 4, max_primitives: 2, topology: Topology::Line }),
            constants: vec![
                constant(0, Scalar::Bool, 1),
                constant(1, Scalar::Int32, 0xffff_fffe),
                constant(2, Scalar::Float32, 0x3f00_0000),
                constant(3, Scalar::Float32, 0x7f80_0000),
                constant(4, Scalar::Uint64, u64::MAX),
            ],
            records: vec![Records {
                buffer: "stage_vertices".into(),
                bytes: 16,
                per_patch: 1,
                slots: vec![RecordSlot { slot: "position".to_owned(), offset: 0 }],
            }],
            ..Reflection::default()
        };
        let text = reflection.to_json();
        assert_eq!(Reflection::from_json(&text).unwrap(), reflection);
        let constants = "\"constants\":[{\"index\":0,\"name\":\"c0\",\"type\":\"bool\",\"default\":true},\
                         {\"index\":1,\"name\":\"c1\",\"type\":\"int\",\"default\":-2},\
                         {\"index\":2,\"name\":\"c2\",\"type\":\"float\",\"default\":0.5},\
                         {\"index\":3,\"name\":\"c3\",\"type\":\"float\",\"default\":\"inf\"},";
        assert!(text.contains(constants), "{text}");
        assert!(Reflection::from_json("{}").is_err());
    }
}
