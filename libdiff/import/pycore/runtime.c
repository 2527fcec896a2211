/*
 * Which CPython a core is of, and where it has what. The version is that of the symbol Py_Version (3.11 and later),
 * else of the file's name; what stands where is a row of capture/python/layouts.c, moved to where this very build has
 * sys.modules. From 3.13 on the runtime begins with a table of its own places (_Py_DebugOffsets), which is asked for
 * what the row has not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/pycore/pycore.h"

enum { LEAST_MINOR = 8, MOST_MINOR = 14, SHIFT_MAX = 256, MOST_INTERPRETERS = 4096 };
enum { X86_64 = 62 };
enum { OFFSETS_FREE_THREADED = 16, OFFSETS_HEAD = 40, OFFSETS_ID = 56, OFFSETS_NEXT = 64, OFFSETS_THREADS = 72 };

static const char *const names[PY_NAMES] = {
    [PY_TYPE] = "PyType_Type",
    [PY_OBJECT] = "PyBaseObject_Type",
    [PY_DICT] = "PyDict_Type",
    [PY_LIST] = "PyList_Type",
    [PY_TUPLE] = "PyTuple_Type",
    [PY_SET] = "PySet_Type",
    [PY_FROZENSET] = "PyFrozenSet_Type",
    [PY_TEXT] = "PyUnicode_Type",
    [PY_BYTES] = "PyBytes_Type",
    [PY_BYTEARRAY] = "PyByteArray_Type",
    [PY_INTEGER] = "PyLong_Type",
    [PY_BOOLEAN] = "PyBool_Type",
    [PY_REAL] = "PyFloat_Type",
    [PY_COMPLEX] = "PyComplex_Type",
    [PY_FUNCTION] = "PyFunction_Type",
    [PY_METHOD] = "PyMethod_Type",
    [PY_MODULE] = "PyModule_Type",
    [PY_CODE] = "PyCode_Type",
    [PY_GENERATOR] = "PyGen_Type",
    [PY_COROUTINE] = "PyCoro_Type",
    [PY_ASYNC_GENERATOR] = "PyAsyncGen_Type",
    [PY_FRAME] = "PyFrame_Type",
    [PY_CELL] = "PyCell_Type",
    [PY_WEAKREF] = "_PyWeakref_RefType",
    [PY_TRACEBACK] = "PyTraceBack_Type",
    [PY_BUILTIN] = "PyCFunction_Type",
    [PY_NONE] = "_Py_NoneStruct",
    [PY_RUNTIME] = "_PyRuntime",
    [PY_VERSION] = "Py_Version",
    [PY_LINE_OF_CODE] = "PyCode_Addr2Line",
    [PY_FREE_THREADED] = "_Py_DecRefShared",
};

bool hsd_pycore_failed(pycore *c, const hsd_error *err)
{
    if (!c->has_failed) c->failure = *err;
    c->has_failed = true;
    return false;
}

hsd_status hsd_pycore_check(pycore *c, hsd_error *err)
{
    const hsd_error *failure = c->has_failed ? &c->failure : &c->memory.failure;
    if (failure->status == HSD_OK) return HSD_OK;
    if (err != NULL) *err = *failure;
    return failure->status;
}

/* ---- symbols ---- */

static bool has_runtime(const pycore *c)
{
    return c->symbols[PY_RUNTIME].address != 0 && c->symbols[PY_TYPE].address != 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* 11 of "python3.11", "libpython3.11.so.1.0"; 0. */
static unsigned minor_of_name(const char *path)
{
    const char *name = strstr(last_part(path), "python3.");
    return name == NULL ? 0 : (unsigned)strtoul(name + 8, NULL, 10);
}

static hsd_status look_in(pycore *c, uint32_t file, hsd_error *err)
{
    uint64_t bias;
    const hsd_elf *elf = hsd_pymemory_file(&c->memory, file, &bias);
    for (int i = 0; i < PY_NAMES; i++)
        c->symbols[i] = (pysymbol){.name = names[i]};
    if (elf == NULL) return HSD_OK;
    HSD_TRY(hsd_pysymbols_find(elf, bias, c->symbols, PY_NAMES, err));
    c->can_interpret = elf->machine == X86_64;
    return HSD_OK;
}

/* First where the name says so, then in whatever was mapped: a program may have Python in it. */
static hsd_status find_symbols(pycore *c, unsigned *minor, hsd_error *err)
{
    pymemory *m = &c->memory;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < m->file_count; i++) {
            const bool is_named = strstr(last_part(m->files[i].path), "python3") != NULL;
            if (is_named != (pass == 0)) continue;
            HSD_TRY(look_in(c, i, err));
            *minor = minor_of_name(m->files[i].path);
            c->python_file = i;
            if (has_runtime(c)) return HSD_OK;
        }
    return HSD_OK;
}

static bool is_expected(const pycore *c, const char *path)
{
    const char *given = c->import->options->executable;
    return strstr(last_part(path), "python3") != NULL || (given != NULL && strcmp(given, path) == 0);
}

static hsd_status no_symbols(pycore *c, hsd_error *err)
{
    const pymemory *m = &c->memory;
    for (uint32_t i = 0; i < m->file_count; i++) {
        if (!is_expected(c, m->files[i].path) || m->files[i].is_open) continue;
        hsd_fail(err, HSD_E_UNSUPPORTED, "this core is of %.300s, which cannot be read here or is of another build",
                 m->files[i].path);
        hsd_error_set_hint(err, "read it where the program ran, or name its interpreter: --exe PYTHON");
        return HSD_E_UNSUPPORTED;
    }
    hsd_fail(err, HSD_E_UNSUPPORTED, "this core is of no CPython: none of its %" PRIu32 " files has _PyRuntime",
             m->file_count);
    hsd_error_set_hint(err, "name its interpreter, if that is not where the core says: --exe PYTHON");
    return HSD_E_UNSUPPORTED;
}

/* ---- the version ---- */

static hsd_status choose_layout(pycore *c, unsigned minor, hsd_error *err)
{
    const uint64_t version = py_symbol(c, PY_VERSION) == 0 ? 0 : py_word(c, py_symbol(c, PY_VERSION));
    if (version >> 24 == 3) minor = version >> 16 & 0xff;
    const layout *row = layout_of(minor);
    if (minor == 0) return hsd_fail(err, HSD_E_UNSUPPORTED, "the version of this core's CPython is not known");
    if (row == NULL || minor < LEAST_MINOR || minor > MOST_MINOR)
        return hsd_fail(err, HSD_E_UNSUPPORTED,
                        "this core is of CPython 3.%u, whose structures are not known: hsdiff knows 3.%d to 3.%d",
                        minor, LEAST_MINOR, MOST_MINOR);
    c->at = *row;
    for (int i = 0; i < PY_NEEDED; i++)
        if (c->symbols[i].address == 0)
            return hsd_fail(err, HSD_E_UNSUPPORTED,
                            "this CPython does not export %s, without which its core cannot be read",
                            c->symbols[i].name);
    return HSD_OK;
}

static hsd_status find_links(pycore *c, hsd_error *err)
{
    static const pylinks rows[] = {[8] = {32, 0, 16, 8, 8},
                                   [9] = {32, 0, 24, 8, 8},
                                   [10] = {32, 0, 24, 8, 8},
                                   [11] = {40, 0, 48, 16, 8},
                                   [12] = {40, 0, 8, 72, 8}};
    const uint64_t runtime = py_symbol(c, PY_RUNTIME);
    char cookie[8];
    if (py_symbol(c, PY_FREE_THREADED) != 0) goto free_threaded;
    if (c->at.minor < HSD_ARRAY_LEN(rows)) {
        c->links = rows[c->at.minor];
        return HSD_OK;
    }
    if (!hsd_pymemory_read(&c->memory, runtime, cookie, sizeof cookie) || memcmp(cookie, "xdebugpy", 8) != 0)
        return hsd_fail(err, HSD_E_UNSUPPORTED,
                        "the runtime of this CPython 3.%u does not begin with its table of places", c->at.minor);
    if (py_word(c, runtime + OFFSETS_FREE_THREADED) != 0) goto free_threaded;
    c->links =
        (pylinks){(uint32_t)py_word(c, runtime + OFFSETS_HEAD), (uint32_t)py_word(c, runtime + OFFSETS_NEXT),
                  (uint32_t)py_word(c, runtime + OFFSETS_ID), (uint32_t)py_word(c, runtime + OFFSETS_THREADS), 8};
    return HSD_OK;
free_threaded:
    return hsd_fail(
        err, HSD_E_UNSUPPORTED,
        "this core is of the free-threaded build of CPython 3.%u, whose objects are made otherwise: run the "
        "program with the usual build",
        c->at.minor);
}

/* ---- where this build has it ---- */

static bool is_modules(pycore *c, uint64_t dict)
{
    const uint64_t sys = dict != 0 && dict % 8 == 0 && py_type_of(c, dict) == py_symbol(c, PY_DICT)
                             ? hsd_pyvalues_find(c, dict, "sys")
                             : 0;
    return sys != 0 && py_type_of(c, sys) == py_symbol(c, PY_MODULE);
}

static bool find_shift(pycore *c, int32_t *shift)
{
    for (int32_t by = 0; by <= SHIFT_MAX; by += 8)
        for (int sign = -1; sign <= 1; sign += 2)
            if (is_modules(c, py_word(c, c->interpreter + c->at.interp_modules + (uint64_t)(int64_t)(sign * by)))) {
                *shift = sign * by;
                return true;
            }
    return false;
}

static hsd_status fit(pycore *c, hsd_error *err)
{
    int32_t by;
    layout *at = &c->at;
    uint32_t *const behind[] = {&at->interp_modules,
                                &at->interp_importlib,
                                &at->interp_import_func,
                                &at->interp_sysdict,
                                &at->interp_builtins,
                                &at->interp_codec_search_path,
                                &at->interp_codec_search_cache,
                                &at->interp_codec_errors,
                                &at->interp_dict,
                                &at->interp_atexit};
    if (c->interpreter == 0)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the Python of this core had no interpreter yet, or it was gone");
    if (!find_shift(c, &by))
        return hsd_fail(err, HSD_E_UNSUPPORTED,
                        "the structures of this core's CPython do not lie where version 3.%u has them: it is built "
                        "otherwise than usual, or the core lacks its memory",
                        at->minor);
    for (size_t i = 0; i < HSD_ARRAY_LEN(behind); i++)
        if (*behind[i] != 0) *behind[i] = (uint32_t)((int64_t)*behind[i] + by);
    return HSD_OK;
}

static void read_version(pycore *c)
{
    char text[16];
    const uint64_t sys = py_word(c, c->interpreter + c->at.interp_sysdict),
                   version = hsd_pyvalues_find(c, sys, "version");
    const size_t size = hsd_pyvalues_utf8(c, version, text, sizeof text - 1);
    text[size] = '\0';
    text[strcspn(text, " ")] = '\0';
    if (strncmp(text, "3.", 2) == 0)
        snprintf(c->version, sizeof c->version, "CPython %s", text);
    else
        snprintf(c->version, sizeof c->version, "CPython 3.%u", c->at.minor);
}

hsd_status hsd_pycore_find_runtime(pycore *c, hsd_error *err)
{
    unsigned minor = 0;
    HSD_TRY(find_symbols(c, &minor, err));
    if (!has_runtime(c)) return no_symbols(c, err);
    HSD_TRY(choose_layout(c, minor, err));
    HSD_TRY(find_links(c, err));
    c->interpreter = py_word(c, py_symbol(c, PY_RUNTIME) + c->links.first_interpreter);
    /* the main interpreter is the last of the list */
    uint64_t next = c->interpreter;
    for (int i = 0; i < MOST_INTERPRETERS && next != 0; i++, next = hsd_pycore_next_interpreter(c, next))
        if (hsd_pycore_interpreter_number(c, next) == 0) c->interpreter = next;
    HSD_TRY(fit(c, err));
    if (c->at.minor < 11) { /* how dicts look for keys that are no str: those of tp_subclasses are int */
        const uint64_t by_number = py_word(c, py_symbol(c, PY_OBJECT) + TYPE_SUBCLASSES);
        if (by_number != 0 && py_type_of(c, by_number) == py_symbol(c, PY_DICT))
            c->general_lookup = py_word(c, py_word(c, by_number + DICT_KEYS) + 16);
    }
    read_version(c);
    return hsd_pycore_check(c, err);
}

/* ---- interpreters ---- */

uint64_t hsd_pycore_next_interpreter(pycore *c, uint64_t interpreter)
{
    return py_word(c, interpreter + c->links.next_interpreter);
}

uint64_t hsd_pycore_first_thread(pycore *c, uint64_t interpreter)
{
    return py_word(c, interpreter + c->links.first_thread);
}

int64_t hsd_pycore_interpreter_number(pycore *c, uint64_t interpreter)
{
    return (int64_t)py_word(c, interpreter + c->links.number);
}
