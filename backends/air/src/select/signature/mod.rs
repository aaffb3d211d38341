//! The function's signature and its metadata: arguments in the order stage inputs, buffers, textures, samplers, built-ins; outputs
//! as members of the returned struct.

pub(crate) mod argument_buffers;
pub(crate) mod framebuffer_fetch;
pub(crate) mod function_constants;
pub(crate) mod mesh;
pub(crate) mod resources;
pub(crate) mod samplers;
pub(crate) mod stage_io;
pub(crate) mod texture_kind;
pub(crate) mod visible;

use crate::metallib::DataType;
use crate::module::{Attr, Md, Module, TypeId, Value};
use crate::select::debug::{SourceArgument, SourceType};
use crate::select::errors::Errors;
use crate::select::options::Options;
use crate::select::plan::bindings::Bound;
use crate::select::plan::builtin_args::{Elem, Role};
use crate::select::plan::usage::Scan;
use crate::select::reflection::Reflection;
use crate::select::types::{Class, Layouts, MemId, ValueTypes, vector_name};
use airfoil_ir::{Body, Primitive, Scalar, Shader, Slot, Stage, VarId};
use mesh::MeshPiece;
use slotmap::SecondaryMap;
use smallvec::SmallVec;
use texture_kind::Object;

/// No argument.
pub(crate) const NO_ARG: u32 = u32::MAX;
/// Address space of device memory.
pub(crate) const DEVICE: u32 = 1;
/// Address space of constant memory.
pub(crate) const CONSTANT: u32 = 2;
/// Address space of threadgroup memory.
pub(crate) const THREADGROUP: u32 = 3;

/// Where the value of an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputSource {
    /// An argument that holds the value.
    Arg(u32),
    /// An argument that holds an interpolant; whether with perspective.
    Pull(u32, bool),
    /// A built-in.
    Role(Role),
}

/// An input: some components of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputPiece {
    pub(crate) slot: Slot,
    pub(crate) component: u8,
    pub(crate) comps: u8,
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) source: InputSource,
}

/// An output: some components of a location, or all clip distances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputPiece {
    pub(crate) slot: Slot,
    pub(crate) dual_source: u8,
    pub(crate) component: u8,
    /// Components; elements of the array of clip distances.
    pub(crate) comps: u8,
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) ty: TypeId,
    /// The array of clip distances.
    pub(crate) clip: bool,
}

/// A member of an argument buffer: where the elements of a resource are loaded from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Argument of the buffer.
    pub(crate) argument: u32,
    /// Field of the struct.
    pub(crate) field: u32,
    /// Elements; 0 = any number.
    pub(crate) count: u32,
    /// Slots from one element to the next.
    pub(crate) step: u32,
}

/// A buffer argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferArg {
    /// First argument; arrays of blocks have one for each element.
    pub(crate) arg: u32,
    pub(crate) count: u32,
    /// Memory of one pointee.
    pub(crate) mem: MemId,
    /// Bytes between pointees if the block is one run-time array; 0 otherwise.
    pub(crate) stride: u32,
    /// Each pointee is in a struct with its padding.
    pub(crate) wrapped: bool,
    pub(crate) space: u32,
    /// Metal index.
    pub(crate) index: u32,
    /// Where it is in an argument buffer, if it is; `arg` means nothing then.
    pub(crate) member: Option<Member>,
}

impl BufferArg {
    /// Workgroup memory as a buffer: no argument, one piece of memory.
    pub(crate) fn of_workgroup(mem: MemId) -> BufferArg {
        BufferArg {
            arg: 0,
            count: 1,
            mem,
            stride: 0,
            wrapped: false,
            space: THREADGROUP,
            index: 0,
            member: None,
        }
    }
}

/// A texture or sampler argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureArg {
    pub(crate) object: &'static Object,
    pub(crate) arg: u32,
    pub(crate) count: u32,
    /// Argument of the sampler of a combined one.
    pub(crate) sampler: u32,
    /// Access: 0 sample, 1 read, 2 write, 3 read and write.
    pub(crate) access: u32,
    /// Component type.
    pub(crate) component: Scalar,
    /// Where it is in an argument buffer, if it is; `arg` means nothing then.
    pub(crate) member: Option<Member>,
}

/// All arguments and outputs.
pub(crate) struct Interface {
    pub(crate) params: Vec<TypeId>,
    pub(crate) attrs: Vec<SmallVec<[Attr; 6]>>,
    pub(crate) input_nodes: Vec<Md>,
    pub(crate) output_nodes: Vec<Md>,
    pub(crate) output_words: Vec<SmallVec<[Md; 24]>>,
    pub(crate) ret: TypeId,
    pub(crate) inputs: Vec<InputPiece>,
    pub(crate) outputs: Vec<OutputPiece>,
    /// Attachments that are read, as inputs.
    pub(crate) fetches: Vec<InputPiece>,
    pub(crate) buffers: SecondaryMap<VarId, BufferArg>,
    pub(crate) push_constants: Option<BufferArg>,
    pub(crate) default_uniforms: Option<BufferArg>,
    pub(crate) buffer_sizes: u32,
    pub(crate) textures: SecondaryMap<VarId, TextureArg>,
    /// Arguments of samplers without texture: first argument and number.
    pub(crate) samplers: SecondaryMap<VarId, (u32, u32)>,
    /// Samplers in argument buffers, those of combined textures included.
    pub(crate) sampler_members: SecondaryMap<VarId, Member>,
    /// Constant samplers, those of combined textures included.
    pub(crate) constant_samplers: SecondaryMap<VarId, Value>,
    /// Variables that hold their states.
    pub(crate) sampler_states: Vec<Value>,
    pub(crate) roles: [u32; Role::COUNT],
    pub(crate) reflection: Reflection,
    pub(crate) vertex_attributes: Vec<(String, u16, DataType)>,
    pub(crate) layer: Option<DataType>,
    /// What a mesh function writes by function calls.
    pub(crate) mesh_pieces: Vec<MeshPiece>,
    /// Argument of the mesh, or of the grid of meshes that an object function starts.
    pub(crate) mesh: u32,
    /// Argument of the payload.
    pub(crate) payload: Option<(VarId, u32)>,
    /// Arguments that the source names, for debug information.
    pub(crate) sources: Vec<SourceArgument>,
}

/// A leaf of a declared input or output variable.
#[derive(Clone)]
pub(crate) struct Leaf {
    pub(crate) slot: Slot,
    pub(crate) component: u8,
    pub(crate) comps: u8,
    pub(crate) scalar: Scalar,
    pub(crate) index: u8,
    pub(crate) name: String,
    pub(crate) compact: bool,
    pub(crate) per_primitive: bool,
}

/// Makes the interface.
pub(crate) struct Maker<'a> {
    pub(crate) m: &'a mut Module,
    pub(crate) shader: &'a Shader,
    pub(crate) body: &'a Body,
    pub(crate) options: &'a Options,
    pub(crate) scan: &'a Scan,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) values: &'a mut ValueTypes,
    pub(crate) errors: &'a mut Errors,
    pub(crate) out: Interface,
    pub(crate) needs_sample: bool,
}

impl Interface {
    pub(crate) fn new() -> Interface {
        Interface {
            params: Vec::with_capacity(16),
            attrs: Vec::with_capacity(16),
            input_nodes: Vec::with_capacity(16),
            output_nodes: Vec::new(),
            output_words: Vec::new(),
            ret: TypeId::VOID,
            inputs: Vec::new(),
            outputs: Vec::new(),
            fetches: Vec::new(),
            buffers: SecondaryMap::new(),
            push_constants: None,
            default_uniforms: None,
            buffer_sizes: NO_ARG,
            textures: SecondaryMap::new(),
            samplers: SecondaryMap::new(),
            sampler_members: SecondaryMap::new(),
            constant_samplers: SecondaryMap::new(),
            sampler_states: Vec::new(),
            roles: [NO_ARG; Role::COUNT],
            reflection: Reflection::default(),
            vertex_attributes: Vec::new(),
            layer: None,
            mesh_pieces: Vec::new(),
            mesh: NO_ARG,
            payload: None,
            sources: Vec::new(),
        }
    }
}

impl Interface {
    /// Whether there is memory that is not an argument's: behind the pointers of an argument buffer, states of samplers.
    pub(crate) fn has_other_memory(&self) -> bool {
        !self.sampler_members.is_empty()
            || !self.constant_samplers.is_empty()
            || self.textures.values().any(|t| t.member.is_some())
            || self.buffers.values().any(|b| b.member.is_some())
    }
}

impl Maker<'_> {
    /// Makes everything. `bound` has the indices of resources.
    pub(crate) fn run(mut self, bound: &Bound) -> Interface {
        match self.shader.stage {
            Stage::Vertex => self.vertex_inputs("air.vertex_input", "vertex_input"),
            Stage::Fragment => {
                self.fragment_inputs();
                self.framebuffer_fetches();
            }
            Stage::TessEval => self.patch_inputs(),
            Stage::Task => self.object_arguments(),
            Stage::Mesh => self.mesh_arguments(),
            _ if self.shader.info.visible => self.visible_inputs(),
            // Attributes of vertices, in a vertex shader that became a kernel.
            _ => self.vertex_inputs("air.stage_in", "stage_in"),
        }
        self.buffers(bound);
        self.argument_buffers(&bound.argument_buffers);
        self.textures(bound);
        self.samplers(bound);
        self.constant_samplers();
        self.roles();
        match self.shader.stage {
            Stage::Vertex | Stage::TessEval => self.vertex_outputs(),
            Stage::Fragment => self.fragment_outputs(),
            _ if self.shader.info.visible => self.visible_outputs(),
            _ => {}
        }
        self.returned();
        self.out
    }

    // ---- arguments ----

    /// Adds an argument; `words` come between its number and its type and name.
    pub(crate) fn arg(
        &mut self,
        ty: TypeId,
        attrs: SmallVec<[Attr; 6]>,
        words: &[Md],
        type_name: &str,
        name: &str,
    ) -> u32 {
        let number = self.out.params.len() as u32;
        let mut operands: SmallVec<[Md; 24]> = SmallVec::new();
        operands.push(self.m.md_i32(number as i32));
        operands.extend_from_slice(words);
        self.named(&mut operands, type_name, name);
        let node = self.m.md_node(&operands);
        self.out.input_nodes.push(node);
        self.out.params.push(ty);
        self.out.attrs.push(attrs);
        number
    }

    pub(crate) fn named(&mut self, operands: &mut SmallVec<[Md; 24]>, type_name: &str, name: &str) {
        for word in ["air.arg_type_name", type_name, "air.arg_name", name] {
            operands.push(self.m.md_str(word));
        }
    }

    pub(crate) fn words(&mut self, words: &[&str]) -> SmallVec<[Md; 24]> {
        words.iter().map(|w| self.m.md_str(w)).collect()
    }

    pub(crate) fn name(&self, name: &str, kind: &str, number: u32) -> String {
        if self.options.names && !name.is_empty() { name.to_owned() } else { format!("{kind}{number}") }
    }

    // ---- built-ins ----

    pub(crate) fn roles(&mut self) {
        let mut comps = self.scan.roles;
        for piece in &self.out.inputs {
            if let InputSource::Role(role) = piece.source {
                comps[role as usize] = role.info().comps;
            }
        }
        if self.needs_sample {
            comps[Role::SampleId as usize] = 1;
        }
        if self.shader.info.input_primitive == Primitive::Quads {
            let at = &mut comps[Role::PositionInPatch as usize];
            *at = (*at).min(2);
        }
        let fixed = self.shader.info.workgroup_size.iter().all(|&n| n != 0);
        for &role in Role::ALL {
            let wanted = comps[role as usize];
            let constant = role == Role::ThreadsPerGroup && fixed;
            if wanted != 0
                && !constant
                && self.out.roles[role as usize] == NO_ARG
                && role.info().stages.contains(&self.shader.stage)
            {
                self.role(role, wanted);
            }
        }
    }

    pub(crate) fn role(&mut self, role: Role, comps: u8) {
        let info = role.info();
        let mut words = self.words(&[info.word]);
        for word in info.extra {
            words.push(self.m.md_str(word));
        }
        if role == Role::SampleMaskIn && self.shader.info.post_depth_coverage {
            words.push(self.m.md_str("air.post_depth_coverage"));
        }
        let (scalar, ty) = match info.elem {
            Elem::Bool => (Scalar::Bool, TypeId::I1),
            Elem::Uint => (Scalar::Uint32, self.values.get(self.m, Class::Int, 32, comps)),
            Elem::Float => (Scalar::Float32, self.values.get(self.m, Class::Float, 32, comps)),
        };
        let arg = self.arg(ty, SmallVec::new(), &words, vector_name(scalar, comps), info.name);
        self.source(arg, || (info.source.to_owned(), SourceType::Value(scalar, comps)));
        self.out.roles[role as usize] = arg;
    }
}
