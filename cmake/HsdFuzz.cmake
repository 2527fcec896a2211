# hsd_add_fuzz(<name> LIBS target… [SOURCES more.c…] (SEEDS_PROGRAM target | SEEDS_SCRIPT file | SEEDS_OF name…) [MUTATIONS n] [LABELS l…])
#
# The fuzz target tests/fuzz/fuzz_<name>.c, which defines LLVMFuzzerTestOneInput(). Its seeds are made by a program or a Python
# script that is given a folder and writes them there, or are those of other targets; inputs that once failed lie in tests/fuzz/corpus/<name>/.
# Presets fuzz and afl link libFuzzer and AFL++; the test fuzz/<name> is tests/fuzz/guided.py there: each seed once, and with HSD_LONG=1 a search that goes
# on where the last one stopped. By hand:    build/fuzz/tests/fuzz/fuzz_<name> -max_total_time=600 build/fuzz/tests/fuzz/seeds/<name>
# Everywhere else standalone.c runs the seeds, the corpus and n mutations of each (200) as the test fuzz/<name>: the same
# inputs on every machine. n is chosen so that a target takes some seconds under sanitizers; what is not through after
# HSD_FUZZ_SECONDS says so and fails.
include_guard(GLOBAL)

# Targets that the memory sanitizer can look at: all that they read of memory is written by our own code, or by a library whose results count as
# written (base/unpoison.h). Not age and redact (libsodium), config (libyaml), dwarf and symbols (libdw), fleet (SQLite), view (libmicrohttpd), mcp (all of these).
set(HSD_FUZZ_OF_OWN capture index records salvage elf zstd lz4 hprof v8 perfetto goheap gocore pycore pyheap dart ruby pprof luau mlpd gcdump firefox tracemalloc
  heapprofile massif dhat memray heaptrack meminfo phd nettrace graph user_keys live inspector)

set(HSD_FUZZ_OF_CAPTURES capture index records salvage)
set(HSD_FUZZ_SECONDS 240)

# The target seeds_of_<name>, which fills a folder by a program or by a script.
function(hsd_add_seeds name seeds program script)
  if(program)
    set(make_seeds $<TARGET_FILE:${program}> "${seeds}")
    set(made_from ${program})
  else()
    set(make_seeds ${Python3_EXECUTABLE} "${CMAKE_CURRENT_SOURCE_DIR}/${script}" "${seeds}")
    set(made_from "${CMAKE_CURRENT_SOURCE_DIR}/${script}")
  endif()
  add_custom_command(OUTPUT "${seeds}.made"
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${seeds}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${seeds}"
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 ${make_seeds}
    COMMAND ${CMAKE_COMMAND} -E touch "${seeds}.made"
    DEPENDS ${made_from} COMMENT "Making the seeds of fuzz_${name}" VERBATIM)
  add_custom_target(seeds_of_${name} DEPENDS "${seeds}.made")
endfunction()

function(hsd_add_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SEEDS_PROGRAM;SEEDS_SCRIPT;MUTATIONS" "LIBS;SOURCES;SEEDS_OF;LABELS")
  set(target fuzz_${name})
  set(seeds "${CMAKE_CURRENT_BINARY_DIR}/seeds")
  if(NOT arg_MUTATIONS)
    set(arg_MUTATIONS 200)
  endif()

  add_executable(${target} fuzz_${name}.c ${arg_SOURCES})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/libdiff")
  target_link_libraries(${target} PRIVATE ${arg_LIBS} hsd_build hsd_warnings)

  if(NOT arg_SEEDS_OF)
    hsd_add_seeds(${name} "${seeds}/${name}" "${arg_SEEDS_PROGRAM}" "${arg_SEEDS_SCRIPT}")
    set(arg_SEEDS_OF ${name})
  endif()
  set(inputs)
  foreach(from IN LISTS arg_SEEDS_OF)
    add_dependencies(${target} seeds_of_${from})
    list(APPEND inputs "${seeds}/${from}")
  endforeach()
  set(corpora ${arg_SEEDS_OF} ${name})
  list(REMOVE_DUPLICATES corpora)
  foreach(from IN LISTS corpora)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${from}")
      list(APPEND inputs "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${from}")
    endif()
  endforeach()
  hsd_is_built(built fuzz ${arg_LABELS})
  if(NOT built)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    add_dependencies(every_test ${target})
  endif()

  if(NOT TARGET fuzz_targets)
    add_custom_target(fuzz_targets) # all of them, and no other test
    add_custom_target(fuzz_captures) # those that read captures
  endif()
  add_dependencies(fuzz_targets ${target} hsd_spent)
  if(name IN_LIST HSD_FUZZ_OF_CAPTURES)
    add_dependencies(fuzz_captures ${target} hsd_spent)
  endif()
  if(HSD_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    if(HSD_MSAN AND name IN_LIST HSD_FUZZ_OF_OWN)
      if(NOT TARGET fuzz_reader)
        add_custom_target(fuzz_reader) # what the memory sanitizer can look at
      endif()
      add_dependencies(fuzz_reader ${target} hsd_spent)
    endif()
    set(engine libfuzzer)
    if(CMAKE_C_COMPILER MATCHES "/afl-[^/]*$")
      set(engine afl)
    endif()
    hsd_add_script_test(fuzz ${name} LABELS full TIMEOUT 14400
      COMMAND ${Python3_EXECUTABLE} "${CMAKE_CURRENT_SOURCE_DIR}/guided.py" ${engine} $<TARGET_FILE:${target}> "${CMAKE_CURRENT_BINARY_DIR}/found/${name}"
              ${inputs})
  else()
    target_sources(${target} PRIVATE standalone.c)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    hsd_add_script_test(fuzz ${name} LABELS ${arg_LABELS} TIMEOUT 300
      COMMAND ${target} -mutations=${arg_MUTATIONS} -seconds=${HSD_FUZZ_SECONDS}
              -keep=${CMAKE_CURRENT_BINARY_DIR}/crash-${name} ${inputs})
  endif()
endfunction()
