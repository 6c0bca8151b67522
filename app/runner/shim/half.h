#pragma once

/* Conversions of half floats, and the functions under which compilers call them: half_calls.inc. A DLL gets
 * them when it is linked. */

#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN float blobscopeHalfToFloat(uint16_t half);
/* Rounds once, to nearest, ties to even, so that a double is not rounded twice. */
HIDDEN uint16_t blobscopeDoubleToHalf(double value);
HIDDEN uint16_t blobscopeFloatToHalf(float value);
