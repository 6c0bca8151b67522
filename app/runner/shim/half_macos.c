#define SYMBOL(name) "_" name
#define FUNCTION(name) ".globl _" name "\n_" name ":\n"
#include "app/runner/shim/half_calls.inc"
