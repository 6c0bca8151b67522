/* A library that writes a file as soon as it is loaded. It carries a small blob, so that every verb has work to do:
 * a classic stream of a `_lib` record, a record of unknown kind, and the import tree 0 -> 1. */
#include <stdio.h>
#include <stdlib.h>

#define U64(n) (n), 0, 0, 0, 0, 0, 0, 0

__attribute__((visibility("default"))) const unsigned char __tvm_dev_mblob[] = {
    U64(109),                                            /* bytes that follow */
    U64(3),                                              /* records, the tree included */
    U64(4),  '_', 'l', 'i', 'b',                         /* 0 */
    U64(6),  'c', 'a', 'n', 'a', 'r', 'y',               /* 1, and its payload */
    'p', 'a', 'y', 'l', 'o', 'a', 'd',
    U64(12), '_', 'i', 'm', 'p', 'o', 'r', 't', '_', 't', 'r', 'e', 'e',
    U64(3),  U64(0), U64(1), U64(1),                     /* indptr */
    U64(1),  U64(1)};                                    /* child */

__attribute__((visibility("default"))) void* __tvm_module_ctx = 0;

__attribute__((visibility("default"))) int canary_run(void) { return 0; }

__attribute__((constructor)) static void sing(void) {
  const char* const path = getenv("BLOBSCOPE_CANARY");
  FILE* const file = path ? fopen(path, "w") : 0;
  if (file) fclose(file);
}
