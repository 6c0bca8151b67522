// The four kernels of resources/sample/sample-cuda-a.so, written for any grid and block. Argument order and shapes are those
// of the sample: the output first, all buffers float32. gpu_check.sh compiles this on a machine with a CUDA toolkit and
// compares the results with those of the sample.

static __device__ int firstItem() { return blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x; }
static __device__ int itemStep() { return gridDim.x * blockDim.x * blockDim.y; }

// out [1, 4, 8, 8], weights [4, 3, 3, 3], x [1, 3, 8, 8]; padding 1
extern "C" __global__ void fused_conv2d_relu_kernel(float* out, const float* weights, const float* x) {
  for (int item = firstItem(); item < 4 * 8 * 8; item += itemStep()) {
    const int filter = item / 64, row = item / 8 % 8, column = item % 8;
    float sum = 0;
    for (int channel = 0; channel < 3; ++channel)
      for (int tap = 0; tap < 9; ++tap) {
        const int y = row + tap / 3 - 1, at = column + tap % 3 - 1;
        if (y >= 0 && y < 8 && at >= 0 && at < 8) sum += x[channel * 64 + y * 8 + at] * weights[filter * 27 + channel * 9 + tap];
      }
    out[item] = fmaxf(sum, 0.0f);
  }
}

// out [1, 5], x [1, 4], weights [4, 5], bias [5]
extern "C" __global__ void fused_matmul_add_kernel(float* out, const float* x, const float* weights, const float* bias) {
  for (int item = firstItem(); item < 5; item += itemStep()) {
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += x[k] * weights[k * 5 + item];
    out[item] = sum + bias[item];
  }
}

// out [1, 4], x [1, 4, 8, 8]
extern "C" __global__ void mean_kernel(float* out, const float* x) {
  for (int item = firstItem(); item < 4; item += itemStep()) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += x[item * 64 + k];
    out[item] = sum / 64;
  }
}

// out [1, 5], x [1, 5]
extern "C" __global__ void softmax_kernel(float* out, const float* x) {
  for (int item = firstItem(); item < 5; item += itemStep()) {
    float largest = x[0], sum = 0;
    for (int k = 1; k < 5; ++k) largest = fmaxf(largest, x[k]);
    for (int k = 0; k < 5; ++k) sum += expf(x[k] - largest);
    out[item] = expf(x[item] - largest) / sum;
  }
}
