// A miniature OpenGL driver over libairfoil: the objects, queries and draws of programs, without a GPU. A draw returns the Metal
// functions that an encoder would be given.
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned GLenum;
typedef unsigned GLuint;
typedef int GLint;
typedef int GLsizei;
typedef float GLfloat;

enum {
  GL_NO_ERROR = 0,
  GL_POINTS = 0,
  GL_TRIANGLES = 4,
  GL_INVALID_ENUM = 0x0500,
  GL_INVALID_VALUE = 0x0501,
  GL_INVALID_OPERATION = 0x0502,
  GL_OUT_OF_MEMORY = 0x0505,
  GL_CW = 0x0900,
  GL_CCW = 0x0901,
  GL_CLIP_DISTANCE0 = 0x3000,
  GL_PROGRAM_POINT_SIZE = 0x8642,
  GL_PROGRAM_BINARY_LENGTH = 0x8741,
  GL_FRAGMENT_SHADER = 0x8B30,
  GL_VERTEX_SHADER = 0x8B31,
  GL_COMPILE_STATUS = 0x8B81,
  GL_LINK_STATUS = 0x8B82,
  GL_INFO_LOG_LENGTH = 0x8B84,
  GL_LOWER_LEFT = 0x8CA1,
  GL_UPPER_LEFT = 0x8CA2,
  GL_UNIFORM = 0x92E1,
  GL_PROGRAM_INPUT = 0x92E3,
  GL_ACTIVE_RESOURCES = 0x92F5,
  GL_TYPE = 0x92FA,
  GL_ARRAY_SIZE = 0x92FB,
  GL_LOCATION = 0x930E,
  GL_NEGATIVE_ONE_TO_ONE = 0x935E,
  GL_ZERO_TO_ONE = 0x935F,
  // The only format of program binaries.
  MGL_PROGRAM_BINARY_FORMAT = 1
};

// The arguments of a draw for Metal.
typedef struct Draw {
  const void *libraries[2];  // of the vertex and of the fragment function
  size_t lengths[2];
  const char *functions[2];
  const void *uniforms;  // of the default block, or NULL
  size_t uniform_bytes;
  unsigned uniform_index[2];  // Metal buffer index of the default block, or ~0
} Draw;

typedef struct Shared Shared;    // objects that contexts share
typedef struct Context Context;  // one per thread

Shared *mglCreateShared(const char *target);
void mglDestroyShared(Shared *shared);
Context *mglCreateContext(Shared *shared);
void mglDestroyContext(Context *context);
GLenum mglGetError(Context *context);

GLuint mglCreateShader(Context *context, GLenum type);
void mglShaderSource(Context *context, GLuint shader, GLsizei count, const char *const *strings, const GLint *lengths);
void mglCompileShader(Context *context, GLuint shader);
void mglGetShaderiv(Context *context, GLuint shader, GLenum name, GLint *value);
void mglGetShaderInfoLog(Context *context, GLuint shader, GLsizei size, GLsizei *length, char *log);
void mglDeleteShader(Context *context, GLuint shader);

GLuint mglCreateProgram(Context *context);
void mglAttachShader(Context *context, GLuint program, GLuint shader);
void mglBindAttribLocation(Context *context, GLuint program, GLuint location, const char *name);
void mglLinkProgram(Context *context, GLuint program);
void mglGetProgramiv(Context *context, GLuint program, GLenum name, GLint *value);
void mglGetProgramInfoLog(Context *context, GLuint program, GLsizei size, GLsizei *length, char *log);
GLint mglGetAttribLocation(Context *context, GLuint program, const char *name);
GLint mglGetUniformLocation(Context *context, GLuint program, const char *name);
void mglGetProgramInterfaceiv(Context *context, GLuint program, GLenum interface, GLenum name, GLint *value);
void mglGetProgramResourceName(Context *context, GLuint program, GLenum interface, GLuint index, GLsizei size,
                               GLsizei *length, char *name);
void mglGetProgramResourceiv(Context *context, GLuint program, GLenum interface, GLuint index, GLsizei count,
                             const GLenum *properties, GLsizei size, GLsizei *length, GLint *values);
void mglGetProgramBinary(Context *context, GLuint program, GLsizei size, GLsizei *length, GLenum *format, void *binary);
void mglProgramBinary(Context *context, GLuint program, GLenum format, const void *binary, GLsizei length);
void mglDeleteProgram(Context *context, GLuint program);

void mglUseProgram(Context *context, GLuint program);
void mglUniform4f(Context *context, GLint location, GLfloat x, GLfloat y, GLfloat z, GLfloat w);
void mglEnable(Context *context, GLenum capability);
void mglDisable(Context *context, GLenum capability);
void mglClipControl(Context *context, GLenum origin, GLenum depth);
void mglDrawArrays(Context *context, GLenum mode, GLint first, GLsizei count, Draw *draw);

// Functions that were created for a program so far.
unsigned mglCountFunctions(Context *context, GLuint program);

#endif
