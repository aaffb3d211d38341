//! Binding policies: how the resources of a program get Metal indices.

use airfoil::air::select::{ArgumentBuffers, BindingMap};

/// How the resources of a program get their Metal indices. The driver's own block keeps an index of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingPolicy {
    /// Each resource has an index of its own: buffers by ascending binding, textures and samplers likewise. A program that
    /// exceeds the indices of a stage does not link.
    Direct {
        /// Mask of the buffer indices that stay free for vertex buffers.
        reserved_buffers: u32,
    },
    /// The uniform blocks of a stage, the default one among them, are in one argument buffer, and the other resources have indices
    /// of their own.
    UniformsInTable {
        /// Mask of the buffer indices that stay free for vertex buffers.
        reserved_buffers: u32,
    },
    /// All resources of a stage are in one argument buffer. A function that depends on sizes of storage blocks (`.length()`, robust
    /// access) has a buffer of them: [`FunctionReflection`](crate::FunctionReflection) has the slot of each.
    AllInTable {
        /// Mask of the buffer indices that stay free for vertex buffers.
        reserved_buffers: u32,
    },
}

impl Default for BindingPolicy {
    fn default() -> BindingPolicy {
        BindingPolicy::Direct { reserved_buffers: 0 }
    }
}

impl BindingPolicy {
    /// The rule of the backend.
    pub(crate) fn map(&self) -> BindingMap {
        match *self {
            BindingPolicy::Direct { reserved_buffers } => BindingMap {
                // No set: the backend would use tables for a program that exceeds the indices if there were no choice.
                argument_buffers: ArgumentBuffers::Sets([].into()),
                reserved_buffers,
                ..BindingMap::default()
            },
            BindingPolicy::UniformsInTable { reserved_buffers } => BindingMap {
                argument_buffers: ArgumentBuffers::UniformBlocks,
                reserved_buffers,
                ..BindingMap::default()
            },
            BindingPolicy::AllInTable { reserved_buffers } => BindingMap {
                argument_buffers: ArgumentBuffers::Sets([0].into()),
                reserved_buffers,
                ..BindingMap::default()
            },
        }
    }
}
