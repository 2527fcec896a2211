/*
 * The DWARF of the program of gocore_writer.h: its types, those of a runtime whose structures have other offsets than
 * any real one, two
 * globals, and a function with two variables.
 */
#include "support/gocore_parts.h"

#include <stdlib.h>
#include <string.h>

void gocore_add(gocore_bytes *out, const void *data, size_t size)
{
    if (out->size + size > out->room) {
        out->room = 2 * (out->size + size);
        out->data = realloc(out->data, out->room);
        if (out->data == NULL) abort();
    }
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

void gocore_add_number(gocore_bytes *out, uint64_t value, unsigned bytes)
{
    uint8_t at[8];
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    gocore_add(out, at, bytes);
}

void gocore_add_text(gocore_bytes *out, const char *text) { gocore_add(out, text, strlen(text) + 1); }

void gocore_add_zeros(gocore_bytes *out, size_t until)
{
    while (out->size < until)
        gocore_add_number(out, 0, 1);
}

void gocore_release(gocore_bytes *bytes)
{
    free(bytes->data);
    *bytes = (gocore_bytes){0};
}

enum { UNIT = 1, BASE, POINTER, STRUCTURE, MEMBER, ARRAY, SUBRANGE, VARIABLE, FUNCTION, LISTED, DESCRIBED };
enum { KIND_TEXT = 24, KIND_SLICE = 23, KIND_STRUCT = 25 };

static const uint8_t abbreviations[] = {
    /* name, language */
    UNIT, 0x11, 1, 0x03, 0x08, 0x13, 0x0b, 0, 0, BASE, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0, 0, /* name, size */
    POINTER, 0x0f, 0, 0x03, 0x08, 0x49, 0x10, 0, 0,                                           /* name, type */
    /* name, size, kind, description */
    STRUCTURE, 0x13, 1, 0x03, 0x08, 0x0b, 0x0f, 0x80, 0x52, 0x0b, 0x84, 0x52, 0x01, 0, 0,
    /* name, place, type */
    MEMBER, 0x0d, 0, 0x03, 0x08, 0x38, 0x0f, 0x49, 0x10, 0, 0,
    /* name, type, size */
    ARRAY, 0x01, 1, 0x03, 0x08, 0x49, 0x10, 0x0b, 0x0f, 0, 0, SUBRANGE, 0x21, 0, 0x37, 0x0f, 0, 0, /* count */
    /* name, location, type */
    VARIABLE, 0x34, 0, 0x03, 0x08, 0x02, 0x0a, 0x49, 0x10, 0, 0,
    /* name, from, to */
    FUNCTION, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0,
    /* name, list of locations, type */
    LISTED, 0x05, 0, 0x03, 0x08, 0x02, 0x17, 0x49, 0x10, 0, 0,
    /* of a pointer: name, description, type */
    DESCRIBED, 0x0f, 0, 0x03, 0x08, 0x84, 0x52, 0x01, 0x49, 0x10, 0, 0, 0};

/* Types by number; references are written as numbers and become offsets in the end. */
enum {
    T_NONE,
    T_WORD,
    T_HALF,
    T_BYTE,
    T_TEXT,
    T_SESSION,
    T_POINTER,
    T_TEXTS,
    T_SESSIONS,
    T_TEXT_POINTER,
    T_POINTER_POINTER,
    T_EFACE,
    T_ANY_POINTER,
    T_HEAP,
    T_SPAN,
    T_MODULE,
    T_G,
    T_ARENA,
    T_BITMAP,
    T_RTYPE,
    T_BYTES,
    TYPES_COUNT
};

typedef struct dwarf {
    gocore_bytes bytes;
    uint32_t offsets[TYPES_COUNT];
    struct {
        size_t at;
        int type;
    } patches[256];
    size_t patch_count;
} dwarf;

static void add_reference(dwarf *d, int type)
{
    d->patches[d->patch_count].at = d->bytes.size;
    d->patches[d->patch_count++].type = type;
    gocore_add_number(&d->bytes, 0, 4);
}

static void add_leb(gocore_bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        gocore_add_number(out, (value & 0x7f) | 0x80, 1);
    gocore_add_number(out, value, 1);
}

static void begin_type(dwarf *d, int type, int entry, const char *name)
{
    d->offsets[type] = (uint32_t)d->bytes.size;
    gocore_add_number(&d->bytes, (uint64_t)entry, 1);
    gocore_add_text(&d->bytes, name);
}

static void add_base(dwarf *d, int type, const char *name, unsigned size)
{
    begin_type(d, type, BASE, name);
    gocore_add_number(&d->bytes, size, 1);
}

static void add_pointer(dwarf *d, int type, const char *name, int target)
{
    begin_type(d, type, POINTER, name);
    add_reference(d, target);
}

typedef struct member {
    const char *name;
    unsigned offset;
    int type;
} member;

static void add_structure(dwarf *d, int type, const char *name, unsigned size, int kind, uint64_t description,
                          const member *members)
{
    begin_type(d, type, STRUCTURE, name);
    add_leb(&d->bytes, size);
    gocore_add_number(&d->bytes, (uint64_t)kind, 1);
    gocore_add_number(&d->bytes, description, 8);
    for (; members->name != NULL; members++) {
        gocore_add_number(&d->bytes, MEMBER, 1);
        gocore_add_text(&d->bytes, members->name);
        add_leb(&d->bytes, members->offset);
        add_reference(d, members->type);
    }
    gocore_add_number(&d->bytes, 0, 1);
}

static void add_variable(dwarf *d, const char *name, uint64_t address, int type)
{
    gocore_add_number(&d->bytes, VARIABLE, 1);
    gocore_add_text(&d->bytes, name);
    gocore_add_number(&d->bytes, 9, 1);
    gocore_add_number(&d->bytes, 3, 1);
    gocore_add_number(&d->bytes, address, 8);
    add_reference(d, type);
}

static void add_slice(dwarf *d, int type, const char *name, int pointer)
{
    const member members[] = {{"array", 0, pointer}, {"len", 8, T_WORD}, {"cap", 16, T_WORD}, {0}};
    add_structure(d, type, name, 24, KIND_SLICE, 0, members);
}

static void add_program_types(dwarf *d)
{
    const member text[] = {{"str", 0, T_BYTES}, {"len", 8, T_WORD}, {0}};
    const member session[] = {
        {"next", 0, T_POINTER}, {"name", 8, T_TEXT}, {"tags", 24, T_TEXTS}, {"any", 48, T_EFACE}, {0}};
    const member any[] = {{"_type", 0, T_ANY_POINTER}, {"data", 8, T_ANY_POINTER}, {0}};
    add_base(d, T_WORD, "uintptr", 8);
    add_base(d, T_HALF, "uint32", 4);
    add_base(d, T_BYTE, "uint8", 1);
    add_pointer(d, T_BYTES, "*uint8", T_BYTE);
    add_pointer(d, T_ANY_POINTER, "unsafe.Pointer", T_NONE);
    add_structure(d, T_TEXT, "string", 16, KIND_TEXT, 0x80, text);
    add_structure(d, T_EFACE, "runtime.eface", 16, KIND_STRUCT, 0, any);
    add_structure(d, T_SESSION, "main.session", SESSION_BYTES, KIND_STRUCT, 0x40, session);
    begin_type(d, T_POINTER, DESCRIBED, "*main.session");
    gocore_add_number(&d->bytes, POINTER_TO_SESSION - TYPES, 8);
    add_reference(d, T_SESSION);
    add_pointer(d, T_POINTER_POINTER, "**main.session", T_POINTER);
    add_pointer(d, T_TEXT_POINTER, "*string", T_TEXT);
    add_slice(d, T_TEXTS, "[]string", T_TEXT_POINTER);
    add_slice(d, T_SESSIONS, "[]*main.session", T_POINTER_POINTER);
}

static void add_runtime_types(dwarf *d, int form)
{
    const member heap[] = {{"arenas", 16, T_ANY_POINTER}, {"allspans", 40, T_SESSIONS}, {0}};
    const member span[] = {{"allocBits", 0, T_WORD},  {"startAddr", 8, T_WORD},
                           {"npages", 16, T_WORD},    {"elemsize", 24, T_WORD},
                           {"nelems", 32, T_WORD},    {"freeindex", 40, T_WORD},
                           {"spanclass", 48, T_BYTE}, {"state", 49, T_BYTE},
                           {"largeType", 56, T_WORD}, {0}};
    const member module[] = {{"data", 8, T_WORD},
                             {"edata", 16, T_WORD},
                             {"bss", 24, T_WORD},
                             {"ebss", 32, T_WORD},
                             {"gcdatamask.bytedata", 40, T_WORD},
                             {"text", 48, T_WORD},
                             {"next", 56, T_WORD},
                             {"gcdatamask", 64, T_RTYPE},
                             {"gcbssmask", 96, T_RTYPE},
                             {0}};
    const member g[] = {{"stack", 0, T_ARENA}, {"sched", 32, T_G},      {"atomicstatus", 64, T_HALF},
                        {"goid", 72, T_WORD},  {"waiting", 80, T_WORD}, {0}};
    const member arena[] = {{"bitmap", 0, T_WORD}, {"noMorePtrs", 0x400, T_WORD}, {0}};
    const member old_arena[] = {{"bitmap", 0, T_WORD}, {0}}, no_arena[] = {{"spans", 0, T_WORD}, {0}};
    const member mask[] = {{"n", 0, T_HALF}, {"bytedata", 8, T_WORD}, {0}};
    const member type[] = {{"size", 0, T_WORD}, {"ptrdata", 8, T_WORD}, {"gcdata", 16, T_WORD}, {0}};
    const member stack[] = {{"lo", 0, T_WORD}, {"hi", 8, T_WORD}, {0}},
                 sched[] = {{"sp", 0, T_WORD}, {"pc", 8, T_WORD}, {"bp", 16, T_WORD}, {0}};
    const member block[] = {{"alllink", 8, T_WORD}, {"cnt", 24, T_HALF}, {"fin", 40, T_WORD}, {0}},
                 sudog[] = {{"elem", 0, T_WORD}, {"waitlink", 8, T_WORD}, {"c", 16, T_WORD}, {0}},
                 channel[] = {{"elemtype", 24, T_WORD}, {0}},
                 due[] = {{"arg", 0, T_WORD}, {"fn", 8, T_WORD}, {"ot", 16, T_WORD}, {0}};
    add_structure(d, T_RTYPE, "runtime.bitvector", 16, KIND_STRUCT, 0, mask);
    add_structure(d, T_HEAP, "runtime.mheap", 128, KIND_STRUCT, 0, heap);
    add_structure(d, T_SPAN, "runtime.mspan", 64, KIND_STRUCT, 0, span);
    add_structure(d, T_MODULE, "runtime.moduledata", 128, KIND_STRUCT, 0, module);
    add_structure(d, T_ARENA, "runtime.stack", 16, KIND_STRUCT, 0, stack);
    add_structure(d, T_G, "runtime.gobuf", 24, KIND_STRUCT, 0, sched);
    add_structure(d, T_BITMAP, "runtime.g", 96, KIND_STRUCT, 0, g);
    add_structure(d, T_NONE, "runtime.heapArena", 0x500, KIND_STRUCT, 0,
                  form == GOCORE_1_19   ? old_arena
                  : form == GOCORE_1_21 ? arena
                                        : no_arena);
    add_structure(d, T_NONE, "runtime._type", 48, KIND_STRUCT, 0, type);
    add_structure(d, T_NONE, form == GOCORE_1_19 ? "runtime.finblock" : "runtime.finBlock", 4096, KIND_STRUCT, 0,
                  block);
    add_structure(d, T_NONE, "runtime.sudog", 24, KIND_STRUCT, 0, sudog);
    add_structure(d, T_NONE, "runtime.hchan", 32, KIND_STRUCT, 0, channel);
    add_structure(d, T_NONE, "runtime.finalizer", GOCORE_DUE_BYTES, KIND_STRUCT, 0, due);
    d->offsets[T_NONE] = 0;
}

void gocore_add_info(gocore_bytes *out, int form)
{
    static dwarf made;
    dwarf *d = &made;
    made = (dwarf){0};
    gocore_add_number(&d->bytes, 0, 4);
    gocore_add_number(&d->bytes, 4, 2); /* version */
    gocore_add_number(&d->bytes, 0, 4);
    gocore_add_number(&d->bytes, 8, 1);
    gocore_add_number(&d->bytes, UNIT, 1);
    gocore_add_text(&d->bytes, "main");
    gocore_add_number(&d->bytes, 0x16, 1); /* Go */
    add_program_types(d);
    add_runtime_types(d, form);
    add_variable(d, "main.head", GOCORE_HEAD, T_POINTER);
    add_variable(d, "main.list", GOCORE_HEAD + 8, T_SESSIONS);
    gocore_add_number(&d->bytes, FUNCTION, 1);
    gocore_add_text(&d->bytes, "main.work");
    gocore_add_number(&d->bytes, PROGRAM + 0x200, 8);
    gocore_add_number(&d->bytes, PROGRAM + 0x280, 8);
    gocore_add_number(&d->bytes, VARIABLE, 1);
    gocore_add_text(&d->bytes, "mine");
    gocore_add(&d->bytes, "\3\x91\xc0\x7f", 4); /* 64 before the frame's end */
    add_reference(d, T_POINTER);
    gocore_add_number(&d->bytes, LISTED, 1);
    gocore_add_text(&d->bytes, "name");
    gocore_add_number(&d->bytes, 0, 4);
    add_reference(d, T_TEXT);
    gocore_add_number(&d->bytes, 0, 2); /* of the function, of the unit */
    for (unsigned i = 0; i < 4; i++)
        d->bytes.data[i] = (uint8_t)((d->bytes.size - 4) >> 8 * i);
    for (size_t i = 0; i < d->patch_count; i++)
        for (unsigned j = 0; j < 4; j++)
            d->bytes.data[d->patches[i].at + j] = (uint8_t)(d->offsets[d->patches[i].type] >> 8 * j);
    *out = d->bytes;
}

/* The text's bytes 48 before the frame's end, its length in a register; elsewhere both in registers. */
void gocore_add_locations(gocore_bytes *out)
{
    gocore_add_number(out, UINT64_MAX, 8);
    gocore_add_number(out, PROGRAM + 0x200, 8);
    gocore_add_number(out, 0, 8);
    gocore_add_number(out, 8, 8);
    gocore_add_number(out, 6, 2);
    gocore_add(out, "\x50\x93\x08\x51\x93\x08", 6);
    gocore_add_number(out, 8, 8);
    gocore_add_number(out, 0x80, 8);
    gocore_add_number(out, 7, 2);
    gocore_add(out, "\x91\x50\x93\x08\x50\x93\x08", 7);
    gocore_add_zeros(out, out->size + 16);
}

void gocore_add_abbreviations(gocore_bytes *out) { gocore_add(out, abbreviations, sizeof abbreviations); }
