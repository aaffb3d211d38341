//! Codes of the SPIR-V backend.

use super::row::{CodeInfo, row};

pub(super) const WRITER: &[CodeInfo] = &[
    row(
        "E0520",
        "The shader cannot be written as SPIR-V: it has no entry function, or is not in form `variables`.",
        "airfoil compile lowered.foil -o lowered.spv, with `form slots` in the file",
    ),
    row("E0521", "SPIR-V for shaders does not have the operation.", "32x1 %f = i2f_rtz %i"),
    row(
        "E0522",
        "SPIR-V, or the API of the target, does not have the input, output, system value or uniform.",
        "uniform vec4 tint; with --target vulkan1.3, outside of a block",
    ),
    row(
        "E0523",
        "The feature requires a newer version of SPIR-V than the target selects, or another API.",
        "airfoil compile ballot.comp.spv --target vulkan1.0 -o old.spv",
    ),
    row("E0524", "A memory access has no pointer in SPIR-V.", "%q = deref_ptr_as_array %p, %i"),
    row("E0525", "The module exceeds a limit of the binary form.", "a constant of 70,000 elements"),
];
