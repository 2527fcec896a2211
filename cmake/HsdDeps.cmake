# Third-party packages, one target for each. capture/, which also builds alone, finds zstd and xxhash for itself.
# Each of their headers has a single includer in a library; tests/lint holds that.
#   hsd_zstd, hsd_xxhash   the block codec and the checksum of captures, for libdiff/format
#   hsd_threads   POSIX threads
#   hsd_zlib      zlib: gz inputs of the importers (empty when absent: importers then say so)
#   hsd_yaml      libyaml: configurations of the check (empty when absent: reading one then says so)
#   hsd_mimalloc  the allocator of the command (empty when absent or not wanted)
include_guard(GLOBAL)
find_package(PkgConfig REQUIRED)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
add_library(hsd_threads INTERFACE)
target_link_libraries(hsd_threads INTERFACE Threads::Threads)

pkg_check_modules(HSD_ZSTD_PKG REQUIRED IMPORTED_TARGET libzstd)
add_library(hsd_zstd INTERFACE)
target_link_libraries(hsd_zstd INTERFACE PkgConfig::HSD_ZSTD_PKG)

pkg_check_modules(HSD_XXHASH_PKG REQUIRED IMPORTED_TARGET libxxhash)
add_library(hsd_xxhash INTERFACE)
target_link_libraries(hsd_xxhash INTERFACE PkgConfig::HSD_XXHASH_PKG)

add_library(hsd_zlib INTERFACE)
pkg_check_modules(HSD_ZLIB_PKG IMPORTED_TARGET zlib)
if(HSD_ZLIB_PKG_FOUND)
  target_link_libraries(hsd_zlib INTERFACE PkgConfig::HSD_ZLIB_PKG)
  target_compile_definitions(hsd_zlib INTERFACE HSD_HAVE_ZLIB=1)
else()
  message(STATUS "zlib not found: gzip-compressed dumps will be refused with a message that says so")
endif()

add_library(hsd_yaml INTERFACE)
pkg_check_modules(HSD_YAML_PKG IMPORTED_TARGET yaml-0.1)
if(HSD_YAML_PKG_FOUND)
  target_link_libraries(hsd_yaml INTERFACE PkgConfig::HSD_YAML_PKG)
  target_compile_definitions(hsd_yaml INTERFACE HSD_HAVE_YAML=1)
else()
  message(STATUS "libyaml not found: configurations of hsdiff check will be refused with a message that says so")
endif()

add_library(hsd_mimalloc INTERFACE)
if(HSD_MIMALLOC AND NOT HSD_SANITIZE AND NOT HSD_TSAN AND NOT HSD_FUZZ AND NOT HSD_COVERAGE)
  find_package(mimalloc QUIET)
  if(mimalloc_FOUND)
    target_link_libraries(hsd_mimalloc INTERFACE mimalloc)
    target_compile_definitions(hsd_mimalloc INTERFACE HSD_HAVE_MIMALLOC=1)
  else()
    message(STATUS "mimalloc not found: the command uses the allocator of libc")
  endif()
endif()
