# Flags that every target of the project links through five interface targets:
#   hsd_build        language level, sanitizers, coverage, paths in the object code: what that is
#   hsd_hardened     what the engine and the command have besides against inputs that take them over
#   hsd_zeroed       of these, whatever reads bytes that others wrote
#   hsd_warnings     what the compiler complains about
#   hsd_quick_start  how the command starts sooner in presets with sanitizers; hsd_asan_start, of it, unit tests
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

include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)  # CMAKE_POSITION_INDEPENDENT_CODE then links programs as such, too

# 3 where compiler and libc know it (gcc 12, clang 9; glibc 2.34): sizes that are known when the program runs, too.
function(hsd_fortify_level out)
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_c_source_compiles("#include <string.h>\n#if __USE_FORTIFY_LEVEL != 3\n#error\n#endif\nint main(void) { return 0; }" HSD_HAS_FORTIFY_3)
  set(${out} $<IF:$<BOOL:${HSD_HAS_FORTIFY_3}>,3,2> PARENT_SCOPE)
endfunction()

add_library(hsd_build INTERFACE)
# Strict C11 hides POSIX; a file that needs more than POSIX 2008 defines _GNU_SOURCE itself, on its first line.
target_compile_definitions(hsd_build INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
if(NOT HSD_NODE_BITS EQUAL 32)
  target_compile_definitions(hsd_build INTERFACE HSD_NODE_BITS=${HSD_NODE_BITS})
endif()
# Where debuggers are told of lines alone, layers of the engine are as fast as sanitizers let them be: of tests of graph/ it saves a fifth, and -O2 no more.
# What unit tests are made of is compiled once, and runs for less than that: see HsdTest.cmake.
target_compile_options(hsd_build INTERFACE -fno-strict-aliasing
  $<$<CONFIG:Debug>:$<IF:$<BOOL:$<TARGET_PROPERTY:HSD_IS_QUICK>>,-O1,$<IF:$<BOOL:$<TARGET_PROPERTY:HSD_IS_BRIEF>>,-O0,-Og>>>)
if(HSD_SANITIZE)
  target_compile_options(hsd_build INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hsd_build INTERFACE -fsanitize=address,undefined)
  # gcc has 40 bytes of data for each place where behaviour might be undefined, and each is guarded by the address sanitizer like any table: 13 MB of
  # the command's 14, which each start registers and each end looks through. A trap in its place finds the same; the address sanitizer says in which line.
  # HSD_SAYS_UNDEFINED=ON tells in words what was undefined there.
  option(HSD_SAYS_UNDEFINED "Undefined behaviour is told in words; programs start half as fast" OFF)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT HSD_SAYS_UNDEFINED)
    target_compile_options(hsd_build INTERFACE -fsanitize-undefined-trap-on-error)
    target_link_options(hsd_build INTERFACE -fsanitize-undefined-trap-on-error) # else libubsan is loaded all the same
  endif()
elseif(HSD_MSAN)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HSD_MSAN needs clang: cmake --preset msan")
  endif()
  target_compile_options(hsd_build INTERFACE -fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer)
  target_compile_definitions(hsd_build INTERFACE HSD_MSAN=1)
  target_link_options(hsd_build INTERFACE -fsanitize=memory)
  add_library(hsd_msan_libc STATIC "${PROJECT_SOURCE_DIR}/tests/support/msan_libc.c")
  target_link_libraries(hsd_build INTERFACE hsd_msan_libc)
  foreach(call IN ITEMS stat lstat fstat fstatat)
    target_link_options(hsd_build INTERFACE -Wl,--wrap=${call} -Wl,--wrap=${call}64)
  endforeach()
elseif(HSD_TSAN)
  target_compile_options(hsd_build INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(hsd_build INTERFACE -fsanitize=thread)
else()
  # Nothing here costs the agents, which live in other programs: stack protection and checked calls of libc alone.
  target_compile_options(hsd_build INTERFACE -fstack-protector-strong)
  hsd_fortify_level(level)
  target_compile_definitions(hsd_build INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:_FORTIFY_SOURCE=${level}>)
endif()

# The engine and the command, which read what others have written (tests/sandbox/test_hardening.py looks at the binary).
add_library(hsd_hardened INTERFACE)
# Of them all but the stages that walk over records which were checked when they were read: local variables are zero from the
# start. In those stages it was most of 3.3 % of the instructions of a diff.
add_library(hsd_zeroed INTERFACE)
if(NOT HSD_SANITIZE AND NOT HSD_TSAN AND NOT HSD_MSAN)
  foreach(flag IN ITEMS -fstack-clash-protection -fcf-protection=full -ftrivial-auto-var-init=zero)
    string(MAKE_C_IDENTIFIER "HSD_HAS_${flag}" known)
    check_c_compiler_flag("-Werror ${flag}" ${known})
    if(${known} AND flag MATCHES "auto-var-init")
      target_compile_options(hsd_zeroed INTERFACE ${flag})
    elseif(${known})
      target_compile_options(hsd_hardened INTERFACE ${flag})
    endif()
  endforeach()
  if(CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(hsd_hardened INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
endif()

# Two builds of one source are equal byte for byte, wherever they are made. Where objects of a debugger name their sources
# nobody minds: those of presets for development keep their paths.
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$" AND NOT HSD_FUZZ)
  target_compile_options(hsd_build INTERFACE
    "-ffile-prefix-map=${PROJECT_BINARY_DIR}=build" "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
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

# Of programs that tests start thousands of times, and of unit tests, which fork for each case: a third of what a start takes under sanitizers is relocating
# their tables, a quarter of the rest telling of global variables file by file, and half of the page faults looking for pointers in the sanitizer's own
# tables (tests/support/asan_globals.c). Among the libraries, because what CMake says of its own (-pie) stands behind all options, and the
# last counts.
# hsd_asan_start alone is without the first of these, for unit tests, of which some look for themselves where a program lies.
add_library(hsd_quick_start INTERFACE)
add_library(hsd_asan_start INTERFACE)
if(HSD_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_link_libraries(hsd_quick_start INTERFACE -no-pie)
  add_library(hsd_asan_globals STATIC "${PROJECT_SOURCE_DIR}/tests/support/asan_globals.c")
  target_link_libraries(hsd_quick_start INTERFACE hsd_asan_start)
  target_link_libraries(hsd_asan_start INTERFACE hsd_asan_globals)
  target_link_options(hsd_asan_start INTERFACE -Wl,--wrap=__asan_register_globals -Wl,--wrap=__asan_unregister_globals)
endif()

add_library(hsd_warnings INTERFACE)
target_compile_options(hsd_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
  -Wpointer-arith -Wwrite-strings -Wformat=2 -Wimplicit-fallthrough -Wcast-align -Wswitch-enum
  $<$<C_COMPILER_ID:GNU>:-Wlogical-op -Wduplicated-cond -Wduplicated-branches>
  $<$<BOOL:${HSD_WERROR}>:-Werror>)
