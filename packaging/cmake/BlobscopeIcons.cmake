# blobscope_icons(TARGET) adds resources/icons/NAME.svg as pixels, ":/icons/NAME.png", for systems whose Qt has no module
# Svg. The size is a multiple of those in which icons are shown, so that shrinking is as sharp as drawing.
function(blobscope_icons target)
  find_program(BLOBSCOPE_RSVG_CONVERT rsvg-convert)
  if(NOT BLOBSCOPE_RSVG_CONVERT)
    message(FATAL_ERROR "Without the module Svg of Qt, rsvg-convert has to draw the icons (Debian: librsvg2-bin)")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/icons/*.svg")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/icons")
  set(drawn "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_custom_command(OUTPUT "${folder}/${name}.png"
      COMMAND "${BLOBSCOPE_RSVG_CONVERT}" --width 256 --height 256 --output "${folder}/${name}.png" "${source}"
      DEPENDS "${source}" COMMENT "Drawing ${name}.svg" VERBATIM)
    list(APPEND drawn "${name}.png")
  endforeach()
  blobscope_built_resources(${target} icons ${drawn})
endfunction()
