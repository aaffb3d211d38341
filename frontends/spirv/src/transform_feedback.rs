//! Transform feedback of a module: outputs with the decorations `XfbBuffer`, `XfbStride` and `Offset`, in entry
//! points of the execution mode `Xfb` (SPIR-V 3.6, 3.20; Vulkan 1.3 section 15.1.3).

use crate::error::Res;
use crate::state::{Reader, XfbDeco, XfbOutput};
use airfoil_ir::{Slot, Type, TypeId};

/// Upper limit; larger interfaces are rejected.
const MOST: usize = 1024;

impl Reader<'_> {
    /// Records the captured components of an output at a slot.
    pub fn capture(&mut self, deco: XfbDeco, slot: Slot, component: u32, ty: TypeId) -> Res<()> {
        let (Some(buffer), Some(stride), Some(offset)) = (deco.buffer, deco.stride, deco.offset) else {
            return Ok(());
        };
        let first = XfbOutput { buffer, stride, offset, slot, component, components: 0 };
        let mut place = Place { next: first, within: 0 };
        // Distances are packed four to a slot, the elements of other arrays have slots of their own.
        let compact = (Slot::CLIP_DIST0..=Slot::CULL_DIST1).contains(&slot);
        self.captured(&mut place, ty, compact)
    }

    fn captured(&mut self, place: &mut Place, ty: TypeId, compact: bool) -> Res<()> {
        match self.shader.types[ty].clone() {
            Type::Vector { scalar, comps } => {
                let mut words = u32::from(comps) * u32::from(scalar.bits().max(32)) / 32;
                place.within = if compact { place.within } else { place.next.component };
                while words > 0 {
                    let components = words.min(4 - place.within.min(3));
                    if self.interface.captures.len() >= MOST {
                        return crate::error::fail(crate::error::INTERFACE, "too many outputs are captured");
                    }
                    self.interface.captures.push(XfbOutput {
                        component: place.within,
                        components,
                        ..place.next
                    });
                    place.next.offset = place.next.offset.saturating_add(components * 4);
                    place.within += components;
                    words -= components;
                    if words > 0 || !compact || place.within > 3 {
                        place.next.slot = place.next.slot.offset(1).unwrap_or(place.next.slot);
                        place.within = 0;
                    }
                }
                Ok(())
            }
            Type::Matrix { scalar, cols, rows, .. } => {
                let column = self.shader.types.vector(scalar, rows);
                (0..cols).try_for_each(|_| self.captured(place, column, compact))
            }
            Type::Array { elem, len, .. } => (0..len).try_for_each(|_| self.captured(place, elem, compact)),
            Type::Struct(s) => s.members.iter().try_for_each(|m| self.captured(place, m.ty, compact)),
            Type::Image(_) | Type::Sampler => Ok(()),
        }
    }
}

/// The source and destination of the next component.
struct Place {
    next: XfbOutput,
    /// Component of the slot.
    within: u32,
}
