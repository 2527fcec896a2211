/*
 * A module of C that leaks references: remember(object) puts it into a table of C's, from which nothing ever comes out.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject **kept;
static size_t count, room;

static PyObject *remember(PyObject *self, PyObject *object)
{
    (void)self;
    if (count == room) {
        room = room == 0 ? 64 : room * 2;
        PyObject **grown = PyMem_RawRealloc(kept, room * sizeof *kept);
        if (grown == NULL) return PyErr_NoMemory();
        kept = grown;
    }
    Py_INCREF(object);
    kept[count++] = object;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"remember", remember, METH_O, "Keeps a reference for ever."}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "keeps", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_keeps(void) { return PyModule_Create(&definition); }
