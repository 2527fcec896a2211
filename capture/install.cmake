# hscapture for other programs: headers, both libraries, and what pkg-config and find_package read. All paths are relative to the file itself, so
# that a prefix can be moved. Files that were not built are not installed.
include(CMakePackageConfigHelpers)
install(TARGETS hscapture ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
if(TARGET hscapture_shared)
  install(TARGETS hscapture_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
endif()
install(DIRECTORY include/hscapture DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH HSC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(hscapture.pc.in hscapture.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/hscapture.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(hscaptureConfig.cmake.in hscaptureConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hscapture
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(hscaptureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/hscaptureConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/hscaptureConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hscapture)
