# Flags that every target of the project links through three interface targets:
#   hsd_build        language level, sanitizers, coverage, hardening: what the object code is
#   hsd_warnings     what the compiler complains about
#   hsd_quick_start  how the command starts sooner in presets with sanitizers
include_guard(GLOBAL)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
if(HSD_SANITIZE AND HSD_TSAN)
  message(FATAL_ERROR "HSD_SANITIZE and HSD_TSAN exclude each other: choose one")
endif()

add_library(hsd_build INTERFACE)
# Strict C11 hides POSIX; a file that needs more than POSIX 2008 defines _GNU_SOURCE itself, on its first line.
target_compile_definitions(hsd_build INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
target_compile_options(hsd_build INTERFACE -fno-strict-aliasing $<$<CONFIG:Debug>:-Og>)
if(HSD_SANITIZE)
  target_compile_options(hsd_build INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hsd_build INTERFACE -fsanitize=address,undefined)
elseif(HSD_TSAN)
  target_compile_options(hsd_build INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(hsd_build INTERFACE -fsanitize=thread)
else()
  target_compile_options(hsd_build INTERFACE -fstack-protector-strong)
  target_compile_definitions(hsd_build INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:_FORTIFY_SOURCE=2>)
endif()
if(HSD_SANITIZE OR HSD_TSAN OR HSD_FUZZ)
  target_compile_definitions(hsd_build INTERFACE HSD_CHECKED=1) # HSD_ASSERT: libdiff/base/assert.h
endif()
if(HSD_COVERAGE)
  target_compile_options(hsd_build INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(hsd_build INTERFACE --coverage)
endif()
if(HSD_FRAME_POINTERS)
  target_compile_options(hsd_build INTERFACE -fno-omit-frame-pointer -fno-optimize-sibling-calls)
endif()
if(HSD_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HSD_FUZZ needs clang: cmake --preset fuzz")
  endif()
  target_compile_options(hsd_build INTERFACE -fsanitize=fuzzer-no-link)
  # Lets a fuzzer past the checksums: see the format layer.
  target_compile_definitions(hsd_build INTERFACE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION=1)
endif()

# Of programs that tests start thousands of times: a quarter of what a start takes under sanitizers is relocating their tables.
add_library(hsd_quick_start INTERFACE)
if(HSD_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_link_options(hsd_quick_start INTERFACE -no-pie)
endif()

add_library(hsd_warnings INTERFACE)
target_compile_options(hsd_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
  -Wpointer-arith -Wwrite-strings -Wformat=2 -Wimplicit-fallthrough -Wcast-align -Wswitch-enum
  $<$<C_COMPILER_ID:GNU>:-Wlogical-op -Wduplicated-cond -Wduplicated-branches>
  $<$<BOOL:${HSD_WERROR}>:-Werror>)
