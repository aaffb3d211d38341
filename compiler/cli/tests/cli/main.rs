//! The command as seen by users: exit status, streams, files.

mod batch;
#[cfg(unix)]
mod cache;
mod checking;
mod clipping;
mod compare;
mod debug;
mod distances;
mod explore;
mod filetest;
mod glsl;
mod glsl_messages;
mod graphs;
mod kinds;
mod kit;
mod lowerings;
mod messages;
mod new_pass;
mod run;
mod running;
mod running_air;
mod running_vulkan;
mod server;
mod streams;
mod sweep;
mod tessellation;
mod tools;
mod verify;
