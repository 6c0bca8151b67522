# Targets that all our own targets link, with their common options.

add_library(blobscope_options INTERFACE)
target_compile_options(blobscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                                   -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 gives false warnings about `"text" + std::string` and std::variant at -O2 (gcc bug 105651 and similar ones).
  target_compile_options(blobscope_options INTERFACE -Wno-stringop-overflow -Wno-restrict -Wno-array-bounds -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND BLOBSCOPE_UNITY)
  # A unit includes the sources, so that g++ takes a type of one source for a type of a header.
  target_compile_options(blobscope_options INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 uses functions that it marks as deprecated; in a precompiled header it no longer counts as a system
  # header.
  target_compile_options(blobscope_options INTERFACE -Wno-deprecated-declarations)
endif()
if(BLOBSCOPE_WERROR)
  target_compile_options(blobscope_options INTERFACE -Werror)
endif()
if(BLOBSCOPE_SANITIZE)
  target_compile_options(blobscope_options INTERFACE -fsanitize=${BLOBSCOPE_SANITIZE} -fno-omit-frame-pointer)
  # AddressSanitizer reports accesses through null pointers and outside of objects itself; checks of each pointer beside it
  # take a third of the compile time (a unit of core: 100 s with them, 68 s without).
  if(BLOBSCOPE_SANITIZE STREQUAL "address,undefined")
    target_compile_options(blobscope_options INTERFACE -fno-sanitize=null,object-size)
  endif()
  target_link_options(blobscope_options INTERFACE -fsanitize=${BLOBSCOPE_SANITIZE})
  if(BLOBSCOPE_SANITIZE MATCHES "undefined")
    # An error that a sanitizer reports must fail the test.
    target_compile_options(blobscope_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
target_include_directories(blobscope_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
if(BLOBSCOPE_TESTS)
  target_compile_definitions(blobscope_options INTERFACE BLOBSCOPE_CHECK_THREADS) # see core/base/thread_rule.h
endif()

# LLVM's headers are not ours, so their warnings are off; its library was built without run-time type information.
# Programs need its CRC-32, on Linux, and its disassemblers; tests compare our readers of object files with those of LLVM.
if(LLVM_FOUND)
  add_library(blobscope_llvm INTERFACE)
  set(blobscope_llvm_components support)
  if(BLOBSCOPE_TESTS)
    list(APPEND blobscope_llvm_components object binaryformat targetparser)
  endif()
  llvm_map_components_to_libnames(blobscope_llvm_libraries ${blobscope_llvm_components})
  target_link_libraries(blobscope_llvm INTERFACE ${blobscope_llvm_libraries})
  target_include_directories(blobscope_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  separate_arguments(blobscope_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(blobscope_llvm INTERFACE ${blobscope_llvm_definitions})
endif()

# RE2 matches regular expressions; Nettle computes SHA-256 on Linux. Static libraries save every start of a program the
# loading of shared ones.
foreach(name IN ITEMS re2 nettle)
  if(NOT TARGET PkgConfig::${name})
    continue()
  endif()
  add_library(blobscope_${name} INTERFACE)
  find_library(BLOBSCOPE_STATIC_${name} NAMES lib${name}.a)
  mark_as_advanced(BLOBSCOPE_STATIC_${name})
  target_include_directories(blobscope_${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIRS})
  if(BLOBSCOPE_STATIC_${name})
    target_link_libraries(blobscope_${name} INTERFACE "${BLOBSCOPE_STATIC_${name}}")
  else()
    target_link_libraries(blobscope_${name} INTERFACE PkgConfig::${name})
  endif()
endforeach()
