# Installs the build into a fresh prefix, then configures, builds and runs the downstream project against it.
# cmake -DBUILD_DIR=… -DBUILD_TYPE=… -DCXX_COMPILER=… -DCXX_FLAGS=… -DGENERATOR=… -P run.cmake
set(work "${BUILD_DIR}/packaging_test")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${output}")
  if(failed)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "failed: ${line}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${work}/prefix")
run("${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CMAKE_CURRENT_LIST_DIR}/downstream" -B "${work}/build"
  "-DCMAKE_PREFIX_PATH=${work}/prefix" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/downstream")
run("${work}/prefix/bin/elodyn" --version)
file(REMOVE_RECURSE "${work}")
