/*
 * See pycore_writer.h. Each name of the interpreter has a place of its own, in front of what is made of them.
 */
#include "support/pycore_writer.h"

#include <stdlib.h>
#include <string.h>

/* Places in structures of CPython 3.11 (capture/python/layouts.c). */
enum { TYPE_BYTES = 904, HEAP_TYPE = 1 << 9, HAS_GC = 1 << 14, RUNTIME_HEAD = 40, INTERPRETER_BYTES = 4096 };
enum { GC_AT = 648, GENERATIONS = 24, GENERATION = 24, MODULES = 888, SYS_DICT = 904, NUMBER = 48 };
enum {
    DATA_BYTES = 0x8000,
    CODE_BYTES = 128,
    PROGRAM_BYTES = 0x2000,
    SYMBOLS_AT = 0x400,
    TEXTS_AT = 0x1800,
    SECTIONS_AT = 0x200
};
enum { FLAG_LIST = 25, FLAG_TUPLE = 26, FLAG_TEXT = 28, FLAG_DICT = 29, FLAG_TYPE = 31 };

static const char *const names[] = {
    "PyType_Type",      "PyBaseObject_Type", "PyDict_Type",    "PyList_Type",        "PyTuple_Type",
    "PySet_Type",       "PyFrozenSet_Type",  "PyUnicode_Type", "PyBytes_Type",       "PyByteArray_Type",
    "PyLong_Type",      "PyBool_Type",       "PyFloat_Type",   "PyComplex_Type",     "PyFunction_Type",
    "PyMethod_Type",    "PyModule_Type",     "PyCode_Type",    "PyGen_Type",         "PyCoro_Type",
    "PyAsyncGen_Type",  "PyFrame_Type",      "PyCell_Type",    "_PyWeakref_RefType", "PyTraceBack_Type",
    "PyCFunction_Type", "_Py_NoneStruct",    "_PyRuntime",     "Py_Version",         "PyLong_FromSsize_t"};
enum { TYPES = 26, NAMES = sizeof names / sizeof names[0], NONE = 26, RUNTIME = 27, VERSION = 28, FROM_SSIZE = 29 };
enum { TYPE, OBJECT, DICT, LIST, TUPLE, TEXT = 7, MODULE = 16 };

static uint64_t place_of(int name)
{
    if (name < TYPES) return PYCORE_DATA + (uint64_t)name * 1024;
    if (name == FROM_SSIZE) return PYCORE_PROGRAM + PYCORE_CODE + 96;
    return PYCORE_DATA + (uint64_t)TYPES * 1024 + (uint64_t)(name - TYPES) * 128;
}

static void put(pycore_bytes *b, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->data[at + i] = (uint8_t)(value >> 8 * i);
}

static void take(pycore_bytes *b, size_t size)
{
    b->data = calloc(1, size);
    if (b->data == NULL) abort();
    b->size = size;
}

/* ---- the file ---- */

static void head(pycore_bytes *b, unsigned type, unsigned segments, uint64_t entry)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    memcpy(b->data, magic, sizeof magic);
    put(b, 16, type, 2);
    put(b, 18, 62, 2);
    put(b, 20, 1, 4);
    put(b, 24, entry, 8);
    put(b, 32, 64, 8);
    put(b, 52, 64, 2);
    put(b, 54, 56, 2);
    put(b, 56, segments, 2);
}

static void segment(pycore_bytes *b, unsigned number, unsigned type, uint64_t offset, uint64_t address, uint64_t bytes)
{
    const size_t at = 64 + 56 * (size_t)number;
    put(b, at, type, 4);
    put(b, at + 4, 6, 4);
    put(b, at + 8, offset, 8);
    put(b, at + 16, address, 8);
    put(b, at + 32, bytes, 8);
    put(b, at + 40, bytes, 8);
}

static void section(pycore_bytes *b, unsigned number, unsigned type, uint64_t offset, uint64_t bytes, unsigned link)
{
    const size_t at = SECTIONS_AT + 64 * (size_t)number;
    put(b, at + 4, type, 4);
    put(b, at + 24, offset, 8);
    put(b, at + 32, bytes, 8);
    put(b, at + 40, link, 4);
}

static void symbols(pycore_bytes *b)
{
    size_t text = 1;
    for (int i = 0; i < NAMES; i++) {
        const size_t at = SYMBOLS_AT + 24 * (size_t)(i + 1), size = strlen(names[i]) + 1;
        memcpy(b->data + TEXTS_AT + text, names[i], size);
        put(b, at, text, 4);
        put(b, at + 6, 1, 2);
        put(b, at + 8, place_of(i) - PYCORE_PROGRAM, 8);
        text += size;
    }
    section(b, 1, 11, SYMBOLS_AT, 24 * (NAMES + 1), 2);
    section(b, 2, 3, TEXTS_AT, text, 0);
}

void pycore_make_program(pycore_bytes *out)
{
    /* if (self->next != NULL) return visit(self->next, arg); return 0; with a frame, as compilers make one */
    static const uint8_t traverse[] = {0x55,                   /* push rbp */
                                       0x48, 0x89, 0xe5,       /* mov rbp, rsp */
                                       0x48, 0x83, 0xec, 0x10, /* sub rsp, 16 */
                                       0x48, 0x89, 0x75, 0xf8, /* mov [rbp - 8], rsi */
                                       0x48, 0x8b, 0x7f, 0x10, /* mov rdi, [rdi + 16] */
                                       0x31, 0xc0,             /* xor eax, eax */
                                       0x48, 0x85, 0xff,       /* test rdi, rdi */
                                       0x74, 0x06,             /* je out */
                                       0x48, 0x89, 0xd6,       /* mov rsi, rdx */
                                       0xff, 0x55, 0xf8,       /* call [rbp - 8] */
                                       0xc9, 0xc3};            /* out: leave; ret */
    /* return PyLong_FromSsize_t(1000); its own code is never come to */
    static const uint8_t size[] = {0xbf, 0xe8, 0x03, 0x00, 0x00,  /* mov edi, 1000 */
                                   0xe9, 0x16, 0x00, 0x00, 0x00}; /* jmp PyLong_FromSsize_t */
    take(out, PROGRAM_BYTES);
    head(out, 3, 1, PYCORE_CODE);
    put(out, 40, SECTIONS_AT, 8);
    put(out, 58, 64, 2);
    put(out, 60, 3, 2);
    segment(out, 0, 1, 0, 0, PROGRAM_BYTES);
    symbols(out);
    memcpy(out->data + PYCORE_CODE, traverse, sizeof traverse);
    memcpy(out->data + PYCORE_CODE + 64, size, sizeof size);
}

/* ---- memory ---- */

typedef struct memory {
    pycore_bytes *bytes;
    size_t base;
    uint64_t next;
} memory;

static void word(memory *m, uint64_t address, uint64_t value)
{
    put(m->bytes, m->base + (size_t)(address - PYCORE_DATA), value, 8);
}

static uint64_t make(memory *m, int type, size_t bytes)
{
    const uint64_t at = m->next + 16; /* room for the head of the collector */
    m->next = (at + bytes + 15) & ~UINT64_C(15);
    if (m->next > PYCORE_DATA + DATA_BYTES) abort();
    word(m, at, 1);
    word(m, at + 8, place_of(type));
    return at;
}

static uint64_t c_text(memory *m, const char *text)
{
    const uint64_t at = m->next;
    memcpy(m->bytes->data + m->base + (at - PYCORE_DATA), text, strlen(text) + 1);
    m->next = (at + strlen(text) + 16) & ~UINT64_C(15);
    return at;
}

static uint64_t text(memory *m, const char *characters)
{
    const uint64_t at = make(m, TEXT, 48 + strlen(characters) + 1);
    word(m, at + 16, strlen(characters));
    word(m, at + 32, 1 | 1 << 2 | 32 | 64); /* interned, one byte each, compact, ASCII */
    memcpy(m->bytes->data + m->base + (at + 48 - PYCORE_DATA), characters, strlen(characters));
    return at;
}

static uint64_t dict(memory *m, const uint64_t *pairs, unsigned count)
{
    const uint64_t at = make(m, DICT, 48), keys = m->next;
    m->next += 32 + 8 + 16 * 5 + 8;
    word(m, at + 16, count);
    word(m, at + 32, keys);
    word(m, keys, 1);
    word(m, keys + 8, 3 | 3 << 8 | 1 << 16); /* 8 indices of a byte each, keys that are all str */
    word(m, keys + 16, 5 - count);
    word(m, keys + 24, count);
    for (unsigned i = 0; i < 2 * count; i++)
        word(m, keys + 40 + 8 * i, pairs[i]);
    return at;
}

static void type_at(memory *m, uint64_t at, const char *name, uint64_t basic, uint64_t flags)
{
    word(m, at, 1);
    word(m, at + 8, place_of(TYPE));
    word(m, at + 24, c_text(m, name));
    word(m, at + 32, basic);
    word(m, at + 168, flags);
    word(m, at + 256, at == place_of(OBJECT) ? 0 : place_of(OBJECT));
}

static void types(memory *m)
{
    for (int i = 0; i < TYPES; i++) {
        const unsigned bit = i == TYPE    ? FLAG_TYPE
                             : i == LIST  ? FLAG_LIST
                             : i == TUPLE ? FLAG_TUPLE
                             : i == TEXT  ? FLAG_TEXT
                             : i == DICT  ? FLAG_DICT
                                          : 20;
        const int has_gc = i == DICT || i == LIST || i == TUPLE || i == MODULE;
        type_at(m, place_of(i), names[i],
                i == TUPLE  ? 24
                : i == DICT ? 48
                            : 40,
                UINT64_C(1) << bit | (has_gc ? HAS_GC : 0));
    }
    word(m, place_of(MODULE) + 184, PYCORE_PROGRAM + PYCORE_CODE); /* what it refers to stands where a box has it */
}

static uint64_t box_type(memory *m)
{
    const uint64_t at = m->next, methods = at + TYPE_BYTES + 8;
    m->next = methods + 64;
    type_at(m, at, "array.box", 24, HAS_GC);
    word(m, at + 184, PYCORE_PROGRAM + PYCORE_CODE);
    word(m, at + 232, methods);
    word(m, methods, c_text(m, "__sizeof__"));
    word(m, methods + 8, PYCORE_PROGRAM + PYCORE_CODE + 64);
    word(m, methods + 16, 4); /* no arguments */
    return at;
}

/* The list of the collector: a head, and each object's own in front of it. */
static void track(memory *m, uint64_t list, const uint64_t *objects, unsigned count)
{
    uint64_t last = list;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t one = objects[i] - 16;
        word(m, last, one);
        word(m, one + 8, last);
        last = one;
    }
    word(m, last, list);
    word(m, list + 8, last);
}

static void interpreter(memory *m, pycore_places *p, uint64_t sys_dict, uint64_t app_dict)
{
    word(m, p->runtime + RUNTIME_HEAD, p->interpreter);
    word(m, p->interpreter + NUMBER, 0);
    word(m, p->interpreter + MODULES, p->modules);
    word(m, p->interpreter + SYS_DICT, sys_dict);
    p->gc = p->interpreter + GC_AT + GENERATIONS;
    for (unsigned i = 0; i < 3; i++)
        track(m, p->gc + GENERATION * i, NULL, 0);
    track(m, p->interpreter + GC_AT + 104, NULL, 0);
    const uint64_t tracked[] = {p->list, p->tuple, p->box[0], p->box[1], app_dict, sys_dict};
    track(m, p->gc, tracked, 6);
}

static uint64_t module(memory *m, uint64_t globals)
{
    const uint64_t at = make(m, MODULE, 40);
    word(m, at + 16, globals);
    return at;
}

static void objects(memory *m, pycore_places *p)
{
    p->box_type = box_type(m);
    for (int i = 0; i < 2; i++) {
        p->box[i] = make(m, OBJECT, 24);
        word(m, p->box[i] + 8, p->box_type);
    }
    word(m, p->box[0] + 16, p->box[1]);
    p->list = make(m, LIST, 40);
    p->items = m->next;
    m->next += 32;
    const uint64_t items[] = {p->box[0], p->box[1], text(m, "text")};
    for (unsigned i = 0; i < 3; i++)
        word(m, p->items + 8 * i, items[i]);
    word(m, p->list + 16, 3);
    word(m, p->list + 24, p->items);
    word(m, p->list + 32, 4);
    p->tuple = make(m, TUPLE, 32);
    word(m, p->tuple + 16, 1);
    word(m, p->tuple + 24, p->box[1]);
    const uint64_t app[] = {text(m, "items"), p->list}, sys[] = {text(m, "version"), text(m, "3.11.2 (made)")};
    const uint64_t app_dict = dict(m, app, 1), sys_dict = dict(m, sys, 1);
    const uint64_t modules[] = {text(m, "sys"), module(m, sys_dict), text(m, "app"), module(m, app_dict)};
    p->modules = dict(m, modules, 2);
    p->interpreter = m->next;
    m->next += INTERPRETER_BYTES;
    interpreter(m, p, sys_dict, app_dict);
}

/* ---- the core ---- */

static size_t note(pycore_bytes *b, size_t at, unsigned type, size_t size)
{
    put(b, at, 5, 4);
    put(b, at + 4, size, 4);
    put(b, at + 8, type, 4);
    memcpy(b->data + at + 12, "CORE", 4);
    return at + 20;
}

static void notes(pycore_bytes *b, size_t at)
{
    static const char path[] = "/nowhere/python3.11";
    size_t in = note(b, at, 6, 32);
    put(b, in, 9, 8);
    put(b, in + 8, PYCORE_PROGRAM + PYCORE_CODE, 8);
    in = note(b, in + 32, 0x46494c45, 40 + sizeof path);
    put(b, in, 1, 8);
    put(b, in + 8, 4096, 8);
    put(b, in + 16, PYCORE_PROGRAM, 8);
    put(b, in + 24, PYCORE_PROGRAM + PROGRAM_BYTES, 8);
    memcpy(b->data + in + 40, path, sizeof path);
}

enum { NOTES_AT = 64 + 2 * 56, NOTES_BYTES = 20 + 32 + 20 + 60, MEMORY_AT = 512 };

void pycore_make_core(pycore_bytes *out, pycore_places *places)
{
    memory m = {.bytes = out, .base = MEMORY_AT, .next = place_of(VERSION) + 128};
    take(out, MEMORY_AT + DATA_BYTES);
    *places = (pycore_places){.runtime = place_of(RUNTIME), .version = place_of(VERSION)};
    head(out, 4, 2, 0);
    segment(out, 0, 4, NOTES_AT, 0, NOTES_BYTES);
    segment(out, 1, 1, MEMORY_AT, PYCORE_DATA, DATA_BYTES);
    notes(out, NOTES_AT);
    word(&m, place_of(VERSION), 0x030b02f0);
    word(&m, place_of(NONE), 1);
    word(&m, place_of(NONE) + 8, place_of(OBJECT));
    types(&m);
    objects(&m, places);
}

void pycore_set_word(pycore_bytes *core, uint64_t address, uint64_t value)
{
    if (address < PYCORE_DATA || address - PYCORE_DATA > DATA_BYTES - 8) abort();
    put(core, MEMORY_AT + (size_t)(address - PYCORE_DATA), value, 8);
}

void pycore_release(pycore_bytes *bytes)
{
    free(bytes->data);
    *bytes = (pycore_bytes){0};
}
