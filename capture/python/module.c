/*
 * The agent as a module that Python imports, hsdiff_agent_c: listen, stop, capture. It is built without headers of
 * Python: what a module is has been the same since 3.5, and functions are looked up by name.
 */
#include <dlfcn.h>
#include <string.h>

#include "listen.h"
#include "python_agent.h"

enum { ANY_VERSION = 3, NO_ARGUMENTS = 4, ARGUMENTS = 1 };

typedef struct module_definition { /* PyModuleDef */
    py_object head;
    void *(*init)(void);
    intptr_t index;
    py_object *copy;
    const char *name, *doc;
    intptr_t size;
    py_method *methods;
    void *slots, *traverse, *clear, *free;
} module_definition;

static struct {
    py_object *(*create)(module_definition *, int);
    int (*parse)(py_object *, const char *, ...);
    void (*raise)(py_object *, const char *);
    py_object *(*number)(long);
    py_object **error;
} with;

static bool find_module(const char *name, void *to)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    if (address != NULL) memcpy(to, &address, sizeof address);
    return address != NULL;
}

static py_object *fail(const char *sentence)
{
    with.raise(*with.error, sentence);
    return NULL;
}

static py_object *listen_now(py_object *self, py_object *arguments)
{
    (void)self, (void)arguments;
    const char *why = hspy_listen();
    return why == NULL ? with.number(0) : fail(why);
}

static py_object *stop_now(py_object *self, py_object *arguments)
{
    (void)self, (void)arguments;
    hspy_stop();
    return with.number(0);
}

static py_object *capture_now(py_object *self, py_object *arguments)
{
    (void)self;
    char error[512];
    int descriptor, compression = 1;
    if (!with.parse(arguments, "i|i", &descriptor, &compression)) return NULL;
    const hspy_options options = {
        .struct_bytes = sizeof options, .compression = compression, .is_stored = compression == 0};
    return hspy_capture(descriptor, &options, error, sizeof error) == 0 ? with.number(0) : fail(error);
}

static py_method methods[] = {
    {"listen", listen_now, NO_ARGUMENTS, "Answers `hsdiff capture PID` from now on."},
    {"stop", stop_now, NO_ARGUMENTS, "Answers no more, and ends the agent's thread."},
    {"capture", capture_now, ARGUMENTS, "capture(descriptor, compression=1): writes a capture of this process."},
    {NULL, NULL, 0, NULL},
};

static module_definition definition = {.head = {.refcount = 1},
                                       .name = "hsdiff_agent_c",
                                       .doc = "The heap of this process for hsdiff.",
                                       .size = -1,
                                       .methods = methods};

HSPY_API py_object *PyInit_hsdiff_agent_c(void);

py_object *PyInit_hsdiff_agent_c(void)
{
    if (!find_module("PyModule_Create2", &with.create) || !find_module("PyArg_ParseTuple", &with.parse) ||
        !find_module("PyErr_SetString", &with.raise) || !find_module("PyLong_FromLong", &with.number) ||
        !find_module("PyExc_RuntimeError", &with.error))
        return NULL;
    return with.create(&definition, ANY_VERSION);
}
