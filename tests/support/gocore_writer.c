/*
 * See gocore_writer.h. The executable is one segment and six sections; the core is notes and three segments.
 */
#include "support/gocore_writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_BYTES = 0x1000, DATA_BYTES = 0x4000, HEAP_BYTES = 0x6000, SESSION_BYTES = 64, NOTE_BYTES = 32 };
#define PROGRAM UINT64_C(0x400000)
#define DATA    UINT64_C(0x600000)
#define TYPES   UINT64_C(0x400800)
#define SESSION (TYPES + 0x40)
#define TEXT_OF_TYPES (TYPES + 0x80) /* the description of string */
#define STACK   UINT64_C(0x601000)
#define ARENA   UINT64_C(0x603000)

static void add(gocore_bytes *out, const void *data, size_t size)
{
    if (out->size + size > out->room) {
        out->room = 2 * (out->size + size);
        out->data = realloc(out->data, out->room);
        if (out->data == NULL) abort();
    }
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void add_number(gocore_bytes *out, uint64_t value, unsigned bytes)
{
    uint8_t at[8];
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    add(out, at, bytes);
}

static void add_text(gocore_bytes *out, const char *text) { add(out, text, strlen(text) + 1); }

static void add_zeros(gocore_bytes *out, size_t until)
{
    while (out->size < until)
        add_number(out, 0, 1);
}

void gocore_release(gocore_bytes *bytes)
{
    free(bytes->data);
    *bytes = (gocore_bytes){0};
}

/* ---- DWARF ---- */

enum { UNIT = 1, BASE, POINTER, STRUCTURE, MEMBER, ARRAY, SUBRANGE, VARIABLE, FUNCTION };
enum { KIND_TEXT = 24, KIND_SLICE = 23, KIND_STRUCT = 25 };

static const uint8_t abbreviations[] = {
    UNIT, 0x11, 1, 0x03, 0x08, 0x13, 0x0b, 0, 0,                                               /* name, language */
    BASE, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0, 0,                                               /* name, size */
    POINTER, 0x0f, 0, 0x03, 0x08, 0x49, 0x10, 0, 0,                                            /* name, type */
    STRUCTURE, 0x13, 1, 0x03, 0x08, 0x0b, 0x0f, 0x80, 0x52, 0x0b, 0x84, 0x52, 0x01, 0, 0,      /* name, size, kind, description */
    MEMBER, 0x0d, 0, 0x03, 0x08, 0x38, 0x0f, 0x49, 0x10, 0, 0,                                 /* name, place, type */
    ARRAY, 0x01, 1, 0x03, 0x08, 0x49, 0x10, 0x0b, 0x0f, 0, 0,                                  /* name, type, size */
    SUBRANGE, 0x21, 0, 0x37, 0x0f, 0, 0,                                                       /* count */
    VARIABLE, 0x34, 0, 0x03, 0x08, 0x02, 0x0a, 0x49, 0x10, 0, 0,                               /* name, location, type */
    FUNCTION, 0x2e, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0,                               /* name, from, to */
    0};

/* Types by number; references are written as numbers and become offsets in the end. */
enum { T_NONE, T_WORD, T_HALF, T_BYTE, T_TEXT, T_SESSION, T_POINTER, T_TEXTS, T_SESSIONS, T_TEXT_POINTER, T_POINTER_POINTER, T_EFACE, T_ANY_POINTER,
       T_HEAP, T_SPAN, T_MODULE, T_G, T_ARENA, T_BITMAP, T_RTYPE, T_BYTES, TYPES_COUNT };

typedef struct dwarf {
    gocore_bytes bytes;
    uint32_t offsets[TYPES_COUNT];
    struct { size_t at; int type; } patches[256];
    size_t patch_count;
} dwarf;

static void add_reference(dwarf *d, int type)
{
    d->patches[d->patch_count].at = d->bytes.size;
    d->patches[d->patch_count++].type = type;
    add_number(&d->bytes, 0, 4);
}

static void add_leb(gocore_bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        add_number(out, (value & 0x7f) | 0x80, 1);
    add_number(out, value, 1);
}

static void begin_type(dwarf *d, int type, int entry, const char *name)
{
    d->offsets[type] = (uint32_t)d->bytes.size;
    add_number(&d->bytes, (uint64_t)entry, 1);
    add_text(&d->bytes, name);
}

static void add_base(dwarf *d, int type, const char *name, unsigned size)
{
    begin_type(d, type, BASE, name);
    add_number(&d->bytes, size, 1);
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

static void add_structure(dwarf *d, int type, const char *name, unsigned size, int kind, uint64_t description, const member *members)
{
    begin_type(d, type, STRUCTURE, name);
    add_leb(&d->bytes, size);
    add_number(&d->bytes, (uint64_t)kind, 1);
    add_number(&d->bytes, description, 8);
    for (; members->name != NULL; members++) {
        add_number(&d->bytes, MEMBER, 1);
        add_text(&d->bytes, members->name);
        add_leb(&d->bytes, members->offset);
        add_reference(d, members->type);
    }
    add_number(&d->bytes, 0, 1);
}

static void add_variable(dwarf *d, const char *name, uint64_t address, int type)
{
    add_number(&d->bytes, VARIABLE, 1);
    add_text(&d->bytes, name);
    add_number(&d->bytes, 9, 1);
    add_number(&d->bytes, 3, 1);
    add_number(&d->bytes, address, 8);
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
    const member session[] = {{"next", 0, T_POINTER}, {"name", 8, T_TEXT}, {"tags", 24, T_TEXTS}, {"any", 48, T_EFACE}, {0}};
    const member any[] = {{"_type", 0, T_ANY_POINTER}, {"data", 8, T_ANY_POINTER}, {0}};
    add_base(d, T_WORD, "uintptr", 8);
    add_base(d, T_HALF, "uint32", 4);
    add_base(d, T_BYTE, "uint8", 1);
    add_pointer(d, T_BYTES, "*uint8", T_BYTE);
    add_pointer(d, T_ANY_POINTER, "unsafe.Pointer", T_NONE);
    add_structure(d, T_TEXT, "string", 16, KIND_TEXT, 0x80, text);
    add_structure(d, T_EFACE, "runtime.eface", 16, KIND_STRUCT, 0, any);
    add_structure(d, T_SESSION, "main.session", SESSION_BYTES, KIND_STRUCT, 0x40, session);
    add_pointer(d, T_POINTER, "*main.session", T_SESSION);
    add_pointer(d, T_POINTER_POINTER, "**main.session", T_POINTER);
    add_pointer(d, T_TEXT_POINTER, "*string", T_TEXT);
    add_slice(d, T_TEXTS, "[]string", T_TEXT_POINTER);
    add_slice(d, T_SESSIONS, "[]*main.session", T_POINTER_POINTER);
}

static void add_runtime_types(dwarf *d, int form)
{
    const member heap[] = {{"arenas", 16, T_ANY_POINTER}, {"allspans", 40, T_SESSIONS}, {0}};
    const member span[] = {{"allocBits", 0, T_WORD}, {"startAddr", 8, T_WORD}, {"npages", 16, T_WORD}, {"elemsize", 24, T_WORD}, {"nelems", 32, T_WORD},
                           {"freeindex", 40, T_WORD}, {"spanclass", 48, T_BYTE}, {"state", 49, T_BYTE}, {"largeType", 56, T_WORD}, {0}};
    const member module[] = {{"data", 8, T_WORD}, {"edata", 16, T_WORD}, {"bss", 24, T_WORD}, {"ebss", 32, T_WORD}, {"gcdatamask.bytedata", 40, T_WORD},
                             {"text", 48, T_WORD}, {"next", 56, T_WORD}, {"gcdatamask", 64, T_RTYPE}, {"gcbssmask", 96, T_RTYPE}, {0}};
    const member g[] = {{"stack", 0, T_ARENA}, {"sched", 32, T_G}, {"atomicstatus", 64, T_HALF}, {"goid", 72, T_WORD}, {0}};
    (void)g;
    const member arena[] = {{"bitmap", 0, T_WORD}, {"noMorePtrs", 0x400, T_WORD}, {0}};
    const member old_arena[] = {{"bitmap", 0, T_WORD}, {0}}, no_arena[] = {{"spans", 0, T_WORD}, {0}};
    const member mask[] = {{"n", 0, T_HALF}, {"bytedata", 8, T_WORD}, {0}};
    const member type[] = {{"size", 0, T_WORD}, {"ptrdata", 8, T_WORD}, {"gcdata", 16, T_WORD}, {0}};
    const member stack[] = {{"lo", 0, T_WORD}, {"hi", 8, T_WORD}, {0}}, sched[] = {{"sp", 0, T_WORD}, {"pc", 8, T_WORD}, {"bp", 16, T_WORD}, {0}};
    add_structure(d, T_RTYPE, "runtime.bitvector", 16, KIND_STRUCT, 0, mask);
    add_structure(d, T_HEAP, "runtime.mheap", 128, KIND_STRUCT, 0, heap);
    add_structure(d, T_SPAN, "runtime.mspan", 64, KIND_STRUCT, 0, span);
    add_structure(d, T_MODULE, "runtime.moduledata", 128, KIND_STRUCT, 0, module);
    add_structure(d, T_ARENA, "runtime.stack", 16, KIND_STRUCT, 0, stack);
    add_structure(d, T_G, "runtime.gobuf", 24, KIND_STRUCT, 0, sched);
    add_structure(d, T_BITMAP, "runtime.g", 96, KIND_STRUCT, 0, g);
    add_structure(d, T_NONE, "runtime.heapArena", 0x500, KIND_STRUCT, 0, form == GOCORE_1_19 ? old_arena : form == GOCORE_1_21 ? arena : no_arena);
    add_structure(d, T_NONE, "runtime._type", 48, KIND_STRUCT, 0, type);
    d->offsets[T_NONE] = 0;
}

static void add_dwarf(dwarf *d, int form)
{
    add_number(&d->bytes, 0, 4);
    add_number(&d->bytes, 4, 2); /* version */
    add_number(&d->bytes, 0, 4);
    add_number(&d->bytes, 8, 1);
    add_number(&d->bytes, UNIT, 1);
    add_text(&d->bytes, "main");
    add_number(&d->bytes, 0x16, 1); /* Go */
    add_program_types(d);
    add_runtime_types(d, form);
    add_variable(d, "main.head", GOCORE_HEAD, T_POINTER);
    add_variable(d, "main.list", GOCORE_HEAD + 8, T_SESSIONS);
    add_number(&d->bytes, FUNCTION, 1);
    add_text(&d->bytes, "main.work");
    add_number(&d->bytes, PROGRAM + 0x200, 8);
    add_number(&d->bytes, PROGRAM + 0x280, 8);
    add_number(&d->bytes, 0, 1);
    for (unsigned i = 0; i < 4; i++)
        d->bytes.data[i] = (uint8_t)((d->bytes.size - 4) >> 8 * i);
    for (size_t i = 0; i < d->patch_count; i++)
        for (unsigned j = 0; j < 4; j++)
            d->bytes.data[d->patches[i].at + j] = (uint8_t)(d->offsets[d->patches[i].type] >> 8 * j);
}

/* ---- ELF ---- */

static void add_header(gocore_bytes *out, unsigned type, uint64_t segments, unsigned segment_count, uint64_t sections, unsigned section_count)
{
    static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    add(out, ident, sizeof ident);
    add_number(out, type, 2);
    add_number(out, 62, 2);
    add_number(out, 1, 4);
    add_number(out, PROGRAM + 0x200, 8);
    add_number(out, segments, 8);
    add_number(out, sections, 8);
    add_number(out, 0, 4);
    add_number(out, 64, 2);
    add_number(out, 56, 2);
    add_number(out, segment_count, 2);
    add_number(out, 64, 2);
    add_number(out, section_count, 2);
    add_number(out, section_count == 0 ? 0 : section_count - 1, 2);
}

static void add_segment(gocore_bytes *out, unsigned type, unsigned flags, uint64_t offset, uint64_t address, uint64_t size)
{
    add_number(out, type, 4);
    add_number(out, flags, 4);
    add_number(out, offset, 8);
    add_number(out, address, 8);
    add_number(out, address, 8);
    add_number(out, size, 8);
    add_number(out, size, 8);
    add_number(out, 4096, 8);
}

/* ---- the executable ---- */

static void put(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void fill_program(uint8_t *memory)
{
    static const uint8_t note[NOTE_BYTES] = {4, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 'G', 'o', 0, 0, 'b', 'u', 'i', 'l', 'd', '/', 'i', 'd'};
    memcpy(memory + 0x100, note, sizeof note);
    put(memory + (SESSION - PROGRAM), SESSION_BYTES);
    put(memory + (SESSION - PROGRAM) + 8, SESSION_BYTES);
    put(memory + (SESSION - PROGRAM) + 16, TYPES + 0x200);
    put(memory + (TEXT_OF_TYPES - PROGRAM), 16);
    put(memory + (TEXT_OF_TYPES - PROGRAM) + 8, 8);
    put(memory + (TEXT_OF_TYPES - PROGRAM) + 16, TYPES + 0x208);
    memory[TYPES + 0x200 - PROGRAM] = 0xcb; /* words 0 1 3 6 7 */
    memory[TYPES + 0x208 - PROGRAM] = 1;
}

static void add_symbols(gocore_bytes *symbols, gocore_bytes *texts)
{
    static const struct { const char *name; uint64_t address; } all[] = {
        {"runtime.mheap_", GOCORE_HEAP}, {"runtime.firstmoduledata", DATA + 0x200}, {"runtime.allgs", DATA + 0x400}, {"runtime.buildVersion", DATA + 0x100},
        {"runtime.types", TYPES}, {"runtime.text", PROGRAM + 0x200}, {"runtime.data", DATA}, {"runtime.edata", DATA + 0x100}, {"runtime.bss", DATA + 0x300},
        {"runtime.ebss", DATA + 0x340}};
    add_zeros(symbols, 24);
    add_number(texts, 0, 1);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        add_number(symbols, texts->size, 4);
        add_number(symbols, 1 | 1 << 16, 4);
        add_number(symbols, all[i].address, 8);
        add_number(symbols, 8, 8);
        add_text(texts, all[i].name);
    }
}

void gocore_make_program(gocore_bytes *out, int form)
{
    static const char *const names[] = {"", ".note.go.buildid", ".debug_abbrev", ".debug_info", ".strtab", ".symtab", ".shstrtab"};
    enum { SECTIONS = sizeof names / sizeof names[0] };
    static dwarf d;
    uint8_t memory[PROGRAM_BYTES] = {0};
    gocore_bytes symbols = {0}, texts = {0}, titles = {0}, parts[SECTIONS] = {{0}};
    uint64_t offsets[SECTIONS] = {0}, at = 64 + 56 + PROGRAM_BYTES;
    unsigned title[SECTIONS];
    d = (dwarf){0};
    add_dwarf(&d, form);
    fill_program(memory);
    add_symbols(&symbols, &texts);
    for (int i = 0; i < SECTIONS; i++) {
        title[i] = (unsigned)titles.size;
        add_text(&titles, names[i]);
    }
    parts[2] = (gocore_bytes){(uint8_t *)(uintptr_t)abbreviations, sizeof abbreviations, 0};
    parts[3] = d.bytes, parts[4] = texts, parts[5] = symbols, parts[6] = titles;
    for (int i = 2; i < SECTIONS; i++) {
        offsets[i] = at;
        at += parts[i].size;
    }
    *out = (gocore_bytes){0};
    add_header(out, 2, 64, 1, at, SECTIONS);
    add_segment(out, 1, 5, 64 + 56, PROGRAM, PROGRAM_BYTES);
    add(out, memory, sizeof memory);
    for (int i = 2; i < SECTIONS; i++)
        add(out, parts[i].data, parts[i].size);
    for (int i = 0; i < SECTIONS; i++) {
        add_number(out, title[i], 4);
        add_number(out, i == 0 ? 0 : i == 1 ? 7 : i == 5 ? 2 : i == 4 || i == 6 ? 3 : 1, 4);
        add_number(out, 0, 8);
        add_number(out, i == 1 ? GOCORE_NOTE : 0, 8);
        add_number(out, i == 1 ? 64 + 56 + 0x100 : offsets[i], 8);
        add_number(out, i == 1 ? NOTE_BYTES : parts[i].size, 8);
        add_number(out, i == 5 ? 4 : 0, 8);
        add_number(out, 1, 8);
        add_number(out, i == 5 ? 24 : 0, 8);
    }
    gocore_release(&symbols);
    gocore_release(&texts);
    gocore_release(&titles);
    gocore_release(&d.bytes);
}

/* ---- the core ---- */

typedef struct memory {
    uint8_t data[DATA_BYTES], heap[HEAP_BYTES];
} memory;

static uint8_t *place(memory *m, uint64_t address) { return address >= GOCORE_A ? m->heap + (address - GOCORE_A) : m->data + (address - DATA); }
static void set(memory *m, uint64_t address, uint64_t value) { put(place(m, address), value); }

static void fill_span(memory *m, int number, uint64_t begin, uint64_t slot_bytes, uint64_t free_index, uint64_t bits, bool is_noscan)
{
    const uint64_t at = GOCORE_SPANS + 0x40 * (uint64_t)number;
    set(m, GOCORE_SPAN_LIST + 8 * (uint64_t)number, at);
    set(m, at, DATA + 0xc00 + 0x20 * (uint64_t)number);
    set(m, DATA + 0xc00 + 0x20 * (uint64_t)number, bits);
    set(m, at + 8, begin);
    set(m, at + 16, 1);
    set(m, at + 24, slot_bytes);
    set(m, at + 32, slot_bytes == 64 ? 126 : 8192 / slot_bytes);
    set(m, at + 40, free_index);
    set(m, at + 48, (uint64_t)is_noscan | 1 << 8);
}

static void mark_pointer(memory *m, int form, uint64_t address, bool goes_on_before)
{
    const uint64_t word = (address - GOCORE_A) / 8;
    (void)goes_on_before;
    if (form == GOCORE_1_19) m->data[ARENA - DATA + word / 4] |= (uint8_t)(1 << word % 4);
    if (form == GOCORE_1_21) m->data[ARENA - DATA + word / 8] |= (uint8_t)(1 << word % 8);
    if (form == GOCORE_1_22 && address < GOCORE_B) m->heap[8192 - 128 + word / 8] |= (uint8_t)(1 << word % 8);
}

static void set_pointer(memory *m, int form, uint64_t address, uint64_t value)
{
    set(m, address, value);
    mark_pointer(m, form, address, true);
}

/* "Goes on" up to the last word of each object, as 1.19 has it. */
static void mark_ends(memory *m, uint64_t begin, uint64_t bytes)
{
    for (uint64_t word = (begin - GOCORE_A) / 8; word < (begin + bytes - GOCORE_A) / 8; word++)
        m->data[ARENA - DATA + word / 4] |= (uint8_t)(0x10 << word % 4);
}

static void fill_heap(memory *m, int form)
{
    const uint64_t head = form == GOCORE_1_22 ? 8 : 0, tags = GOCORE_C + head, list = GOCORE_C + 1024 + head;
    fill_span(m, 0, GOCORE_A, 64, 3, 1 << 5, false);
    fill_span(m, 1, GOCORE_B, 32, 4, 0, true);
    fill_span(m, 2, GOCORE_C, 1024, 2, 0, false);
    set_pointer(m, form, GOCORE_A, GOCORE_A + 64);
    set_pointer(m, form, GOCORE_A + 8, GOCORE_B);
    set_pointer(m, form, GOCORE_A + 24, tags);
    set_pointer(m, form, GOCORE_A + 48, SESSION);
    set_pointer(m, form, GOCORE_A + 56, GOCORE_A + 128);
    set_pointer(m, form, GOCORE_A + 64, GOCORE_A + 320);
    set_pointer(m, form, GOCORE_A + 320 + 8, GOCORE_B + 32);
    set_pointer(m, form, tags, GOCORE_B + 64);
    set_pointer(m, form, tags + 16, GOCORE_B + 96);
    set_pointer(m, form, list, GOCORE_A);
    set_pointer(m, form, list + 8, GOCORE_A + 64);
    if (form == GOCORE_1_19) {
        mark_ends(m, GOCORE_A, 384);
        mark_ends(m, GOCORE_C, 2048);
    }
    if (form == GOCORE_1_22) set(m, GOCORE_C, TEXT_OF_TYPES); /* the second has none that is known */
}

static void fill_data(memory *m)
{
    const uint64_t stack_top = STACK + 0x100;
    set(m, GOCORE_HEAD, GOCORE_A);
    set(m, DATA + 0x100, GOCORE_VERSION);
    set(m, DATA + 0x200 + 8, DATA);
    set(m, DATA + 0x200 + 16, DATA + 0x100);
    set(m, DATA + 0x200 + 24, DATA + 0x300);
    set(m, DATA + 0x200 + 32, DATA + 0x340);
    set(m, DATA + 0x200 + 64 + 8, DATA + 0xd00);
    set(m, DATA + 0x200 + 96 + 8, DATA + 0xd40);
    m->data[0xd00] = 3; /* head, list */
    set(m, DATA + 0x400, DATA + 0x480);
    set(m, DATA + 0x408, 1);
    set(m, DATA + 0x480, DATA + 0xe00);
    set(m, GOCORE_HEAP + 16, DATA + 0x2000 - UINT64_C(0x1018000));
    set(m, DATA + 0x2000, ARENA);
    set(m, GOCORE_HEAP + 40, GOCORE_SPAN_LIST);
    set(m, GOCORE_HEAP + 48, 3);
    set(m, DATA + 0xe00, STACK);
    set(m, DATA + 0xe08, stack_top);
    set(m, DATA + 0xe20, STACK + 0x80); /* sp, pc */
    set(m, DATA + 0xe28, PROGRAM + 0x210);
    set(m, DATA + 0xe40, 4);
    set(m, DATA + 0xe48, 7);
    set(m, STACK + 0x88, GOCORE_A + 130); /* into A2 */
    set(m, STACK + 0x40, GOCORE_A + 64);  /* below the top: nothing */
}

static void add_note(gocore_bytes *out, unsigned type, const void *data, size_t size)
{
    add_number(out, 5, 4);
    add_number(out, size, 4);
    add_number(out, type, 4);
    add(out, "CORE\0\0\0", 8);
    add(out, data, size);
}

void gocore_make_core(gocore_bytes *out, int form)
{
    static const char *const versions[GOCORE_FORMS] = {"go1.19.8", "go1.21.6", "go1.22.1"};
    enum { NOTES = 20 + 136 + 20 + 32, FIRST = 64 + 4 * 56 };
    memory *m = calloc(1, sizeof *m);
    uint8_t process[136] = {0}, vector[32] = {0}, program[PROGRAM_BYTES] = {0};
    if (m == NULL) abort();
    fill_data(m);
    fill_heap(m, form);
    set(m, GOCORE_HEAD + 8, GOCORE_C + 1024 + (form == GOCORE_1_22 ? 8 : 0));
    set(m, GOCORE_HEAD + 16, 2);
    set(m, GOCORE_HEAD + 24, 2);
    memcpy(place(m, GOCORE_VERSION), versions[form], 8);
    set(m, DATA + 0x108, 8);
    fill_program(program);
    process[24] = 42;
    memcpy(process + 40, "shop", 4);
    vector[0] = 25; /* random bytes */
    put(vector + 8, DATA + 0x3f00);
    set(m, DATA + 0x3f00, UINT64_C(0x123456789abcdef));
    *out = (gocore_bytes){0};
    add_header(out, 4, 64, 4, 0, 0);
    add_segment(out, 4, 0, FIRST, 0, NOTES);
    add_segment(out, 1, 5, FIRST + NOTES, PROGRAM, PROGRAM_BYTES);
    add_segment(out, 1, 6, FIRST + NOTES + PROGRAM_BYTES, DATA, DATA_BYTES);
    add_segment(out, 1, 6, FIRST + NOTES + PROGRAM_BYTES + DATA_BYTES, GOCORE_A, HEAP_BYTES);
    add_note(out, 3, process, sizeof process);
    add_note(out, 6, vector, sizeof vector);
    add_zeros(out, FIRST + NOTES);
    add(out, program, sizeof program);
    add(out, m->data, sizeof m->data);
    add(out, m->heap, sizeof m->heap);
    free(m);
}

void gocore_set_word(gocore_bytes *core, uint64_t address, uint64_t value)
{
    enum { NOTES = 20 + 136 + 20 + 32, FIRST = 64 + 4 * 56 };
    const size_t program = FIRST + NOTES, data = program + PROGRAM_BYTES;
    put(core->data + (address >= GOCORE_A ? data + DATA_BYTES + (address - GOCORE_A) : address >= DATA ? data + (address - DATA) : program + (address - PROGRAM)), value);
}
