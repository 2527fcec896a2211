/*
 * Finds the interpreter in this process by the names that it exports. A program that embeds a libpython opened for
 * itself alone (RTLD_LOCAL) shows them to nobody; then they are asked of that library.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python.h"

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
    const char **found = context;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash == NULL ? info->dlpi_name : slash + 1;
    (void)size;
    if (strncmp(name, "libpython3.", 11) != 0) return 0;
    *found = info->dlpi_name;
    return 1;
}

static void *open_python(void)
{
    const char *path = NULL;
    if (dlsym(RTLD_DEFAULT, "Py_GetVersion") != NULL) return RTLD_DEFAULT;
    if (dl_iterate_phdr(find_library, &path) == 0 || path == NULL) return RTLD_DEFAULT;
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    return library == NULL ? RTLD_DEFAULT : library; /* stays open: it is the program's */
}

static bool fail(char *error, size_t size, const char *sentence, const char *detail)
{
    if (error != NULL && size > 0) snprintf(error, size, sentence, detail);
    return false;
}

/* ---- names ---- */

typedef struct name {
    const char *text;
    size_t offset; /* of a pointer in struct python */
} name;

#define NAME(text, field)                                                                                              \
    {                                                                                                                  \
        text, offsetof(python, field)                                                                                  \
    }

static const name needed[] = {NAME("PyType_Type", types.type),
                              NAME("PyBaseObject_Type", types.object),
                              NAME("PyDict_Type", types.dict),
                              NAME("PyList_Type", types.list),
                              NAME("PyTuple_Type", types.tuple),
                              NAME("PySet_Type", types.set),
                              NAME("PyFrozenSet_Type", types.frozenset),
                              NAME("PyUnicode_Type", types.text),
                              NAME("PyBytes_Type", types.bytes),
                              NAME("PyByteArray_Type", types.bytearray),
                              NAME("PyLong_Type", types.integer),
                              NAME("PyBool_Type", types.boolean),
                              NAME("PyFloat_Type", types.real),
                              NAME("PyComplex_Type", types.complex),
                              NAME("PyFunction_Type", types.function),
                              NAME("PyMethod_Type", types.method),
                              NAME("PyModule_Type", types.module),
                              NAME("PyCode_Type", types.code),
                              NAME("PyGen_Type", types.generator),
                              NAME("PyCoro_Type", types.coroutine),
                              NAME("PyAsyncGen_Type", types.async_generator),
                              NAME("PyFrame_Type", types.frame),
                              NAME("PyCell_Type", types.cell),
                              NAME("_PyWeakref_RefType", types.weakref),
                              NAME("PyMethodDescr_Type", types.method_descriptor),
                              NAME("PyTraceBack_Type", types.traceback),
                              NAME("PyCFunction_Type", types.builtin_function),
                              NAME("_Py_NoneStruct", none),
                              NAME("_PyRuntime", runtime),
                              NAME("PyGILState_Check", has_lock),
                              NAME("PyInterpreterState_Head", first_interpreter),
                              NAME("PyInterpreterState_Next", next_interpreter),
                              NAME("PyInterpreterState_GetID", interpreter_number),
                              NAME("PyInterpreterState_ThreadHead", first_thread),
                              NAME("PyThreadState_Next", next_thread),
                              NAME("_PyDict_SizeOf", dict_bytes),
                              NAME("PyCode_Addr2Line", code_line),
                              NAME("PyLong_AsSsize_t", long_value),
                              NAME("Py_DecRef", release),
                              NAME("PyErr_Clear", clear_error),
                              NAME("PyThreadState_Get", current_thread),
                              NAME("PyImport_GetModuleDict", modules),
                              NAME("_PyInterpreterState_Get", current_interpreter)};

static const name wanted = NAME("_PyObject_DebugMallocStats", print_arenas);

static bool look_up(python *py, void *library, const name *one)
{
    void *address = dlsym(library, one->text);
    if (address != NULL) memcpy((char *)py + one->offset, &address, sizeof address);
    return address != NULL;
}

/* Some lost the line in front of their name when they were made public. */
static bool look_up_either(python *py, void *library, const name *one)
{
    const name public = {one->text + 1, one->offset};
    return look_up(py, library, one) || (one->text[0] == '_' && look_up(py, library, &public));
}

/* ---- is it one that the agent knows? ---- */

static bool check_version(python *py, void *library, char *error, size_t size)
{
    const char *(*version)(void);
    void *address = dlsym(library, "Py_GetVersion");
    if (address == NULL) return fail(error, size, "there is no CPython in this process%s", "");
    memcpy(&version, &address, sizeof version);
    py->version = version();
    if (strstr(py->version, "PyPy") != NULL)
        return fail(error, size, "this is PyPy, whose objects the agent cannot walk%s", "");
    char word[16];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(py->version, " "), py->version);
    py->at = strncmp(word, "3.", 2) == 0 ? layout_of((unsigned)strtoul(word + 2, NULL, 10)) : NULL;
    if (py->at == NULL)
        return fail(error, size, "CPython %s is none of those that the agent knows (3.8 to 3.14)", word);
    if (dlsym(library, "_Py_DecRefShared") != NULL)
        return fail(error, size,
                    "this is the free-threaded build of CPython %s, which has no lock under which its objects stand "
                    "still; run the program with the usual build",
                    word);
    return true;
}

bool python_find(python *py, char *error, size_t error_size)
{
    *py = (python){.at = NULL};
    void *library = open_python();
    if (!check_version(py, library, error, error_size)) return false;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!look_up_either(py, library, &needed[i]))
            return fail(error, error_size, "this CPython does not export %s, which the agent needs", needed[i].text);
    (void)look_up(py, library, &wanted);
    const py_dict *by_number = (const py_dict *)py->types.object->subclasses;
    if (py->at->minor < 11 && by_number != NULL && by_number->head.type == py->types.dict)
        py->general_lookup = py_at(by_number->keys, 2 * sizeof(void *));
    return true;
}

/* ---- does it lie where the row says? ---- */

/* Releases of one minor version differ: 3.14.6 has 24 bytes more than 3.14.0 before all that stands behind the
 * collector. sys.modules, which is known, says by how much that has moved. */
static bool find_shift(const python *py, const char *interpreter, const void *modules, intptr_t *shift)
{
    enum { SHIFT_MAX = 256, WORD = 8 };
    for (intptr_t by = 0; by <= SHIFT_MAX; by += WORD)
        for (int sign = -1; sign <= 1; sign += 2)
            if (py_at(interpreter + sign * by, py->at->interp_modules) == modules) {
                *shift = sign * by;
                return true;
            }
    return false;
}

bool python_fit(python *py, char *error, size_t error_size)
{
    intptr_t by;
    const char *interpreter = py->current_interpreter();
    if (!find_shift(py, interpreter, py->modules(), &by))
        return fail(
            error, error_size,
            "the structures of this CPython do not lie where its version has them: it is built otherwise than usual%s",
            "");
    py->fitted = *py->at;
    uint32_t *const behind[] = {&py->fitted.interp_modules,
                                &py->fitted.interp_importlib,
                                &py->fitted.interp_import_func,
                                &py->fitted.interp_sysdict,
                                &py->fitted.interp_builtins,
                                &py->fitted.interp_codec_search_path,
                                &py->fitted.interp_codec_search_cache,
                                &py->fitted.interp_codec_errors,
                                &py->fitted.interp_dict,
                                &py->fitted.interp_atexit};
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++)
        if (*behind[i] != 0) *behind[i] = (uint32_t)(*behind[i] + by);
    py->at = &py->fitted;
    return true;
}
