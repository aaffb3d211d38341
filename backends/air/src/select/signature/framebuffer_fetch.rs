//! Framebuffer fetch: the colours that the attachments held before the fragment come in as arguments.
//!
//! An attachment that is read and written starts with its previous colour; one that is only read has an argument and no output.
//! GL_EXT_shader_framebuffer_fetch, `gl_LastFragData`; Metal's `[[color(n)]]` arguments. Two indices follow the
//! role as they do in outputs; no sample of Apple's compiler for a recent system shows them.

use super::SignatureBuilder;
use super::pieces::{InputPiece, InputSource};
use super::stage_io::offset_operand;
use crate::select::errors;
use crate::select::reflection::InterfaceRole;
use crate::select::types::{Class, vector_name};
use crate::target::AirVersion;
use airfoil_ir::{IntrinsicOp, Modes, Name, Slot};
use smallvec::SmallVec;

/// Attachment of a fragment output.
pub(crate) fn attachment(slot: Slot) -> Option<u32> {
    if slot == Slot::FRAG_COLOR { Some(0) } else { slot.as_generic().filter(|&n| n < 8) }
}

impl SignatureBuilder<'_> {
    /// One argument for each attachment that is read.
    pub(crate) fn framebuffer_fetches(&mut self) {
        let leaves = self.leaves(Modes::OUT);
        for i in 0..self.usage.fetches.len() {
            let instr = self.usage.fetches[i];
            let Some(read) = self.body[instr].as_intrinsic() else { continue };
            debug_assert_eq!(read.op, IntrinsicOp::load_output);
            let (io, dest) = (read.io(), read.dest_type());
            let loc = self.body[instr].loc;
            if self.options.target.air() < AirVersion::new(2, 3) {
                self.errors.at(
                    self.shader,
                    loc,
                    errors::TARGET,
                    "framebuffer fetch needs macOS 11 or iOS 14",
                );
                return;
            }
            let scalar = self.access_scalar(dest, instr);
            if !self.check_scalar(scalar, "a colour of the framebuffer", instr) {
                continue;
            }
            for slot in self.reach(io.location, io.num_slots.max(1), offset_operand(self.body, instr)) {
                let slot = Slot(slot.min(255) as u8);
                let Some(location) = attachment(slot) else {
                    let message = format!("`{slot}` of the framebuffer cannot be read in Metal");
                    self.errors.at(self.shader, loc, errors::INTERFACE, message);
                    continue;
                };
                let generic = Slot(Slot::GENERIC + location as u8);
                if self.out.fetches.iter().any(|f| f.slot == generic) {
                    continue;
                }
                let leaf = leaves.iter().find(|l| l.slot == slot && l.component == 0);
                let (scalar, name) = leaf.map_or((scalar, Name::default()), |l| (l.scalar, l.name.clone()));
                let (class, bits) = (Class::of(scalar), scalar.bits().max(8));
                let ty = self.values.get(self.m, class, bits, 4);
                let mut words = self.words(&["air.render_target"]);
                words.extend([self.m.md_i32(location as i32), self.m.md_i32(0)]);
                let name = self.name(&name, "attachment", location);
                let type_name = vector_name(scalar, 4);
                let arg = self.arg(ty, SmallVec::new(), &words, type_name, &name);
                let source = InputSource::Argument(arg);
                self.out.fetches.push(InputPiece {
                    slot: generic,
                    component: 0,
                    comps: 4,
                    class,
                    bits,
                    source,
                });
                self.reflect_input(InterfaceRole::RenderTarget, Some(location), name, type_name);
            }
        }
    }
}
