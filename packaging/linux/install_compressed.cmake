# Installs FROM as TO.gz, without a date inside, so that each package of the same sources has the same bytes.
set(installed "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${TO}")
get_filename_component(folder "${installed}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")
execute_process(COMMAND gzip -9nc "${FROM}" OUTPUT_FILE "${installed}.gz" COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "Installing: ${installed}.gz")
