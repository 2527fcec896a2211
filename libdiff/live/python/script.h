/*
 * Python 3.14 runs a script that another program names to it (PEP 768, sys.remote_exec): whether a process lets itself
 * be asked, and the asking. All of it is written into the memory of its main thread; the table at the start of its
 * runtime says where.
 */
#ifndef HSD_LIVE_PYTHON_SCRIPT_H
#define HSD_LIVE_PYTHON_SCRIPT_H

#include "live/python/remote.h"
#include "live/way.h"

typedef struct hsd_python_asked {
    hsd_remote remote;
    uint64_t breaker, pending, path; /* addresses in the process */
    uint64_t path_bytes;
    uint32_t enabled;
} hsd_python_asked;

/* Finds where it is asked. HSD_E_UNSUPPORTED where there is no such place, HSD_E_IO. A zeroed one may be closed. */
hsd_status hsd_python_asked_open(hsd_python_asked *out, const hsd_process_facts *facts, hsd_error *err);
void hsd_python_asked_close(hsd_python_asked *asked);

/* Names the script. HSD_E_UNSUPPORTED when another one waits to be run. */
hsd_status hsd_python_asked_run(hsd_python_asked *asked, const char *script, hsd_error *err);
/* Takes a script back that was not begun. */
void hsd_python_asked_take_back(hsd_python_asked *asked, const char *script);

#endif
