#include "app/runner/shim/half.h"

#include <string.h>

EXPORTED float __gnu_h2f_ieee(uint16_t half) { return blobscopeHalfToFloat(half); }
EXPORTED uint16_t __gnu_f2h_ieee(float value) { return blobscopeFloatToHalf(value); }

#if defined(__x86_64__)
/* Compilers pass a half in different registers: up to LLVM 14 in a general one, from 15 in xmm0. A result can be
 * returned in both; an argument is read from xmm0, since older compilers call the two functions above for it. */
__asm__(".text\n"
        ".globl __truncsfhf2\n.type __truncsfhf2,@function\n__truncsfhf2:\n"
        "  subq $8, %rsp\n  call blobscopeFloatToHalf\n  addq $8, %rsp\n  movd %eax, %xmm0\n  ret\n"
        ".globl __truncdfhf2\n.type __truncdfhf2,@function\n__truncdfhf2:\n"
        "  subq $8, %rsp\n  call blobscopeDoubleToHalf\n  addq $8, %rsp\n  movd %eax, %xmm0\n  ret\n"
        ".globl __extendhfsf2\n.type __extendhfsf2,@function\n__extendhfsf2:\n"
        "  subq $8, %rsp\n  movd %xmm0, %edi\n  movzwl %di, %edi\n  call blobscopeHalfToFloat\n  addq $8, %rsp\n  ret\n"
        ".globl __extendhfdf2\n.type __extendhfdf2,@function\n__extendhfdf2:\n"
        "  subq $8, %rsp\n  movd %xmm0, %edi\n  movzwl %di, %edi\n  call blobscopeHalfToFloat\n"
        "  cvtss2sd %xmm0, %xmm0\n  addq $8, %rsp\n  ret\n");
#elif defined(__aarch64__)
EXPORTED __fp16 __truncsfhf2(float value) {
  const uint16_t bits = blobscopeFloatToHalf(value);
  __fp16 half;
  memcpy(&half, &bits, sizeof half);
  return half;
}
EXPORTED __fp16 __truncdfhf2(double value) {
  const uint16_t bits = blobscopeDoubleToHalf(value);
  __fp16 half;
  memcpy(&half, &bits, sizeof half);
  return half;
}
EXPORTED float __extendhfsf2(__fp16 half) {
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return blobscopeHalfToFloat(bits);
}
EXPORTED double __extendhfdf2(__fp16 half) {
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return blobscopeHalfToFloat(bits);
}
#else
EXPORTED uint16_t __truncsfhf2(float value) { return blobscopeFloatToHalf(value); }
EXPORTED uint16_t __truncdfhf2(double value) { return blobscopeDoubleToHalf(value); }
EXPORTED float __extendhfsf2(uint16_t half) { return blobscopeHalfToFloat(half); }
EXPORTED double __extendhfdf2(uint16_t half) { return blobscopeHalfToFloat(half); }
#endif
