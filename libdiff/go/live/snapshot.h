/*
 * The memory of a stopped process as an ELF core, of what the importer of Go's cores reads: private memory that may
 * differ from the program's file, the registers of all threads, the auxiliary vector.
 */
#ifndef HSD_GO_LIVE_SNAPSHOT_H
#define HSD_GO_LIVE_SNAPSHOT_H

#include "go/live/stopped.h"

/* Into `out`, which is open and empty, with holes where the program has touched nothing. */
hsd_status hsd_go_snapshot(hsd_live *live, const hsd_stopped *stopped, hsd_temp *out, hsd_error *err);

#endif
