//! Colours that the attachments held before the fragment.

use super::FunctionEmitter;
use crate::module::Value;
use crate::select::signature::framebuffer_fetch::attachment;
use crate::select::signature::pieces::{InputPiece, InputSource, OutputPiece};
use airfoil_ir::Slot;

impl FunctionEmitter<'_> {
    /// The previous colour of an attachment.
    pub(crate) fn fetched(&self, slot: Slot) -> Option<(Value, InputPiece)> {
        let location = attachment(slot)?;
        let piece = *self.sig.fetches.iter().find(|f| f.slot.as_generic() == Some(location))?;
        let InputSource::Argument(arg) = piece.source else { return None };
        Some((self.b.arg(arg), piece))
    }

    /// The initial value of an output, if its attachment is read.
    pub(crate) fn fetched_output(&mut self, piece: &OutputPiece) -> Option<Value> {
        if piece.dual_source != 0 || piece.clip {
            return None;
        }
        let (value, from) = self.fetched(piece.slot)?;
        (from.class == piece.class && from.bits == piece.bits)
            .then(|| self.components(value, piece.component, piece.comps))
    }
}
