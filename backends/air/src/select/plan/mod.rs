//! Facts about a shader that selection needs before it emits anything. Pure data: nothing here creates AIR.

pub(crate) mod argument_buffers;
pub(crate) mod bindings;
pub(crate) mod builtin_args;
pub(crate) mod offset;
pub(crate) mod resource;
pub(crate) mod usage;
