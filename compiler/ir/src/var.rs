//! Variables: named storage outside SSA.

use crate::enums::*;
use crate::ids::FuncId;
use crate::intrinsic::SystemValue;
use crate::name::Name;
use crate::slot::Slot;
use crate::types::{Type, TypeId, Types};
use crate::value::Lanes;

/// A variable of any mode.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Modes, Scalar, Shader, Slot, Stage, Variable, text};
///
/// let mut shader = Shader::new("main", Stage::TessControl);
/// let vec4 = shader.types.vector(Scalar::Float32, 4);
/// let vertices = shader.types.array(vec4, 3);
/// let mut color = Variable::new("color", vertices, Modes::OUT);
/// color.location = Slot::generic(1);
/// // The array counts the vertices of the patch, unless there is one value per patch.
/// assert!(color.is_per_vertex(shader.stage));
/// (color.location, color.patch) = (Slot::patch(1), true);
/// assert!(!color.is_per_vertex(shader.stage));
/// shader.add_var(color);
/// assert!(text::print(&shader).contains("\n  out vec4[3] color location=patch1 patch\n"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name; may be empty and need not be unique.
    pub name: Name,
    /// Type.
    pub ty: TypeId,
    /// Kind of memory; exactly one flag.
    pub mode: Modes,
    /// The function that owns a `FUNCTION_TEMP`; `None` for all other modes.
    pub function: Option<FuncId>,
    /// Location of an input or output.
    pub location: Option<Slot>,
    /// First component within the location, 0 to 3, in units of 32 bits.
    pub component: u8,
    /// Blend source of a fragment output (dual-source blending): 0 or 1.
    pub index: u8,
    /// Descriptor set.
    pub set: Option<u32>,
    /// Binding within the descriptor set, or OpenGL binding point.
    pub binding: Option<u32>,
    /// Byte offset of an atomic counter, or of a variable in workgroup memory or the default uniform block
    /// (after `lower_io`); input-attachment index.
    pub offset: u32,
    /// Interpolation of a fragment input or of the output that feeds one.
    pub interpolation: Interpolation,
    /// Location of the interpolation.
    pub sampling: Sampling,
    /// One value a patch instead of a vertex.
    pub patch: bool,
    /// One value a primitive instead of a vertex (mesh outputs, fragment inputs).
    pub per_primitive: bool,
    /// The value must be equal for equal expressions in other programs (GLSL `invariant`).
    pub invariant: bool,
    /// Elements of the array occupy consecutive components instead of slots (clip distances).
    pub compact: bool,
    /// A fragment output that starts with the colour of its attachment (framebuffer fetch). Others start undefined.
    pub fetched: bool,
    /// A mesh output that the function writes for every element of its array, also where this cannot be seen from the
    /// indices of its stores: added code copies it from workgroup memory.
    pub complete: bool,
    /// Precision hint.
    pub precision: Precision,
    /// Qualifiers of all accesses.
    pub access: Access,
    /// The built-in of a variable of mode `SYSTEM_VALUE`.
    pub system_value: Option<SystemValue>,
    /// Vertex stream of a geometry output.
    pub stream: u8,
    /// Initial value.
    pub initializer: Option<Constant>,
}

impl Variable {
    /// A variable with nothing special about it.
    pub fn new(name: &str, ty: TypeId, mode: Modes) -> Variable {
        Variable {
            name: name.into(),
            ty,
            mode,
            function: None,
            location: None,
            component: 0,
            index: 0,
            set: None,
            binding: None,
            offset: 0,
            interpolation: Interpolation::Smooth,
            sampling: Sampling::Center,
            patch: false,
            per_primitive: false,
            invariant: false,
            compact: false,
            fetched: false,
            complete: false,
            precision: Precision::None,
            access: Access::empty(),
            system_value: None,
            stream: 0,
            initializer: None,
        }
    }

    /// Whether it is a block in workgroup memory. All such blocks of a shader begin at the same byte
    /// (SPV_KHR_workgroup_memory_explicit_layout), so that they alias each other.
    pub fn is_workgroup_block(&self, types: &Types) -> bool {
        self.mode == Modes::SHARED && matches!(&types[self.ty], Type::Struct(s) if s.block)
    }

    /// Whether the outermost array of an input or output of `stage` counts vertices or primitives
    /// (GLSL 4.60 sections 4.3.4 and 4.3.6). Such an array takes no slots of its own.
    pub fn is_per_vertex(&self, stage: Stage) -> bool {
        if self.patch {
            return false;
        }
        match (self.mode, stage) {
            (Modes::IN, Stage::TessControl | Stage::TessEval | Stage::Geometry) => true,
            (Modes::IN, Stage::Fragment) => self.interpolation == Interpolation::PerVertex,
            (Modes::OUT, Stage::TessControl | Stage::Mesh) => true,
            _ => false,
        }
    }
}

/// Initial value of a variable.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Constant, text};
///
/// let shader = text::parse(r#"foil 1
/// shader compute "c" {
///   shader_temp vec2 scale = 0.5
///   shader_temp float[2] weights = {1.0, zero}
/// }"#)?;
/// let constants: Vec<_> = shader.vars.values().filter_map(|v| v.initializer.as_ref()).collect();
/// // One number is replicated to all components.
/// assert_eq!(*constants[0], Constant::Value([0x3f00_0000, 0x3f00_0000, 0, 0]));
/// let one = Constant::Value([0x3f80_0000, 0, 0, 0]);
/// assert_eq!(*constants[1], Constant::Composite([one, Constant::Zero].into()));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Scalar or vector: raw bits.
    Value(Lanes),
    /// Members of a structure, elements of an array or columns of a matrix.
    Composite(Box<[Constant]>),
    /// All bits zero, of any type.
    Zero,
}
