#pragma once

namespace blobscope::test {

/// A library as made by tvm-ffi, with a metadata getter for each way to end. In a separate header, because moc reads
/// the directives in the text as its own.
inline constexpr char kMetadata[] = R"c(
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int32_t type; uint32_t pad; void* value; } Any;
typedef struct { const char* data; uint64_t size; } Text;
int TVMFFIStringFromByteArray(const Text* in, Any* out);
void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
#define GETTER(name) \
  int __tvm_ffi_##name(void* s, const Any* a, int n, Any* r) { return 0; } \
  int __tvm_ffi__metadata_##name(void* s, const Any* a, int n, Any* r)
static int give(const char* text, Any* out) {
  Text t = {text, strlen(text)};
  return TVMFFIStringFromByteArray(&t, out);
}
GETTER(add) { return give("{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":)c"
                                    R"c([{\\\"type\\\":\\\"int\\\"},{\\\"type\\\":\\\"float\\\"}]}\"}", r); }
int __tvm_ffi__doc_add(void* s, const Any* a, int n, Any* r) {
  r->type = 11, r->pad = 3;
  memcpy(&r->value, "Sum", 3);
  return 0;
}
GETTER(fails) { TVMFFIErrorSetRaisedFromCStr("ValueError", "no types"); return -1; }
GETTER(crashes) { *(volatile int*)16 = 1; return 0; }
GETTER(empty) { return 0; }
GETTER(broken) { return give("{\"type_schema\":", r); }
GETTER(loops) { for (volatile int i = 0;; ++i); }
GETTER(throws) { abort(); } // the action of std::terminate() for an uncaught exception
GETTER(long) { return give("{\"type_schema\":\""
  "{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":[{\\\"type\\\":\\\"int\\\"}]}\"}", r); }
int __tvm_ffi__doc_long(void* s, const Any* a, int n, Any* r) {
  static char text[30001]; /* "aöaö…": three bytes a pair, so that pieces would end inside of a character */
  for (int i = 0; i < 10000; ++i) memcpy(text + 3 * i, "a\xc3\xb6", 3);
  return give(text, r);
}
#ifdef DIES_WHILE_LOADING
__attribute__((constructor)) static void start(void) { abort(); }
#endif
GETTER(last) { return give("{\"type_schema\":\""
  "{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":[{\\\"type\\\":\\\"None\\\"}]}\"}", r); }
)c";

} // namespace blobscope::test
