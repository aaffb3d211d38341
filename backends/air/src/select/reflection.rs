//! Reflection: the arguments and the interface of a compiled function.

use super::sampler_state::SamplerState;
use super::types::vector_name;
use airfoil_ir::{Primitive, Scalar, Shader, Spacing, alu};
use std::fmt::Write;

/// Kind of an argument that the caller binds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgumentKind {
    /// Uniform block.
    UniformBuffer,
    /// Storage block.
    StorageBuffer,
    /// Push constants.
    PushConstants,
    /// Default uniform block.
    DefaultUniforms,
    /// Sizes in bytes of the storage buffers as 32-bit numbers, by Metal buffer index.
    BufferSizes,
    /// Sampled texture.
    Texture,
    /// Storage image.
    Image,
    /// Sampler.
    Sampler,
    /// Argument buffer: a descriptor set, or an array of unknown length.
    ArgumentBuffer,
}

impl ArgumentKind {
    /// Name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ArgumentKind::UniformBuffer => "uniform_buffer",
            ArgumentKind::StorageBuffer => "storage_buffer",
            ArgumentKind::PushConstants => "push_constants",
            ArgumentKind::DefaultUniforms => "default_uniforms",
            ArgumentKind::BufferSizes => "buffer_sizes",
            ArgumentKind::Texture => "texture",
            ArgumentKind::Image => "image",
            ArgumentKind::Sampler => "sampler",
            ArgumentKind::ArgumentBuffer => "argument_buffer",
        }
    }
}

/// A resource that the function uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Kind.
    pub kind: ArgumentKind,
    /// Descriptor set, if the source has one.
    pub set: Option<u32>,
    /// Binding, if the source has one.
    pub binding: Option<u32>,
    /// First Metal index among buffers, textures or samplers; first id in an argument buffer, where it lies at 8 * id bytes.
    pub index: u32,
    /// Elements of an array of resources; 0 = any number, at the end of an argument buffer.
    pub count: u32,
    /// Name.
    pub name: String,
    /// Metal type of the contents or of the texture.
    pub type_name: String,
    /// Bytes of a block's fixed part and of an argument buffer (one element of a run-time array counts); 0 for textures and samplers.
    pub size: u32,
    /// The function writes it.
    pub written: bool,
    /// Buffer index of the argument buffer that it is in.
    pub argument_buffer: Option<u32>,
    /// Indices or ids from one element to the next: 2 in arrays of pairs of texture and sampler, else 1.
    pub step: u32,
}

/// A value of a stage interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterfaceValue {
    /// Number of the vertex attribute or colour attachment, location of a varying; none for built-ins.
    pub location: Option<u32>,
    /// Role: `vertex_input`, `fragment_input`, `position`, `render_target`, ...
    pub role: &'static str,
    /// Name: of a varying the one that both stages must share.
    pub name: String,
    /// Metal type.
    pub type_name: String,
}

/// The largest mesh that a mesh function emits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeshSize {
    /// Vertices.
    pub max_vertices: u32,
    /// Primitives.
    pub max_primitives: u32,
    /// `point`, `line` or `triangle`.
    pub topology: &'static str,
}

/// How the patches of a post-tessellation vertex function are divided, for the pipeline's descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patch {
    /// `triangle` or `quad`.
    pub domain: &'static str,
    /// `integer`, `fractional_odd` or `fractional_even`: `MTLTessellationPartitionMode`.
    pub partition: &'static str,
    /// Winding in the source: clockwise or, by default, counter-clockwise. `MTLWinding` has the same word with
    /// Vulkan's default domain origin (upper left), and the other one with OpenGL's (lower left).
    pub clockwise: bool,
}

/// Metal's word for the domain of a tessellation evaluation shader.
pub(super) fn patch_domain(shader: &Shader) -> Option<&'static str> {
    match shader.info.input_primitive {
        Primitive::Triangles => Some("triangle"),
        Primitive::Quads => Some("quad"),
        _ => None,
    }
}

impl Patch {
    /// That of a tessellation evaluation shader; `None` for domains that Metal lacks.
    pub(super) fn of(shader: &Shader) -> Option<Patch> {
        let partition = match shader.info.spacing {
            Spacing::FractionalOdd => "fractional_odd",
            Spacing::FractionalEven => "fractional_even",
            _ => "integer",
        };
        Some(Patch { domain: patch_domain(shader)?, partition, clockwise: shader.info.clockwise })
    }
}

/// A slot of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordSlot {
    /// Name of the slot: a number, `patchN`, or a built-in as `position`.
    pub slot: String,
    /// Byte offset in the record.
    pub offset: u32,
}

/// Layout of a buffer between stages, see [`stage_buffer`](airfoil_passes::stages::stage_buffer).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Records {
    /// Name of the argument.
    pub buffer: &'static str,
    /// Bytes of a record.
    pub bytes: u32,
    /// Records of a patch, or 1.
    pub per_patch: u32,
    /// Slots of a record.
    pub slots: Vec<RecordSlot>,
}

/// A sampler whose state is in the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantSampler {
    /// Descriptor set, if the source has one.
    pub set: Option<u32>,
    /// Binding.
    pub binding: Option<u32>,
    /// Name.
    pub name: String,
    /// Its state.
    pub state: SamplerState,
}

/// A function constant. The application may leave it out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its index, which is the number of the specialisation constant.
    pub index: u16,
    /// Name.
    pub name: String,
    /// Type.
    pub scalar: Scalar,
    /// Bits of the value that it has without one of the application.
    pub default: u64,
}

impl Constant {
    /// The default in words: a number, `true` or `false`.
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reflection {
    /// Stage: `vertex`, `fragment`, `kernel`, `object`, `mesh` or `visible`.
    pub stage: &'static str,
    /// Name of the function.
    pub entry: String,
    /// Resources.
    pub arguments: Vec<Argument>,
    /// Stage inputs.
    pub inputs: Vec<InterfaceValue>,
    /// Stage outputs.
    pub outputs: Vec<InterfaceValue>,
    /// Threads of a threadgroup (kernels, object and mesh functions); 0 = not known before launch.
    pub workgroup_size: [u32; 3],
    /// Bytes of threadgroup memory that the function declares itself.
    pub threadgroup_memory: u32,
    /// Bytes of the payload that an object function hands to its meshes; 0 = none.
    pub payload: u32,
    /// Size of the mesh of a mesh function.
    pub mesh: Option<MeshSize>,
    /// How patches are divided (post-tessellation vertex functions).
    pub patch: Option<Patch>,
    /// Layouts of the buffers between stages that the function reads or writes.
    pub records: Vec<Records>,
    /// Function constants that the function reads.
    pub constants: Vec<Constant>,
    /// Samplers that the caller does not bind.
    pub constant_samplers: Vec<ConstantSampler>,
}

fn text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn field(out: &mut String, name: &str, value: &str) {
    text(out, name);
    out.push(':');
    text(out, value);
}

fn number(out: &mut String, name: &str, value: Option<u32>) {
    text(out, name);
    match value {
        Some(value) => {
            let _ = write!(out, ":{value}");
        }
        None => out.push_str(":null"),
    }
}

fn list<T>(out: &mut String, name: &str, items: &[T], mut each: impl FnMut(&mut String, &T)) {
    text(out, name);
    out.push_str(":[");
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push('{');
        each(out, item);
        out.push('}');
    }
    out.push(']');
}

impl Reflection {
    /// The same as JSON text, one object with keys in the order of the fields.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(512);
        let o = &mut out;
        o.push('{');
        field(o, "stage", self.stage);
        o.push(',');
        field(o, "entry", &self.entry);
        o.push(',');
        list(o, "arguments", &self.arguments, |o, a| {
            field(o, "kind", a.kind.name());
            for (name, value) in
                [("set", a.set), ("binding", a.binding), ("index", Some(a.index)), ("count", Some(a.count))]
            {
                o.push(',');
                number(o, name, value);
            }
            o.push(',');
            field(o, "name", &a.name);
            o.push(',');
            field(o, "type", &a.type_name);
            o.push(',');
            number(o, "size", Some(a.size));
            let _ = write!(o, ",\"written\":{}", a.written);
            if let Some(buffer) = a.argument_buffer {
                let _ = write!(o, ",\"argument_buffer\":{buffer},\"step\":{}", a.step);
            }
        });
        for (name, values) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            o.push(',');
            list(o, name, values, |o, v| {
                field(o, "role", v.role);
                o.push(',');
                number(o, "location", v.location);
                o.push(',');
                field(o, "name", &v.name);
                o.push(',');
                field(o, "type", &v.type_name);
            });
        }
        let [x, y, z] = self.workgroup_size;
        let _ =
            write!(o, ",\"workgroup_size\":[{x},{y},{z}],\"threadgroup_memory\":{}", self.threadgroup_memory);
        if self.payload != 0 {
            let _ = write!(o, ",\"payload\":{}", self.payload);
        }
        if let Some(MeshSize { max_vertices, max_primitives, topology }) = self.mesh {
            let _ = write!(
                o,
                ",\"mesh\":{{\"max_vertices\":{max_vertices},\"max_primitives\":{max_primitives},\"topology\":\"{topology}\"}}"
            );
        }
        if let Some(p) = self.patch {
            o.push_str(",\"patch\":{");
            field(o, "domain", p.domain);
            o.push(',');
            field(o, "partition", p.partition);
            let _ = write!(o, ",\"clockwise\":{}}}", p.clockwise);
        }
        if !self.constant_samplers.is_empty() {
            o.push(',');
            list(o, "constant_samplers", &self.constant_samplers, |o, s| {
                number(o, "set", s.set);
                o.push(',');
                number(o, "binding", s.binding);
                o.push(',');
                field(o, "name", &s.name);
            });
        }
        if !self.constants.is_empty() {
            o.push(',');
            list(o, "constants", &self.constants, |o, c| {
                number(o, "index", Some(c.index.into()));
                o.push(',');
                field(o, "name", &c.name);
                o.push(',');
                field(o, "type", vector_name(c.scalar, 1));
                o.push(',');
                // JSON has no infinities and NaNs.
                let default = c.default_text();
                match default.contains(['N', 'i']) {
                    true => field(o, "default", &default),
                    false => {
                        let _ = write!(o, "\"default\":{default}");
                    }
                }
            });
        }
        if !self.records.is_empty() {
            o.push(',');
            list(o, "records", &self.records, |o, r| {
                field(o, "buffer", r.buffer);
                let _ = write!(o, ",\"bytes\":{},\"per_patch\":{},", r.bytes, r.per_patch);
                list(o, "slots", &r.slots, |o, s| {
                    field(o, "slot", &s.slot);
                    let _ = write!(o, ",\"offset\":{}", s.offset);
                });
            });
        }
        o.push('}');
        out
    }
}
