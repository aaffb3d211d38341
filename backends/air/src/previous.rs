//! The stage before a shader that is compiled alone, as its reflection lists it.
//!
//! Metal compares both ends of an interface by name and type, and kernels pass records in buffers. A stage that is
//! compiled alone therefore takes the [`Reflection`] of the stage before it: its inputs get the types and component counts
//! of the outputs, inputs that are not written read as zero, and records have the layout that was written.

use crate::select::{InterfaceRole, InterfaceValue, Reflection};
use airfoil_ir::{Diagnostic, Scalar, Slot};
use airfoil_passes::OptionValue;
use airfoil_passes::stages::interface::{Interface, Piece};
use airfoil_passes::stages::lower_stages::LowerStages;
use airfoil_passes::stages::stage_buffer::{RecordLayout, StageBuffer};

/// Facts about the stage before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Previous {
    /// The values that the fragment function can read, and the position.
    pub outputs: Interface,
    /// Slots of the records that a kernel writes per vertex.
    pub vertices: RecordLayout,
    /// Slots of the records that a tessellation control kernel writes per control point.
    pub points: RecordLayout,
    /// Slots of the records that a tessellation control kernel writes per patch.
    pub patches: RecordLayout,
}

impl Previous {
    /// The facts that a reflection lists.
    ///
    /// # Errors
    /// A varying or slot that this version does not know.
    pub fn new(reflection: &Reflection) -> Result<Previous, Diagnostic> {
        let mut previous = Previous::default();
        for value in &reflection.outputs {
            previous.outputs.0.extend(piece(value)?);
        }
        for records in &reflection.records {
            let names: Vec<&str> = records.slots.iter().map(|slot| slot.slot.as_str()).collect();
            let layout = RecordLayout::parse(&names.join("|")).map_err(|why| unknown(&why))?;
            let same = layout
                .iter()
                .zip(&records.slots)
                .all(|((slot, at), known)| slot.to_string() == known.slot && at == known.offset);
            if !same || layout.record_bytes() != records.bytes {
                return Err(unknown(&format!("the records of `{}` have another layout", records.buffer)));
            }
            let buffers = [
                (StageBuffer::Vertices, &mut previous.vertices),
                (StageBuffer::ControlPoints, &mut previous.points),
                (StageBuffer::Patches, &mut previous.patches),
            ];
            if let Some((_, place)) = buffers.into_iter().find(|(b, _)| b.name() == records.buffer) {
                *place = layout;
            }
        }
        Ok(previous)
    }

    /// Adds the layouts to the choices about stages.
    pub fn stages(&self, stages: LowerStages) -> LowerStages {
        let Previous { vertices, points, patches, .. } = self.clone();
        LowerStages { vertices, points, patches, ..stages }
    }
}

fn unknown(why: &str) -> Diagnostic {
    Diagnostic::error("E0509", format!("reflection of the previous stage: {why}"))
}

/// An output that later stages read.
fn piece(value: &InterfaceValue) -> Result<Option<Piece>, Diagnostic> {
    match value.role {
        InterfaceRole::Position => {
            let scalar = Scalar::Float32;
            return Ok(Some(Piece { slot: Slot::POSITION, component: 0, comps: 4, scalar }));
        }
        InterfaceRole::VertexOutput | InterfaceRole::MeshVertexData | InterfaceRole::MeshPrimitiveData => {}
        _ => return Ok(None),
    }
    let name = value.name.strip_prefix("user(").and_then(|name| name.strip_suffix(')'));
    let place = name.and_then(|name| match name.rsplit_once('_') {
        Some((slot, component)) if component.len() == 1 => Some((slot_of(slot)?, component.parse().ok()?)),
        _ => Some((slot_of(name)?, 0)),
    });
    let shape = shape(&value.type_name);
    let piece =
        place.zip(shape).map(|((slot, component), (scalar, comps))| Piece { slot, component, comps, scalar });
    match piece.filter(|p| p.component.saturating_add(p.comps) <= 4) {
        Some(piece) => Ok(Some(piece)),
        None => Err(unknown(&format!("`{}` of type `{}` is not a varying", value.name, value.type_name))),
    }
}

/// The slot of a name such as `locn3` or `color0`.
fn slot_of(name: &str) -> Option<Slot> {
    match name.strip_prefix("locn") {
        Some(number) => Slot::generic(number.parse().ok()?),
        None => Slot::from_name(name),
    }
}

/// The components of a Metal type such as `float4`.
fn shape(name: &str) -> Option<(Scalar, u8)> {
    let (base, comps) = match name.chars().last()?.to_digit(10) {
        Some(n @ 2..=4) => (&name[..name.len() - 1], n as u8),
        _ => (name, 1),
    };
    let scalar = match base {
        "float" => Scalar::Float32,
        "half" => Scalar::Float16,
        "int" => Scalar::Int32,
        "uint" => Scalar::Uint32,
        "short" => Scalar::Int16,
        "ushort" => Scalar::Uint16,
        "char" => Scalar::Int8,
        "uchar" => Scalar::Uint8,
        "bool" => Scalar::Bool,
        _ => return None,
    };
    Some((scalar, comps))
}
