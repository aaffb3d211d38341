#include "driver.h"

#include <airfoil.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 64, MOST_ATTACHED = 8, MOST_BINDINGS = 16, BUCKETS = 64 };

typedef struct Shader {
  GLenum type;
  char *source;
  AfShader *compiled;
} Shader;

// A function of the cache of a program. It is never removed, so that draws use it without a lock.
typedef struct CachedFunction {
  AfStage stage;
  AfStateKey key;
  AfFunction *function;
  struct CachedFunction *next;
} CachedFunction;

// A linked program, which draws of other threads may use while it is linked again.
typedef struct Executable {
  AfProgram *program;
  unsigned count;  // of those who use it, guarded by Shared.mutex
  uint64_t depends_on;
  unsigned uniform_index[2];
  uint32_t uniform_binding, uniform_bytes;
  pthread_mutex_t mutex;
  CachedFunction *buckets[BUCKETS];
  unsigned functions;
} Executable;

typedef struct Program {
  int is_used;
  GLuint attached[MOST_ATTACHED];
  AfBinding attributes[MOST_BINDINGS];
  uint32_t attached_count, attribute_count;
  Executable *executable;  // of the last link that succeeded
  AfProgram *last;         // the last link, for its log
} Program;

struct Shared {
  AfDevice *device;
  pthread_mutex_t mutex;  // guards names and everything they refer to, but not executables
  Shader shaders[MOST_OBJECTS];
  Program programs[MOST_OBJECTS];
};

struct Context {
  Shared *shared;
  GLenum error;
  GLuint program;
  Executable *executable;
  unsigned char *uniforms;
  AfStateKey key;
};

static char *copy(const char *text, size_t length) {
  char *made = malloc(length + 1);
  if (made) {
    memcpy(made, text, length);
    made[length] = 0;
  }
  return made;
}

static void set_error(Context *context, GLenum error) {
  if (context->error == GL_NO_ERROR) context->error = error;
}

// The error of OpenGL for a result.
static int check(Context *context, AfResult result) {
  switch (result) {
    case AF_SUCCESS:
    case AF_INCOMPLETE: return 1;
    case AF_ERROR_OUT_OF_MEMORY: set_error(context, GL_OUT_OF_MEMORY); return 0;
    case AF_ERROR_GL_ENUM: set_error(context, GL_INVALID_ENUM); return 0;
    case AF_ERROR_GL_VALUE: set_error(context, GL_INVALID_VALUE); return 0;
    default: set_error(context, GL_INVALID_OPERATION); return 0;
  }
}

Shared *mglCreateShared(const char *target) {
  Shared *shared = calloc(1, sizeof *shared);
  AfDeviceInfo info = {0};
  info.size = sizeof info;
  info.target = target;
  info.reserved_buffers = 0x7fff0000u;  // for vertex buffers
  info.cache = getenv("MGL_CACHE");     // NULL: no cache
  if (!shared || af_device_create(&info, &shared->device, NULL) != AF_SUCCESS) {
    free(shared);
    return NULL;
  }
  pthread_mutex_init(&shared->mutex, NULL);
  return shared;
}

// Gives up an executable; Shared.mutex is locked.
static void release_executable(Executable *executable) {
  if (!executable || --executable->count > 0) return;
  for (int n = 0; n < BUCKETS; n++) {
    for (CachedFunction *f = executable->buckets[n], *next; f; f = next) {
      next = f->next;
      af_function_release(f->function);
      free(f);
    }
  }
  af_program_release(executable->program);
  pthread_mutex_destroy(&executable->mutex);
  free(executable);
}

static void clear_program(Program *program) {
  for (uint32_t n = 0; n < program->attribute_count; n++) free((char *)program->attributes[n].name);
  release_executable(program->executable);
  af_program_release(program->last);
  memset(program, 0, sizeof *program);
}

static void clear_shader(Shader *shader) {
  free(shader->source);
  af_shader_release(shader->compiled);
  memset(shader, 0, sizeof *shader);
}

void mglDestroyShared(Shared *shared) {
  for (int n = 0; n < MOST_OBJECTS; n++) {
    clear_program(&shared->programs[n]);
    clear_shader(&shared->shaders[n]);
  }
  pthread_mutex_destroy(&shared->mutex);
  af_device_release(shared->device);
  free(shared);
}

Context *mglCreateContext(Shared *shared) {
  Context *context = calloc(1, sizeof *context);
  if (!context) return NULL;
  context->shared = shared;
  context->key.size = sizeof context->key;
  context->key.flags = AF_STATE_HALF_Z;
  context->key.color_attachments = 1;
  context->key.patch_vertices = 3;
  return context;
}

void mglDestroyContext(Context *context) {
  mglUseProgram(context, 0);
  free(context);
}

GLenum mglGetError(Context *context) {
  GLenum error = context->error;
  context->error = GL_NO_ERROR;
  return error;
}

// Finds an object and locks the names. A function that gets one unlocks them.
static Shader *lock_shader(Context *context, GLuint name) {
  pthread_mutex_lock(&context->shared->mutex);
  if (name && name < MOST_OBJECTS && context->shared->shaders[name].type) return &context->shared->shaders[name];
  pthread_mutex_unlock(&context->shared->mutex);
  set_error(context, GL_INVALID_VALUE);
  return NULL;
}

static Program *lock_program(Context *context, GLuint name) {
  pthread_mutex_lock(&context->shared->mutex);
  if (name && name < MOST_OBJECTS && context->shared->programs[name].is_used) return &context->shared->programs[name];
  pthread_mutex_unlock(&context->shared->mutex);
  set_error(context, GL_INVALID_VALUE);
  return NULL;
}

static void unlock(Context *context) { pthread_mutex_unlock(&context->shared->mutex); }

GLuint mglCreateShader(Context *context, GLenum type) {
  GLuint made = 0;
  if (type != GL_VERTEX_SHADER && type != GL_FRAGMENT_SHADER) {
    set_error(context, GL_INVALID_ENUM);
    return 0;
  }
  pthread_mutex_lock(&context->shared->mutex);
  for (GLuint n = 1; n < MOST_OBJECTS && !made; n++) {
    if (!context->shared->shaders[n].type) {
      context->shared->shaders[n].type = type;
      made = n;
    }
  }
  unlock(context);
  if (!made) set_error(context, GL_OUT_OF_MEMORY);
  return made;
}

void mglShaderSource(Context *context, GLuint name, GLsizei count, const char *const *strings, const GLint *lengths) {
  Shader *shader = lock_shader(context, name);
  if (!shader) return;
  size_t total = 0;
  for (GLsizei n = 0; n < count; n++) total += lengths && lengths[n] >= 0 ? (size_t)lengths[n] : strlen(strings[n]);
  char *source = malloc(total + 1), *end = source;
  for (GLsizei n = 0; source && n < count; n++) {
    size_t length = lengths && lengths[n] >= 0 ? (size_t)lengths[n] : strlen(strings[n]);
    memcpy(end, strings[n], length);
    end += length;
  }
  if (source) {
    *end = 0;
    free(shader->source);
    shader->source = source;
  } else {
    set_error(context, GL_OUT_OF_MEMORY);
  }
  unlock(context);
}

void mglCompileShader(Context *context, GLuint name) {
  Shader *shader = lock_shader(context, name);
  if (!shader) return;
  AfStage stage = shader->type == GL_VERTEX_SHADER ? AF_STAGE_VERTEX : AF_STAGE_FRAGMENT;
  const char *source = shader->source ? shader->source : "";
  AfShader *compiled = NULL;
  if (check(context, af_shader_compile(context->shared->device, stage, NULL, 1, &source, NULL, NULL, &compiled))) {
    af_shader_release(shader->compiled);
    shader->compiled = compiled;
  }
  unlock(context);
}

void mglGetShaderiv(Context *context, GLuint name, GLenum what, GLint *value) {
  Shader *shader = lock_shader(context, name);
  if (!shader) return;
  switch (what) {
    case GL_COMPILE_STATUS: *value = (GLint)af_shader_status(shader->compiled); break;
    case GL_INFO_LOG_LENGTH: *value = (GLint)af_shader_log(shader->compiled).length + 1; break;
    default: set_error(context, GL_INVALID_ENUM);
  }
  unlock(context);
}

static void give_text(AfText text, GLsizei size, GLsizei *length, char *to) {
  size_t given = 0;
  if (size > 0) {
    given = text.length < (size_t)size - 1 ? text.length : (size_t)size - 1;
    memcpy(to, text.data, given);
    to[given] = 0;
  }
  if (length) *length = (GLsizei)given;
}

void mglGetShaderInfoLog(Context *context, GLuint name, GLsizei size, GLsizei *length, char *log) {
  Shader *shader = lock_shader(context, name);
  if (!shader) return;
  give_text(af_shader_log(shader->compiled), size, length, log);
  unlock(context);
}

void mglDeleteShader(Context *context, GLuint name) {
  Shader *shader = name ? lock_shader(context, name) : NULL;
  if (!shader) return;
  clear_shader(shader);
  unlock(context);
}

GLuint mglCreateProgram(Context *context) {
  GLuint made = 0;
  pthread_mutex_lock(&context->shared->mutex);
  for (GLuint n = 1; n < MOST_OBJECTS && !made; n++) {
    if (!context->shared->programs[n].is_used) {
      context->shared->programs[n].is_used = 1;
      made = n;
    }
  }
  unlock(context);
  if (!made) set_error(context, GL_OUT_OF_MEMORY);
  return made;
}

void mglAttachShader(Context *context, GLuint name, GLuint shader) {
  Program *program = lock_program(context, name);
  if (!program) return;
  if (program->attached_count < MOST_ATTACHED) {
    program->attached[program->attached_count++] = shader;
  } else {
    set_error(context, GL_OUT_OF_MEMORY);
  }
  unlock(context);
}

void mglBindAttribLocation(Context *context, GLuint name, GLuint location, const char *attribute) {
  Program *program = lock_program(context, name);
  if (!program) return;
  char *text = copy(attribute, strlen(attribute));
  if (text && program->attribute_count < MOST_BINDINGS) {
    AfBinding binding = {text, location, 0};
    program->attributes[program->attribute_count++] = binding;
  } else {
    free(text);
    set_error(context, GL_OUT_OF_MEMORY);
  }
  unlock(context);
}

// Makes a linked program the executable of a name. The program is taken.
static void set_linked(Context *context, Program *program, AfProgram *linked) {
  af_program_release(program->last);
  program->last = af_program_retain(linked);
  Executable *executable = af_program_status(linked) ? calloc(1, sizeof *executable) : NULL;
  if (!executable) {
    // The last executable stays.
    if (af_program_status(linked)) set_error(context, GL_OUT_OF_MEMORY);
    af_program_release(linked);
    return;
  }
  pthread_mutex_init(&executable->mutex, NULL);
  executable->program = linked;
  executable->count = 1;
  check(context, af_program_depends_on(linked, &executable->depends_on));
  check(context, af_program_default_block(linked, &executable->uniform_binding, &executable->uniform_bytes));
  const AfStage stages[2] = {AF_STAGE_VERTEX, AF_STAGE_FRAGMENT};
  for (int n = 0; n < 2; n++) {
    executable->uniform_index[n] = ~0u;
    for (uint32_t i = 0; i < af_program_argument_count(linked, stages[n]); i++) {
      AfArgument argument = {0};
      argument.size = sizeof argument;
      int is_found = check(context, af_program_argument(linked, stages[n], i, &argument)) &&
                     argument.kind == AF_ARGUMENT_UNIFORM_BUFFER && argument.binding == executable->uniform_binding;
      if (is_found && executable->uniform_bytes) executable->uniform_index[n] = argument.index;
    }
  }
  release_executable(program->executable);
  program->executable = executable;
}

void mglLinkProgram(Context *context, GLuint name) {
  Program *program = lock_program(context, name);
  if (!program) return;
  const AfShader *shaders[MOST_ATTACHED];
  for (uint32_t n = 0; n < program->attached_count; n++) {
    GLuint shader = program->attached[n];
    shaders[n] = shader < MOST_OBJECTS ? context->shared->shaders[shader].compiled : NULL;
  }
  AfLinkInfo info = {0};
  info.size = sizeof info;
  info.attributes = program->attributes;
  info.attribute_count = program->attribute_count;
  AfProgram *linked = NULL;
  if (check(context,
            af_program_link(context->shared->device, program->attached_count, shaders, &info, NULL, &linked))) {
    set_linked(context, program, linked);
  }
  unlock(context);
}

void mglGetProgramiv(Context *context, GLuint name, GLenum what, GLint *value) {
  Program *program = lock_program(context, name);
  if (!program) return;
  switch (what) {
    case GL_LINK_STATUS: *value = (GLint)af_program_status(program->last); break;
    case GL_INFO_LOG_LENGTH: *value = (GLint)af_program_log(program->last).length + 1; break;
    case GL_PROGRAM_BINARY_LENGTH: {
      AfBlob *stored = NULL;
      if (check(context, af_program_store(program->last, &stored))) *value = (GLint)af_blob_bytes(stored).length;
      af_blob_release(stored);
      break;
    }
    default: set_error(context, GL_INVALID_ENUM);
  }
  unlock(context);
}

void mglGetProgramInfoLog(Context *context, GLuint name, GLsizei size, GLsizei *length, char *log) {
  Program *program = lock_program(context, name);
  if (!program) return;
  give_text(af_program_log(program->last), size, length, log);
  unlock(context);
}

static GLint location(Context *context, GLuint name, GLenum interface, const char *variable) {
  int32_t found = -1;
  Program *program = lock_program(context, name);
  if (!program) return -1;
  check(context, af_program_resource_location(program->last, interface, variable, &found));
  unlock(context);
  return found;
}

GLint mglGetAttribLocation(Context *context, GLuint program, const char *name) {
  return location(context, program, GL_PROGRAM_INPUT, name);
}

GLint mglGetUniformLocation(Context *context, GLuint program, const char *name) {
  return location(context, program, GL_UNIFORM, name);
}

void mglGetProgramInterfaceiv(Context *context, GLuint name, GLenum interface, GLenum property, GLint *value) {
  Program *program = lock_program(context, name);
  if (!program) return;
  check(context, af_program_interface(program->last, interface, property, value));
  unlock(context);
}

void mglGetProgramResourceName(Context *context, GLuint name, GLenum interface, GLuint index, GLsizei size,
                               GLsizei *length, char *to) {
  AfText text;
  Program *program = lock_program(context, name);
  if (!program) return;
  if (check(context, af_program_resource_name(program->last, interface, index, &text))) {
    give_text(text, size, length, to);
  }
  unlock(context);
}

void mglGetProgramResourceiv(Context *context, GLuint name, GLenum interface, GLuint index, GLsizei count,
                             const GLenum *properties, GLsizei size, GLsizei *length, GLint *values) {
  uint32_t found = 0;
  Program *program = lock_program(context, name);
  if (!program) return;
  if (check(context, af_program_resource(program->last, interface, index, (uint32_t)count, properties, (uint32_t)size,
                                         values, &found)) &&
      length) {
    *length = (GLsizei)found < size ? (GLsizei)found : size;
  }
  unlock(context);
}

void mglGetProgramBinary(Context *context, GLuint name, GLsizei size, GLsizei *length, GLenum *format, void *binary) {
  Program *program = lock_program(context, name);
  if (!program) return;
  AfBlob *stored = NULL;
  if (check(context, af_program_store(program->last, &stored))) {
    AfBytes bytes = af_blob_bytes(stored);
    if (bytes.length <= (size_t)size) {
      memcpy(binary, bytes.data, bytes.length);
      *format = MGL_PROGRAM_BINARY_FORMAT;
      if (length) *length = (GLsizei)bytes.length;
    } else {
      set_error(context, GL_INVALID_OPERATION);
    }
  }
  af_blob_release(stored);
  unlock(context);
}

void mglProgramBinary(Context *context, GLuint name, GLenum format, const void *binary, GLsizei length) {
  Program *program = lock_program(context, name);
  if (!program) return;
  AfProgram *restored = NULL;
  if (format != MGL_PROGRAM_BINARY_FORMAT) {
    set_error(context, GL_INVALID_ENUM);
  } else if (af_program_restore(context->shared->device, binary, (size_t)length, &restored, NULL) == AF_SUCCESS) {
    set_linked(context, program, restored);
  } else {
    // Another version or damage: LINK_STATUS is false, and the application links again.
    af_program_release(program->last);
    program->last = NULL;
  }
  unlock(context);
}

void mglDeleteProgram(Context *context, GLuint name) {
  Program *program = name ? lock_program(context, name) : NULL;
  if (!program) return;
  clear_program(program);
  unlock(context);
}

void mglUseProgram(Context *context, GLuint name) {
  Executable *executable = NULL;
  if (name) {
    Program *program = lock_program(context, name);
    if (!program) return;
    executable = program->executable;
    if (executable) {
      executable->count++;
    } else {
      set_error(context, GL_INVALID_OPERATION);
    }
  } else {
    pthread_mutex_lock(&context->shared->mutex);
  }
  release_executable(context->executable);
  unlock(context);
  free(context->uniforms);
  context->uniforms = executable && executable->uniform_bytes ? calloc(1, executable->uniform_bytes) : NULL;
  context->executable = executable;
  context->program = name;
}

void mglUniform4f(Context *context, GLint at, GLfloat x, GLfloat y, GLfloat z, GLfloat w) {
  const GLfloat values[4] = {x, y, z, w};
  const GLenum property = GL_LOCATION;
  int32_t count = 0, found = -1;
  if (!context->executable) {
    set_error(context, GL_INVALID_OPERATION);
    return;
  }
  // A driver would keep a table of locations.
  AfProgram *program = context->executable->program;
  check(context, af_program_interface(program, GL_UNIFORM, GL_ACTIVE_RESOURCES, &count));
  for (int32_t n = 0; n < count; n++) {
    AfUniform uniform = {0};
    uniform.size = sizeof uniform;
    check(context, af_program_resource(program, GL_UNIFORM, (uint32_t)n, 1, &property, 1, &found, NULL));
    if (found == at && check(context, af_program_uniform(program, (uint32_t)n, &uniform)) && uniform.offset != AF_NONE &&
        context->uniforms && uniform.offset + sizeof values <= context->executable->uniform_bytes) {
      memcpy(context->uniforms + uniform.offset, values, sizeof values);
      return;
    }
  }
  set_error(context, GL_INVALID_OPERATION);
}

static void set_capability(Context *context, GLenum capability, int is_on) {
  unsigned clip = capability - GL_CLIP_DISTANCE0;
  if (clip < 8) {
    context->key.clip_enable =
        (uint8_t)(is_on ? context->key.clip_enable | 1u << clip : context->key.clip_enable & ~(1u << clip));
  } else if (capability != GL_PROGRAM_POINT_SIZE) {
    set_error(context, GL_INVALID_ENUM);
  }
}

void mglEnable(Context *context, GLenum capability) { set_capability(context, capability, 1); }

void mglDisable(Context *context, GLenum capability) { set_capability(context, capability, 0); }

void mglClipControl(Context *context, GLenum origin, GLenum depth) {
  AfStateFlags flipped = AF_STATE_FLIP_Y | AF_STATE_FLIP_WINDOW | AF_STATE_FLIP_FACE;
  context->key.flags = (origin == GL_UPPER_LEFT ? flipped : 0) | (depth == GL_NEGATIVE_ONE_TO_ONE ? AF_STATE_HALF_Z : 0);
}

static unsigned hash(AfStage stage, const AfStateKey *key) {
  const unsigned char *bytes = (const unsigned char *)key;
  unsigned hash = 2166136261u ^ stage;
  for (size_t n = 0; n < sizeof *key; n++) hash = (hash ^ bytes[n]) * 16777619u;
  return hash % BUCKETS;
}

// The function of a stage for a state: from the cache, or compiled now, on this thread.
static AfFunction *function_of(Context *context, AfStage stage, AfStateKey key) {
  Executable *executable = context->executable;
  if (!check(context, af_program_stage_canonical(executable->program, stage, &key))) return NULL;
  CachedFunction **bucket = &executable->buckets[hash(stage, &key)];
  for (int is_made = 0;; is_made = 1) {
    AfFunction *found = NULL;
    pthread_mutex_lock(&executable->mutex);
    for (CachedFunction *f = *bucket; f && !found; f = f->next) {
      if (f->stage == stage && memcmp(&f->key, &key, sizeof key) == 0) found = f->function;
    }
    pthread_mutex_unlock(&executable->mutex);
    if (found || is_made) return found;
    // Other threads draw meanwhile. The second thread drops its function.
    CachedFunction *made = calloc(1, sizeof *made);
    if (!made) {
      set_error(context, GL_OUT_OF_MEMORY);
      return NULL;
    }
    made->stage = stage;
    made->key = key;
    if (!check(context, af_program_variant(executable->program, stage, &key, NULL, &made->function, NULL))) {
      free(made);
      return NULL;
    }
    pthread_mutex_lock(&executable->mutex);
    CachedFunction *same = *bucket;
    while (same && !(same->stage == stage && memcmp(&same->key, &key, sizeof key) == 0)) same = same->next;
    if (!same) {
      made->next = *bucket;
      *bucket = made;
      executable->functions++;
    }
    pthread_mutex_unlock(&executable->mutex);
    if (same) {
      af_function_release(made->function);
      free(made);
    }
  }
}

void mglDrawArrays(Context *context, GLenum mode, GLint first, GLsizei count, Draw *draw) {
  memset(draw, 0, sizeof *draw);
  if (first < 0 || count < 0 || !context->executable) {
    set_error(context, context->executable ? GL_INVALID_VALUE : GL_INVALID_OPERATION);
    return;
  }
  AfStateKey key = context->key;
  key.point_size = mode == GL_POINTS;
  const AfStage stages[2] = {AF_STAGE_VERTEX, AF_STAGE_FRAGMENT};
  for (int n = 0; n < 2; n++) {
    AfFunction *function = function_of(context, stages[n], key);
    if (!function) return;
    AfBytes library = af_function_metallib(function);
    draw->libraries[n] = library.data;
    draw->lengths[n] = library.length;
    draw->functions[n] = af_function_name(function).data;
    draw->uniform_index[n] = context->executable->uniform_index[n];
  }
  draw->uniforms = context->uniforms;
  draw->uniform_bytes = context->executable->uniform_bytes;
}

unsigned mglCountFunctions(Context *context, GLuint name) {
  unsigned count = 0;
  Program *program = lock_program(context, name);
  if (!program) return 0;
  if (program->executable) {
    pthread_mutex_lock(&program->executable->mutex);
    count = program->executable->functions;
    pthread_mutex_unlock(&program->executable->mutex);
  }
  unlock(context);
  return count;
}
