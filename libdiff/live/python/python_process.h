/*
 * Is a process Python, of which kind and version, and may an agent be brought into it? What /proc says alone.
 */
#ifndef HSD_LIVE_PYTHON_PYTHON_PROCESS_H
#define HSD_LIVE_PYTHON_PYTHON_PROCESS_H

#include "live/way.h"

typedef enum hsd_python_kind {
    HSD_PYTHON_NOT,
    HSD_PYTHON_C,
    HSD_PYTHON_FREE_THREADED,
    HSD_PYTHON_PYPY
} hsd_python_kind;

typedef struct hsd_python_version {
    hsd_python_kind kind;
    unsigned major, minor; /* 0.0 = not known by a name */
} hsd_python_version;

/* By the name of its executable or of the library of the interpreter. */
void hsd_python_look(const hsd_process_facts *facts, hsd_python_version *out);

/* "python3.11", "python", "pypy3"; what follows the version may be anything. */
hsd_python_kind hsd_python_name(const char *name, size_t size, hsd_python_version *out);

/* "Python 3.11", "PyPy", "Python 3.13, free-threaded". */
void hsd_python_runtime(const hsd_python_version *version, char *out, size_t size);

/* The kinds and versions that there is no agent for: HSD_E_UNSUPPORTED. */
hsd_status hsd_python_gate_of_version(const hsd_process_facts *facts, const hsd_python_version *version,
                                      hsd_error *err);

/* kernel.yama.ptrace_scope, '0' to '3', for who has CAP_SYS_PTRACE or has not: HSD_E_UNSUPPORTED with what opens it. */
hsd_status hsd_python_gate_of_yama(const hsd_process_facts *facts, char scope, bool has_right, hsd_error *err);

/* May the process be held as by a debugger, and does it run on a C library that the agent fits? HSD_E_UNSUPPORTED with
 * what opens the gate. */
hsd_status hsd_python_gate_of_injection(const hsd_process_facts *facts, hsd_error *err);

/* May a script be named to it (PEP 768)? Who holds it, and a shadow stack, do not matter then. */
hsd_status hsd_python_gate_of_script(const hsd_process_facts *facts, hsd_error *err);

#endif
