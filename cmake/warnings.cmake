# Warnings of our own code; ELODYN_WERROR makes them errors.
add_library(elodyn_warnings INTERFACE)
target_compile_options(elodyn_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual $<$<BOOL:${ELODYN_WERROR}>:-Werror>)
# GCC 12 sees overlapping copies in `"text" + string` at -O2 (gcc.gnu.org/PR105651): a false alarm.
target_compile_options(elodyn_warnings INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>>:-Wno-restrict>)
