// Kernels of `devices --check` for OpenCL 1.1 and later. Each part begins with the mark that TVM writes; the runner
// compiles only the part of the kernel that it launches.

// Function: check_copy
// out[i] = in[i] for i < n. The grid is larger than n.
__kernel void check_copy(__global const int* restrict in, __global int* restrict out, int n) {
  const int i = (int)get_global_id(0);
  if (i < n) out[i] = in[i];
}

// Function: check_matmul_float16
// c[16, 32] = a[16, 24] * b[24, 32] in float16, one element per work item, groups of 8 x 8.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void
check_matmul_float16(__global const half* restrict a, __global const half* restrict b, __global half* restrict c) {
  const int row = (int)get_global_id(1), column = (int)get_global_id(0);
  half sum = (half)0.0f;
  for (int k = 0; k < 24; ++k) sum += a[row * 24 + k] * b[k * 32 + column];
  c[row * 32 + column] = sum;
}

// Function: check_reduce
// out[group] = the sum of the 128 floats of the group, added in local memory.
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void
check_reduce(__global const float* restrict in, __global float* restrict out) {
  __local float part[128];
  const int item = (int)get_local_id(0), group = (int)get_group_id(0);
  part[item] = in[group * 128 + item];
  for (int stride = 64; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < stride) part[item] += part[item + stride];
  }
  if (item == 0) out[group] = part[0];
}

// Function: check_atomics
// counts[in[i] & 15] += 1 for each of the work items, which all add to the same 16 counters.
__kernel void check_atomics(__global const int* restrict in, __global int* restrict counts) {
  atomic_inc(&counts[in[get_global_id(0)] & 15]);
}
