// Neighbour sampling in C, one thread, for a peer whose own compiled sampler may be missing: uniform, without
// replacement, sources numbered in the order they are first drawn. Only vertices found in the hop before draw.

#include <stdint.h>

static uint64_t state = 88172645463325252ull;

void seed(uint64_t value) { state = value * 0x9E3779B97F4A7C15ull + 1; }

static uint32_t below(uint32_t bound) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(((state >> 32) * bound) >> 32);
}

// Draws for rows `from` to `to` of `nodes`. `row_of` holds -1 for vertices without a row. Appends to `pointer`
// (from + 1 entries are there) and `column`. Returns how many rows there are then.
int32_t hop(const int64_t *indptr, const int32_t *indices, int32_t fanout, int32_t from, int32_t to, int32_t *nodes,
            int32_t *row_of, int32_t *pointer, int32_t *column) {
  int32_t count = to;
  int32_t at = pointer[from];
  int64_t taken[256];
  for (int32_t row = from; row < to; row++) {
    int64_t first = indptr[nodes[row]];
    int64_t degree = indptr[nodes[row] + 1] - first;
    int32_t n = degree < fanout ? (int32_t)degree : fanout;
    for (int32_t i = 0; i < n; i++) {
      int64_t position = i;
      if (degree > fanout) {
        int64_t last = degree - fanout + i;
        position = below((uint32_t)last + 1);
        for (int32_t j = 0; j < i; j++) {
          if (taken[j] == position) {
            position = last;
            break;
          }
        }
        taken[i] = position;
      }
      int32_t vertex = indices[first + position];
      if (row_of[vertex] < 0) {
        row_of[vertex] = count;
        nodes[count++] = vertex;
      }
      column[at++] = row_of[vertex];
    }
    pointer[row + 1] = at;
  }
  return count;
}

void forget(const int32_t *nodes, int32_t count, int32_t *row_of) {
  for (int32_t i = 0; i < count; i++) row_of[nodes[i]] = -1;
}
