// libairfoil: GLSL and SPIR-V to Apple AIR in .metallib libraries. Generated from compiler/capi by cbindgen; do not edit.
// docs/c.md is the guide.
//
// * Handles (AfDevice and so on) are counted: functions that create one return a count of 1, af_*_retain adds 1, af_*_release
//   subtracts 1. NULL can be released. Each handle keeps the objects that it was created from.
// * All functions can be called on any thread, whatever its stack; handles can be shared by threads.
// * Structures begin with their size, which the caller sets. A size smaller than that of the library is one of an older
//   header: the missing members have their defaults. A larger one is accepted if the members that the library lacks are zero.
// * Zero is the default of every member.
// * Text and bytes in results belong to the handle that returns them. Text ends in a NUL that its length does not count.

#ifndef AIRFOIL_H
#define AIRFOIL_H

#include <stddef.h>
#include <stdint.h>

// ITU-R BT.601 (EGL_ITU_REC601_EXT).
#define AF_COLOR_SPACE_BT601 0

// ITU-R BT.709 (EGL_ITU_REC709_EXT).
#define AF_COLOR_SPACE_BT709 1

// ITU-R BT.2020 with non-constant luminance (EGL_ITU_REC2020_EXT).
#define AF_COLOR_SPACE_BT2020 2

// Luminance from 16 to 235, chroma from 16 to 240 (EGL_YUV_NARROW_RANGE_EXT).
#define AF_RANGE_NARROW 0

// From 0 to 255 (EGL_YUV_FULL_RANGE_EXT).
#define AF_RANGE_FULL 1

// No number: `set`, `binding` and `argument_buffer` of an argument that lacks it.
#define AF_NONE 4294967295

// The set of the blocks that the driver fills itself.
#define AF_DRIVER_SET 65535

// Version of the interface: the major number in the upper 16 bits, the minor one in the lower. Minor versions add.
#define AF_VERSION 1

// Result of a function.
typedef enum {
  // Success.
  AF_SUCCESS = 0,
  // The array of the caller is too short: it has the first elements, and the length that is required was returned.
  AF_INCOMPLETE = 1,
  // NULL, an unknown constant, a size that is not one of the structure, or text that is not UTF-8.
  AF_ERROR_INVALID_ARGUMENT = -1,
  // The allocator returned NULL, or the system gives no stack.
  AF_ERROR_OUT_OF_MEMORY = -2,
  // The shaders are wrong, or unsupported on the target.
  AF_ERROR_COMPILE = -3,
  // A bound of the budget was exceeded, or the compile was cancelled.
  AF_ERROR_BUDGET = -4,
  // The bytes are not a stored program.
  AF_ERROR_DAMAGED = -5,
  // The program was stored by another version or a device with other options.
  AF_ERROR_VERSION = -6,
  // GL_INVALID_ENUM of a query: not an interface or property.
  AF_ERROR_GL_ENUM = -7,
  // GL_INVALID_VALUE: the interface of a query does not have a resource of this index, or the module of a specialization does not
  // have the entry point or a constant.
  AF_ERROR_GL_VALUE = -8,
  // GL_INVALID_OPERATION of a query: the interface does not have this property.
  AF_ERROR_GL_OPERATION = -9,
  // A bug of the library; the log callback gets the message.
  AF_ERROR_INTERNAL = -10,
} AfResult;

// Bytes or text, with a NUL after them.
typedef struct AfBlob AfBlob;

// A switch that stops compiles.
typedef struct AfCancel AfCancel;

// A device: the target and the options of a context. It never changes.
typedef struct AfDevice AfDevice;

// A Metal function in a library of its own.
typedef struct AfFunction AfFunction;

// A program: the result of a link, with or without errors.
typedef struct AfProgram AfProgram;

// A shader object: GLSL that was compiled, a SPIR-V module that was specialized, or an assembly program, with or without errors.
typedef struct AfShader AfShader;

// Kind of an assembly program.
typedef uint32_t AfAssemblyTarget;

// Bounds of one call. A call that exceeds one fails with AF_ERROR_BUDGET.
typedef struct {
  // sizeof(AfBudget).
  uint32_t size;
  // Most instructions of a shader; 0: any number.
  uint32_t instructions;
  // Nanoseconds from the start of the call; 0: any time.
  uint64_t nanoseconds;
  // Stops the call when it is set; NULL: nothing does.
  const AfCancel *cancel;
  // Most bytes of the code of a shader; 0: any number.
  uint64_t memory;
} AfBudget;

// Facts about an assembly program.
typedef struct {
  // sizeof(AfAssembly).
  uint32_t size;
  // Byte of the first error (GL_PROGRAM_ERROR_POSITION_ARB), or AF_NONE.
  uint32_t error_position;
  // Vectors of four floats in the uniform block of the parameters.
  uint32_t parameter_count;
  // Texture image units that are sampled.
  uint32_t sampler_count;
  // 1 with ARB_position_invariant: the clip planes of the user apply.
  uint32_t position_invariant;
  // GL_PROGRAM_INSTRUCTIONS_ARB.
  uint32_t instructions;
  // GL_PROGRAM_ALU_INSTRUCTIONS_ARB.
  uint32_t alu_instructions;
  // GL_PROGRAM_TEX_INSTRUCTIONS_ARB.
  uint32_t tex_instructions;
  // GL_PROGRAM_TEX_INDIRECTIONS_ARB.
  uint32_t tex_indirections;
  // GL_PROGRAM_TEMPORARIES_ARB.
  uint32_t temporaries;
  // GL_PROGRAM_PARAMETERS_ARB.
  uint32_t parameters;
  // GL_PROGRAM_ATTRIBS_ARB.
  uint32_t attributes;
  // GL_PROGRAM_ADDRESS_REGISTERS_ARB.
  uint32_t address_registers;
} AfAssembly;

// Contents of a parameter.
typedef uint32_t AfParameterKind;

// Text in UTF-8 that ends in a NUL.
typedef struct {
  // The text; never NULL.
  const char *data;
  // Bytes without the NUL.
  size_t length;
} AfText;

// A vector of the uniform block of the parameters.
typedef struct {
  // sizeof(AfParameter).
  uint32_t size;
  // Contents.
  AfParameterKind kind;
  // Index of the environment or local parameter, otherwise 0.
  uint32_t index;
  // 0.
  uint32_t reserved;
  // The constant, otherwise 0.
  float value[4];
  // Name in the extension, such as `state.light[0].diffuse`.
  AfText name;
} AfParameter;

// A texture image unit of an assembly program.
typedef struct {
  // sizeof(AfUnit).
  uint32_t size;
  // The unit, which is the binding of the texture.
  uint32_t unit;
  // GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP or GL_TEXTURE_RECTANGLE.
  uint32_t target;
  // 1 if depths are compared.
  uint32_t shadow;
} AfUnit;

// A stage of the pipeline.
typedef uint32_t AfStage;

// Bytes.
typedef struct {
  // The bytes.
  const void *data;
  // How many there are.
  size_t length;
} AfBytes;

// The contents of the storage buffer "xfb_counters" (set 65535, binding 25): primitives of each vertex stream. One buffer per transform
// feedback object; glBeginTransformFeedback writes the limits and zeros. Counters wrap around.
typedef struct {
  // Primitives that fit into all buffers of a stream: af_program_capture_counters.
  uint32_t limit[4];
  // Primitives that were written since the limits were set (GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN).
  uint32_t written[4];
  // Primitives that were emitted (GL_PRIMITIVES_GENERATED). A stream overflowed if the two do not grow by the same number.
  uint32_t generated[4];
  // Primitives that were written before the last draw.
  uint32_t first[4];
  // Vertices that were written (glDrawTransformFeedbackStream).
  uint32_t vertices[4];
} AfCaptureCounters;

// The output of a compile.
typedef uint32_t AfOutput;

// GLSL of a stage.
typedef struct {
  // Name in messages; NULL: none.
  const char *name;
  // The text.
  const char *text;
  // Its bytes; negative: it ends in a NUL.
  int32_t length;
  // Stage.
  AfStage stage;
} AfSource;

// A compile: GLSL sources or a SPIR-V module.
typedef struct {
  // sizeof(AfCompileInfo).
  uint32_t size;
  // The output.
  AfOutput output;
  // The stages of a program in GLSL.
  const AfSource *sources;
  // Number of sources; 0: the module is compiled.
  uint32_t source_count;
  // 1: GLSL for Vulkan.
  uint32_t vulkan;
  // A SPIR-V module.
  const uint32_t *words;
  // Its words.
  size_t word_count;
  // Entry point of the module; NULL: the only one.
  const char *entry;
} AfCompileInfo;

// Optimization level.
typedef uint32_t AfLevel;

// Float arithmetic.
typedef uint32_t AfMath;

// How the resources of a program get their Metal indices.
typedef uint32_t AfBindingPolicy;

// Mask of deviations from the default code.
typedef uint32_t AfWorkarounds;

// A limit of the implementation.
typedef struct {
  // Name in OpenGL, as GL_MAX_VERTEX_ATTRIBS.
  const char *name;
  // Value.
  uint32_t value;
  // 1: of OpenGL ES shaders, 0: of desktop shaders.
  uint32_t es;
} AfLimit;

// Returns memory of this size and alignment (a power of two), or NULL. It may be called on any thread.
typedef void *(*AfAllocateFn)(void *user, size_t size, size_t alignment);

// Takes memory back that the allocation callback returned for this size and alignment. It may be called on any thread.
typedef void (*AfDeallocateFn)(void *user, void *memory, size_t size, size_t alignment);

// Severity of a message.
typedef uint32_t AfSeverity;

// Gets a message, which ends in a NUL. It may be called on any thread, during a call of this library only.
typedef void (*AfLogFn)(void *user, AfSeverity severity, const char *message, size_t length);

// Options of a device.
typedef struct {
  // sizeof(AfDeviceInfo).
  uint32_t size;
  // Optimization level of links.
  AfLevel level;
  // Operating system and version, as "macos14" or "ios17.2"; NULL: macOS 13.
  const char *target;
  // Float arithmetic.
  AfMath math;
  // How resources get their Metal indices.
  AfBindingPolicy binding_policy;
  // Mask of the buffer indices that stay free for vertex buffers.
  uint32_t reserved_buffers;
  // Deviations from the default code.
  AfWorkarounds workarounds;
  // Limits that differ from the default, which are the minima of OpenGL, or those of Metal where these are larger.
  const AfLimit *limits;
  // Number of limits.
  uint32_t limit_count;
  // Zero.
  uint32_t reserved;
  // Allocates handles and the bytes of results; NULL: malloc. Working memory of a compile is the process's.
  AfAllocateFn allocate;
  // The other half of `allocate`; both are set, or neither is.
  AfDeallocateFn deallocate;
  // Gets errors that are not part of a log: bugs of the library, and failed variants, restores and compiles.
  AfLogFn log;
  // Passed to the callbacks, which are called as long as a handle of the device lives.
  void *user;
  // Metal index of the buffer with AfDriverValues, plus one; 0: the block follows the other buffers of a function.
  uint32_t driver_buffer;
  // Zero.
  uint32_t spare;
  // Folder of a disk cache, from which links and functions are served; NULL: none. It is created if necessary, for
  // this user only; a symbolic link, or a folder that others can enter, is an invalid argument.
  const char *cache;
  // Most bytes of the cache; 0: 256 MiB.
  uint64_t cache_limit;
} AfDeviceInfo;

// How the planes of an external image become RGB. Functions of keys with external_planes read the uniform block "external" (set
// AF_DRIVER_SET, binding 19), an array of 32 of these by the binding of the texture in the reflection.
typedef struct {
  // Red, green and blue as sums of Y, U, V and one with these factors. Columns in another order are for other orders of
  // chroma (NV21, YV12).
  float matrix[3][4];
  // Offset of the coordinates at which chroma is read: zero for samples in the middle between those of Y
  // (EGL_YUV_CHROMA_SITING_0_5_EXT), 0.25 / width or height of the plane of chroma for samples at those of Y
  // (EGL_YUV_CHROMA_SITING_0_EXT).
  float chroma_offset[2];
  // Zero.
  float reserved[2];
} AfExternalImage;

// A set of texture coordinates of the fixed functions.
typedef struct {
  // 1: they are an output: the fragment shader reads them. 2: the texture matrix is not the identity.
  uint8_t flags;
  // The functions that generate s, t, r and q. 0: none. 1: GL_OBJECT_LINEAR. 2: GL_EYE_LINEAR. 3: GL_SPHERE_MAP.
  // 4: GL_REFLECTION_MAP. 5: GL_NORMAL_MAP.
  uint8_t texgen[4];
} AfCoordinates;

// The state that a vertex shader of the fixed functions depends on. All zeros (but `size`) are the initial state of OpenGL.
typedef struct {
  // sizeof(AfFixedVertexKey).
  uint32_t size;
  // 1: GL_LIGHTING. 2: GL_LIGHT_MODEL_LOCAL_VIEWER. 4: GL_LIGHT_MODEL_TWO_SIDE. 8: GL_SEPARATE_SPECULAR_COLOR. 16: GL_NORMALIZE.
  // 32: GL_RESCALE_NORMAL. 64: points are drawn, and GL_POINT_DISTANCE_ATTENUATION is not (1, 0, 0). 128: the fragment shader reads
  // the secondary color. 256: a clip plane is enabled.
  uint16_t flags;
  // Properties of the front and back material that are the current color. 0: none. 1: GL_EMISSION. 2: GL_AMBIENT. 3: GL_DIFFUSE.
  // 4: GL_SPECULAR. 5: GL_AMBIENT_AND_DIFFUSE.
  uint8_t color_material[2];
  // The origin of the fog coordinate. 0: none. 1: GL_FRAGMENT_DEPTH. 2: GL_FOG_COORD.
  uint8_t fog;
  // Zero.
  uint8_t reserved[3];
  // The lights. 1: enabled. 2: w of the position is not 0. 4: GL_SPOT_CUTOFF is not 180. 8: the attenuation is not (1, 0, 0).
  uint8_t lights[8];
  // The sets of texture coordinates.
  AfCoordinates coordinates[8];
} AfFixedVertexKey;

// How red, green and blue, or alpha, are combined (GL_COMBINE).
typedef struct {
  // 0: GL_REPLACE. 1: GL_MODULATE. 2: GL_ADD. 3: GL_ADD_SIGNED. 4: GL_INTERPOLATE. 5: GL_SUBTRACT. 6: GL_DOT3_RGB. 7: GL_DOT3_RGBA.
  uint8_t function;
  // The sources. 0: GL_TEXTURE. 1: GL_CONSTANT. 2: GL_PRIMARY_COLOR. 3: GL_PREVIOUS. 4 to 11: GL_TEXTURE0 to GL_TEXTURE7.
  uint8_t sources[3];
  // The parts of the sources. 0: GL_SRC_COLOR. 1: GL_ONE_MINUS_SRC_COLOR. 2: GL_SRC_ALPHA. 3: GL_ONE_MINUS_SRC_ALPHA.
  uint8_t operands[3];
  // The factor of the result. 0: 1. 1: 2. 2: 4.
  uint8_t scale;
} AfCombine;

// A texture unit of the fixed functions.
typedef struct {
  // The enabled target. 0: none. 1: GL_TEXTURE_1D. 2: GL_TEXTURE_2D. 3: GL_TEXTURE_3D. 4: GL_TEXTURE_CUBE_MAP.
  // 5: GL_TEXTURE_RECTANGLE. 6 to 9: depth textures that are compared: 1D, 2D, cube map, rectangle.
  uint8_t target;
  // The base internal format. 0: GL_ALPHA. 1: GL_LUMINANCE. 2: GL_LUMINANCE_ALPHA. 3: GL_INTENSITY. 4: GL_RGB. 5: GL_RGBA.
  uint8_t format;
  // The texture environment. 0: GL_MODULATE. 1: GL_DECAL. 2: GL_BLEND. 3: GL_REPLACE. 4: GL_ADD. 5: GL_COMBINE.
  uint8_t mode;
  // Zero.
  uint8_t reserved;
  // How red, green and blue are combined by GL_COMBINE.
  AfCombine rgb;
  // How alpha is combined by GL_COMBINE.
  AfCombine alpha;
} AfTextureUnit;

// The state that a fragment shader of the fixed functions depends on.
typedef struct {
  // sizeof(AfFixedFragmentKey).
  uint32_t size;
  // 1: GL_COLOR_SUM, or lighting with a separate specular color. 2: colors are clamped (GL_CLAMP_FRAGMENT_COLOR).
  uint8_t flags;
  // Zero.
  uint8_t reserved[3];
  // The texture units.
  AfTextureUnit units[8];
} AfFixedFragmentKey;

// Kind of an argument.
typedef uint32_t AfArgumentKind;

// A resource that a function uses, and its Metal index.
typedef struct {
  // sizeof(AfArgument).
  uint32_t size;
  // Kind.
  AfArgumentKind kind;
  // Descriptor set, or AF_NONE. AF_DRIVER_SET is that of blocks of the driver.
  uint32_t set;
  // Binding in the source, or AF_NONE.
  uint32_t binding;
  // First Metal index among buffers, textures or samplers; first id in an argument buffer.
  uint32_t index;
  // Elements of an array; 1 for anything else, 0 for an unknown number.
  uint32_t count;
  // Indices from one element to the next.
  uint32_t step;
  // Buffer index of the argument buffer that it is in, or AF_NONE.
  uint32_t argument_buffer;
  // Bytes of a block or argument buffer; 0 for textures and samplers.
  uint32_t bytes;
  // 1 if the function writes it.
  uint32_t written;
  // Name in the source.
  AfText name;
  // Metal type of the contents or of the texture.
  AfText type_name;
  // Index of the first element's size in the buffer of sizes (AF_ARGUMENT_BUFFER_SIZES), for storage buffers that have one, or
  // AF_NONE.
  uint32_t size_slot;
  // Zero.
  uint32_t reserved;
} AfArgument;

// The binding of a name.
typedef struct {
  // Name of an attribute or fragment output.
  const char *name;
  // Location.
  uint32_t location;
  // Blend source of a fragment output.
  uint32_t index;
} AfBinding;

// State of a program object that linking depends on.
typedef struct {
  // sizeof(AfLinkInfo).
  uint32_t size;
  // 1: GL_PROGRAM_SEPARABLE.
  uint32_t separable;
  // Locations of attributes (glBindAttribLocation).
  const AfBinding *attributes;
  // Locations of fragment outputs (glBindFragDataLocationIndexed).
  const AfBinding *outputs;
  // Number of attributes.
  uint32_t attribute_count;
  // Number of outputs.
  uint32_t output_count;
  // Captures (glTransformFeedbackVaryings).
  const char *const *varyings;
  // Number of captures.
  uint32_t varying_count;
  // 1: GL_SEPARATE_ATTRIBS.
  uint32_t separate_varyings;
} AfLinkInfo;

// Mask of state that is on or off.
typedef uint32_t AfStateFlags;

// Kind of a color attachment.
typedef uint8_t AfAttachment;

// A word of the default uniform block.
typedef struct {
  // Byte offset, a multiple of 4.
  uint32_t offset;
  // Bits.
  uint32_t value;
} AfInlinedUniform;

// Kind of a vertex format that Metal does not convert to floats.
typedef uint8_t AfVertexFormatKind;

// Format of a vertex attribute.
typedef struct {
  // Its kind.
  AfVertexFormatKind kind;
  // Its components, 1 to 4; 0: 4.
  uint8_t components;
} AfVertexFormat;

// State of a draw that functions can depend on: plain data without padding, so that keys can be compared and hashed as bytes
// after af_program_canonical.
typedef struct {
  // sizeof(AfStateKey).
  uint32_t size;
  // State that is on or off.
  AfStateFlags flags;
  // Mask of the enabled clip distances (GL_CLIP_DISTANCE0 is bit 0).
  uint8_t clip_enable;
  // 0: other primitives than points are drawn. 1: points of the size that the shader writes, or 1.0. 2: points of the size in the
  // driver's block (glPointSize). 3: as 1, clamped to the limits in the driver's block.
  uint8_t point_size;
  // Color attachments that gl_FragColor is written to, 1 to 8; 0: 1.
  uint8_t color_attachments;
  // Vertices of an input patch (GL_PATCH_VERTICES); 0: 3.
  uint8_t patch_vertices;
  // Bits of the indices of draws whose vertex stage is a kernel: 16 or 32, or 0 for draws without indices.
  uint8_t index_bits;
  // Zero.
  uint8_t reserved[3];
  // The color attachments.
  AfAttachment attachments[8];
  // The comparison of the alpha test: 0: none; otherwise GL_NEVER to GL_ALWAYS less 0x1ff. The reference value is in the driver's block.
  uint8_t alpha_func;
  // Fog of fragment shaders that stand for fixed functions. 0: none. 1: GL_LINEAR. 2: GL_EXP. 3: GL_EXP2.
  uint8_t fog;
  // Mask of the texture coordinates that are replaced by the position in a point (GL_COORD_REPLACE); for points only.
  uint8_t coord_replace;
  // Mask of the enabled clip planes, for programs that do not write clip distances.
  uint8_t clip_planes;
  // The logic operation: 0: none; otherwise GL_CLEAR to GL_SET less 0x14ff. It applies to attachments of integers and of
  // AF_ATTACHMENT_UNORM8, which the function reads.
  uint8_t logic_op;
  // Elements of `inlined` that are used.
  uint8_t inlined_count;
  // The advanced blend equation of attachment 0, which the function reads. 0: none; otherwise 1 to 11 for GL_MULTIPLY_KHR to
  // GL_EXCLUSION_KHR, 12 to 15 for GL_HSL_HUE_KHR to GL_HSL_LUMINOSITY_KHR.
  uint8_t blend;
  // Zero.
  uint8_t spare;
  // Masks of the textures, by binding of their arguments, whose samplers have the wrap mode GL_CLAMP: S, T and R.
  uint32_t gl_clamp[3];
  // Mask of the shadow textures, by binding of their arguments, whose samplers do not compare.
  uint32_t compare_off;
  // Mask of the cube maps, by binding of their arguments, that are not seamless: arrays of 2D textures are bound.
  uint32_t nonseamless;
  // Words of the default uniform block that are constants.
  AfInlinedUniform inlined[4];
  // Formats of the vertex attributes, by location: those that Metal does not convert to floats, and those of `pulled`, where
  // AF_VERTEX_FORMAT_NATIVE is a component of 32 bits that is read as it is.
  AfVertexFormat vertex_formats[32];
  // Masks of the textures, by binding of their arguments, whose GL_DEPTH_TEXTURE_MODE is GL_INTENSITY, GL_ALPHA and GL_RED; the
  // others have GL_LUMINANCE. It applies to lookups that compare and return vectors (shadow2D, assembly programs); for others
  // the texture view has the swizzle.
  uint32_t depth_modes[3];
  // Masks of the external images, by binding in the reflection, that are bound as two planes (NV12) and as three (I420). The
  // planes of chroma of binding n are textures of the set AF_DRIVER_SET with the bindings 64 + n and 96 + n.
  uint32_t external_planes[2];
  // How lines are rasterised. 0: as Metal does, and for draws of other primitives. 1: with the width in the driver's block,
  // extended in x or y. 2: extended at right angles, for multisampling. 3: with smooth edges (GL_LINE_SMOOTH).
  // Values other than 0 add stages, see af_program_draw_stages.
  uint8_t lines;
  // How polygons are rasterised (glPolygonMode). 0: as Metal does, and for draws of other primitives. 1: as lines with edge
  // flags. 2: as points with edge flags. Values other than 0 add stages, see af_program_draw_stages.
  uint8_t polygon_mode;
  // The polygons that triangles are parts of, with polygon_mode. 0: each triangle. 1: two consecutive ones are a quad. 2: all
  // triangles of an instance are one polygon.
  uint8_t polygons;
  // The kernel for transform feedback that the last stage before rasterisation becomes, instead of the function that draws. 0: none.
  // 1: it counts primitives, for geometry shaders. 2: it writes primitives.
  uint8_t capture_step;
  // Mask of the vertex attributes, by location, that the function reads by their addresses in the block "vertex_buffers", see
  // AfVertexBuffer, instead of the vertex descriptor.
  uint32_t pulled;
  // Mask of the attributes of `pulled` that advance by instance.
  uint32_t instanced;
  // Mask of the attributes of `pulled` whose addresses or strides are not multiples of 4: they are read in bytes.
  uint32_t unaligned;
} AfStateKey;

// Location and initial value of a uniform after linking.
typedef struct {
  // sizeof(AfUniform).
  uint32_t size;
  // Binding of the shaders, which arguments have: a texture or image. AF_NONE for others.
  uint32_t binding;
  // 1 if the source declares the binding; if not, the texture unit is 0 until the application sets it.
  uint32_t explicit_binding;
  // Element of the array of textures or images that it begins at.
  uint32_t element;
  // Bytes from the start of the block, or of the buffer of the default uniform block; AF_NONE for others.
  uint32_t offset;
  // Bytes from one element to the next.
  uint32_t array_stride;
  // Bytes from one column or row to the next.
  uint32_t matrix_stride;
  // 1: a built-in uniform, whose value the driver supplies.
  uint32_t builtin;
  // Number of scalars of the initial value; 0: all bits are zero.
  uint32_t initial_count;
  // Zero.
  uint32_t reserved;
  // The bits of each scalar of the initial value. They live as long as the program.
  const uint64_t *initial;
} AfUniform;

// A specialization: an entry point of a SPIR-V module with values of its specialization constants.
typedef struct {
  // sizeof(AfSpecializeInfo).
  uint32_t size;
  // Stage.
  AfStage stage;
  // Name of the object in logs; NULL: "0".
  const char *name;
  // The module.
  const uint32_t *words;
  // Its words.
  size_t word_count;
  // Name of the entry point.
  const char *entry;
  // IDs of the constants to set.
  const uint32_t *constant_ids;
  // Bits of their values.
  const uint32_t *constant_values;
  // Number of constants to set.
  uint32_t constant_count;
  // 0.
  uint32_t reserved;
} AfSpecializeInfo;

// Where a vertex attribute is in memory. Functions of keys with `pulled` attributes read the uniform block "vertex_buffers" (set
// AF_DRIVER_SET, binding 26), an array of 32 of these by location. The driver makes the buffers resident.
typedef struct {
  // Address of the first element: gpuAddress of the buffer, plus the offsets of its binding and of the attribute.
  uint64_t address;
  // Elements that are in the buffer. Robust devices read zeros beyond them.
  uint32_t count;
  // Bytes from an element to the next one.
  uint32_t stride;
  // Instances that read one element, not zero; for attributes that advance by instance.
  uint32_t divisor;
  // Zero.
  uint32_t reserved[3];
} AfVertexBuffer;

// The contents of the uniform block "driver" (set 65535, binding 18), which functions of some keys read. One buffer serves all
// functions of a draw; af_function_argument returns its Metal index, which driver_buffer of AfDeviceInfo can fix.
typedef struct {
  // Height of the framebuffer in pixels.
  float height;
  // Width of the framebuffer in pixels.
  float width;
  // Reference value of the alpha test (glAlphaFunc).
  float alpha_reference;
  // Samples that are written: the conjunction of glSampleMaski and the mask of glSampleCoverage.
  uint32_t sample_mask;
  // Size of points (glPointSize), clamped by the driver.
  float point_size;
  // Least size of points.
  float point_size_min;
  // Largest size of points.
  float point_size_max;
  // Mask of the enabled clip distances (GL_CLIP_DISTANCE0 is bit 0).
  uint32_t clip_enable;
  // Color of the fog.
  float fog_color[4];
  // Density of the fog.
  float fog_density;
  // End of linear fog.
  float fog_end;
  // 1 / (end - start) of linear fog.
  float fog_scale;
  // Zero.
  uint32_t reserved;
  // Clip planes: in eye coordinates for shaders that write gl_ClipVertex, otherwise in clip coordinates.
  float clip_planes[8][4];
  // The stipple pattern: bit x of row y is the pixel (x, y), modulo 32, from the lower left corner of the window.
  uint32_t polygon_stipple[32];
  // Half of the width and of the height of the viewport in pixels.
  float viewport[2];
  // Width of lines in pixels, clamped by the driver; a whole number for lines that are aliased.
  float line_width;
  // The pattern of glLineStipple in the lower 16 bits, and the factor in the upper ones.
  uint32_t line_stipple;
  // Bit 0: front faces are culled. Bit 1: back faces are culled. Bit 2: front faces are clockwise in the clip coordinates that
  // the function writes, with y upwards.
  uint32_t faces;
  // Triangles of a polygon, if the key has polygons 2.
  uint32_t polygon_triangles;
  // Zero.
  uint32_t reserved_end[2];
} AfDriverValues;

// GL_VERTEX_PROGRAM_ARB.
#define AF_ASSEMBLY_VERTEX 0

// GL_FRAGMENT_PROGRAM_ARB.
#define AF_ASSEMBLY_FRAGMENT 1

// An environment parameter of the target.
#define AF_PARAMETER_ENV 0

// A local parameter of the program.
#define AF_PARAMETER_LOCAL 1

// A constant of the program.
#define AF_PARAMETER_CONSTANT 2

// State of OpenGL, by its name.
#define AF_PARAMETER_STATE 3

// A Metal library.
#define AF_OUTPUT_METALLIB 0

// LLVM assembly of the functions, one after the other.
#define AF_OUTPUT_LL 1

// A SPIR-V module; the input has one stage.
#define AF_OUTPUT_SPIRV 2

// The text form of the IR before optimization.
#define AF_OUTPUT_FOIL 3

// Uniform block.
#define AF_ARGUMENT_UNIFORM_BUFFER 0

// Storage block.
#define AF_ARGUMENT_STORAGE_BUFFER 1

// Push constants.
#define AF_ARGUMENT_PUSH_CONSTANTS 2

// Default uniform block.
#define AF_ARGUMENT_DEFAULT_UNIFORMS 3

// Sizes of the storage buffers in bytes as 32-bit numbers, by Metal buffer index.
#define AF_ARGUMENT_BUFFER_SIZES 4

// Sampled texture.
#define AF_ARGUMENT_TEXTURE 5

// Storage image.
#define AF_ARGUMENT_IMAGE 6

// Sampler.
#define AF_ARGUMENT_SAMPLER 7

// Argument buffer.
#define AF_ARGUMENT_ARGUMENT_BUFFER 8

// Positions have y flipped.
#define AF_STATE_FLIP_Y 1

// Depths of clip space are in -w to w (GL_NEGATIVE_ONE_TO_ONE); without it they are in 0 to w.
#define AF_STATE_HALF_Z 2

// Fragment shaders see y of the window flipped. The driver's block holds the height of the framebuffer.
#define AF_STATE_FLIP_WINDOW 4

// gl_FrontFacing is inverted.
#define AF_STATE_FLIP_FACE 8

// Transform feedback is active; for programs with tessellation or geometry shaders see capture_step.
#define AF_STATE_CAPTURE 16

// The first vertex of a primitive provokes (GL_FIRST_VERTEX_CONVENTION).
#define AF_STATE_FIRST_PROVOKES 32

// GL_RASTERIZER_DISCARD: the last stage before rasterisation has no outputs.
#define AF_STATE_RASTERIZER_DISCARD 64

// Fragments write only the samples of the mask in the driver's block (glSampleMaski, glSampleCoverage).
#define AF_STATE_SAMPLE_MASK 128

// There is no depth attachment.
#define AF_STATE_NO_DEPTH 256

// There is no stencil attachment.
#define AF_STATE_NO_STENCIL 512

// Blending does not read the second source.
#define AF_STATE_NO_DUAL_SOURCE 1024

// Colors are those of the provoking vertex (GL_FLAT).
#define AF_STATE_FLAT_COLORS 2048

// Back faces have the back colors (GL_VERTEX_PROGRAM_TWO_SIDE).
#define AF_STATE_TWO_SIDED_COLORS 4096

// Colors of vertices are clamped to 0 to 1 (GL_CLAMP_VERTEX_COLOR).
#define AF_STATE_CLAMP_VERTEX_COLORS 8192

// Colors of fragments are clamped to 0 to 1 (GL_CLAMP_FRAGMENT_COLOR).
#define AF_STATE_CLAMP_FRAGMENT_COLORS 16384

// The fragment shader runs once per sample (GL_SAMPLE_SHADING).
#define AF_STATE_SAMPLE_SHADING 32768

// Fragments are left out by the pattern in the driver's block (GL_POLYGON_STIPPLE); for filled polygons only.
#define AF_STATE_POLYGON_STIPPLE 65536

// The origin of points is their lower left corner (GL_POINT_SPRITE_COORD_ORIGIN); for points only.
#define AF_STATE_POINT_LOWER_LEFT 131072

// The coordinate of the fog is the distance to the eye plane (GL_FRAGMENT_DEPTH) instead of the varying.
#define AF_STATE_FOG_DEPTH 262144

// The mask of the enabled clip distances is in the driver's block, not in the key.
#define AF_STATE_DYNAMIC_CLIP 524288

// Lines have the pattern in the driver's block (GL_LINE_STIPPLE); for lines, and polygons with polygon_mode 1.
#define AF_STATE_LINE_STIPPLE 1048576

// All lines of the draw are one strip or loop of one instance, along which the pattern continues.
#define AF_STATE_LINE_STRIP 2097152

// Vertices have edge flags: a uint attribute at location 30, zero for edges that are not drawn.
#define AF_STATE_EDGE_FLAGS 4194304

// Points are smooth (GL_POINT_SMOOTH); for points that are not sprites.
#define AF_STATE_SMOOTH_POINTS 8388608

// The kind that the shader writes.
#define AF_ATTACHMENT_AS_WRITTEN 0

// There is no attachment.
#define AF_ATTACHMENT_NONE 1

// Floats or normalised values.
#define AF_ATTACHMENT_FLOAT 2

// Signed integers.
#define AF_ATTACHMENT_INT 3

// Unsigned integers.
#define AF_ATTACHMENT_UINT 4

// Unsigned normalised values of 8 bits: floats with logic operations.
#define AF_ATTACHMENT_UNORM8 5

// Metal converts it.
#define AF_VERTEX_FORMAT_NATIVE 0

// Signed integers; the attribute is an int4.
#define AF_VERTEX_FORMAT_INT 1

// Unsigned integers; the attribute is a uint4.
#define AF_VERTEX_FORMAT_UINT 2

// Normalised signed integers of 32 bits; the attribute is an int4.
#define AF_VERTEX_FORMAT_SNORM32 3

// Normalised unsigned integers of 32 bits; the attribute is a uint4.
#define AF_VERTEX_FORMAT_UNORM32 4

// Fixed point (GL_FIXED); the attribute is an int4.
#define AF_VERTEX_FORMAT_FIXED 5

// GL_INT_2_10_10_10_REV that is not normalised; the attribute is a uint.
#define AF_VERTEX_FORMAT_PACKED_INT 6

// GL_UNSIGNED_INT_2_10_10_10_REV that is not normalised; the attribute is a uint.
#define AF_VERTEX_FORMAT_PACKED_UINT 7

// GL_DOUBLE; the attribute is a uint4, and another one at its location plus 16 has components z and w. For locations below 16.
#define AF_VERTEX_FORMAT_DOUBLE 8

// Signed integers of 8 bits. In the vertex descriptor, integers of all widths mean AF_VERTEX_FORMAT_INT or UINT.
#define AF_VERTEX_FORMAT_INT8 9

// Unsigned integers of 8 bits.
#define AF_VERTEX_FORMAT_UINT8 10

// Normalised signed integers of 8 bits. Metal converts this format and those after it, apart from integers, to floats: in the vertex
// descriptor they mean AF_VERTEX_FORMAT_NATIVE.
#define AF_VERTEX_FORMAT_SNORM8 11

// Normalised unsigned integers of 8 bits.
#define AF_VERTEX_FORMAT_UNORM8 12

// Normalised unsigned integers of 8 bits in the order blue, green, red, alpha (size GL_BGRA).
#define AF_VERTEX_FORMAT_UNORM8_BGRA 13

// Signed integers of 16 bits.
#define AF_VERTEX_FORMAT_INT16 14

// Unsigned integers of 16 bits.
#define AF_VERTEX_FORMAT_UINT16 15

// Normalised signed integers of 16 bits.
#define AF_VERTEX_FORMAT_SNORM16 16

// Normalised unsigned integers of 16 bits.
#define AF_VERTEX_FORMAT_UNORM16 17

// Floats of 16 bits (GL_HALF_FLOAT).
#define AF_VERTEX_FORMAT_HALF 18

// GL_INT_2_10_10_10_REV, normalised.
#define AF_VERTEX_FORMAT_PACKED_SNORM 19

// The same in the order blue, green, red, alpha (size GL_BGRA).
#define AF_VERTEX_FORMAT_PACKED_SNORM_BGRA 20

// GL_UNSIGNED_INT_2_10_10_10_REV, normalised.
#define AF_VERTEX_FORMAT_PACKED_UNORM 21

// The same in the order blue, green, red, alpha (size GL_BGRA).
#define AF_VERTEX_FORMAT_PACKED_UNORM_BGRA 22

// GL_UNSIGNED_INT_10F_11F_11F_REV.
#define AF_VERTEX_FORMAT_PACKED_FLOAT 23

// Vertex shader.
#define AF_STAGE_VERTEX 0

// Tessellation control shader.
#define AF_STAGE_TESS_CONTROL 1

// Tessellation evaluation shader.
#define AF_STAGE_TESS_EVALUATION 2

// Geometry shader.
#define AF_STAGE_GEOMETRY 3

// Fragment shader.
#define AF_STAGE_FRAGMENT 4

// Compute shader.
#define AF_STAGE_COMPUTE 5

// The default: AF_LEVEL_FULL.
#define AF_LEVEL_DEFAULT 0

// Only the lowering that the target requires.
#define AF_LEVEL_NONE 1

// All passes.
#define AF_LEVEL_FULL 2

// The default: AF_MATH_RELAXED.
#define AF_MATH_DEFAULT 0

// As written.
#define AF_MATH_PRECISE 1

// The freedom that OpenGL and Vulkan give.
#define AF_MATH_RELAXED 2

// The default of Apple's compiler: also reassociation, and no NaNs and infinities.
#define AF_MATH_FAST 3

// Each resource has an index of its own.
#define AF_BINDING_DIRECT 0

// All resources of a stage are in one argument buffer. Functions that depend on sizes of storage blocks have a buffer of them.
#define AF_BINDING_TABLE 1

// The uniform blocks of a stage are in one argument buffer.
#define AF_BINDING_UNIFORM_TABLE 2

// Out-of-bounds reads return zero, out-of-bounds writes are dropped.
#define AF_WORKAROUND_ROBUST 1

// All 1D textures are 2D, so that they can have mipmaps.
#define AF_WORKAROUND_FLAT_1D_TEXTURES 2

// GLSL ES 1.00 is limited to its appendix A.
#define AF_WORKAROUND_ENFORCE_ES100_LIMITS 4

// Storage buffers that are not `restrict` never overlap either.
#define AF_WORKAROUND_ASSUME_NO_ALIAS 8

// An error.
#define AF_SEVERITY_ERROR 0

// A warning.
#define AF_SEVERITY_WARNING 1

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Reads an assembly program (glProgramStringARB): so many bytes of text, or up to a NUL if `length` is negative. `name` identifies the
// object in logs; NULL: "0". A program with errors is a shader, too: af_shader_status, af_shader_log and `error_position` of
// af_shader_assembly describe it. `bounds` may be NULL.
AfResult af_shader_assemble(const AfDevice *device,
                            AfAssemblyTarget target,
                            const char *name,
                            const char *string,
                            int32_t length,
                            const AfBudget *bounds,
                            AfShader **shader);

// Facts about a shader that af_shader_assemble made.
AfResult af_shader_assembly(const AfShader *shader, AfAssembly *assembly);

// A vector of the uniform block of the parameters of a shader of assembly or fixed functions. The name lives as long as the shader.
AfResult af_shader_parameter(const AfShader *shader,
                             uint32_t index,
                             AfParameter *parameter);

// A texture image unit of a shader that af_shader_assemble made, in ascending order.
AfResult af_shader_unit(const AfShader *shader, uint32_t index, AfUnit *unit);

// The index of the uniform block (of GL_UNIFORM_BLOCK) with the parameters of the assembly program or fixed functions of a stage, or
// AF_NONE.
uint32_t af_program_parameter_block(const AfProgram *program,
                                    AfStage stage);

// The bytes of a blob, which live as long as the blob. A NUL follows them, so that text can be used as it is.
AfBytes af_blob_bytes(const AfBlob *blob);

// Adds 1 to the count of a blob and returns the blob.
AfBlob *af_blob_retain(AfBlob *blob);

// Subtracts 1 from the count of a blob.
void af_blob_release(AfBlob *blob);

// Creates a switch that is not set.
AfResult af_cancel_create(AfCancel **cancel);

// Stops all calls that have the switch in their budget, on any thread, and those that follow.
AfResult af_cancel_set(const AfCancel *cancel);

// Adds 1 to the count of a switch and returns the switch.
AfCancel *af_cancel_retain(AfCancel *cancel);

// Subtracts 1 from the count of a switch.
void af_cancel_release(AfCancel *cancel);

// Makes the kernel between the steps of transform feedback, as a program with a compute shader: it replaces the counts of primitives by
// their exclusive prefix sums and updates the counters. It is dispatched as one threadgroup, with the storage buffers "Counts" (binding 0:
// "xfb_counts"), "Counters" (binding 1: "xfb_counters") and the uniform block "Sums" (binding 0) of two words: the count of records,
// and the vertices of a primitive. `bounds` may be NULL.
AfResult af_program_capture_sums(const AfDevice *device,
                                 const AfBudget *bounds,
                                 AfProgram **program);

// The counters of glBeginTransformFeedback, with the limits for the bytes that are bound of buffers 0 to 3, and the vertices of a
// primitive. Only for programs with tessellation or geometry shaders.
AfResult af_program_capture_counters(const AfProgram *program,
                                     const uint64_t *bytes,
                                     AfCaptureCounters *counters,
                                     uint32_t *vertices);

// Compiles a program in GLSL, or an entry point of a SPIR-V module, for no particular state. `bounds` and `error`, which gets a
// message, may be NULL.
AfResult af_compile(const AfDevice *device,
                    const AfCompileInfo *info,
                    const AfBudget *bounds,
                    AfBlob **output,
                    AfBlob **error);

// Creates a device. `info` may be NULL; `error`, too, gets a message if the options are wrong.
AfResult af_device_create(const AfDeviceInfo *info, AfDevice **device, AfBlob **error);

// Adds 1 to the count of a device and returns the device.
AfDevice *af_device_retain(AfDevice *device);

// Subtracts 1 from the count of a device.
void af_device_release(AfDevice *device);

// The conversion of a color space (AF_COLOR_SPACE_*) and a range (AF_RANGE_*) of 8-bit planes, with chroma samples in the middle
// between those of Y.
AfResult af_external_image(uint32_t color_space,
                           uint32_t range,
                           AfExternalImage *image);

// Makes the vertex shader that stands for the fixed functions of a state. It links with a fragment shader of fixed functions, of
// assembly or of GLSL. af_shader_parameter has the contents of its block of parameters, and af_program_parameter_block the block.
AfResult af_shader_fixed_vertex(const AfDevice *device,
                                const AfFixedVertexKey *key,
                                AfShader **shader);

// Makes the fragment shader that stands for the fixed functions of a state: as af_shader_fixed_vertex. Textures have the binding of
// their unit.
AfResult af_shader_fixed_fragment(const AfDevice *device,
                                  const AfFixedFragmentKey *key,
                                  AfShader **shader);

// The number of vectors in the block of parameters of a shader of assembly or fixed functions; 0 for others.
uint32_t af_shader_parameter_count(const AfShader *shader);

// The library, for newLibraryWithData:. The bytes live as long as the function.
AfBytes af_function_metallib(const AfFunction *function);

// The name, for newFunctionWithName:.
AfText af_function_name(const AfFunction *function);

// Number of arguments.
uint32_t af_function_argument_count(const AfFunction *function);

// An argument. The text in it lives as long as the function.
AfResult af_function_argument(const AfFunction *function, uint32_t index, AfArgument *argument);

// Adds 1 to the count of a function and returns the function.
AfFunction *af_function_retain(AfFunction *function);

// Subtracts 1 from the count of a function.
void af_function_release(AfFunction *function);

// Joins separable programs to one for draws with their pipeline (glUseProgramStages, glValidateProgramPipeline). `stages` has the stages
// that are used of each program, bits `1 << AF_STAGE_...`; NULL: all. `bounds` may be NULL. A pipeline that does not validate is a
// program, too: af_program_status and af_program_log describe it. Uniforms and blocks are those of each program.
AfResult af_program_pipeline(const AfDevice *device,
                             uint32_t count,
                             const AfProgram *const *programs,
                             const uint32_t *stages,
                             const AfBudget *bounds,
                             AfProgram **program);

// Links shaders (glLinkProgram). `info` and `bounds` may be NULL. A program with errors is a program, too: af_program_status
// and af_program_log describe it.
AfResult af_program_link(const AfDevice *device,
                         uint32_t count,
                         const AfShader *const *shaders,
                         const AfLinkInfo *info,
                         const AfBudget *bounds,
                         AfProgram **program);

// Restores a program that af_program_store wrote (glProgramBinary). `error`, which may be NULL, gets a message.
AfResult af_program_restore(const AfDevice *device,
                            const void *data,
                            size_t length,
                            AfProgram **program,
                            AfBlob **error);

// Stores a program: its code, reflection and options (glGetProgramBinary). The bytes are for the same version of the library.
AfResult af_program_store(const AfProgram *program,
                          AfBlob **stored);

// 1 if the program linked (GL_LINK_STATUS), 0 if it has errors. The other functions of a program require 1.
uint32_t af_program_status(const AfProgram *program);

// The errors and warnings (GL_INFO_LOG), one per line.
AfText af_program_log(const AfProgram *program);

// The stages: bit 1 << AF_STAGE_* of each.
uint32_t af_program_stages(const AfProgram *program);

// The views that the program declares (num_views of GL_OVR_multiview), or 1: the draw framebuffer must have as many. Draws have
// as many instances per instance, and vertex attributes divisors that are multiplied by it.
uint32_t af_program_views(const AfProgram *program);

// The stages that a draw with a key has: bit 1 << AF_STAGE_* of each. They are those of the program, and a geometry stage if
// the key asks for lines or polygons that Metal does not rasterise, or the program tessellates to isolines or points: its
// function, which af_program_variant makes, too, is a mesh function, and those of the stages before it are kernels.
AfResult af_program_draw_stages(const AfProgram *program,
                                const AfStateKey *key,
                                uint32_t *stages);

// A hash of everything that functions depend on besides the key: 32 bytes.
AfResult af_program_identity(const AfProgram *program, uint8_t *identity);

// The fields of a key that can change the code: the bits of AF_STATE_* flags, and from bit 32 on clip_enable, point_size,
// color_attachments, patch_vertices, index_bits.
AfResult af_program_depends_on(const AfProgram *program,
                               uint64_t *mask);

// Resets everything in a key that cannot change the code of the program.
AfResult af_program_canonical(const AfProgram *program, AfStateKey *key);

// Resets everything in a key that cannot change the code of a stage: the key of a cache of functions.
AfResult af_program_stage_canonical(const AfProgram *program, AfStage stage, AfStateKey *key);

// Creates the function of one stage for a state. `key`, `bounds` and `error`, which gets a message, may be NULL. Keys with the
// same canonical form give the same bytes.
AfResult af_program_variant(const AfProgram *program,
                            AfStage stage,
                            const AfStateKey *key,
                            const AfBudget *bounds,
                            AfFunction **function,
                            AfBlob **error);

// Number of arguments of a stage's function for the default state; 0 if the program does not have the stage. Other states only
// add blocks of the driver.
uint32_t af_program_argument_count(const AfProgram *program,
                                   AfStage stage);

// An argument of a stage's function: the Metal index of a resource. The text in it lives as long as the program.
AfResult af_program_argument(const AfProgram *program, AfStage stage, uint32_t index, AfArgument *argument);

// Adds 1 to the count of a program and returns the program.
AfProgram *af_program_retain(AfProgram *program);

// Subtracts 1 from the count of a program.
void af_program_release(AfProgram *program);

// A property of an interface (glGetProgramInterfaceiv): GL_ACTIVE_RESOURCES and so on.
AfResult af_program_interface(const AfProgram *program, uint32_t interface, uint32_t property, int32_t *value);

// The name of a resource (glGetProgramResourceName), which lives as long as the program.
AfResult af_program_resource_name(const AfProgram *program, uint32_t interface, uint32_t index, AfText *name);

// The index of the resource with a name (glGetProgramResourceIndex); AF_NONE, which is GL_INVALID_INDEX, if there is none.
AfResult af_program_resource_index(const AfProgram *program,
                                   uint32_t interface,
                                   const char *name,
                                   uint32_t *index);

// The location of a variable or an element of an array (glGetProgramResourceLocation), or -1.
AfResult af_program_resource_location(const AfProgram *program,
                                      uint32_t interface,
                                      const char *name,
                                      int32_t *location);

// Properties of a resource (glGetProgramResourceiv). Writes up to `capacity` values, and to `length`, which may be NULL, how many
// there are; AF_INCOMPLETE if there are more than `capacity`.
AfResult af_program_resource(const AfProgram *program,
                             uint32_t interface,
                             uint32_t index,
                             uint32_t property_count,
                             const uint32_t *properties,
                             uint32_t capacity,
                             int32_t *values,
                             uint32_t *length);

// Facts about resource `index` of GL_UNIFORM that queries of OpenGL do not return, but a driver needs.
AfResult af_program_uniform(const AfProgram *program, uint32_t index, AfUniform *uniform);

// The buffer of the uniforms outside of blocks: its binding, which an argument has, and its bytes. Both are 0 if there is none.
AfResult af_program_default_block(const AfProgram *program,
                                  uint32_t *binding,
                                  uint32_t *bytes);

// Compiles GLSL (glCompileShader). The strings are read as one text; `lengths` is NULL, or has the length of each string,
// negative for those that end in a NUL. `name` identifies the object in logs; NULL: "0". A shader with errors is a shader,
// too: af_shader_status and af_shader_log describe it.
AfResult af_shader_compile(const AfDevice *device,
                           AfStage stage,
                           const char *name,
                           uint32_t count,
                           const char *const *strings,
                           const int32_t *lengths,
                           const AfBudget *bounds,
                           AfShader **shader);

// Specializes a SPIR-V module (glShaderBinary and glSpecializeShader). A module that is wrong or unsupported gives a shader, too:
// af_shader_status and af_shader_log describe it. An entry point or constant that does not exist is AF_ERROR_GL_VALUE. `bounds` may
// be NULL.
AfResult af_shader_specialize(const AfDevice *device,
                              const AfSpecializeInfo *info,
                              const AfBudget *bounds,
                              AfShader **shader);

// 1 if the shader is a SPIR-V module (GL_SPIR_V_BINARY), 0 otherwise.
uint32_t af_shader_is_spirv(const AfShader *shader);

// 1 if the shader compiled (GL_COMPILE_STATUS), 0 if it has errors.
uint32_t af_shader_status(const AfShader *shader);

// The errors and warnings (GL_INFO_LOG), one per line.
AfText af_shader_log(const AfShader *shader);

// Adds 1 to the count of a shader and returns the shader.
AfShader *af_shader_retain(AfShader *shader);

// Subtracts 1 from the count of a shader.
void af_shader_release(AfShader *shader);

// The version of the interface that the library has: AF_VERSION when it was compiled.
uint32_t af_version(void);

// The version of the compiler, as `0.1.0`.
AfText af_version_text(void);

// The record of an attribute that advances by vertex, or by each instance, with `bytes` bytes from the first element at
// `address` to the end of the buffer.
AfResult af_vertex_buffer(uint64_t address,
                          uint64_t bytes,
                          uint32_t stride,
                          AfVertexFormat format,
                          AfVertexBuffer *buffer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AIRFOIL_H */
