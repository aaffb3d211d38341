//! The inputs and outputs that a shader declares.

use airfoil_ir::{Interpolation, Modes, Sampling, Scalar, Shader, Slot, Type, TypeId};

/// An input or output variable.
///
/// # Examples
///
/// ```
/// use airfoil_interp::run::variables;
/// use airfoil_ir::{Modes, Scalar, text};
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "v" {
///   in vec2 uv location=5 component=2
///   in mat4x3[2] bones location=6
///   in uint id location=2
///   fn main { }
/// }"#).unwrap();
/// let inputs = variables(&shader, Modes::IN);
/// // By location. Each column of a matrix takes one.
/// assert!(inputs.iter().map(|v| &*v.name).eq(["id", "uv", "bones"]));
/// assert_eq!((inputs[1].component, inputs[1].num_slots), (2, 1));
/// assert_eq!((inputs[2].scalar, inputs[2].comps, inputs[2].num_slots), (Scalar::Float32, 3, 8));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoVar {
    /// Name of the variable or member.
    pub name: airfoil_ir::Name,
    /// First slot that it occupies.
    pub slot: Slot,
    /// Slots that it takes, without the array of vertices around it.
    pub num_slots: u32,
    /// First component of 32 bits.
    pub component: u32,
    /// Type of its scalars, and how many the first slot holds; `Any` for structures of several types.
    pub scalar: Scalar,
    /// Components of its vectors.
    pub comps: u8,
    /// Type of the variable or member.
    pub ty: TypeId,
    /// Index of the colour for dual-source blending.
    pub index: u8,
    /// Vertex stream of a geometry shader's output.
    pub stream: u8,
    /// How the value is interpolated over a primitive.
    pub interpolation: Interpolation,
    /// Position in the pixel at which it is interpolated.
    pub sampling: Sampling,
    /// One value a patch.
    pub patch: bool,
    /// One value a primitive.
    pub per_primitive: bool,
    /// Elements occupy consecutive components.
    pub compact: bool,
}

/// The variables of a mode that have a slot, by slot and component.
pub fn variables(shader: &Shader, mode: Modes) -> Vec<IoVar> {
    let mut vars: Vec<IoVar> = shader
        .vars
        .values()
        .filter(|v| v.mode == mode)
        .filter_map(|v| {
            let types = &shader.types;
            let ty = match types[v.ty] {
                Type::Array { elem, .. } if v.is_per_vertex(shader.stage) => elem,
                _ => v.ty,
            };
            let (scalar, comps) = match types[types.without_arrays(ty)] {
                Type::Vector { scalar, comps } => (scalar, comps),
                Type::Matrix { scalar, rows, .. } => (scalar, rows),
                _ => (Scalar::Any, 4),
            };
            let slots = types.num_slots(ty);
            Some(IoVar {
                name: v.name.clone(),
                slot: v.location?,
                num_slots: if v.compact { slots.div_ceil(4) } else { slots },
                component: u32::from(v.component),
                scalar,
                comps,
                ty,
                index: v.index,
                stream: v.stream,
                interpolation: v.interpolation,
                sampling: v.sampling,
                patch: v.patch,
                per_primitive: v.per_primitive,
                compact: v.compact,
            })
        })
        .collect();
    vars.sort_by_key(|v| (v.slot, v.component, v.index));
    vars
}
