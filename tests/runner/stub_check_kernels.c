/* The kernels of `devices --check` for the stub driver. -DWRONG makes the copy wrong at element 17. */
#include <stdint.h>

static void *pointer(void **params, int index) { return (void *)(uintptr_t)*(uint64_t *)params[index]; }

void stub_check_copy(const unsigned dims[6], unsigned shared, void **params) {
  (void)shared;
  const int32_t n = *(int32_t *)params[2];
  const int32_t *const in = pointer(params, 0);
  int32_t *const out = pointer(params, 1);
  for (int32_t i = 0; i < (int32_t)(dims[0] * dims[3]); ++i)
    if (i < n) out[i] = in[i];
#ifdef WRONG
  out[17] = 5;
#endif
}

void stub_check_matmul_float16(const unsigned dims[6], unsigned shared, void **params) {
  (void)dims, (void)shared;
  const _Float16 *const a = pointer(params, 0), *const b = pointer(params, 1);
  _Float16 *const c = pointer(params, 2);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 32; ++j) {
      float sum = 0;
      for (int k = 0; k < 24; ++k) sum += (float)a[i * 24 + k] * (float)b[k * 32 + j];
      c[i * 32 + j] = (_Float16)sum;
    }
}

void stub_check_reduce(const unsigned dims[6], unsigned shared, void **params) {
  (void)shared;
  const float *const in = pointer(params, 0);
  float *const out = pointer(params, 1);
  for (unsigned block = 0; block < dims[0]; ++block) {
    float sum = 0;
    for (unsigned i = 0; i < dims[3]; ++i) sum += in[block * dims[3] + i];
    out[block] = sum;
  }
}

void stub_check_atomics(const unsigned dims[6], unsigned shared, void **params) {
  (void)shared;
  const int32_t *const in = pointer(params, 0);
  int32_t *const counts = pointer(params, 1);
  for (unsigned i = 0; i < dims[0] * dims[3]; ++i) ++counts[in[i] & 15];
}
