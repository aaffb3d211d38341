//! Codes of the objects of OpenGL drivers.

use super::row::{CodeInfo, row};

pub(super) const PROGRAMS: &[CodeInfo] = &[
    row(
        "E0950",
        "A link or a variant exceeded its time or size, or was cancelled.",
        "Budget::within(Duration::ZERO)",
    ),
    row(
        "E0951",
        "A program cannot be linked: a shader object is not compiled.",
        "glLinkProgram without glCompileShader",
    ),
    row("E0952", "The program does not have the stage.", "Program::variant(Stage::Geometry, ..)"),
    row(
        "E0953",
        "A program was stored by a device with other options.",
        "Device::restore with another target",
    ),
    row(
        "E0954",
        "A program without shader objects, a pipeline or restored and not separable, cannot be linked again or be part of a pipeline.",
        "Device::restore of a program that is not separable, then Program::relink",
    ),
    row(
        "E0955",
        "Transform feedback is active in a draw whose lines or polygons a mesh function expands.",
        "StateKey with CAPTURE and LineMode::Smooth",
    ),
];
