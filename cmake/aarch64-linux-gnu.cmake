# A build for 64-bit Arm with Debian's cross compiler and its libraries for that machine (group arm64 of scripts/packages):
# cmake -S . -B build/arm64 -G Ninja --toolchain cmake/aarch64-linux-gnu.cmake
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_INSTALL_LIBDIR lib/aarch64-linux-gnu CACHE STRING "")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static) # pages and completions are printed by the command
# Descriptions of libraries for that machine, and none of this one's.
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig")
