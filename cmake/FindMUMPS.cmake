# MUMPS without MPI: Debian ships neither a CMake config nor a pkg-config file.
find_path(MUMPS_INCLUDE_DIR dmumps_c.h)
find_library(MUMPS_D_LIBRARY dmumps_seq)
find_library(MUMPS_Z_LIBRARY zmumps_seq)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS REQUIRED_VARS MUMPS_D_LIBRARY MUMPS_Z_LIBRARY MUMPS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libmumps-seq-dev")
if(MUMPS_FOUND AND NOT TARGET MUMPS::MUMPS)
  add_library(MUMPS::MUMPS UNKNOWN IMPORTED)
  set_target_properties(MUMPS::MUMPS PROPERTIES IMPORTED_LOCATION "${MUMPS_D_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${MUMPS_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${MUMPS_Z_LIBRARY}")
endif()
mark_as_advanced(MUMPS_INCLUDE_DIR MUMPS_D_LIBRARY MUMPS_Z_LIBRARY)
