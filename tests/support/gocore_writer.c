/*
 * See gocore_writer.h. The executable is one segment and seven sections; the core is notes and three segments.
 */
#include "support/gocore_parts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ELF ---- */

static void add_header(gocore_bytes *out, unsigned type, uint64_t segments, unsigned segment_count, uint64_t sections,
                       unsigned section_count)
{
    static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    gocore_add(out, ident, sizeof ident);
    gocore_add_number(out, type, 2);
    gocore_add_number(out, 62, 2);
    gocore_add_number(out, 1, 4);
    gocore_add_number(out, PROGRAM + 0x200, 8);
    gocore_add_number(out, segments, 8);
    gocore_add_number(out, sections, 8);
    gocore_add_number(out, 0, 4);
    gocore_add_number(out, 64, 2);
    gocore_add_number(out, 56, 2);
    gocore_add_number(out, segment_count, 2);
    gocore_add_number(out, 64, 2);
    gocore_add_number(out, section_count, 2);
    gocore_add_number(out, section_count == 0 ? 0 : section_count - 1, 2);
}

static void add_segment(gocore_bytes *out, unsigned type, unsigned flags, uint64_t offset, uint64_t address,
                        uint64_t size)
{
    gocore_add_number(out, type, 4);
    gocore_add_number(out, flags, 4);
    gocore_add_number(out, offset, 8);
    gocore_add_number(out, address, 8);
    gocore_add_number(out, address, 8);
    gocore_add_number(out, size, 8);
    gocore_add_number(out, size, 8);
    gocore_add_number(out, 4096, 8);
}

/* ---- the executable ---- */

static void put(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void fill_program(uint8_t *memory)
{
    static const uint8_t note[NOTE_BYTES] = {4,   0,   0, 0, 8,   0,   0,   0,   4,   0,   0,   0,
                                             'G', 'o', 0, 0, 'b', 'u', 'i', 'l', 'd', '/', 'i', 'd'};
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
    static const struct {
        const char *name;
        uint64_t address;
    } all[] = {{"runtime.mheap_", GOCORE_HEAP}, {"runtime.firstmoduledata", DATA + 0x200},
               {"runtime.allgs", DATA + 0x400}, {"runtime.buildVersion", DATA + 0x100},
               {"runtime.types", TYPES},        {"runtime.text", PROGRAM + 0x200},
               {"runtime.data", DATA},          {"runtime.edata", DATA + 0x100},
               {"runtime.bss", DATA + 0x300},   {"runtime.ebss", DATA + 0x340},
               {"runtime.allfin", GOCORE_QUEUE}};
    gocore_add_zeros(symbols, 24);
    gocore_add_number(texts, 0, 1);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        gocore_add_number(symbols, texts->size, 4);
        gocore_add_number(symbols, 1 | 1 << 16, 4);
        gocore_add_number(symbols, all[i].address, 8);
        gocore_add_number(symbols, 8, 8);
        gocore_add_text(texts, all[i].name);
    }
}

void gocore_make_program(gocore_bytes *out, int form)
{
    static const char *const names[] = {"",        ".note.go.buildid", ".debug_abbrev", ".debug_info",
                                        ".strtab", ".symtab",          ".debug_loc",    ".shstrtab"};
    enum { SECTIONS = sizeof names / sizeof names[0] };
    uint8_t memory[PROGRAM_BYTES] = {0};
    gocore_bytes symbols = {0}, texts = {0}, titles = {0}, parts[SECTIONS] = {{0}};
    uint64_t offsets[SECTIONS] = {0}, at = 64 + 56 + PROGRAM_BYTES;
    unsigned title[SECTIONS];
    fill_program(memory);
    add_symbols(&symbols, &texts);
    gocore_add_locations(&parts[6]);
    gocore_add_abbreviations(&parts[2]);
    gocore_add_info(&parts[3], form);
    for (int i = 0; i < SECTIONS; i++) {
        title[i] = (unsigned)titles.size;
        gocore_add_text(&titles, names[i]);
    }
    parts[4] = texts, parts[5] = symbols, parts[7] = titles;
    for (int i = 2; i < SECTIONS; i++) {
        offsets[i] = at;
        at += parts[i].size;
    }
    *out = (gocore_bytes){0};
    add_header(out, 2, 64, 1, at, SECTIONS);
    add_segment(out, 1, 5, 64 + 56, PROGRAM, PROGRAM_BYTES);
    gocore_add(out, memory, sizeof memory);
    for (int i = 2; i < SECTIONS; i++)
        gocore_add(out, parts[i].data, parts[i].size);
    for (int i = 0; i < SECTIONS; i++) {
        gocore_add_number(out, title[i], 4);
        gocore_add_number(out, i == 0 ? 0 : i == 1 ? 7 : i == 5 ? 2 : i == 4 || i == 7 ? 3 : 1, 4);
        gocore_add_number(out, 0, 8);
        gocore_add_number(out, i == 1 ? GOCORE_NOTE : 0, 8);
        gocore_add_number(out, i == 1 ? 64 + 56 + 0x100 : offsets[i], 8);
        gocore_add_number(out, i == 1 ? NOTE_BYTES : parts[i].size, 8);
        gocore_add_number(out, i == 5 ? 4 : 0, 8);
        gocore_add_number(out, 1, 8);
        gocore_add_number(out, i == 5 ? 24 : 0, 8);
    }
    for (int i = 2; i < SECTIONS; i++)
        gocore_release(&parts[i]);
}

/* ---- the core ---- */

typedef struct memory {
    uint8_t data[DATA_BYTES], heap[HEAP_BYTES];
} memory;

static uint8_t *place(memory *m, uint64_t address)
{
    return address >= GOCORE_A ? m->heap + (address - GOCORE_A) : m->data + (address - DATA);
}
static void set(memory *m, uint64_t address, uint64_t value) { put(place(m, address), value); }

static void fill_span(memory *m, int number, uint64_t begin, uint64_t slot_bytes, uint64_t free_index, uint64_t bits,
                      bool is_noscan)
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

static void mark_pointer(memory *m, int form, uint64_t address)
{
    const uint64_t word = (address - GOCORE_A) / 8;
    if (form == GOCORE_1_19) m->data[ARENA - DATA + word / 4] |= (uint8_t)(1 << word % 4);
    if (form == GOCORE_1_21) m->data[ARENA - DATA + word / 8] |= (uint8_t)(1 << word % 8);
    if (form == GOCORE_1_22 && address < GOCORE_B) m->heap[8192 - 128 + word / 8] |= (uint8_t)(1 << word % 8);
}

static void set_pointer(memory *m, int form, uint64_t address, uint64_t value)
{
    set(m, address, value);
    mark_pointer(m, form, address);
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
    fill_span(m, 0, GOCORE_A, 64, 3, 1 << 5 | 1 << 6, false);
    fill_span(m, 1, GOCORE_B, 32, 5, 0, true);
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
        mark_ends(m, GOCORE_A, 448);
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
    set(m, DATA + 0xe30, STACK + 0xc0); /* bp: the frame ends at 0xd0 */
    set(m, STACK + 0x90, GOCORE_A + 384);
    set(m, STACK + 0xa0, GOCORE_B + 128);
    set(m, DATA + 0xe40, 4);
    set(m, DATA + 0xe48, 7);
    set(m, STACK + 0x88, GOCORE_A + 130); /* into A2 */
    set(m, STACK + 0x40, GOCORE_A + 64);  /* below the top: nothing */
}

static void add_note(gocore_bytes *out, unsigned type, const void *data, size_t size)
{
    gocore_add_number(out, 5, 4);
    gocore_add_number(out, size, 4);
    gocore_add_number(out, type, 4);
    gocore_add(out, "CORE\0\0\0", 8);
    gocore_add(out, data, size);
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
    gocore_add_zeros(out, FIRST + NOTES);
    gocore_add(out, program, sizeof program);
    gocore_add(out, m->data, sizeof m->data);
    gocore_add(out, m->heap, sizeof m->heap);
    free(m);
}

void gocore_set_word(gocore_bytes *core, uint64_t address, uint64_t value)
{
    enum { NOTES = 20 + 136 + 20 + 32, FIRST = 64 + 4 * 56 };
    const size_t program = FIRST + NOTES, data = program + PROGRAM_BYTES;
    put(core->data + (address >= GOCORE_A ? data + DATA_BYTES + (address - GOCORE_A)
                      : address >= DATA   ? data + (address - DATA)
                                          : program + (address - PROGRAM)),
        value);
}
