/*
 * See script.h. The table, _Py_DebugOffsets, grows between versions; what belongs to PEP 768 stands at its end, six
 * words that are known by their values: the request of a thread has "is one pending" at 0, the path at 4, and room for
 * 512 bytes of it.
 */
#include "live/python/script.h"

#include <string.h>

#include "base/fail.h"

enum { TABLE_WORDS = 256, SUPPORT_WORDS = 6, PATH_AT = 4, PATH_BYTES = 512 };
enum { COOKIE_BYTES = 8, FREE_THREADED = 2, HEAD = 5, MAIN_THREAD = 10 }; /* words of the table */
enum { BREAKER, SUPPORT, ENABLED, PENDING, PATH, BYTES };                 /* of its end */
enum { PLEASE_STOP = 1 << 5 };                                            /* _PY_EVAL_PLEASE_STOP_BIT */

static uint64_t find_runtime(const hsd_remote *remote)
{
    static const char *const interpreters[] = {"libpython3.", "python"};
    for (size_t k = 0; k < sizeof interpreters / sizeof interpreters[0]; k++)
        for (size_t i = 0; (i = hsd_remote_object(remote, interpreters[k], i)) != SIZE_MAX; i++) {
            const uint64_t found = hsd_remote_symbol(remote, i, "_PyRuntime");
            if (found != 0) return found;
        }
    return 0;
}

static const uint64_t *find_support(const uint64_t *table)
{
    for (size_t i = MAIN_THREAD + 1; i + SUPPORT_WORDS <= TABLE_WORDS; i++)
        if (table[i + PENDING] == 0 && table[i + PATH] == PATH_AT && table[i + BYTES] == PATH_BYTES) return table + i;
    return NULL;
}

static hsd_status has_no_place(const hsd_process_facts *facts, const char *why, hsd_error *err)
{
    return hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld cannot be given a script to run (PEP 768): %s", facts->pid,
                    why);
}

static hsd_status find_places(hsd_python_asked *a, const hsd_process_facts *facts, hsd_error *err)
{
    uint64_t table[TABLE_WORDS], interpreter = 0, thread = 0;
    const uint64_t runtime = find_runtime(&a->remote);
    if (runtime == 0 || !hsd_remote_read(&a->remote, runtime, table, sizeof table) ||
        memcmp(table, "xdebugpy", COOKIE_BYTES) != 0)
        return has_no_place(facts, "it is no CPython 3.14", err);
    const uint64_t *support = find_support(table);
    if (support == NULL)
        return has_no_place(facts, "its Python was built --without-remote-debug, or is older than 3.14", err);
    if (table[FREE_THREADED] != 0) return has_no_place(facts, "it is a free-threaded Python", err);
    if (!hsd_remote_read(&a->remote, runtime + table[HEAD], &interpreter, sizeof interpreter) || interpreter == 0 ||
        !hsd_remote_read(&a->remote, interpreter + table[MAIN_THREAD], &thread, sizeof thread) || thread == 0 ||
        !hsd_remote_read(&a->remote, interpreter + support[ENABLED], &a->enabled, sizeof a->enabled))
        return has_no_place(facts, "its main thread is not there yet, or has ended", err);
    a->breaker = thread + support[BREAKER];
    a->pending = thread + support[SUPPORT] + support[PENDING];
    a->path = thread + support[SUPPORT] + support[PATH];
    a->path_bytes = support[BYTES];
    return HSD_OK;
}

hsd_status hsd_python_asked_open(hsd_python_asked *out, const hsd_process_facts *facts, hsd_error *err)
{
    *out = (hsd_python_asked){.enabled = 0};
    hsd_status status = hsd_remote_open(&out->remote, facts->pid, err);
    if (status == HSD_OK) status = find_places(out, facts, err);
    if (status != HSD_OK) hsd_python_asked_close(out);
    return status;
}

void hsd_python_asked_close(hsd_python_asked *asked)
{
    hsd_remote_close(&asked->remote);
    *asked = (hsd_python_asked){.enabled = 0};
}

static hsd_status cannot_write(const hsd_python_asked *a, hsd_error *err)
{
    return hsd_fail(err, HSD_E_IO, "cannot write to the memory of process %ld", a->remote.pid);
}

/* As CPython itself does it: the path, that there is one, and that the thread is to look. */
hsd_status hsd_python_asked_run(hsd_python_asked *a, const char *script, hsd_error *err)
{
    uint64_t breaker = 0;
    uint32_t pending = 0;
    const uint32_t yes = 1;
    const size_t size = strlen(script) + 1;
    if (!hsd_remote_read(&a->remote, a->pending, &pending, sizeof pending) ||
        !hsd_remote_read(&a->remote, a->breaker, &breaker, sizeof breaker))
        return hsd_fail(err, HSD_E_IO, "cannot read the memory of process %ld", a->remote.pid);
    if (pending != 0)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "another script waits to be run by process %ld", a->remote.pid);
    if (size > a->path_bytes) return hsd_fail(err, HSD_E_UNSUPPORTED, "the path of a script is too long: %s", script);
    if (!hsd_remote_write(&a->remote, a->path, script, size) ||
        !hsd_remote_write(&a->remote, a->pending, &yes, sizeof yes))
        return cannot_write(a, err);
    if (!hsd_remote_read(&a->remote, a->breaker, &breaker, sizeof breaker)) return cannot_write(a, err);
    breaker |= PLEASE_STOP;
    return hsd_remote_write(&a->remote, a->breaker, &breaker, sizeof breaker) ? HSD_OK : cannot_write(a, err);
}

void hsd_python_asked_take_back(hsd_python_asked *a, const char *script)
{
    char path[PATH_BYTES] = "";
    const uint32_t no = 0;
    const size_t size = strlen(script) + 1;
    if (size <= sizeof path && hsd_remote_read(&a->remote, a->path, path, size) && memcmp(path, script, size) == 0)
        (void)hsd_remote_write(&a->remote, a->pending, &no, sizeof no);
}
