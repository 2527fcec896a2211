# hsd_add_test(<layer> <name> <source…> [LABELS quick|full|slow] [LIBS target…] [TIMEOUT seconds] [ENVIRONMENT VAR=value…])
#   builds a Criterion program test_<layer>_<name> and registers it with ctest as <layer>/<name>.
# hsd_add_script_test(<layer> <name> COMMAND … [LABELS …] [TIMEOUT seconds] [ENVIRONMENT VAR=value…])
#   registers any other command; exit status 77 means "skipped".
# Labels: quick (the default; all of them together stay under half a minute), full (also in scripts/test), slow (--long only).
# quick and full tests run in preset dev; what is labelled release as well ("full;release") also in preset release: the whole program, and
# what an optimizer or a time without sanitizers may change. The folders of HSD_REPEATED are labelled so by themselves.
# A test that means nothing under sanitizers (memory bounds, speed), or that spends its time in other programs, is labelled release-only.
# What preset release does not run it does not build either, but as target every_test: scripts/test --long does, and runs all there.
include_guard(GLOBAL)

# hsd_criterion is Criterion, but in presets with sanitizers, where it is slow or cannot start, for another machine, whose Criterion is not
# there, and where CI runs, which counts its processor time: see tests/support/plain/criterion/criterion.h.
option(HSD_PLAIN_CRITERION "Unit tests are compiled against the stand-in for Criterion, as CI has it: cases take a tenth of the time to start" OFF)
add_library(hsd_criterion INTERFACE)
pkg_check_modules(HSD_CRITERION IMPORTED_TARGET criterion)
if(HSD_SANITIZE OR HSD_TSAN OR HSD_PLAIN_CRITERION OR CMAKE_CROSSCOMPILING)
  set(HSD_CRITERION_FOUND TRUE)
  target_include_directories(hsd_criterion INTERFACE "${PROJECT_SOURCE_DIR}/tests/support/plain")
  target_link_libraries(hsd_criterion INTERFACE m)
elseif(HSD_CRITERION_FOUND)
  target_link_libraries(hsd_criterion INTERFACE PkgConfig::HSD_CRITERION)
else()
  message(WARNING "Criterion not found: the unit tests are not built (Debian: apt-get install libcriterion-dev)")
endif()
find_package(Python3 COMPONENTS Interpreter)

# Test programs are many and large (each has its share of the libraries in it): gold, of the same package as ld, links them in half the time.
# What is shipped is linked as ever.
include(CheckLinkerFlag)
check_linker_flag(C "-fuse-ld=gold" HSD_HAVE_GOLD)

set(HSD_TIMES_AS_LONG 1 CACHE STRING "A test may take so many times as long as it may else (scripts/test --under-load)")

set(HSD_TEST_ENVIRONMENT
  "ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:strict_string_checks=1:allocator_may_return_null=1:clear_shadow_mmap_threshold=16777216:handle_sigill=1"
  "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
  "TSAN_OPTIONS=halt_on_error=1:allocator_may_return_null=1"
  "HSD_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "HSD_BUILD_DIR=${PROJECT_BINARY_DIR}")

# Threads, tables and sorting, whose code is another one when it is optimized; and what lives in foreign programs, never with a sanitizer.
set(HSD_REPEATED base sort graph match native walk agent)
add_custom_target(every_test)
add_custom_target(units) # the tests of tests/unit, and what starts them

# hsd_is_built(<variable> <layer> <label…>): whether preset and labels say that this test is built with all the rest.
function(hsd_is_built variable layer)
  set(built TRUE)
  if(NOT HSD_SANITIZE AND NOT HSD_TSAN AND NOT HSD_COVERAGE AND NOT HSD_FUZZ AND NOT CMAKE_CROSSCOMPILING)
    if(NOT layer IN_LIST HSD_REPEATED AND NOT "release" IN_LIST ARGN AND NOT "release-only" IN_LIST ARGN)
      set(built FALSE)
    endif()
  endif()
  set(${variable} ${built} PARENT_SCOPE)
endfunction()

# hsd_add_measured(<test> <command…>): add_test(), but that what it takes of the processor is noted (tests/support/spent.c).
function(hsd_add_measured test program)
  if(CMAKE_CROSSCOMPILING) # CMake puts the emulator before the name of a target
    add_test(NAME ${test} COMMAND ${program} ${ARGN})
    return()
  endif()
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${test} COMMAND hsd_spent ${test} ${program} ${ARGN})
endfunction()

# hsd_note_unit(<target…>): target units builds these, where a test of tests/unit is added.
function(hsd_note_unit)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/unit/" AND NOT CMAKE_CROSSCOMPILING)
    add_dependencies(units hsd_spent ${ARGN})
  endif()
endfunction()

function(hsd_test_properties test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;ENVIRONMENT")
  if(NOT arg_LABELS)
    set(arg_LABELS quick)
  endif()
  string(REGEX REPLACE "/.*" "" layer ${test})
  if(layer IN_LIST HSD_REPEATED)
    list(APPEND arg_LABELS release)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(cost ${arg_TIMEOUT})
  if(HSD_TSAN OR HSD_COVERAGE OR CMAKE_CROSSCOMPILING)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 10")
  endif()
  math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * ${HSD_TIMES_AS_LONG}")
  # Criterion runs each case in a process of its own and does not look at what a sanitizer says when that process ends.
  set_tests_properties(${test} PROPERTIES
    FAIL_REGULAR_EXPRESSION "ERROR: (Address|Leak|Memory)Sanitizer;WARNING: ThreadSanitizer;: runtime error: ")
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
    COST ${cost} # what may take long starts first: else it runs alone at the end
    ENVIRONMENT "${HSD_TEST_ENVIRONMENT};${arg_ENVIRONMENT}")
endfunction()

function(hsd_add_test layer name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS;LIBS;ENVIRONMENT")
  if(NOT HSD_CRITERION_FOUND)
    return()
  endif()
  set(target test_${layer}_${name})
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/libdiff")
  target_link_libraries(${target} PRIVATE ${arg_LIBS} hsd_build hsd_asan_start hsd_warnings hsd_criterion)
  # Its own code need not be fast: what it tests is built as ever. That saves a seventh (dev) to a fifth (release) of a build from nothing.
  target_compile_options(${target} PRIVATE -g1 $<$<CONFIG:RelWithDebInfo>:-Og>)
  # In dev it is not optimized at all, but where tests have oracles that work as long as what they test: a quarter of compiling it.
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/unit/" AND NOT layer IN_LIST HSD_REPEATED)
    set_target_properties(${target} PROPERTIES HSD_IS_BRIEF ON)
  endif()
  target_link_options(${target} PRIVATE $<$<BOOL:${HSD_HAVE_GOLD}>:-fuse-ld=gold>)
  hsd_is_built(built ${layer} ${arg_LABELS})
  if(NOT built)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    add_dependencies(every_test ${target})
  endif()
  hsd_note_unit(${target})
  hsd_add_measured(${layer}/${name} ${target} --short-filename)
  hsd_test_properties(${layer}/${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

function(hsd_add_script_test layer name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
  string(REGEX MATCHALL "TARGET_FILE:[^>]+" programs "${arg_COMMAND}")
  list(TRANSFORM programs REPLACE "TARGET_FILE:" "")
  hsd_note_unit(${programs})
  hsd_add_measured(${layer}/${name} ${arg_COMMAND})
  hsd_test_properties(${layer}/${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()
