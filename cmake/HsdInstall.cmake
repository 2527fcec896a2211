# libhsdiff for other programs: headers, both libraries, and what pkg-config and find_package read (hscapture's own: capture/install.cmake).
# All paths are relative to the file itself, so that a prefix can be moved. Files that were not built are not installed.
include_guard(GLOBAL)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS hsdiff ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
if(TARGET hsdiff_shared)
  install(TARGETS hsdiff_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
endif()
install(DIRECTORY libdiff/include/hsdiff DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# What a program that links the archive needs besides. Not Requires.private: that would ask for the packages of what these stand on, too.
set(HSD_STATIC_LIBRARIES zstd xxhash sodium)
foreach(row IN ITEMS "HSD_ZLIB_PKG_FOUND z" "HSD_YAML_PKG_FOUND yaml" "HSD_DW_PKG_FOUND dw" "HSD_DW_PKG_FOUND elf" "HSD_IBERTY_LIBRARY iberty"
                     "HSD_SQLITE_PKG_FOUND sqlite3" "CMAKE_DL_LIBS ${CMAKE_DL_LIBS}")
  string(REPLACE " " ";" row "${row}")
  list(GET row 0 found)
  list(GET row 1 library)
  if(${found})
    list(APPEND HSD_STATIC_LIBRARIES ${library})
  endif()
endforeach()
list(TRANSFORM HSD_STATIC_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE HSD_PC_LIBRARIES)
list(JOIN HSD_PC_LIBRARIES " " HSD_PC_LIBRARIES)

file(RELATIVE_PATH HSD_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/hsdiff.pc.in hsdiff.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/hsdiff.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(cmake/hsdiffConfig.cmake.in hsdiffConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hsdiff
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(hsdiffConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hsdiffConfig.cmake" "${PROJECT_BINARY_DIR}/hsdiffConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hsdiff)
