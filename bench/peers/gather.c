/*
 * The floor under the aggregation kernel, and the limits of the machine it runs on.
 *
 *   out[v] = s[v] * sum over the in-arcs (u -> v) of s[u] * x[u],   x and out: n x width floats
 *
 * in plain C without prefetch, on huge pages. `plain` leaves the loop over the columns to the
 * compiler; `tiled` keeps 64 columns in registers while it walks a row's arcs.
 *
 * Build:  gcc -std=gnu11 -O3 -march=native -fno-loop-unroll-and-jam -Wall -Wextra -Werror -pthread \
 *             -o ../target/gather gather.c -lm
 *         (gcc 12 would otherwise jam two arcs into one loop by gather instructions: far slower)
 * Start:  ../target/gather DIR plain|tiled WIDTH THREADS       (WIDTH is 40, 128 or 256)
 *
 * Commands on standard input, each answered by one JSON line: `gather N`; `read N` and `copy N`
 * over 512 MB; `fma N`; `exit`.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifdef __AVX512F__
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
typedef float vector __attribute__((vector_size(4 * LANES)));

enum { TILE = 64 / LANES, LINE_FLOATS = 16, MAX_THREADS = 256, RANGES = 512 };
static const size_t HUGE_PAGE = 2u << 20;
static const size_t STREAM_BYTES = 512u << 20;
static const long FMA_ROUNDS = 50L * 1000 * 1000;
enum { FMA_CHAINS = 12 };

static int threads;

static struct {
  int64_t rows;
  const int64_t *offsets;
  const int32_t *ids;
  int stride;
  const float *x;
  const float *scale;
  float *out;
} graph;

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("{\"failed\":\"");
  vprintf(format, arguments);
  printf("\"}\n");
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Zeroed memory that starts on a huge page; never freed. */
static void *allocate(size_t size) {
  size_t mapped = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE + HUGE_PAGE;
  char *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) fail("cannot map %zu bytes", size);
  char *aligned = (char *)(((uintptr_t)base + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
  madvise(aligned, mapped - HUGE_PAGE, MADV_HUGEPAGE);
  return aligned;
}

/* A one-dimensional .npy array of 4- or 8-byte integers, as integers of the wanted size. */
static void *load(const char *folder, const char *name, int wanted, int64_t *count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.npy", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail("cannot open %s", path);
  unsigned char head[12];
  if (fread(head, 1, 12, file) != 12 || memcmp(head, "\x93NUMPY", 6)) fail("not NumPy: %s", path);
  int longHead = head[6] > 1; /* version 2 has a 4-byte length of the header, version 1 two bytes */
  uint32_t length = head[8] | head[9] << 8;
  if (longHead) length |= (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
  fseek(file, longHead ? 12 : 10, SEEK_SET);
  char header[length + 1];
  if (fread(header, 1, length, file) != length) fail("truncated: %s", path);
  header[length] = 0;
  int size = strstr(header, "'<i8'") ? 8 : strstr(header, "'<i4'") ? 4 : 0;
  char *shape = strstr(header, "'shape': (");
  if (!size || !shape) fail("not an array of integers: %s", path);
  *count = strtoll(shape + strlen("'shape': ("), NULL, 10);
  char *read = allocate(*count * size);
  if (fread(read, size, *count, file) != (size_t)*count) fail("truncated: %s", path);
  fclose(file);
  if (size == wanted) return read;
  char *converted = allocate(*count * wanted);
  for (int64_t i = 0; i < *count; i++) {
    if (wanted == 4) ((int32_t *)converted)[i] = (int32_t)((int64_t *)read)[i];
    else ((int64_t *)converted)[i] = ((int32_t *)read)[i];
  }
  munmap(read, *count * size);
  return converted;
}

static void openGraph(const char *folder, int width) {
  int64_t offsets, arcs;
  graph.offsets = load(folder, "indptr", 8, &offsets);
  graph.ids = load(folder, "indices", 4, &arcs);
  graph.rows = offsets - 1;
  if (graph.offsets[graph.rows] != arcs) fail("indptr and indices do not match");
  graph.stride = (width + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
  size_t bytes = graph.rows * graph.stride * sizeof(float);
  float *x = allocate(bytes);
  uint32_t state = 1;
  for (int64_t i = 0; i < graph.rows * graph.stride; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)(state >> 8) / (1 << 24) - 0.5f;
  }
  float *scale = allocate(graph.rows * sizeof(float));
  for (int64_t v = 0; v < graph.rows; v++) {
    scale[v] = 1 / sqrtf(1 + graph.offsets[v + 1] - graph.offsets[v]);
  }
  graph.x = x;
  graph.scale = scale;
  graph.out = allocate(bytes);
}

/* Both kernels are inlined with a constant width, so that the compiler unrolls for it. */

static inline __attribute__((always_inline)) void plain(int64_t from, int64_t to, int width) {
  for (int64_t v = from; v < to; v++) {
    float sum[256];
    memset(sum, 0, width * sizeof(float));
    for (int64_t a = graph.offsets[v]; a < graph.offsets[v + 1]; a++) {
      const float *x = graph.x + (int64_t)graph.ids[a] * graph.stride;
      float w = graph.scale[graph.ids[a]];
      for (int c = 0; c < width; c++) sum[c] += w * x[c];
    }
    float *out = graph.out + v * graph.stride;
    for (int c = 0; c < width; c++) out[c] = graph.scale[v] * sum[c];
  }
}

static inline __attribute__((always_inline)) void tile(int64_t v, int column, int vectors) {
  vector sum[TILE] = {0};
  for (int64_t a = graph.offsets[v]; a < graph.offsets[v + 1]; a++) {
    const vector *x =
        (const vector *)(graph.x + (int64_t)graph.ids[a] * graph.stride + column);
    float w = graph.scale[graph.ids[a]];
#pragma GCC unroll 8
    for (int k = 0; k < vectors; k++) sum[k] += w * x[k];
  }
  vector *out = (vector *)(graph.out + v * graph.stride + column);
#pragma GCC unroll 8
  for (int k = 0; k < vectors; k++) out[k] = graph.scale[v] * sum[k];
}

static inline __attribute__((always_inline)) void tiled(int64_t from, int64_t to, int width) {
  int vectors = (width + LANES - 1) / LANES;
  for (int64_t v = from; v < to; v++) {
    int k = 0;
    for (; k + TILE <= vectors; k += TILE) tile(v, k * LANES, TILE);
    if (k < vectors) tile(v, k * LANES, vectors % TILE);
  }
}

typedef void kernel(int64_t from, int64_t to);

static void plain40(int64_t from, int64_t to) { plain(from, to, 40); }
static void plain128(int64_t from, int64_t to) { plain(from, to, 128); }
static void plain256(int64_t from, int64_t to) { plain(from, to, 256); }
static void tiled40(int64_t from, int64_t to) { tiled(from, to, 40); }
static void tiled128(int64_t from, int64_t to) { tiled(from, to, 128); }
static void tiled256(int64_t from, int64_t to) { tiled(from, to, 256); }

static kernel *aggregate;

static kernel *choose(const char *form, int width) {
  int isTiled = !strcmp(form, "tiled");
  if (!isTiled && strcmp(form, "plain")) fail("the kernel is plain or tiled, not %s", form);
  switch (width) {
    case 40: return isTiled ? tiled40 : plain40;
    case 128: return isTiled ? tiled128 : plain128;
    case 256: return isTiled ? tiled256 : plain256;
    default: fail("the width is 40, 128 or 256, not %d", width);
  }
  return NULL;
}

/* Ranges are taken from a counter, so that a thread that lost its core does not hold up the other. */
static atomic_int nextRange;

static int takeRange(void) {
  int range = atomic_fetch_add(&nextRange, 1);
  return range < RANGES ? range : -1;
}

/* The first row of a range; ranges have about equal arcs, a written row counting as two. */
static int64_t firstRow(int range) {
  int64_t cost = graph.offsets[graph.rows] + 2 * graph.rows;
  int64_t before = cost / RANGES * range;
  if (range == RANGES) return graph.rows;
  int64_t low = 0, high = graph.rows;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (graph.offsets[middle] + 2 * middle < before) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void *gatherTask(void *unused) {
  for (int range; (range = takeRange()) >= 0;) aggregate(firstRow(range), firstRow(range + 1));
  return unused;
}

static char *source, *target;
static volatile float sink; /* keeps the compiler from dropping results nobody reads */

static void *readTask(void *unused) {
  size_t bytes = STREAM_BYTES / RANGES;
  vector sum[TILE] = {0};
  for (int range; (range = takeRange()) >= 0;) {
    const vector *x = (const vector *)(source + range * bytes);
    for (size_t i = 0; i < bytes / sizeof(vector); i += TILE) {
#pragma GCC unroll 8
      for (int k = 0; k < TILE; k++) sum[k] += x[i + k];
    }
  }
  for (int k = 1; k < TILE; k++) sum[0] += sum[k];
  sink = sum[0][0];
  return unused;
}

static void *copyTask(void *unused) {
  size_t bytes = STREAM_BYTES / RANGES;
  for (int range; (range = takeRange()) >= 0;) {
    memcpy(target + range * bytes, source + range * bytes, bytes);
  }
  return unused;
}

static void *fmaTask(void *unused) {
  vector zero = {0}, a = zero + (sink + 0.5f), b = zero + (sink + 0.25f), sum[FMA_CHAINS];
  for (int k = 0; k < FMA_CHAINS; k++) sum[k] = zero + (float)k;
  for (long i = 0; i < FMA_ROUNDS; i++) {
#pragma GCC unroll 12
    for (int k = 0; k < FMA_CHAINS; k++) sum[k] = sum[k] * a + b;
  }
  for (int k = 1; k < FMA_CHAINS; k++) sum[0] += sum[k];
  sink = sum[0][0] * 0;
  return unused;
}

static double timed(void *(*task)(void *)) {
  pthread_t started[MAX_THREADS];
  double start = now();
  atomic_store(&nextRange, 0);
  for (int t = 1; t < threads; t++) {
    if (pthread_create(&started[t], NULL, task, NULL)) fail("cannot start a thread");
  }
  task(NULL);
  for (int t = 1; t < threads; t++) pthread_join(started[t], NULL);
  return now() - start;
}

static void answer(void *(*task)(void *), int times, const char *unit, double amount) {
  printf("{\"seconds\":[");
  for (int i = 0; i < times; i++) printf("%s%.9f", i ? "," : "", timed(task));
  printf("],\"%s\":%.0f", unit, amount);
}

static double checksum(void) {
  double sum = 0;
  for (int64_t v = 0; v < graph.rows; v++) {
    for (int c = 0; c < 40; c++) sum += graph.out[v * graph.stride + c];
  }
  return sum;
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 1 << 16);
  if (count != 5) fail("usage: gather DIR plain|tiled WIDTH THREADS");
  int width = atoi(arguments[3]);
  threads = atoi(arguments[4]);
  if (threads < 1 || threads > MAX_THREADS) fail("threads: 1 to %d", MAX_THREADS);
  aggregate = choose(arguments[2], width);
  openGraph(arguments[1], width);
  source = allocate(STREAM_BYTES);
  target = allocate(STREAM_BYTES);
  memset(source, 0, STREAM_BYTES); /* else every page read would be the one page of zeros */
  memset(target, 0, STREAM_BYTES);
  timed(gatherTask);
  printf("{\"ready\":true,\"versions\":{\"gcc\":\"%s\"},\"threads\":%d,\"form\":\"%s\",\"width\":%d}\n",
         __VERSION__, threads, arguments[2], width);
  char line[256], command[16];
  while (fgets(line, sizeof line, stdin)) {
    int times = 0;
    if (sscanf(line, "%15s %d", command, &times) < 1) continue;
    if (!strcmp(command, "exit")) return 0;
    if (!strcmp(command, "gather")) {
      answer(gatherTask, times, "arcs", graph.offsets[graph.rows]);
      printf(",\"checksum\":%.6f", checksum());
    } else if (!strcmp(command, "read")) {
      answer(readTask, times, "bytes", STREAM_BYTES);
    } else if (!strcmp(command, "copy")) {
      answer(copyTask, times, "bytes", 2.0 * STREAM_BYTES);
    } else if (!strcmp(command, "fma")) {
      answer(fmaTask, times, "flops", 2.0 * LANES * FMA_CHAINS * FMA_ROUNDS * threads);
    } else {
      fail("unknown command: %s", command);
    }
    printf("}\n");
  }
  return 0;
}
