/* Loads the library named by its argument, as no verb of the command line may. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) return 0;
  fprintf(stderr, "%s\n", dlerror());
  return 1;
}
