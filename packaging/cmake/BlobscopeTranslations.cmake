# blobscope_translations(TARGET) compiles resources/translations/*.ts with lrelease and adds the results to TARGET as
# resources, in ":/i18n". Without lrelease, the window is in English.
function(blobscope_translations target)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/translations/blobscope_*.ts")
  # Qt's own folder first: the lrelease on the PATH may be one of another Qt.
  find_program(BLOBSCOPE_LRELEASE NAMES lrelease lrelease6 lrelease-qt6
               HINTS "${QT6_INSTALL_PREFIX}/${QT6_INSTALL_BINS}" /usr/lib/qt6/bin)
  if(NOT BLOBSCOPE_LRELEASE)
    message(STATUS "lrelease was not found (Debian: qt6-l10n-tools): the window is built without translations")
    return()
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/i18n")
  set(compiled "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_custom_command(OUTPUT "${folder}/${name}.qm"
      COMMAND "${BLOBSCOPE_LRELEASE}" -silent "${source}" -qm "${folder}/${name}.qm"
      DEPENDS "${source}" COMMENT "Compiling ${name}.ts" VERBATIM)
    list(APPEND compiled "${name}.qm")
  endforeach()
  blobscope_built_resources(${target} i18n ${compiled})
endfunction()
