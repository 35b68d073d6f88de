# embed_file(TARGET NAME FILE): the bytes of the file as `extern "C" const char NAME[], NAME_end[];`, put there by the
# assembler: no generated arrays, any size, and made again when the file changes.
enable_language(ASM)

function(embed_file target name file)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.S")
  file(CONFIGURE OUTPUT "${source}" CONTENT "  .section .rodata
  .global ${name}
  .global ${name}_end
${name}:
  .incbin \"${file}\"
${name}_end:
  .byte 0
  .section .note.GNU-stack,\"\",%progbits
")
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}")
  target_sources(${target} PRIVATE "${source}")
endfunction()
