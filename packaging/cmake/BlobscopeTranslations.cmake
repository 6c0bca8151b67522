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
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/translations")
  set(list "<RCC>\n<qresource prefix=\"/i18n\">\n")
  set(compiled "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_custom_command(OUTPUT "${folder}/${name}.qm"
      COMMAND "${BLOBSCOPE_LRELEASE}" -silent "${source}" -qm "${folder}/${name}.qm"
      DEPENDS "${source}" COMMENT "Compiling ${name}.ts" VERBATIM)
    list(APPEND compiled "${folder}/${name}.qm")
    string(APPEND list "<file>${name}.qm</file>\n")
  endforeach()
  file(GENERATE OUTPUT "${folder}/translations.qrc" CONTENT "${list}</qresource>\n</RCC>\n")
  add_custom_command(OUTPUT "${folder}/qrc_translations.cpp"
    COMMAND Qt6::rcc --no-zstd --name translations --output "${folder}/qrc_translations.cpp" "${folder}/translations.qrc"
    DEPENDS "${folder}/translations.qrc" ${compiled} COMMENT "Embedding the translations" VERBATIM)
  target_sources(${target} PRIVATE "${folder}/qrc_translations.cpp")
  set_source_files_properties("${folder}/qrc_translations.cpp" PROPERTIES SKIP_AUTOGEN ON)
endfunction()
