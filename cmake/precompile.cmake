# precompile_headers(TARGET [HEADER…]): those that nearly every source takes, and the given ones.
# The options are for ccache, which keeps precompiled headers if CCACHE_SLOPPINESS is pch_defines,time_macros.
function(precompile_headers target)
  target_precompile_headers(${target} PRIVATE <algorithm> <functional> <map> <memory> <optional> <string> <vector>
    "${ELODYN_ROOT}/elodyn/base/types.hpp" ${ARGN})
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()
