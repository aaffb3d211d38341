// An application of the driver: compiles and links a program, asks for its resources, draws with 100 states on 8 threads, and
// stores and restores the program.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { THREADS = 8, STATES = 100 };

#define REQUIRE(condition)                                             \
  do {                                                                 \
    if (!(condition)) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

static const char *const vertex_source[2] = {
    "#version 330\n",
    "in vec4 position; in vec2 uv; out vec2 v_uv; out float gl_ClipDistance[4]; uniform vec4 offset;\n"
    "void main() {\n"
    "  gl_Position = position + offset; v_uv = uv;\n"
    "  gl_ClipDistance[0] = position.x; gl_ClipDistance[1] = position.y;\n"
    "  gl_ClipDistance[2] = position.z; gl_ClipDistance[3] = 1.0 - position.x;\n"
    "}\n"};

static const char *const fragment_source =
    "#version 330\n"
    "in vec2 v_uv; uniform vec4 tint; uniform sampler2D image; out vec4 color;\n"
    "void main() { color = texture(image, v_uv) * tint + vec4(gl_FragCoord.y * 0.001, gl_FrontFacing, 0.0, 0.0); }\n";

static GLuint compile(Context *context, GLenum type, GLsizei count, const char *const *strings) {
  GLuint shader = mglCreateShader(context, type);
  GLint status = 0;
  mglShaderSource(context, shader, count, strings, NULL);
  mglCompileShader(context, shader);
  mglGetShaderiv(context, shader, GL_COMPILE_STATUS, &status);
  if (!status) {
    char log[1000];
    mglGetShaderInfoLog(context, shader, sizeof log, NULL, log);
    fprintf(stderr, "%s", log);
    exit(1);
  }
  return shader;
}

static GLuint link(Context *context) {
  GLuint vertex = compile(context, GL_VERTEX_SHADER, 2, vertex_source);
  GLuint fragment = compile(context, GL_FRAGMENT_SHADER, 1, &fragment_source);
  GLuint program = mglCreateProgram(context);
  GLint status = 0;
  mglAttachShader(context, program, vertex);
  mglAttachShader(context, program, fragment);
  mglBindAttribLocation(context, program, 3, "uv");
  mglLinkProgram(context, program);
  mglGetProgramiv(context, program, GL_LINK_STATUS, &status);
  if (!status) {
    char log[1000];
    mglGetProgramInfoLog(context, program, sizeof log, NULL, log);
    fprintf(stderr, "%s", log);
    exit(1);
  }
  mglDeleteShader(context, vertex);
  mglDeleteShader(context, fragment);
  return program;
}

static void list_uniforms(Context *context, GLuint program) {
  const GLenum properties[3] = {GL_TYPE, GL_ARRAY_SIZE, GL_LOCATION};
  GLint count = 0, values[3];
  mglGetProgramInterfaceiv(context, program, GL_UNIFORM, GL_ACTIVE_RESOURCES, &count);
  REQUIRE(count == 3);
  for (GLint n = 0; n < count; n++) {
    char name[64];
    GLsizei length = 0;
    mglGetProgramResourceName(context, program, GL_UNIFORM, (GLuint)n, sizeof name, NULL, name);
    mglGetProgramResourceiv(context, program, GL_UNIFORM, (GLuint)n, 3, properties, 3, &length, values);
    REQUIRE(length == 3 && values[2] == mglGetUniformLocation(context, program, name));
    printf("uniform %s: type 0x%04x, location %d\n", name, (unsigned)values[0], values[2]);
  }
}

// State number n; the driver makes as many functions as there are distinct ones.
static void set_state(Context *context, int n, GLenum *mode) {
  mglClipControl(context, n & 1 ? GL_UPPER_LEFT : GL_LOWER_LEFT, n & 2 ? GL_ZERO_TO_ONE : GL_NEGATIVE_ONE_TO_ONE);
  for (unsigned clip = 0; clip < 8; clip++) {
    (n >> 2 >> clip & 1 ? mglEnable : mglDisable)(context, GL_CLIP_DISTANCE0 + clip);
  }
  *mode = n % 5 ? GL_TRIANGLES : GL_POINTS;
}

typedef struct Job {
  pthread_t thread;
  Shared *shared;
  GLuint program;
  Draw draws[STATES];
} Job;

static void *draw_all(void *data) {
  Job *job = data;
  Context *context = mglCreateContext(job->shared);
  REQUIRE(context);
  mglUseProgram(context, job->program);
  mglUniform4f(context, mglGetUniformLocation(context, job->program, "tint"), 1.0f, 0.5f, 0.25f, 1.0f);
  for (int n = 0; n < STATES; n++) {
    GLenum mode;
    set_state(context, n, &mode);
    mglDrawArrays(context, mode, 0, 3, &job->draws[n]);
    REQUIRE(mglGetError(context) == GL_NO_ERROR);
    REQUIRE(memcmp(job->draws[n].libraries[0], "MTLB", 4) == 0 && memcmp(job->draws[n].libraries[1], "MTLB", 4) == 0);
    REQUIRE(job->draws[n].uniforms && job->draws[n].uniform_index[0] != ~0u);
  }
  mglDestroyContext(context);
  return NULL;
}

// Draws with all states on all threads; they get the same functions.
static void draw_on_threads(Shared *shared, GLuint program, Job *jobs) {
  for (int n = 0; n < THREADS; n++) {
    jobs[n].shared = shared;
    jobs[n].program = program;
    REQUIRE(pthread_create(&jobs[n].thread, NULL, draw_all, &jobs[n]) == 0);
  }
  for (int n = 0; n < THREADS; n++) REQUIRE(pthread_join(jobs[n].thread, NULL) == 0);
  for (int n = 1; n < THREADS; n++) {
    for (int state = 0; state < STATES; state++) {
      const Draw *one = &jobs[0].draws[state], *other = &jobs[n].draws[state];
      REQUIRE(one->libraries[0] == other->libraries[0] && one->libraries[1] == other->libraries[1]);
    }
  }
}

int main(void) {
  Shared *shared = mglCreateShared("macos14");
  REQUIRE(shared);
  Context *context = mglCreateContext(shared);
  REQUIRE(context);

  GLuint program = link(context);
  REQUIRE(mglGetAttribLocation(context, program, "uv") == 3);
  REQUIRE(mglGetAttribLocation(context, program, "none") == -1);
  list_uniforms(context, program);

  Job *jobs = calloc(THREADS, sizeof *jobs), *again = calloc(THREADS, sizeof *again);
  REQUIRE(jobs && again);
  draw_on_threads(shared, program, jobs);
  unsigned functions = mglCountFunctions(context, program);
  printf("%d draws on %d threads: %u functions\n", THREADS * STATES, THREADS, functions);
  REQUIRE(functions > 20 && functions < 2 * STATES);

  // A restored program has functions with the same bytes.
  GLint size = 0;
  GLsizei length = 0;
  GLenum format = 0;
  mglGetProgramiv(context, program, GL_PROGRAM_BINARY_LENGTH, &size);
  void *binary = malloc((size_t)size);
  REQUIRE(binary);
  mglGetProgramBinary(context, program, size, &length, &format, binary);
  REQUIRE(length == size && size > 0);
  GLuint restored = mglCreateProgram(context);
  mglProgramBinary(context, restored, format, binary, length);
  GLint status = 0;
  mglGetProgramiv(context, restored, GL_LINK_STATUS, &status);
  REQUIRE(status);
  draw_on_threads(shared, restored, again);
  for (int n = 0; n < STATES; n++) {
    for (int stage = 0; stage < 2; stage++) {
      const Draw *one = &jobs[0].draws[n], *other = &again[0].draws[n];
      REQUIRE(one->lengths[stage] == other->lengths[stage]);
      REQUIRE(memcmp(one->libraries[stage], other->libraries[stage], one->lengths[stage]) == 0);
    }
  }
  printf("stored in %d bytes, restored with equal functions\n", length);

  // A damaged binary does not link, and the program can be linked instead.
  ((char *)binary)[length / 2] ^= 1;
  mglProgramBinary(context, restored, format, binary, length);
  mglGetProgramiv(context, restored, GL_LINK_STATUS, &status);
  REQUIRE(!status && mglGetError(context) == GL_NO_ERROR);

  // Errors have a log.
  const char *wrong = "void main() { gl_Position = vec5(1.0); }";
  GLuint shader = mglCreateShader(context, GL_VERTEX_SHADER);
  mglShaderSource(context, shader, 1, &wrong, NULL);
  mglCompileShader(context, shader);
  mglGetShaderiv(context, shader, GL_COMPILE_STATUS, &status);
  char log[200];
  mglGetShaderInfoLog(context, shader, sizeof log, NULL, log);
  REQUIRE(!status && strstr(log, "vec5"));
  printf("%s", log);

  mglDeleteShader(context, shader);
  mglDeleteProgram(context, program);
  mglDeleteProgram(context, restored);
  REQUIRE(mglGetError(context) == GL_NO_ERROR);
  free(binary);
  free(jobs);
  free(again);
  mglDestroyContext(context);
  mglDestroyShared(shared);
  return 0;
}
