#define SYMBOL(name) name
#define FUNCTION(name) ".globl " name "\n.type " name ",@function\n" name ":\n"
#include "app/runner/shim/half_calls.inc"
