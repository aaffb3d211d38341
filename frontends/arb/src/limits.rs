//! Options of reading, and limits of the implementation.

use airfoil_ir::DepthMode;

/// How a program is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Limits that a program must not exceed.
    pub limits: Limits,
    /// Binding of the uniform block that holds the parameters.
    pub binding: u32,
    /// Result of lookups that compare depths.
    pub depth_mode: DepthMode,
    /// Whether nothing is simplified: see [`Builder::raw`](airfoil_ir::Builder::raw).
    pub raw: bool,
}

macro_rules! limits {
    ($( $(#[doc = $doc:literal])+ $name:ident: $value:literal; )+) => {
        /// Limits that a program must not exceed: the values of `GL_MAX_*` that a driver reports.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $( $(#[doc = $doc])+ pub $name: u32, )+
        }

        impl Default for Limits {
            /// Limits as generous as those of Mesa.
            fn default() -> Limits {
                Limits { $( $name: $value, )+ }
            }
        }
    };
}

limits! {
    /// Bytes of the program string; a limit of this reader.
    text_bytes: 4_194_304;
    /// `MAX_PROGRAM_INSTRUCTIONS_ARB`.
    instructions: 16_384;
    /// `MAX_PROGRAM_ALU_INSTRUCTIONS_ARB`.
    alu_instructions: 16_384;
    /// `MAX_PROGRAM_TEX_INSTRUCTIONS_ARB`.
    tex_instructions: 16_384;
    /// `MAX_PROGRAM_TEX_INDIRECTIONS_ARB`.
    tex_indirections: 16_384;
    /// `MAX_PROGRAM_TEMPORARIES_ARB`.
    temporaries: 256;
    /// `MAX_PROGRAM_PARAMETERS_ARB`.
    parameters: 4096;
    /// `MAX_PROGRAM_ATTRIBS_ARB`.
    attributes: 16;
    /// `MAX_PROGRAM_ADDRESS_REGISTERS_ARB`.
    address_registers: 8;
    /// `MAX_PROGRAM_ENV_PARAMETERS_ARB`.
    env_parameters: 256;
    /// `MAX_PROGRAM_LOCAL_PARAMETERS_ARB`.
    local_parameters: 4096;
    /// `MAX_VERTEX_ATTRIBS_ARB`, at most 16.
    vertex_attribs: 16;
    /// `MAX_TEXTURE_COORDS_ARB`, at most 8.
    texture_coords: 8;
    /// `MAX_TEXTURE_IMAGE_UNITS_ARB`.
    texture_image_units: 32;
    /// `MAX_TEXTURE_UNITS`: units of the fixed functions.
    texture_units: 8;
    /// `MAX_LIGHTS`.
    lights: 8;
    /// `MAX_CLIP_PLANES`.
    clip_planes: 8;
    /// `MAX_VERTEX_UNITS_ARB`: model-view matrices.
    vertex_units: 4;
    /// `MAX_PALETTE_MATRICES_ARB`.
    palette_matrices: 32;
    /// `MAX_PROGRAM_MATRICES_ARB`.
    program_matrices: 8;
    /// `MAX_DRAW_BUFFERS_ARB`.
    draw_buffers: 8;
}
