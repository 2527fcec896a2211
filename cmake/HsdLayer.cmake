# hsd_add_layer(<name> [SOURCES file…] [LIBS target…] [PRIVATE_LIBS target…])
#
# One library for each layer of the engine: hsd_<name>. Its sources are listed by hand in the layer's own folder. Includes are
# written from libdiff/ on ("base/check.h"), public headers as <hsdiff/…>. LIBS are the layers that it stands on.
include_guard(GLOBAL)

set(HSD_CHECKED_STAGES walk holders graph sort match)  # see hsd_zeroed

# Layers that hold numbers of nodes (base/node.h), which are compiled twice: hsd_<name>, and for hsdiff-huge hsd_<name>_wide.
set(HSD_WIDE_LAYERS graph match walk paths top holders totals profile diff ranks browse)

function(hsd_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;PRIVATE_LIBS")
  set(target hsd_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/libdiff" "${PROJECT_SOURCE_DIR}/libdiff/include")
  target_link_libraries(${target} PUBLIC ${arg_LIBS} PRIVATE ${arg_PRIVATE_LIBS} hsd_build hsd_hardened hsd_warnings)
  if(HSD_LINES_ONLY AND NOT HSD_COVERAGE)
    set_target_properties(${target} PROPERTIES HSD_IS_QUICK ON) # see hsd_build
  endif()
  if(NOT name IN_LIST HSD_CHECKED_STAGES)
    target_link_libraries(${target} PRIVATE hsd_zeroed)
  endif()
  set_property(GLOBAL APPEND PROPERTY HSD_LAYERS ${target})
  if(NOT HSD_WIDE)
    return()
  endif()
  set(twin ${target})
  if(name IN_LIST HSD_WIDE_LAYERS)
    set(twin ${target}_wide)
    add_library(${twin} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_compile_definitions(${twin} PRIVATE HSD_NODE_BITS=64)
    target_include_directories(${twin} PRIVATE "${PROJECT_SOURCE_DIR}/libdiff" "${PROJECT_SOURCE_DIR}/libdiff/include")
    target_link_libraries(${twin} PRIVATE ${arg_LIBS} ${arg_PRIVATE_LIBS} hsd_build hsd_hardened hsd_warnings)
    if(NOT name IN_LIST HSD_CHECKED_STAGES)
      target_link_libraries(${twin} PRIVATE hsd_zeroed)
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY HSD_LAYERS_WIDE ${twin})
endfunction()
