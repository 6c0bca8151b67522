/* Kernels that the stub driver launches: params[i] points to the value of parameter i, as in the real one. */
#include <stdint.h>

static float *floats(void **params, int index) { return (float *)(uintptr_t)*(uint64_t *)params[index]; }

/* C = A + scale * B, n elements. */
void stub_vadd(const unsigned dims[6], unsigned shared, void **params) {
  (void)shared;
  const int32_t n = *(int32_t *)params[4];
  const float scale = *(float *)params[3];
  for (unsigned i = 0; i < dims[0] * dims[3]; ++i)
    if ((int32_t)i < n) floats(params, 2)[i] = floats(params, 0)[i] + scale * floats(params, 1)[i];
}

/* Writes one element in front of its tensor and two behind the n-th. */
void stub_outside(const unsigned dims[6], unsigned shared, void **params) {
  (void)dims, (void)shared;
  const int32_t n = *(int32_t *)params[1];
  floats(params, 0)[-1] = 1.5f;
  floats(params, 0)[n] = floats(params, 0)[n + 1] = 1.5f;
}

/* The first word of a tensor map that is passed by value. */
void stub_mapped(const unsigned dims[6], unsigned shared, void **params) {
  (void)dims, (void)shared;
  *floats(params, 1) = *(float *)params[0];
}
