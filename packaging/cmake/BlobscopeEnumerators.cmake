# blobscope_enumerators(TABLE MACRO OUTPUT): writes the first argument of each MACRO(…) in TABLE, a comma after each, to
# OUTPUT, an include path. A change of a text in the table then rebuilds the sources that use the texts, not everything
# that uses an id.
function(blobscope_enumerators table macro output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${table}")
  file(STRINGS "${PROJECT_SOURCE_DIR}/${table}" rows REGEX "^${macro}\\(")
  set(content "")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^${macro}\\(([A-Za-z0-9_]+),.*" "\\1" name "${row}")
    string(APPEND content "${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${output}" CONTENT "${content}" @ONLY)
endfunction()

blobscope_enumerators(core/base/diagnostics.inc BLOBSCOPE_DIAGNOSTIC core/base/diagnostic_ids.inc)
blobscope_enumerators(core/check/rules.inc BLOBSCOPE_RULE core/check/rule_ids.inc)
