/* The version of the library that runs: the one of the headers that it was built with. */
#include <hsdiff/version.h>

const char *hsd_version(void) { return HSDIFF_VERSION; }
