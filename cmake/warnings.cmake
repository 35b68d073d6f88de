# Warnings of our own code; ELODYN_WERROR makes them errors.
add_library(elodyn_warnings INTERFACE)
target_compile_options(elodyn_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual $<$<BOOL:${ELODYN_WERROR}>:-Werror>)
