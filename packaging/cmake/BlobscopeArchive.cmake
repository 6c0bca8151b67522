# blobscope_archive: libarchive, zstd and lz4. A program with the property BLOBSCOPE_STATIC links static libraries if
# the system has them: a command line that starts in 1.2 instead of 4.3 ms (perf stat, 2 cores), because ICU, libxml2
# and libstdc++ are not loaded before it begins.

set(blobscope_static_archive "")
set(blobscope_archive_parts archive lzma bz2 zstd lz4 nettle z)
if(WIN32)
  # As packaging/windows/build.sh builds it.
  set(blobscope_archive_parts archive_static zstd lz4 z)
endif()
foreach(name IN LISTS blobscope_archive_parts)
  find_library(BLOBSCOPE_STATIC_${name} NAMES "lib${name}.a")
  mark_as_advanced(BLOBSCOPE_STATIC_${name})
  if(NOT BLOBSCOPE_STATIC_${name})
    set(blobscope_static_archive "")
    break()
  endif()
  list(APPEND blobscope_static_archive "${BLOBSCOPE_STATIC_${name}}")
endforeach()

add_library(blobscope_archive INTERFACE)
target_include_directories(blobscope_archive SYSTEM INTERFACE ${LibArchive_INCLUDE_DIRS})
set(shared LibArchive::LibArchive PkgConfig::zstd PkgConfig::lz4)
if(WIN32)
  target_compile_definitions(blobscope_archive INTERFACE LIBARCHIVE_STATIC)
  target_link_libraries(blobscope_archive INTERFACE ${blobscope_static_archive})
elseif(blobscope_static_archive)
  set(static "$<BOOL:$<TARGET_PROPERTY:BLOBSCOPE_STATIC>>")
  target_link_libraries(blobscope_archive INTERFACE "$<${static}:${blobscope_static_archive}>" "$<$<NOT:${static}>:${shared}>")
else()
  message(STATUS "libarchive is linked as a shared library: static libraries of it and its dependencies were not found")
  target_link_libraries(blobscope_archive INTERFACE ${shared})
endif()
