// Compiles, links and makes functions on 16 threads, which must give equal bytes. `.ci/c-threads` runs it under ThreadSanitizer.
//
// threads ROUNDS: each round is a link, or shares the program of all threads, and makes two functions.
// threads race: two threads let the library write a result to the same variable, which is a data race that must be found.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <airfoil.h>

enum { THREADS = 16, STATES = 8, STAGES = 2 };

#define REQUIRE(condition)                                             \
  do {                                                                 \
    if (!(condition)) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

static const char *const sources[STAGES] = {
    "#version 330\n"
    "in vec4 position; in vec2 uv; out vec2 v_uv; out float gl_ClipDistance[2]; uniform vec4 offset;\n"
    "void main() {\n"
    "  gl_Position = position + offset; v_uv = uv;\n"
    "  gl_ClipDistance[0] = position.x; gl_ClipDistance[1] = position.y;\n"
    "}\n",
    "#version 330\n"
    "in vec2 v_uv; uniform vec4 tint; uniform sampler2D image; out vec4 color;\n"
    "void main() { color = texture(image, v_uv) * tint + vec4(gl_FragCoord.y); }\n"};
static const AfStage stages[STAGES] = {AF_STAGE_VERTEX, AF_STAGE_FRAGMENT};

static AfDevice *device;
static AfProgram *shared;
static AfFunction *expected[STATES][STAGES];
static int rounds;

static AfProgram *link_program(void) {
  AfShader *shaders[STAGES];
  AfProgram *program = NULL;
  for (int n = 0; n < STAGES; n++) {
    REQUIRE(af_shader_compile(device, stages[n], NULL, 1, &sources[n], NULL, NULL, &shaders[n]) == AF_SUCCESS);
    REQUIRE(af_shader_status(shaders[n]));
  }
  AfLinkInfo info = {0};
  info.size = sizeof info;
  const AfShader *const list[STAGES] = {shaders[0], shaders[1]};
  REQUIRE(af_program_link(device, STAGES, list, &info, NULL, &program) == AF_SUCCESS);
  REQUIRE(af_program_status(program));
  for (int n = 0; n < STAGES; n++) af_shader_release(shaders[n]);
  return program;
}

static AfStateKey key_of(int state) {
  AfStateKey key = {0};
  key.size = sizeof key;
  key.flags = (state & 1 ? AF_STATE_HALF_Z : 0) | (state & 2 ? AF_STATE_FLIP_WINDOW : 0);
  key.clip_enable = state & 4 ? 3 : 0;
  key.color_attachments = 1;
  key.patch_vertices = 3;
  return key;
}

static AfFunction *function_of(AfProgram *program, int state, int stage) {
  AfStateKey key = key_of(state);
  AfFunction *function = NULL;
  REQUIRE(af_program_variant(program, stages[stage], &key, NULL, &function, NULL) == AF_SUCCESS);
  return function;
}

static void *work(void *data) {
  for (int n = *(int *)data; n < rounds; n += THREADS) {
    // Half of the rounds link, the others share a program.
    AfProgram *program = n / THREADS % 2 ? link_program() : af_program_retain(shared);
    for (int stage = 0; stage < STAGES; stage++) {
      AfFunction *function = function_of(program, n % STATES, stage);
      AfBytes one = af_function_metallib(function), other = af_function_metallib(expected[n % STATES][stage]);
      REQUIRE(one.length == other.length && memcmp(one.data, other.data, one.length) == 0);
      af_function_release(function);
    }
    af_program_release(program);
  }
  return NULL;
}

static pthread_barrier_t both;

// Wrong: the threads have one variable for the result. Threads that run one after the other may leave no trace of that, so that they
// wait for each other before each call.
static void *race(void *data) {
  AfStateKey key = key_of(0);
  for (int n = 0; n < 10; n++) {
    pthread_barrier_wait(&both);
    REQUIRE(af_program_variant(shared, AF_STAGE_VERTEX, &key, NULL, data, NULL) == AF_SUCCESS);
  }
  return NULL;
}

static void on_threads(int count, void *(*entry)(void *), void *(*data)(int)) {
  pthread_t threads[THREADS];
  for (int n = 0; n < count; n++) REQUIRE(pthread_create(&threads[n], NULL, entry, data(n)) == 0);
  for (int n = 0; n < count; n++) REQUIRE(pthread_join(threads[n], NULL) == 0);
}

static int numbers[THREADS];
static void *number(int n) {
  numbers[n] = n;
  return &numbers[n];
}

static AfFunction *result;
static void *one_result(int n) {
  (void)n;
  return &result;
}

int main(int count, char **arguments) {
  AfDeviceInfo info = {0};
  info.size = sizeof info;
  info.target = "macos14";
  REQUIRE(count == 2 && af_device_create(&info, &device, NULL) == AF_SUCCESS);
  shared = link_program();
  if (strcmp(arguments[1], "race") == 0) {
    REQUIRE(pthread_barrier_init(&both, NULL, 2) == 0);
    on_threads(2, race, one_result);
    return 0;
  }
  rounds = atoi(arguments[1]);
  // The expected functions are those of another program: the shared one has not computed anything when the threads begin.
  AfProgram *program = link_program();
  for (int state = 0; state < STATES; state++) {
    for (int stage = 0; stage < STAGES; stage++) expected[state][stage] = function_of(program, state, stage);
  }
  af_program_release(program);
  on_threads(THREADS, work, number);
  for (int state = 0; state < STATES; state++) {
    for (int stage = 0; stage < STAGES; stage++) af_function_release(expected[state][stage]);
  }
  af_program_release(shared);
  af_device_release(device);
  printf("%d links and %d functions on %d threads, equal bytes\n", rounds / 2, rounds * STAGES, THREADS);
  return 0;
}
