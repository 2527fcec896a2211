/*
 * A frame as valgrind's tools, and what writes their formats, say it:
 *
 *      0x109236: make_order() (leak.cc:9)
 *      0x48FB7B9: ??? (in /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30)
 *      0x55f0: shop::main (src/main.rs:12:9)                              dhat of Rust, with a column
 *
 * The address is left out: it is that of a run, and functions that were inlined have one and the same.
 */
#ifndef HSD_IMPORT_VALGRIND_FRAMES_H
#define HSD_IMPORT_VALGRIND_FRAMES_H

#include "import/stack_sums.h"

/* The number of such a frame in `sums`. Fails as hsd_stack_sums_frame does. */
hsd_status hsd_valgrind_frame(hsd_stack_sums *sums, hsd_bytes text, uint32_t *frame, hsd_error *err);

#endif
