# blobscope_unity(TARGET UNITS [ALONE FILES …] [TOGETHER FILES …]): if BLOBSCOPE_UNITY is on, compiles the sources of a
# target in UNITS units, the files after TOGETHER in one more, and those after ALONE one by one. Call it after the last
# target_sources().
#
# A unit takes files from the whole sorted list instead of neighbouring files: files of one folder share a namespace,
# and helpers in their anonymous namespaces may have the same name. Two files of one folder are in the same unit only if
# the folder has more files than UNITS.
option(BLOBSCOPE_UNITY "Compile several sources at once: a full build takes half the time, a rebuild after one change takes longer" OFF)

function(blobscope_unity target units)
  if(NOT BLOBSCOPE_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ALONE;TOGETHER")
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${arg_ALONE} ${arg_TOGETHER})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  list(LENGTH sources count)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    math(EXPR unit "${index} % ${units}")
    list(GET sources ${index} source)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${unit}")
  endforeach()
  if(arg_TOGETHER)
    set_source_files_properties(${arg_TOGETHER} PROPERTIES UNITY_GROUP together)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
