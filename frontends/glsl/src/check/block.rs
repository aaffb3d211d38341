//! Interface blocks (GLSL 4.60 section 4.3.9).

use super::Checker;
use super::layout_table::context;
use super::qualifiers::Given;
use super::scope::Name;
use crate::extension::Ext;
use crate::hir::{MatrixLayout, Memory, Qualifiers, Storage, Variable};
use crate::source::Span;
use crate::syntax::{Declarator, FieldDecl, InterfaceBlock};
use crate::token::{Symbol, Tok};
use crate::types::{Field, Struct, Type};
use crate::version::Avail;
use airfoil_ir::{Interpolation, Stage};
use rustc_hash::FxHashMap;

/// Uniform blocks.
const UNIFORM_BLOCKS: Avail = Avail::since(140, 300).or(&[Ext::ARB_uniform_buffer_object]);
/// Buffer blocks.
const BUFFER_BLOCKS: Avail = Avail::since(430, 310).or(&[Ext::ARB_shader_storage_buffer_object]);
/// Blocks between stages.
pub(crate) const IO_BLOCKS: Avail = Avail::since(150, 320).or(&[
    Ext::EXT_shader_io_blocks,
    Ext::OES_shader_io_blocks,
    Ext::EXT_geometry_shader,
    Ext::OES_geometry_shader,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
]);

/// Qualifiers of a block that apply to its members.
struct Outer<'g, 'a> {
    given: &'g Given<'a>,
    storage: Storage,
    matrix: Option<MatrixLayout>,
    context: u32,
}

impl Checker<'_> {
    /// Declares a block.
    pub(crate) fn interface_block(&mut self, block: &InterfaceBlock<'_>) {
        let given = self.read_qualifiers(block.qualifiers);
        let Some(storage) = self.block_storage(&given, block.name.span) else {
            self.block_error(block);
            return;
        };
        if self.name(block.name.name) == "gl_PerVertex" {
            self.redeclare_per_vertex(block, &given, storage);
            return;
        }
        self.check_name(block.name, "block");
        self.check_qualifiers(&given, storage, "this block");
        if let Some((_, span)) = given.precision {
            self.error(span, "E1011", "a block cannot have a precision (GLSL 4.60 section 4.7.2)");
        }
        if let Some(span) = given.memory_span.filter(|_| storage != Storage::Buffer) {
            let message = "memory qualifiers are for images and buffers only (GLSL 4.60 section 4.10)";
            // Compilers for Vulkan have always accepted `readonly uniform`, which is redundant on a uniform block.
            if self.lang.vulkan && storage == Storage::Uniform && given.memory == Memory::READONLY {
                self.diags.warning(span, "E1006", message);
            } else {
                self.error(span, "E1006", message);
            }
        }
        if let Some(span) = given.invariant.filter(|_| self.lang.version.is_es()) {
            self.error(span, "E1006", "a block cannot be invariant (GLSL ES 3.20 section 4.8.1)");
        }
        let (block_context, member_context) = match storage {
            Storage::In => (context::IN_BLOCK, context::IN_MEMBER),
            Storage::Out => (context::OUT_BLOCK, context::OUT_MEMBER),
            Storage::Uniform => (context::UNIFORM_BLOCK, context::UNIFORM_MEMBER),
            Storage::Buffer => (context::BUFFER_BLOCK, context::BUFFER_MEMBER),
            _ => (context::OTHER, context::OTHER),
        };
        self.check_layout_context(&given.layout, block_context);
        let mut q = Self::to_qualifiers(&given, storage);
        self.block_defaults(&mut q);
        let outer = Outer { given: &given, storage, matrix: q.layout.matrix, context: member_context };
        let mut fields = Vec::new();
        let mut seen = FxHashMap::default();
        self.state.nesting += 1;
        let in_struct = std::mem::replace(&mut self.state.in_struct, false);
        let last = block.fields.len().saturating_sub(1);
        for (i, decl) in block.fields.iter().enumerate() {
            self.block_members(decl, &outer, i == last, &mut fields, &mut seen);
        }
        self.state.in_struct = in_struct;
        self.state.nesting -= 1;
        let Some(measure) = self.measure_members(&fields, block.name.span) else {
            self.block_error(block);
            return;
        };
        if fields.is_empty() {
            self.error(
                block.name.span,
                "E1010",
                "a block needs at least one member (GLSL 4.60 section 4.3.9)",
            );
        }
        let dims = block.instance.as_ref().map_or(0, |i| i.dims.len());
        let elements = dims > usize::from(self.is_arrayed(storage, q.patch));
        self.member_locations(&q, &mut fields, elements, block.name.span);
        self.check_member_layout(&q, &mut fields, block.name.span);
        let (name, span) = (Some(block.name.name), block.name.span);
        let made = Struct { name, fields, block: true, span, reference: None };
        if q.layout.buffer_reference && storage == Storage::Buffer {
            self.define_reference(block, made, measure, &q.layout);
            return;
        }
        let id = self.add_struct(made, measure);
        self.block_variable(block, Type::Struct(id), q, &given);
    }

    /// Declares the names of an invalid block, so that uses of them are not reported.
    fn block_error(&mut self, block: &InterfaceBlock<'_>) {
        if let Some(instance) = &block.instance {
            self.scopes.set(instance.name.name, Name::Error, instance.name.span);
            return;
        }
        for name in block.fields.iter().flat_map(|f| f.names) {
            self.scopes.set(name.name.name, Name::Error, name.name.span);
        }
    }

    /// Storage of a block, if this stage and version has such blocks.
    fn block_storage(&mut self, given: &Given<'_>, span: Span) -> Option<Storage> {
        let stage = self.lang.stage;
        let Some((word, at)) = given.storage else {
            let message = "a block needs in, out, uniform or buffer (GLSL 4.60 section 4.3.9)";
            self.error(span, "E1010", message);
            return None;
        };
        let (storage, avail, name) = match word {
            Tok::Uniform => (Storage::Uniform, &UNIFORM_BLOCKS, "uniform blocks"),
            Tok::Buffer => (Storage::Buffer, &BUFFER_BLOCKS, "buffer blocks"),
            Tok::In => (Storage::In, &IO_BLOCKS, "input blocks"),
            Tok::Out => (Storage::Out, &IO_BLOCKS, "output blocks"),
            Tok::Shared if self.lang.ext(Ext::EXT_shared_memory_block) => {
                (Storage::Shared, &Avail::ALWAYS, "shared blocks")
            }
            _ => {
                let message = format!("{} cannot qualify a block (GLSL 4.60 section 4.3.9)", word.text());
                self.error(at, "E1010", message);
                return None;
            }
        };
        if !self.lang.has(avail) {
            self.error(at, "E1010", format!("{} has no {name}", self.lang.version));
            return None;
        }
        let error = match (storage, stage) {
            (Storage::In, Stage::Vertex) => Some("vertex shaders cannot have input blocks"),
            (Storage::Out, Stage::Fragment) => Some("fragment shaders cannot have output blocks"),
            (Storage::In | Storage::Out, Stage::Compute) => {
                Some("compute shaders cannot have input or output blocks")
            }
            _ => None,
        };
        if let Some(error) = error {
            self.error(at, "E1010", format!("{error} (GLSL 4.60 section 4.3.9)"));
            return None;
        }
        Some(storage)
    }

    /// Applies the defaults of `layout(...) uniform;` and `layout(...) buffer;`.
    fn block_defaults(&mut self, q: &mut Qualifiers) {
        let defaults = match q.storage {
            Storage::Uniform if !q.layout.push_constant => self.state.uniform,
            Storage::Buffer => self.state.buffer,
            _ => return,
        };
        q.layout.matrix = q.layout.matrix.or(defaults.matrix);
        q.layout.packing = q.layout.packing.or(defaults.packing);
    }

    /// The members of one declaration.
    fn block_members(
        &mut self,
        decl: &FieldDecl<'_>,
        outer: &Outer<'_, '_>,
        last: bool,
        fields: &mut Vec<Field>,
        seen: &mut FxHashMap<Symbol, Span>,
    ) {
        let given = self.read_qualifiers(decl.ty.qualifiers);
        self.check_member_qualifiers(&given, outer);
        let base = self.resolve_type(&decl.ty.ty);
        if decl.names.is_empty() {
            self.error(
                decl.ty.ty.span,
                "E1010",
                "a member of a block needs a name (GLSL 4.60 section 4.3.9)",
            );
        }
        for (i, name) in decl.names.iter().enumerate() {
            let mut ty = self.array_of(base, name.dims);
            self.member_name(name, seen);
            let mut q = Self::to_qualifiers(&given, outer.storage);
            q.precision = self.precision(ty, given.precision, name.name.span);
            q.interpolation = q.interpolation.or(outer.given.interpolation.map(|i| i.0));
            q.sampling = q.sampling.or(outer.given.sampling.map(|s| s.0));
            q.patch |= outer.given.patch.is_some();
            q.invariant |= outer.given.invariant.is_some();
            q.precise |= outer.given.precise.is_some();
            q.memory |= outer.given.memory;
            q.layout.matrix = q.layout.matrix.or(outer.matrix);
            self.invariant_all(&mut q);
            let is_last = last && i + 1 == decl.names.len();
            if !self.check_member_type(ty, &q, is_last, name) {
                ty = Type::Error;
            }
            fields.push(Field {
                name: name.name.name,
                ty,
                span: name.name.span,
                qualifiers: q,
                builtin: None,
            });
        }
    }

    fn check_member_qualifiers(&mut self, given: &Given<'_>, outer: &Outer<'_, '_>) {
        if let Some((word, span)) = given.storage
            && outer.given.storage.map(|s| s.0) != Some(word)
        {
            let message = format!(
                "a member cannot be {} in a block of other storage (GLSL 4.60 section 4.3.9)",
                word.text()
            );
            self.error(span, "E1010", message);
        }
        let io = matches!(outer.storage, Storage::In | Storage::Out);
        let wrong = given
            .constant
            .or(given.subroutine.map(|s| s.2))
            .or(if io { given.memory_span } else { None })
            .or(if outer.storage == Storage::Uniform { given.memory_span } else { None })
            .or(if io { None } else { given.interpolation.map(|i| i.1) })
            .or(if io { None } else { given.sampling.map(|s| s.1) })
            .or(if io { None } else { given.patch })
            .or(if io { None } else { given.invariant });
        if let Some(span) = wrong {
            let message = "a member of this block cannot have that qualifier (GLSL 4.60 section 4.3.9)";
            self.error(span, "E1010", message);
        } else {
            self.check_qualifiers(given, outer.storage, "this member");
        }
        self.check_layout_context(&given.layout, outer.context);
        // Members may repeat qualifiers of the block, not contradict them.
        if let (Some(member), Some(block)) = (given.layout.layout.stream, outer.given.layout.layout.stream)
            && member != block
        {
            self.error(
                given.span,
                "E1007",
                "the stream of a member differs from that of its block (GLSL 4.60 section 4.4.2.2)",
            );
        }
    }

    /// Whether a member may have a type.
    fn check_member_type(&mut self, ty: Type, q: &Qualifiers, last: bool, name: &Declarator<'_>) -> bool {
        let span = name.name.span;
        let message = if ty == Type::Error {
            return false;
        } else if ty == Type::Void {
            "a member of a block cannot be void (GLSL 4.60 section 4.1.1)"
        } else if self.unit.types.has_opaque(ty) {
            "a member of a block cannot be opaque (GLSL 4.60 section 4.3.9)"
        } else if self.has_unsized_inner(ty) {
            "only the outermost dimension of an array can be without size (GLSL 4.60 section 4.1.9)"
        } else if self.is_unsized(ty) && self.lang.version.is_es() && !(q.storage == Storage::Buffer && last)
        {
            "an array needs a size: only the last member of a buffer block can be without (GLSL ES 3.10 section 4.3.9)"
        } else if self.is_unsized(ty) && q.storage == Storage::Buffer && !last && self.lang.vulkan {
            // Elsewhere its size is that of the largest index.
            "only the last member of a buffer block can be an array without size (GLSL 4.60 section 4.1.9)"
        } else if self.is_unsized(ty) && self.lang.vulkan && q.storage != Storage::Buffer {
            "only arrays in buffer blocks may be unsized (GL_KHR_vulkan_glsl)"
        } else if matches!(q.storage, Storage::In | Storage::Out) {
            return self.check_io_member(ty, q, span);
        } else {
            return true;
        };
        self.error(span, "E1010", message);
        false
    }

    fn check_io_member(&mut self, ty: Type, q: &Qualifiers, span: Span) -> bool {
        if self.has_bool(ty) {
            self.error(span, "E1004", "inputs and outputs cannot be booleans (GLSL 4.60 section 4.3.4)");
            return false;
        }
        let fragment_input = self.lang.stage == Stage::Fragment && q.storage == Storage::In;
        let flat = matches!(q.interpolation, Some(Interpolation::Flat | Interpolation::PerVertex));
        if fragment_input && !flat && (self.has_integer(ty) || self.has_double(ty)) {
            let message = "integers and doubles are not interpolated: a fragment input that holds them must be flat (GLSL 4.60 section 4.3.4)";
            self.error(span, "E1006", message);
        }
        true
    }

    /// The variable of a block, or the names of its members.
    fn block_variable(&mut self, block: &InterfaceBlock<'_>, ty: Type, mut q: Qualifiers, given: &Given<'_>) {
        let side = match q.storage {
            Storage::In => 0,
            Storage::Out => 1,
            Storage::Uniform => 2,
            _ => 3,
        };
        let fresh = self.state.blocks.insert((side, block.name.name));
        self.state.block_names.insert(block.name.name);
        let taken = self.scopes.get_here(block.name.name).is_some_and(|(n, _)| !matches!(n, Name::Error));
        if !fresh || taken {
            let message = format!(
                "block name {} is declared twice (GLSL 4.60 section 4.3.9)",
                self.name(block.name.name)
            );
            self.error(block.name.span, "E1002", message);
        }
        let (name, ty) = match &block.instance {
            Some(instance) => (instance.name, self.array_of(ty, instance.dims)),
            None => (block.name, ty),
        };
        self.check_block_array(ty, &q, block);
        self.check_block_layout(&mut q, ty, given, block.name.span);
        let nameless = block.instance.is_none();
        let mut variable = Variable::new(name.name, ty, q, name.span);
        variable.block = true;
        variable.nameless_block = nameless;
        let var = self.add_var(variable);
        self.size_by_vertices(var);
        if nameless {
            let names: Vec<_> = block.fields.iter().flat_map(|f| f.names).map(|n| n.name).collect();
            for (i, name) in names.into_iter().enumerate() {
                self.declare_name(name, Name::Member(var, i as u32));
            }
        } else {
            self.check_name(name, "block instance");
            self.declare_name(name, Name::Var(var));
        }
        self.claim_variable(var);
    }

    fn check_block_array(&mut self, ty: Type, q: &Qualifiers, block: &InterfaceBlock<'_>) {
        if ty == Type::Error {
            return;
        }
        let span = block.instance.as_ref().map_or(block.name.span, |i| i.name.span);
        let arrayed = self.is_arrayed(q.storage, q.patch);
        if arrayed && !ty.is_array() {
            let message =
                "this block has values for each vertex and must be an array (GLSL 4.60 section 4.3.4)";
            self.error(span, "E1010", message);
        }
        let inner_unsized = self.has_unsized_inner(ty);
        let unsized_allowed = arrayed
            || (self.lang.ext(Ext::EXT_nonuniform_qualifier)
                && matches!(q.storage, Storage::Uniform | Storage::Buffer))
            || (!self.lang.version.is_es() && self.lang.version.number >= 430 && !self.lang.vulkan);
        if inner_unsized || (self.is_unsized(ty) && !unsized_allowed) {
            self.error(span, "E1005", "an array of blocks needs a size (GLSL 4.60 section 4.3.9)");
        }
        let es_io = self.lang.version.is_es() && !self.lang.vulkan;
        let dims = {
            let mut n = 0;
            let mut t = ty;
            while let Some(a) = self.unit.types.as_array(t) {
                n += 1;
                t = a.elem;
            }
            n
        };
        if es_io && dims > 1 + u32::from(arrayed) {
            let message = "a block cannot be an array of arrays (GLSL ES 3.20 section 4.3.9)";
            self.error(span, "E1010", message);
        }
        if q.memory.contains(Memory::READONLY | Memory::WRITEONLY) && q.storage != Storage::Buffer {
            self.error(
                span,
                "E1006",
                "memory qualifiers are for images and buffers only (GLSL 4.60 section 4.10)",
            );
        }
    }
}
