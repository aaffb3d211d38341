//! The function's signature and its metadata: arguments in the order stage inputs, buffers, textures, samplers, built-ins;
//! outputs as members of the returned struct.

pub(crate) mod argument_buffers;
pub(crate) mod framebuffer_fetch;
pub(crate) mod function_constants;
pub(crate) mod mesh;
pub(crate) mod pieces;
pub(crate) mod resources;
pub(crate) mod samplers;
mod stage_inputs;
pub(crate) mod stage_io;
mod stage_outputs;
pub(crate) mod visible;

use crate::metallib::DataType;
use crate::module::{Attr, Md, Module, TypeId, Value};
use crate::select::debug::types::{SourceArgument, SourceType};
use crate::select::errors::Errors;
use crate::select::options::Options;
use crate::select::plan::bindings::Bound;
use crate::select::plan::builtin_args::{BuiltinArg, Elem};
use crate::select::plan::usage::Usage;
use crate::select::reflection::{InterfaceRole, Reflection};
use crate::select::types::{Class, Layouts, ValueTypes, vector_name};
use airfoil_ir::{Body, Name, Primitive, Scalar, Shader, Stage, VarId, format_name};
use pieces::{
    BufferArg, ConstantBuffer, InputPiece, InputSource, MeshPiece, OutputPiece, ResourceSource,
    SamplerSource, TextureArg,
};
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// All arguments and outputs.
#[derive(Default)]
pub(crate) struct Signature {
    pub(crate) params: SmallVec<[TypeId; 16]>,
    pub(crate) attrs: Vec<SmallVec<[Attr; 6]>>,
    pub(crate) input_nodes: SmallVec<[Md; 16]>,
    pub(crate) output_nodes: SmallVec<[Md; 16]>,
    pub(crate) output_words: Vec<SmallVec<[Md; 24]>>,
    /// Returned type; `None` if nothing is returned.
    pub(crate) ret: Option<TypeId>,
    pub(crate) inputs: Vec<InputPiece>,
    pub(crate) outputs: Vec<OutputPiece>,
    /// Attachments that are read, as inputs.
    pub(crate) fetches: Vec<InputPiece>,
    pub(crate) buffers: SecondaryMap<VarId, BufferArg>,
    pub(crate) push_constants: Option<ConstantBuffer>,
    pub(crate) default_uniforms: Option<ConstantBuffer>,
    /// Argument of the buffer of buffer sizes.
    pub(crate) buffer_sizes: Option<u32>,
    /// Buffer arguments whose memory nothing else addresses, if the function writes a buffer.
    pub(crate) alias_scopes: Vec<u32>,
    pub(crate) textures: SecondaryMap<VarId, TextureArg>,
    /// Samplers, by sampler variable or by the variable of a combined texture.
    pub(crate) samplers: SecondaryMap<VarId, SamplerSource>,
    /// Variables that hold the states of constant samplers.
    pub(crate) sampler_states: Vec<Value>,
    /// Argument of each built-in.
    pub(crate) builtin_args: [Option<u32>; BuiltinArg::COUNT],
    pub(crate) reflection: Reflection,
    pub(crate) vertex_attributes: Vec<(Name, u16, DataType)>,
    pub(crate) layer: Option<DataType>,
    /// Outputs of a mesh function, which are written by calls.
    pub(crate) mesh_pieces: Vec<MeshPiece>,
    /// Argument of the mesh, or of the grid of meshes that an object function starts.
    pub(crate) mesh: Option<u32>,
    /// Argument of the payload.
    pub(crate) payload: Option<(VarId, u32)>,
    /// Arguments that the source names, for debug information.
    pub(crate) sources: Vec<SourceArgument>,
}

impl Signature {
    /// A function without arguments and outputs.
    pub(crate) fn new() -> Signature {
        Signature { attrs: Vec::with_capacity(16), ..Signature::default() }
    }

    /// Whether the function accesses memory other than that of its arguments: through pointers of an argument buffer, or
    /// states of samplers.
    pub(crate) fn has_other_memory(&self) -> bool {
        let is_member = |source: &ResourceSource| matches!(source, ResourceSource::Member(_));
        self.samplers.values().any(|s| match s {
            SamplerSource::Resource(source) => is_member(source),
            SamplerSource::Constant(_) => true,
        }) || self.textures.values().any(|t| is_member(&t.source))
            || self.buffers.values().any(|b| is_member(&b.source))
    }
}

/// Builds the signature.
pub(crate) struct SignatureBuilder<'a> {
    pub(crate) m: &'a mut Module,
    pub(crate) shader: &'a Shader,
    pub(crate) body: &'a Body,
    pub(crate) options: &'a Options,
    pub(crate) usage: &'a Usage,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) values: &'a mut ValueTypes,
    pub(crate) errors: &'a mut Errors,
    pub(crate) out: Signature,
    pub(crate) needs_sample: bool,
}

impl SignatureBuilder<'_> {
    /// Builds everything. `bound` has the indices of resources.
    pub(crate) fn run(mut self, bound: &Bound) -> Signature {
        match self.shader.stage {
            Stage::Vertex => self.vertex_inputs("air.vertex_input", InterfaceRole::VertexInput),
            Stage::Fragment => {
                self.fragment_inputs();
                self.framebuffer_fetches();
            }
            Stage::TessEval => self.patch_inputs(),
            Stage::Task => self.object_arguments(),
            Stage::Mesh => self.mesh_arguments(),
            _ if self.shader.info.visible => self.visible_inputs(),
            // Attributes of vertices, in a vertex shader that became a kernel.
            _ => self.vertex_inputs("air.stage_in", InterfaceRole::StageIn),
        }
        self.buffers(bound);
        self.argument_buffers(&bound.argument_buffers);
        self.textures(bound);
        self.samplers(bound);
        self.constant_samplers();
        self.builtin_arguments();
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

    /// Adds an argument; `words` come between its index and its type and name.
    pub(crate) fn arg(
        &mut self,
        ty: TypeId,
        attrs: SmallVec<[Attr; 6]>,
        words: &[Md],
        type_name: &str,
        name: &str,
    ) -> u32 {
        let index = self.out.params.len() as u32;
        let mut operands: SmallVec<[Md; 24]> = SmallVec::new();
        operands.push(self.m.md_i32(index as i32));
        operands.extend_from_slice(words);
        self.named(&mut operands, type_name, name);
        let node = self.m.md_node(&operands);
        self.out.input_nodes.push(node);
        self.out.params.push(ty);
        self.out.attrs.push(attrs);
        index
    }

    pub(crate) fn named(&mut self, operands: &mut SmallVec<[Md; 24]>, type_name: &str, name: &str) {
        for word in ["air.arg_type_name", type_name, "air.arg_name", name] {
            operands.push(self.m.md_str(word));
        }
    }

    pub(crate) fn words(&mut self, words: &[&str]) -> SmallVec<[Md; 24]> {
        words.iter().map(|w| self.m.md_str(w)).collect()
    }

    /// The name of an argument or output, if names are kept and it has one, or its kind and number.
    pub(crate) fn name(&self, name: &Name, kind: &str, number: u32) -> Name {
        if self.options.names && !name.is_empty() { name.clone() } else { format_name!("{kind}{number}") }
    }

    /// Whether debug information names arguments as the source does.
    pub(crate) fn keeps_sources(&self) -> bool {
        self.options.debug.is_some() && self.options.names
    }

    /// Records the source name and type of an argument for debug information. An empty name means that it has none.
    pub(crate) fn source(&mut self, argument: u32, source: impl FnOnce() -> (Name, SourceType)) {
        if self.keeps_sources() {
            let (name, ty) = source();
            if !name.is_empty() {
                self.out.sources.push(SourceArgument { argument, name, ty });
            }
        }
    }

    // ---- built-ins ----

    fn builtin_arguments(&mut self) {
        let mut comps = self.usage.builtin_args;
        for piece in &self.out.inputs {
            if let InputSource::BuiltinArg(builtin) = piece.source {
                comps[builtin as usize] = builtin.info().comps;
            }
        }
        if self.needs_sample {
            comps[BuiltinArg::SampleId as usize] = 1;
        }
        if self.shader.info.input_primitive == Primitive::Quads {
            let at = &mut comps[BuiltinArg::PositionInPatch as usize];
            *at = (*at).min(2);
        }
        let fixed = self.shader.info.fixed_workgroup_size().is_some();
        for &builtin in BuiltinArg::ALL {
            let comps = comps[builtin as usize];
            let constant = builtin == BuiltinArg::ThreadsPerGroup && fixed;
            if comps != 0
                && !constant
                && self.out.builtin_args[builtin as usize].is_none()
                && builtin.info().stages.contains(&self.shader.stage)
            {
                self.builtin_argument(builtin, comps);
            }
        }
    }

    pub(crate) fn builtin_argument(&mut self, builtin: BuiltinArg, comps: u8) {
        let info = builtin.info();
        let mut words = self.words(&[info.word]);
        for word in info.extra {
            words.push(self.m.md_str(word));
        }
        if builtin == BuiltinArg::SampleMaskIn && self.shader.info.post_depth_coverage {
            words.push(self.m.md_str("air.post_depth_coverage"));
        }
        let (scalar, ty) = match info.elem {
            Elem::Bool => (Scalar::Bool, TypeId::I1),
            Elem::Uint => (Scalar::Uint32, self.values.get(self.m, Class::Int, 32, comps)),
            Elem::Float => (Scalar::Float32, self.values.get(self.m, Class::Float, 32, comps)),
        };
        let arg = self.arg(ty, SmallVec::new(), &words, vector_name(scalar, comps), info.name);
        self.source(arg, || (Name::new_static(info.source), SourceType::Value(scalar, comps)));
        self.out.builtin_args[builtin as usize] = Some(arg);
    }
}
