//! The traps of emulated clip and cull distances, T1 to T21, each with a test of its name. `docs/clip-distances.md` lists
//! them. Pipelines are executed by the interpreter, which has distances, before and after they are lowered.

mod interfaces;
mod meshes;
mod shapes;
mod stores;
mod support;
