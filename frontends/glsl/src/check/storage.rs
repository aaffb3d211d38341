//! Storage qualifiers: availability by stage and version, and allowed types (GLSL 4.60 section 4.3).

use super::Checker;
use super::qualifiers::Given;
use crate::extension::Ext;
use crate::hir::{Qualifiers, Storage};
use crate::source::Span;
use crate::token::Tok;
use crate::types::{Base, OpaqueKind, Type};
use crate::version::{Avail, NEVER, Profile};
use airfoil_ir::{Interpolation, Sampling, Stage};

/// Global `in` and `out`.
const IN_OUT: Avail = Avail::since(130, 300).or(&[
    Ext::ARB_explicit_attrib_location,
    Ext::ARB_separate_shader_objects,
    Ext::ARB_tessellation_shader,
    Ext::ARB_fragment_coord_conventions,
    Ext::EXT_gpu_shader4,
]);
/// Arrays as vertex inputs.
const VERTEX_INPUT_ARRAYS: Avail = Avail::since(150, NEVER);
/// Integers between stages.
const INTEGER_IO: Avail = Avail::since(130, 300).or(&[Ext::EXT_gpu_shader4]);
/// Structures between stages.
const STRUCT_IO: Avail = Avail::since(150, 300);
/// 64-bit floats as vertex inputs.
const DOUBLE_INPUTS: Avail = Avail::since(410, NEVER).or(&[Ext::ARB_vertex_attrib_64bit]);
/// `inout` fragment outputs.
const FETCH: &[Ext] = &[Ext::EXT_shader_framebuffer_fetch, Ext::EXT_shader_framebuffer_fetch_non_coherent];
/// Images without a format that are read.
const UNFORMATTED: &[Ext] = &[Ext::EXT_shader_image_load_formatted];

impl Checker<'_> {
    /// The storage of a global declaration.
    pub(crate) fn global_storage(&mut self, given: &Given<'_>) -> Storage {
        let Some((word, span)) = given.storage else {
            return if given.constant.is_some() { Storage::Const } else { Storage::Global };
        };
        if let Some(at) = given.constant {
            let message = format!("const and {} contradict each other (GLSL 4.60 section 4.3)", word.text());
            self.error(at, "E1006", message);
        }
        let stage = self.lang.stage;
        let wrong = |checker: &mut Self, rule: &str| {
            checker.error(span, "E1006", format!("{} {rule}", word.text()));
            Storage::Global
        };
        match word {
            Tok::Attribute if stage == Stage::Vertex => Storage::In,
            Tok::Attribute => wrong(self, "is for vertex shaders only (GLSL 1.20 section 4.3.4)"),
            Tok::Varying if stage == Stage::Vertex => Storage::Out,
            Tok::Varying if stage == Stage::Fragment => Storage::In,
            // Drivers accept and ignore it there.
            Tok::Varying
                if stage == Stage::Geometry && self.lang.version.profile == Profile::Compatibility =>
            {
                Storage::Global
            }
            Tok::Varying => wrong(self, "is for vertex and fragment shaders only (GLSL 1.50 section 4.3.6)"),
            Tok::In | Tok::Out if !self.lang.has(&IN_OUT) => {
                wrong(self, "at global scope needs GLSL 1.30 or GLSL ES 3.00 (GLSL 1.30 section 4.3)")
            }
            Tok::In | Tok::Out if stage == Stage::Compute => {
                wrong(self, "cannot declare variables in a compute shader (GLSL 4.60 section 4.3.4)")
            }
            Tok::In => Storage::In,
            Tok::Out => Storage::Out,
            Tok::Inout if stage == Stage::Fragment && self.lang.extensions.contains_any(FETCH) => {
                Storage::InOut
            }
            Tok::Inout => wrong(self, "cannot qualify a global variable (GLSL 4.60 section 4.3)"),
            Tok::Uniform => Storage::Uniform,
            Tok::Shared if stage == Stage::Compute => Storage::Shared,
            Tok::Shared => wrong(self, "is for compute shaders only (GLSL 4.60 section 4.3.8)"),
            Tok::Buffer => wrong(self, "declares blocks only (GLSL 4.60 section 4.3.7)"),
            _ => Storage::Global,
        }
    }

    /// Whether variables of this storage have one element for each vertex.
    pub(crate) fn is_arrayed(&self, storage: Storage, patch: bool) -> bool {
        match (self.lang.stage, storage) {
            (Stage::TessControl, Storage::In | Storage::Out) => !patch,
            (Stage::TessEval, Storage::In) => !patch,
            (Stage::Geometry, Storage::In) => true,
            _ => false,
        }
    }

    /// The type of one vertex's element.
    pub(crate) fn per_vertex_type(&self, ty: Type, q: &Qualifiers) -> Type {
        if self.is_arrayed(q.storage, q.patch) || q.interpolation == Some(Interpolation::PerVertex) {
            self.unit.types.as_array(ty).map_or(ty, |a| a.elem)
        } else {
            ty
        }
    }

    /// Rules of qualifiers that hold for variables and blocks alike.
    pub(crate) fn check_qualifiers(&mut self, given: &Given<'_>, storage: Storage, what: &str) {
        let stage = self.lang.stage;
        let is_io = matches!(storage, Storage::In | Storage::Out);
        let between = match storage {
            Storage::In => !matches!(stage, Stage::Vertex | Stage::Compute),
            Storage::Out => !matches!(stage, Stage::Fragment | Stage::Compute),
            _ => false,
        };
        let old = matches!(given.storage, Some((Tok::Attribute | Tok::Varying, _)));
        if let Some((interpolation, span)) = given.interpolation {
            if !between {
                let message = format!(
                    "{what} cannot have an interpolation qualifier: only inputs and outputs can (GLSL 4.60 section 4.5)"
                );
                self.error(span, "E1006", message);
            } else if old && !self.lang.ext(Ext::EXT_gpu_shader4) {
                let message = "varying cannot have an interpolation qualifier (GLSL 1.30 section 4.3.9)";
                self.error(span, "E1006", message);
            } else if interpolation == Interpolation::PerVertex
                && !(stage == Stage::Fragment && storage == Storage::In)
            {
                self.error(
                    span,
                    "E1006",
                    "pervertexEXT is for fragment inputs only (GL_EXT_fragment_shader_barycentric)",
                );
            }
        }
        if let Some((sampling, span)) = given.sampling {
            if !between {
                let word = if sampling == Sampling::Sample { "sample" } else { "centroid" };
                let message = format!("{word} applies only to inputs and outputs (GLSL 4.60 section 4.3.3)");
                self.error(span, "E1006", message);
            } else if !old && !self.lang.version.at_least(130, 300) {
                self.error(span, "E1006", "centroid qualifies varying only (GLSL 1.20 section 4.3.6)");
            }
        }
        if let Some(span) = given.patch {
            let fits = matches!(
                (stage, storage),
                (Stage::TessControl, Storage::Out) | (Stage::TessEval, Storage::In)
            );
            if !fits {
                let message = "patch is for outputs of tessellation control and inputs of tessellation evaluation only (GLSL 4.60 section 4.3)";
                self.error(span, "E1006", message);
            }
            if let Some((_, at)) = given.interpolation {
                let message =
                    "per-patch variables cannot have interpolation qualifiers (GLSL 4.60 section 4.5)";
                self.error(at, "E1006", message);
            }
        }
        if let Some(span) = given.invariant {
            self.check_invariant(storage, span);
        }
        if let Some((_, false, span)) = given.subroutine
            && storage != Storage::Uniform
        {
            let message = "subroutine qualifies functions and uniforms only (GLSL 4.60 section 6.1.2)";
            self.error(span, "E1006", message);
        }
        if is_io && matches!(stage, Stage::Compute) {
            self.error(
                given.span,
                "E1006",
                "compute shaders cannot have user-defined inputs or outputs (GLSL 4.60 section 4.3.4)",
            );
        }
    }

    /// Checks that a variable can be `invariant` (GLSL 4.60 section 4.8.1).
    pub(crate) fn check_invariant(&mut self, storage: Storage, span: Span) {
        let outputs_only = self.lang.version.at_least(420, 300);
        let fits = match storage {
            Storage::Out | Storage::InOut => true,
            Storage::In => !outputs_only && self.lang.stage != Stage::Vertex,
            _ => false,
        };
        if !fits {
            let message = "only outputs can be invariant (GLSL 4.60 section 4.8.1)";
            self.error(span, "E1006", message);
        } else if self.lang.version.at_least(NEVER, 300) && self.scopes.depth() > 0 {
            self.error(
                span,
                "E1006",
                "invariant is allowed at global scope only (GLSL ES 3.00 section 4.6.1)",
            );
        }
    }

    /// Whether a global variable may have a type.
    pub(crate) fn check_global_type(&mut self, ty: Type, given: &Given<'_>, q: &Qualifiers, span: Span) {
        if ty == Type::Error {
            return;
        }
        match q.storage {
            Storage::In => self.check_input_type(ty, given, q, span),
            Storage::Out | Storage::InOut => self.check_output_type(ty, given, q, span),
            Storage::Uniform => {}
            _ => self.check_not_opaque(ty, span),
        }
        if q.storage == Storage::Uniform {
            self.check_image(ty, q, span);
        } else {
            self.check_memory(ty, given, q.storage);
        }
    }

    /// Opaque variables are uniforms or parameters.
    pub(crate) fn check_not_opaque(&mut self, ty: Type, span: Span) {
        if self.unit.types.has_opaque(ty) {
            let message = format!(
                "a variable of type {} must be a uniform or a parameter (GLSL 4.60 section 4.1.7)",
                self.type_name(ty)
            );
            self.error(span, "E1004", message);
        }
    }

    fn io_error(&mut self, span: Span, what: &str, ty: Type, why: &str) {
        let message =
            format!("{what} cannot have type {}: {why} (GLSL 4.60 section 4.3.4)", self.type_name(ty));
        self.error(span, "E1004", message);
    }

    fn check_input_type(&mut self, ty: Type, given: &Given<'_>, q: &Qualifiers, span: Span) {
        if self.lang.stage == Stage::Vertex {
            let what = "a vertex input";
            let elem = self.unit.types.without_arrays(ty);
            if matches!(elem, Type::Struct(_) | Type::Opaque(_)) || elem.base() == Some(Base::Bool) {
                self.io_error(span, what, ty, "no booleans, opaque types and structures");
            } else if ty.is_array() && !self.lang.has(&VERTEX_INPUT_ARRAYS) {
                self.io_error(span, what, ty, "arrays need GLSL 1.50");
            } else if elem.base().is_some_and(Base::is_integer) && !self.lang.has(&INTEGER_IO) {
                self.io_error(span, what, ty, "integers need GLSL 1.30 or GLSL ES 3.00");
            } else if elem.base() == Some(Base::Double) && !self.lang.has(&DOUBLE_INPUTS) {
                self.io_error(span, what, ty, "doubles need GLSL 4.10 or GL_ARB_vertex_attrib_64bit");
            }
            return;
        }
        self.check_between(ty, given, q, "an input", span);
        if self.lang.stage == Stage::Fragment {
            self.check_flat(ty, given, span);
        }
    }

    fn check_output_type(&mut self, ty: Type, given: &Given<'_>, q: &Qualifiers, span: Span) {
        if self.lang.stage != Stage::Fragment {
            self.check_between(ty, given, q, "an output", span);
            let es3 = self.lang.version.is_es() && self.lang.version.number == 300;
            if es3 && self.lang.stage == Stage::Vertex {
                self.check_flat(ty, given, span);
            }
            return;
        }
        let elem = self.unit.types.without_arrays(ty);
        let nested = self.unit.types.as_array(ty).is_some_and(|a| a.elem.is_array());
        let fits = match elem {
            Type::Vector { base, .. } => {
                !matches!(base, Base::Bool | Base::Double | Base::Int64 | Base::Uint64)
            }
            Type::Error => true,
            _ => false,
        };
        if !fits {
            self.io_error(
                span,
                "a fragment output",
                ty,
                "only float and integer scalars and vectors, and arrays of these",
            );
        } else if nested && self.lang.version.is_es() {
            self.io_error(span, "a fragment output", ty, "no arrays of arrays in GLSL ES");
        }
    }

    /// Integers and doubles are not interpolated.
    fn check_flat(&mut self, ty: Type, given: &Given<'_>, span: Span) {
        let flat = matches!(given.interpolation, Some((Interpolation::Flat | Interpolation::PerVertex, _)));
        if flat || !self.lang.version.at_least(130, 300) {
            return;
        }
        if self.has_integer(ty) || self.has_double(ty) {
            let message = format!(
                "{} holds integers or doubles, which are not interpolated: it must be flat (GLSL 4.60 section 4.3.4)",
                self.type_name(ty)
            );
            self.error(span, "E1006", message);
        }
    }

    /// Types of inputs and outputs.
    fn check_between(&mut self, ty: Type, given: &Given<'_>, q: &Qualifiers, what: &str, span: Span) {
        let arrayed = self.is_arrayed(q.storage, q.patch);
        let perprimitive = given.interpolation.is_some_and(|i| i.0 == Interpolation::PerVertex);
        let inner = if arrayed || perprimitive {
            match self.unit.types.as_array(ty) {
                Some(array) => array.elem,
                None => {
                    self.io_error(span, what, ty, "it has a value for each vertex and must be an array");
                    return;
                }
            }
        } else {
            ty
        };
        let elem = self.unit.types.without_arrays(inner);
        if self.has_bool(inner) || self.unit.types.has_opaque(inner) {
            self.io_error(span, what, ty, "no booleans and opaque types");
            return;
        }
        let is_struct = matches!(elem, Type::Struct(_));
        if is_struct && !self.lang.has(&STRUCT_IO) {
            self.io_error(span, what, ty, "structures need GLSL 1.50 or GLSL ES 3.00");
            return;
        }
        if self.has_integer(inner) && !self.lang.has(&INTEGER_IO) {
            self.io_error(span, what, ty, "integers need GLSL 1.30 or GLSL ES 3.00");
            return;
        }
        if self.lang.version.is_es() && !(self.lang.vulkan) {
            let nested_array = self.unit.types.as_array(inner).is_some_and(|a| a.elem.is_array());
            let bad_member =
                self.unit.types.as_struct(elem).is_some_and(|s| {
                    s.fields.iter().any(|f| matches!(f.ty, Type::Array(_) | Type::Struct(_)))
                });
            if nested_array || (is_struct && inner.is_array()) || bad_member {
                let why = "no arrays of arrays or structures and no structures that hold arrays or structures in GLSL ES";
                self.io_error(span, what, ty, why);
            }
        }
    }

    /// Memory qualifiers on something that is neither an image nor a buffer.
    pub(crate) fn check_memory(&mut self, ty: Type, given: &Given<'_>, storage: Storage) {
        let Some(span) = given.memory_span else { return };
        let image =
            self.unit.types.without_arrays(ty).as_opaque().is_some_and(|o| o.kind == OpaqueKind::Image);
        let model = storage == Storage::Shared && self.lang.ext(Ext::KHR_memory_scope_semantics);
        let reference = matches!(self.unit.types.without_arrays(ty), Type::Reference(_));
        if reference && self.may_be_restrict(given) {
            return;
        }
        if !image && storage != Storage::Buffer && !model && ty != Type::Error {
            let message = "memory qualifiers are for images and buffers only (GLSL 4.60 section 4.10)";
            self.error(span, "E1006", message);
        }
    }

    /// Formats and memory qualifiers of uniforms (GLSL 4.60 section 4.4.7, GLSL ES 3.10 section 4.4.7).
    pub(crate) fn check_image(&mut self, ty: Type, q: &Qualifiers, span: Span) {
        let opaque = self.unit.types.without_arrays(ty).as_opaque();
        let Some(image) = opaque.filter(|o| o.kind == OpaqueKind::Image) else {
            if q.layout.format.is_some() {
                self.error(span, "E1007", "only an image has a format (GLSL 4.60 section 4.4.7)");
            }
            let memory = q.memory - crate::hir::Memory::NON_UNIFORM;
            if !memory.is_empty() && ty != Type::Error {
                let message = "memory qualifiers are for images and buffers only (GLSL 4.60 section 4.10)";
                self.error(span, "E1006", message);
            }
            return;
        };
        let writeonly = q.memory.contains(crate::hir::Memory::WRITEONLY);
        let readonly = q.memory.contains(crate::hir::Memory::READONLY);
        let es = self.lang.version.is_es();
        let Some(format) = q.layout.format else {
            if es && !self.lang.extensions.contains_any(UNFORMATTED) {
                self.error(span, "E1007", "an image needs a format (GLSL ES 3.10 section 4.4.7)");
            } else if !writeonly && !self.lang.extensions.contains_any(UNFORMATTED) {
                self.error(
                    span,
                    "E1007",
                    "an image that is not writeonly needs a format (GLSL 4.60 section 4.4.7)",
                );
            }
            return;
        };
        if super::formats::base(format) != image.sampled {
            let message = format!(
                "format {format} does not fit {} (GLSL 4.60 section 4.4.7)",
                self.type_name(Type::Opaque(image))
            );
            self.error(span, "E1007", message);
        }
        if es && !super::formats::is_r32(format) && !readonly && !writeonly {
            let message = "an image whose format is not r32f, r32i or r32ui must be readonly or writeonly (GLSL ES 3.10 section 4.9)";
            self.error(span, "E1006", message);
        }
    }
}
