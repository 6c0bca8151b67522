# blobscope_built_resources(TARGET NAME FILE …): embeds files of the build folder "NAME" in TARGET, as ":/NAME/FILE".
function(blobscope_built_resources target name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  list(TRANSFORM ARGN REPLACE "(.+)" "<file>\\1</file>\n" OUTPUT_VARIABLE rows)
  list(JOIN rows "" rows)
  file(GENERATE OUTPUT "${folder}/${name}.qrc" CONTENT "<RCC>\n<qresource prefix=\"/${name}\">\n${rows}</qresource>\n</RCC>\n")
  list(TRANSFORM ARGN PREPEND "${folder}/" OUTPUT_VARIABLE files)
  # The Qt of another system may have been built without zstd.
  add_custom_command(OUTPUT "${folder}/qrc_${name}.cpp"
    COMMAND Qt6::rcc --no-zstd --name ${name} --output "${folder}/qrc_${name}.cpp" "${folder}/${name}.qrc"
    DEPENDS "${folder}/${name}.qrc" ${files} COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE "${folder}/qrc_${name}.cpp")
  set_source_files_properties("${folder}/qrc_${name}.cpp" PROPERTIES SKIP_AUTOGEN ON)
endfunction()
