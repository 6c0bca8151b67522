# Installs what the program CLI prints: its manual page and the completions of the shells. ZSH: the folder for zsh.
foreach(row IN ITEMS "bash|share/bash-completion/completions/blobscope-cli" "zsh|${ZSH}/_blobscope-cli"
                     "fish|share/fish/vendor_completions.d/blobscope-cli.fish")
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 shell)
  list(GET row 1 file)
  set(file "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  execute_process(COMMAND "${CLI}" completion ${shell} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "Installing: ${file}")
endforeach()

set(page "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1/blobscope-cli.1")
get_filename_component(folder "${page}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")
execute_process(COMMAND "${CLI}" manual OUTPUT_FILE "${page}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND gzip -9nf "${page}" COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "Installing: ${page}.gz")
