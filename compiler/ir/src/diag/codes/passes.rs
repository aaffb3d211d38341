//! Codes of passes, of the pass manager and of the validator.

use super::row::{CodeInfo, row, rule};

pub(super) const LOWERING: &[CodeInfo] = &[
    row(
        "E0310",
        "A call takes a reference to an input, output or buffer, which `lower_io` cannot follow.",
        "lower_io before inline_functions",
    ),
    row(
        "E0311",
        "An input, output or buffer is accessed through a pointer of unknown origin, or with a type that is not its own.",
        "lower_io on a deref_cast of a uniform block",
    ),
    row(
        "E0312",
        "A variable of mode `system_value` does not name a system value, or is read with another type.",
        "system_value vec4 v without system_value=",
    ),
    row("E0313", "The memory of a variable exceeds the supported size.", "shared float a[500000000];"),
    row(
        "E0314",
        "The operation does not apply to this kind of variable.",
        "interp_deref_at_sample of a buffer",
    ),
    row("E0315", "A variable that cannot be written is written.", "store_deref to a uniform block"),
    row(
        "E0316",
        "The length of an array is requested, but the array has a fixed length.",
        "deref_buffer_array_length of a sized array",
    ),
    row(
        "E0317",
        "An input or output is accessed with a type other than its own, as a whole, or without a vertex index.",
        "gl_in.gl_Position without an index",
    ),
    row(
        "E0318",
        "An input or output has no location, or occupies more locations than there are.",
        "in vec4 v without location=",
    ),
    row(
        "E0320",
        "The entry function has several exits, or another function emits vertices.",
        "lower_io_to_temporaries before lower_returns",
    ),
    row(
        "E0324",
        "The position is written in parts while its depth must be changed.",
        "lower_clip_space{half_z=true} after lower_io without lower_io_to_temporaries",
    ),
    row(
        "E0325",
        "A built-in output does not have the type that its slot requires.",
        "out vec2 at slot position",
    ),
    row(
        "E0326",
        "The point size is read back while its output must be removed.",
        "lower_point_size on a shader that reads gl_PointSize",
    ),
    row(
        "E0327",
        "Clip or cull distances are not one array of at most 8 floats per vertex.",
        "clip_distances_to_varyings after lower_clip_distance_arrays",
    ),
    row(
        "E0328",
        "No location is available for the varyings of clip or cull distances, or for the attribute of an edge flag.",
        "clip_distances_to_varyings without its option `location`",
    ),
    row(
        "E0329",
        "Distances or polygon stipple cannot be lowered to a discard: more than 8, or early fragment tests.",
        "layout(early_fragment_tests) in; with gl_CullDistance before it",
    ),
    row(
        "E0330",
        "User clip planes cannot be lowered: too many planes, no binding for them, or a position written in parts.",
        "lower_clip_vertex{planes=0x1ff}",
    ),
    row(
        "E0331",
        "An output cannot become a private variable: a call takes a reference to it, or it is interpolated explicitly.",
        "an out parameter bound to gl_Position before inline_functions",
    ),
    row(
        "E0332",
        "Clip or cull distances cannot be emulated: no mode, a missing stage, or a mesh shader.",
        "clip_distances_to_position without its option `mode`",
    ),
    row(
        "E0333",
        "The binding of the enabled clip distances is already used.",
        "emulate_distances{binding=0} with a uniform block at binding 0",
    ),
    row(
        "E0334",
        "Multiview rendering is not supported with this stage, or with a vertex shader that writes the layer.",
        "lower_multiview{view_mask=3} on a shader that writes gl_Layer",
    ),
    rule(
        "E0335",
        "A texture that is bound as planes is gathered, or read with an offset.",
        "GL_OES_EGL_image_external_essl3 section 8.8",
        "textureOffset(s, at, ivec2(1)) with the texture in StateKey::external_planes",
    ),
    row(
        "E0336",
        "A vertex attribute with several locations is read from buffers at some of them only.",
        "lower_vertex_buffers{formats=0.native.4} on a shader with `in mat4` at location 0",
    ),
    row(
        "E0337",
        "A vertex attribute of 64 bits cannot be read from a buffer.",
        "lower_vertex_buffers before lower_doubles on a shader with `in dvec2`",
    ),
    row(
        "E0340",
        "Slots are indexed at run time, but the record between two stages has only some of them.",
        "two stages compiled with different records",
    ),
    row(
        "E0341",
        "Stages are connected through buffers only in shaders that consist of their entry function.",
        "vertex_outputs_to_buffer before inline_functions",
    ),
    row(
        "E0342",
        "A tessellation control shader returns early, so that its invocations cannot meet at the end.",
        "tess_control_to_kernel before lower_returns",
    ),
    rule(
        "E0343",
        "Metal has no isoline domain and no point mode.",
        "GLSL 4.60 section 4.4.1.1",
        "layout(isolines) in;",
    ),
    row(
        "E0344",
        "An output is accessed with a bit size other than its own.",
        "geometry_to_mesh before lower_64bit_io",
    ),
    row(
        "E0345",
        "Transform feedback cannot capture an output, or is requested in a stage where Metal cannot express it.",
        "--transform-feedback with a tessellation evaluation shader",
    ),
    row(
        "E0347",
        "The outputs of a mesh shader that are read back do not fit into workgroup memory, or the shader has several exits.",
        "gl_MeshVerticesEXT read after it is written, with 256 vertices of 40 vec4",
    ),
    row(
        "E0348",
        "A geometry shader has an input or output primitive, or an input, that a mesh function cannot have.",
        "a per-primitive input in a geometry shader",
    ),
    row(
        "E0349",
        "The vertex kernel reads indices of a size other than 16 or 32 bits.",
        "vertex_outputs_to_buffer{index_bits=8}",
    ),
    row("E0350", "The two sides of a copy have different types.", "copy_deref from vec4 to float[4]"),
    row("E0351", "A copy consists of too many scalars and vectors to be split.", "copy of float[1000000]"),
    row("E0352", "The initial value of a variable does not fit its type.", "var float[2] a = {0}"),
    row(
        "E0353",
        "Clip or cull distances are not arrays of floats of known length, or their vertex counts differ.",
        "out float gl_ClipDistance at slot clip_dist0",
    ),
    rule(
        "E0354",
        "The shader has more clip and cull distances together than are supported.",
        "GLSL 4.60 section 7.1",
        "float gl_ClipDistance[6] and float gl_CullDistance[4]",
    ),
    row(
        "E0356",
        "Advanced blending requires a color of four floats that is written at once.",
        "lower_advanced_blend on out vec3 color",
    ),
    row(
        "E0357",
        "A geometry shader depends on its own writes to memory, which are left out when it is executed again for transform feedback.",
        "vertex = atomicCounterIncrement(c); EmitVertex();",
    ),
];

pub(super) const VALIDATOR: &[CodeInfo] = &[row(
    "E0400",
    "The shader violates an invariant of the IR.",
    "a use that its definition does not dominate",
)];

pub(super) const PIPELINE: &[CodeInfo] = &[
    row("E0801", "Syntax error in a pipeline of passes.", "airfoil opt a.foil --passes 'cse dce'"),
    row("E0802", "The pass or preset does not exist.", "airfoil opt a.foil --passes 'ccse'"),
    row(
        "E0803",
        "A pass or loop does not have this option, or the value does not fit it.",
        "airfoil opt a.foil --passes 'loop{max=0}(cse)'",
    ),
    row(
        "E0804",
        "A pass or preset cannot be registered: the name is taken, or is not a name in pipelines.",
        "a pass of a program that is named `dce`",
    ),
    row(
        "E0810",
        "The shader is invalid before or after a pass.",
        "airfoil opt a.foil --passes my_pass --validate-each",
    ),
    row(
        "E0811",
        "A pass requires another form of the shader, or did not produce the form that it declares.",
        "airfoil opt slots.foil --passes vars_to_ssa",
    ),
    row(
        "E0812",
        "A pass reported a change that it did not make, or made a change that it did not report.",
        "a pass that returns `Changes::NONE` after an edit",
    ),
    row(
        "E0813",
        "A pass declares that it preserves an analysis, but the analysis changed.",
        "a pass that removes a block and preserves dominance",
    ),
    row(
        "E0814",
        "A loop of passes does not reach a fixed point: its passes keep reporting progress.",
        "loop(a, b) where b undoes the work of a",
    ),
    row("E0815", "A dump of the IR cannot be written.", "--print-after all on a full disk"),
    row(
        "E0816",
        "A pass changes the results of the shader.",
        "airfoil opt a.foil --passes my_pass --check-each",
    ),
    row(
        "E0817",
        "Warning: passes are not checked by execution, or only some of them.",
        "--check-each on a shader that the interpreter cannot execute",
    ),
    row(
        "E0818",
        "`airfoil reduce` has nothing to reduce: the input does not show the fault.",
        "airfoil reduce good.foil --passes dce",
    ),
    row(
        "E0819",
        "`airfoil reduce` cannot start the command that decides, or cannot write its input.",
        "airfoil reduce a.foil --check ./missing",
    ),
    rule(
        "E0820",
        "Functions are recursive.",
        "GLSL 4.60 section 6.1.1",
        "float f() { return g(); } float g() { return f(); }",
    ),
    row(
        "E0821",
        "A function that is to be inlined has a local variable with an initial value.",
        "inline_functions before lower_variable_initializers",
    ),
    row(
        "E0822",
        "Inlining all calls would exceed the limit on the number of instructions.",
        "20 functions, each of which calls the next one twice",
    ),
    row(
        "E0823",
        "The manager skipped a pass that would have changed the shader: its declaration lacks a kind of change that it reads.",
        "a pass that folds constants and declares `reads(Changes::MEMORY)`",
    ),
    row(
        "E0824",
        "A pass that is a function of another language raised an exception.",
        "a pass in Python with `raise KeyError`",
    ),
    row(
        "E0830",
        "The source and destination types of a conversion have no conversion between them.",
        "convert src_type=bool dest_type=bool",
    ),
    row(
        "E0831",
        "A built-in variable is accessed in a way that cannot be lowered to a system value.",
        "a store to gl_VertexIndex",
    ),
    row(
        "E0832",
        "An input attachment is used outside the fragment stage.",
        "subpassInput in a vertex shader",
    ),
    row(
        "E0834",
        "A window coordinate is read as an input instead of a system value.",
        "load_input io=(pos) in a fragment shader",
    ),
];
