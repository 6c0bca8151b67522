# blobscope_icons(TARGET) adds resources/icons/NAME.svg as pixels, ":/icons/NAME.png", for systems whose Qt has no module
# Svg. The size is a multiple of those in which icons are shown, so that shrinking is as sharp as drawing.
function(blobscope_icons target)
  find_program(BLOBSCOPE_RSVG_CONVERT rsvg-convert)
  if(NOT BLOBSCOPE_RSVG_CONVERT)
    message(FATAL_ERROR "Without the module Svg of Qt, rsvg-convert has to draw the icons (Debian: librsvg2-bin)")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/icons/*.svg")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/icons")
  file(MAKE_DIRECTORY "${folder}")
  set(list "<RCC>\n<qresource prefix=\"/icons\">\n")
  set(drawn "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_custom_command(OUTPUT "${folder}/${name}.png"
      COMMAND "${BLOBSCOPE_RSVG_CONVERT}" --width 256 --height 256 --output "${folder}/${name}.png" "${source}"
      DEPENDS "${source}" COMMENT "Drawing ${name}.svg" VERBATIM)
    list(APPEND drawn "${folder}/${name}.png")
    string(APPEND list "<file>${name}.png</file>\n")
  endforeach()
  file(GENERATE OUTPUT "${folder}/icons.qrc" CONTENT "${list}</qresource>\n</RCC>\n")
  add_custom_command(OUTPUT "${folder}/qrc_icons.cpp"
    COMMAND Qt6::rcc --no-zstd --name icons --output "${folder}/qrc_icons.cpp" "${folder}/icons.qrc"
    DEPENDS "${folder}/icons.qrc" ${drawn} COMMENT "Embedding the icons" VERBATIM)
  target_sources(${target} PRIVATE "${folder}/qrc_icons.cpp")
  set_source_files_properties("${folder}/qrc_icons.cpp" PROPERTIES SKIP_AUTOGEN ON)
endfunction()
