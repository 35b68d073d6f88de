# GiNaC, symbols of `elodyn derive`: the target GINAC::GINAC.
find_path(GINAC_INCLUDE_DIR ginac/ginac.h)
find_library(GINAC_LIBRARY ginac)
find_library(CLN_LIBRARY cln)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GINAC REQUIRED_VARS GINAC_LIBRARY CLN_LIBRARY GINAC_INCLUDE_DIR)
mark_as_advanced(GINAC_INCLUDE_DIR GINAC_LIBRARY CLN_LIBRARY)
if(GINAC_FOUND AND NOT TARGET GINAC::GINAC)
  add_library(GINAC::GINAC UNKNOWN IMPORTED)
  set_target_properties(GINAC::GINAC PROPERTIES IMPORTED_LOCATION "${GINAC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${GINAC_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${CLN_LIBRARY}")
endif()
