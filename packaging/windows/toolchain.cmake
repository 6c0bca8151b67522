# Builds for 64-bit Windows with Debian's g++-mingw-w64-x86-64-posix. BLOBSCOPE_PREFIX: the folder of the dependencies.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BLOBSCOPE_PREFIX)
set(CMAKE_FIND_ROOT_PATH "${BLOBSCOPE_PREFIX}" /usr/x86_64-w64-mingw32)
set(CMAKE_PREFIX_PATH "${BLOBSCOPE_PREFIX}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Only the packages of the prefix, none of this system.
set(ENV{PKG_CONFIG_LIBDIR} "${BLOBSCOPE_PREFIX}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")

# Windows 10: its headers declare what core/base/source_win32.cpp and its neighbours use.
add_compile_definitions(_WIN32_WINNT=0x0A00 NTDDI_VERSION=0x0A000005)
