# HDF5::Serial, the C library without MPI. Debian keeps both side by side, and its hdf5.pc may mean the one with MPI.
find_path(HDF5_SERIAL_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_SERIAL_LIBRARY NAMES hdf5_serial hdf5)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5_SERIAL_LIBRARY HDF5_SERIAL_INCLUDE_DIR)
if(HDF5Serial_FOUND AND NOT TARGET HDF5::Serial)
  add_library(HDF5::Serial UNKNOWN IMPORTED)
  set_target_properties(HDF5::Serial PROPERTIES IMPORTED_LOCATION "${HDF5_SERIAL_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${HDF5_SERIAL_INCLUDE_DIR}")
endif()
mark_as_advanced(HDF5_SERIAL_INCLUDE_DIR HDF5_SERIAL_LIBRARY)
