# Installs the manual page of the window and its icon in all sizes of the theme hicolor.
set(FROM "${SOURCE}/packaging/linux/blobscope.1")
set(TO share/man/man1/blobscope.1)
include("${CMAKE_CURRENT_LIST_DIR}/install_compressed.cmake")

find_program(RSVG_CONVERT rsvg-convert)
if(NOT RSVG_CONVERT)
  message(STATUS "Only the scalable icon is installed: rsvg-convert was not found")
  return()
endif()
foreach(size IN ITEMS 16 22 24 32 48 64 128 256 512)
  # Fewer details, for sizes in which they would be a blur.
  set(drawing "${SOURCE}/resources/icons/blobscope.svg")
  if(size LESS 32)
    set(drawing "${SOURCE}/resources/icons/blobscope-16.svg")
  endif()
  set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/icons/hicolor/${size}x${size}/apps")
  file(MAKE_DIRECTORY "${folder}")
  execute_process(COMMAND "${RSVG_CONVERT}" -w ${size} -h ${size} "${drawing}" -o "${folder}/org.blobscope.Blobscope.png"
                  COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "Installing: ${folder}/org.blobscope.Blobscope.png")
endforeach()
