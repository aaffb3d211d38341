//! The files of a kit: `case.json`, which the runners and the judge read.
//!
//! Enumerations of Metal (pixel formats, topologies, ...) are the raw values of the constants of its headers, so that a runner needs no tables. The names are
//! beside them for readers. `docs/kit.md` describes the format.

use serde::{Deserialize, Serialize};

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// A case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Name of the folder.
    pub name: String,
    /// Step of the ladder, 0 to 7.
    pub level: u32,
    /// The subject, one line.
    pub title: String,
    /// The last step of the case.
    pub kind: Kind,
    /// The target that the library was compiled for.
    pub target: String,
    /// The library.
    pub library: String,
    /// The same program in Metal's language: a failure of this file is one of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The requirements on the device.
    pub requires: Requires,
    /// The functions of the library.
    pub functions: Vec<CaseFunction>,
    /// Buffers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferFile>,
    /// Textures, render targets included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub textures: Vec<TextureFile>,
    /// Samplers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samplers: Vec<SamplerState>,
    /// Dispatches and draws, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Pass>,
    /// Contents to read back after the passes, with the expected ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputFile>,
    /// The expected outcome.
    pub expect: Expect,
    /// The doubtful point that the case decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The constructs of AIR in the library, for the table of evidence.
    pub constructs: Vec<String>,
}

/// The last step of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The library is loaded, its functions are listed.
    #[default]
    Load,
    /// Pipelines of all passes are created.
    Pipeline,
    /// The passes run, and the outputs are compared.
    Run,
}

impl Kind {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Load => "load",
            Kind::Pipeline => "pipeline",
            Kind::Run => "run",
        }
    }
}

/// Requirements on a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requires {
    /// Oldest macOS, major version.
    pub macos: u32,
    /// A GPU family: raw value of `MTLGPUFamily`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<i64>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
}

/// A function of the library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseFunction {
    /// Name.
    pub name: String,
    /// Raw value of `MTLFunctionType`.
    #[serde(rename = "type")]
    pub function_type: u64,
    /// The report of `airfoil compile -o FILE.json`.
    pub reflection: serde_json::Value,
}

/// A buffer with its initial contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferFile {
    /// Name, for bindings and outputs.
    pub name: String,
    /// File with the contents.
    pub file: String,
}

/// A texture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextureFile {
    /// Name, for bindings, attachments and outputs.
    pub name: String,
    /// Raw value of `MTLTextureType`.
    #[serde(rename = "type")]
    pub texture_type: u64,
    /// Raw value of `MTLPixelFormat`.
    pub format: u64,
    /// Name of the format.
    pub format_name: String,
    /// Bytes per texel.
    pub texel: u64,
    /// Width, height and depth of level 0.
    pub size: [u64; 3],
    /// Array length; 1 without array. A cube counts as one.
    pub length: u64,
    /// Images of a level: array length, times six for cubes.
    pub slices: u64,
    /// Mipmap levels.
    pub levels: u64,
    /// Samples per texel.
    pub samples: u64,
    /// Raw value of `MTLTextureUsage`.
    pub usage: u64,
    /// Contents: level by level, in each slice by slice; zeros without a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The buffer that a texture buffer is a view of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<String>,
}

/// A sampler: raw values of Metal's enumerations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SamplerState {
    /// Name, for bindings.
    pub name: String,
    /// `MTLSamplerAddressMode` of s, t and r.
    pub address: [u64; 3],
    /// `MTLSamplerMinMagFilter` for minification.
    pub min: u64,
    /// `MTLSamplerMinMagFilter` for magnification.
    pub mag: u64,
    /// `MTLSamplerMipFilter`.
    pub mip: u64,
    /// `MTLCompareFunction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<u64>,
}

/// A dispatch or a draw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// `compute` or `render`.
    pub kind: PassKind,
    /// The kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<StageCase>,
    /// Threadgroups.
    #[serde(default)]
    pub groups: [u64; 3],
    /// Threads of a threadgroup.
    #[serde(default)]
    pub threads: [u64; 3],
    /// The vertex function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertex: Option<StageCase>,
    /// The object function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<StageCase>,
    /// The mesh function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<StageCase>,
    /// The fragment function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fragment: Option<StageCase>,
    /// The rest of a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawCase>,
    /// Attributes of the vertex function or of the kernel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Attribute>,
}

/// Kind of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassKind {
    /// A dispatch.
    #[default]
    Compute,
    /// A draw.
    Render,
}

/// A function of a pass, and its bindings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageCase {
    /// Name of the function.
    pub function: String,
    /// Values of function constants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<ConstantValue>,
    /// Buffers, textures and samplers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<Bound>,
}

/// The value of a function constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstantValue {
    /// Index.
    pub index: u64,
    /// Raw value of `MTLDataType`.
    #[serde(rename = "type")]
    pub data_type: u64,
    /// The value: the low bytes of this number.
    pub bits: u64,
}

/// Something that is bound at an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Of the three index spaces, or an argument buffer.
    pub kind: BoundKind,
    /// Index; the ID in an argument buffer.
    pub index: u64,
    /// Name of the buffer, texture or sampler; empty for an argument buffer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource: String,
    /// Bytes of an argument buffer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub size: u64,
    /// Members of an argument buffer, each 8 bytes at 8 times its ID.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Bound>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Kind of a binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundKind {
    /// A buffer.
    #[default]
    Buffer,
    /// A texture.
    Texture,
    /// A sampler.
    Sampler,
    /// A buffer of addresses and resource IDs.
    ArgumentBuffer,
}

/// An attribute: one buffer each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// Index of the attribute.
    pub index: u64,
    /// Raw value of `MTLVertexFormat`.
    pub format: u64,
    /// Name of the format.
    pub format_name: String,
    /// Buffer index.
    pub buffer: u64,
    /// Name of the buffer.
    pub resource: String,
    /// Bytes per vertex.
    pub stride: u64,
    /// The attribute advances per instance rather than per vertex.
    #[serde(default)]
    pub per_instance: bool,
}

/// State of a draw: raw values of Metal's enumerations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrawCase {
    /// `MTLPrimitiveType`.
    pub topology: u64,
    /// `MTLPrimitiveTopologyClass`, for pipelines that write layers; 0 = not specified.
    #[serde(default)]
    pub topology_class: u64,
    /// Vertices, or control points of patches.
    pub vertices: u64,
    /// Instances.
    pub instances: u64,
    /// Indices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indices: Option<Indices>,
    /// Colour attachments, from 0.
    pub colors: Vec<ColorCase>,
    /// Depth attachment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<DepthCase>,
    /// Samples per pixel.
    pub samples: u64,
    /// `MTLCullMode`.
    #[serde(default)]
    pub cull: u64,
    /// `MTLWinding` of front faces.
    #[serde(default)]
    pub winding: u64,
    /// Layers of the attachments; 0 = not layered.
    #[serde(default)]
    pub layers: u64,
    /// Tessellation of patches without control points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tessellation: Option<TessellationCase>,
    /// Threadgroups of a mesh draw.
    #[serde(default)]
    pub mesh_groups: [u64; 3],
    /// Threads per object and mesh threadgroup.
    #[serde(default)]
    pub mesh_threads: [[u64; 3]; 2],
}

/// Indices of a draw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indices {
    /// Name of the buffer.
    pub resource: String,
    /// `MTLIndexType`.
    #[serde(rename = "type")]
    pub index_type: u64,
    /// Added to each index.
    pub base_vertex: i64,
}

/// A colour attachment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColorCase {
    /// Name of the texture.
    pub texture: String,
    /// Name of the texture into which samples are resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolve: Option<String>,
    /// Initial colour.
    pub clear: [f64; 4],
    /// Blending: raw values of `MTLBlendFactor` of source and destination, for colour and alpha alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blend: Option<[u64; 2]>,
}

/// A depth attachment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DepthCase {
    /// Name of the texture.
    pub texture: String,
    /// Initial depth.
    pub clear: f64,
    /// `MTLCompareFunction`.
    pub compare: u64,
}

/// Division of patches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TessellationCase {
    /// Name of the buffer with the tessellation factors: half floats.
    pub factors: String,
    /// `MTLTessellationPartitionMode`.
    pub partition: u64,
    /// Patches.
    pub patches: u64,
}

/// Contents to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputFile {
    /// Name of the buffer or texture.
    pub resource: String,
    /// File with the expected contents.
    pub file: String,
    /// How bytes are read: `u8`, `u32`, `f32`, `f16` or `rgba8`.
    #[serde(rename = "type")]
    pub element: Element,
    /// `exact`, `ulp:N` or `rgba8:N`.
    pub tolerance: String,
}

/// How the bytes of an output are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// Bytes.
    U8,
    /// 32-bit words.
    #[default]
    U32,
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
    /// Four bytes per pixel.
    Rgba8,
}

/// The expected outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Expect {
    /// Everything works.
    #[default]
    Ok,
    /// One of these steps (`load`, `function`, `pipeline`) fails, with a message that contains one of the texts if there are any.
    Error {
        /// Steps.
        steps: Vec<String>,
        /// Texts.
        texts: Vec<String>,
    },
    /// Not decided by public documents; the report notes the outcome.
    Open,
}
