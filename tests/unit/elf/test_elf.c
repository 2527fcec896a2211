/*
 * The reader of ELF files, by files that are put together here: each of the four shapes (32 and 64 bits, both orders of
 * bytes) says the same, packed sections are unpacked, and damage is told or left out.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

#include "elf/elf.h"

enum {
    FILE_BYTES = 2048,
    TEXT_AT = 512,
    NAMES_AT = 600,
    TEXTS_AT = 700,
    SYMBOLS_AT = 760,
    NOTES_AT = 900,
    SECTIONS_AT = 1024
};
enum { SECTIONS = 6, TEXT_BYTES = 16, CODE_ADDRESS = 0x1000 };

static const char section_names[] = "\0.text\0.strtab\0.symtab\0.note.id\0.shstrtab";
static const char texts[] = "\0first\0second";

typedef struct shape {
    bool is_64_bits, is_big_endian;
} shape;

static const shape shapes[] = {{true, false}, {true, true}, {false, false}, {false, true}};

typedef struct made {
    uint8_t bytes[FILE_BYTES];
    shape shape;
} made;

static void put(made *m, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        m->bytes[at + (m->shape.is_big_endian ? bytes - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

/* A word: where it stands in a record of 64 bits, and in one of 32. */
static void put_word(made *m, size_t record, unsigned at_64, unsigned at_32, uint64_t value)
{
    put(m, record + (m->shape.is_64_bits ? at_64 : at_32), value, m->shape.is_64_bits ? 8 : 4);
}

static size_t section_at(const made *m, unsigned number)
{
    return SECTIONS_AT + (size_t)number * (m->shape.is_64_bits ? 64 : 40);
}

static void put_section(made *m, unsigned number, uint32_t name, uint32_t type, uint64_t offset, uint64_t bytes)
{
    const size_t at = section_at(m, number);
    put(m, at, name, 4);
    put(m, at + 4, type, 4);
    put_word(m, at, 24, 16, offset);
    put_word(m, at, 32, 20, bytes);
}

static void put_header(made *m)
{
    const bool large = m->shape.is_64_bits;
    const size_t counts = large ? 54 : 42;
    memcpy(m->bytes,
           "\x7f"
           "ELF",
           4);
    m->bytes[4] = large ? 2 : 1;
    m->bytes[5] = m->shape.is_big_endian ? 2 : 1;
    m->bytes[6] = 1;
    put(m, 16, HSD_ELF_SHARED, 2);
    put(m, 18, HSD_ELF_X86_64, 2);
    put_word(m, 0, 24, 24, 0x1234);
    put_word(m, 0, 32, 28, 64);
    put_word(m, 0, 40, 32, SECTIONS_AT);
    put(m, counts, large ? 56 : 32, 2);
    put(m, counts + 2, 2, 2);
    put(m, counts + 4, large ? 64 : 40, 2);
    put(m, counts + 6, SECTIONS, 2);
    put(m, counts + 8, 5, 2);
}

static void put_segment(made *m, unsigned number, uint32_t type, uint64_t offset, uint64_t address, uint64_t bytes)
{
    const size_t at = 64 + (size_t)number * (m->shape.is_64_bits ? 56 : 32);
    put(m, at, type, 4);
    put(m, at + (m->shape.is_64_bits ? 4 : 24), HSD_ELF_WRITABLE, 4);
    put_word(m, at, 8, 4, offset);
    put_word(m, at, 16, 8, address);
    put_word(m, at, 32, 16, bytes);
    put_word(m, at, 40, 20, bytes);
    put_word(m, at, 48, 28, 4);
}

static void put_symbol(made *m, unsigned number, uint32_t name, unsigned info, uint64_t value)
{
    const bool large = m->shape.is_64_bits;
    const size_t at = SYMBOLS_AT + (size_t)number * (large ? 24 : 16), other = at + (large ? 4 : 12);
    put(m, at, name, 4);
    put(m, other, info, 1);
    put(m, other + 2, 1, 2);
    put_word(m, at, 8, 4, value);
    put_word(m, at, 16, 8, 7);
}

static void make(made *m, shape of)
{
    *m = (made){.shape = of};
    put_header(m);
    put_segment(m, 0, HSD_ELF_LOAD, TEXT_AT, CODE_ADDRESS, TEXT_BYTES);
    put_segment(m, 1, HSD_ELF_NOTE, NOTES_AT, 0, 20);
    memcpy(m->bytes + TEXT_AT, "sixteen of bytes", TEXT_BYTES);
    memcpy(m->bytes + NAMES_AT, section_names, sizeof section_names);
    memcpy(m->bytes + TEXTS_AT, texts, sizeof texts);
    put_symbol(m, 1, 1, HSD_ELF_GLOBAL << 4 | HSD_ELF_FUNCTION, CODE_ADDRESS);
    put_symbol(m, 2, 7, HSD_ELF_WEAK << 4 | HSD_ELF_OBJECT, CODE_ADDRESS + 8);
    put(m, NOTES_AT, 4, 4);
    put(m, NOTES_AT + 4, 3, 4);
    put(m, NOTES_AT + 8, 3, 4);
    memcpy(m->bytes + NOTES_AT + 12, "GNU\0\xab\x01\xff", 7);
    put_section(m, 1, 1, HSD_ELF_IN_PROGRAM, TEXT_AT, TEXT_BYTES);
    put_section(m, 2, 7, 3, TEXTS_AT, sizeof texts);
    put_section(m, 3, 15, HSD_ELF_SYMBOLS, SYMBOLS_AT, of.is_64_bits ? 72 : 48);
    put(m, section_at(m, 3) + (of.is_64_bits ? 40 : 24), 2, 4);
    put_section(m, 4, 23, HSD_ELF_NOTES, NOTES_AT, 20);
    put_section(m, 5, 32, 3, NAMES_AT, sizeof section_names);
}

static hsd_status open_made(hsd_elf *elf, const made *m, size_t size, hsd_error *err)
{
    return hsd_elf_open_bytes(elf, (hsd_bytes){m->bytes, size}, err);
}

static hsd_status collect(void *context, const hsd_elf_entry *entry, hsd_error *err)
{
    hsd_elf_entry *seen = context;
    (void)err;
    seen[entry->name == 1 ? 0 : 1] = *entry;
    return HSD_OK;
}

static void expect_sections(const hsd_elf *elf)
{
    hsd_buffer bytes = {0};
    cr_assert(elf->section_count == SECTIONS);
    cr_expect(hsd_elf_load(elf, ".text", 1000, &bytes, NULL) == HSD_OK);
    cr_expect(bytes.size == TEXT_BYTES && memcmp(bytes.data, "sixteen of bytes", TEXT_BYTES) == 0);
    cr_expect(hsd_elf_load(elf, ".text", 15, &bytes, NULL) == HSD_E_OVER_BUDGET);
    cr_expect(hsd_elf_load(elf, ".data", 1000, &bytes, NULL) == HSD_E_NOT_FOUND);
    cr_expect(hsd_elf_section_named(elf, ".shstrtab") == &elf->sections[5]);
    hsd_buffer_release(&bytes);
}

static void expect_symbols(const hsd_elf *elf)
{
    hsd_elf_entry seen[2] = {{0}};
    hsd_elf_symbol wanted[] = {{"second", 0}, {"third", 0}};
    cr_assert(hsd_elf_each_symbol(elf, &elf->sections[3], collect, seen, NULL) == HSD_OK);
    cr_expect(seen[0].kind == HSD_ELF_FUNCTION && seen[0].binding == HSD_ELF_GLOBAL && seen[0].value == CODE_ADDRESS);
    cr_expect(seen[1].kind == HSD_ELF_OBJECT && seen[1].binding == HSD_ELF_WEAK && seen[1].bytes == 7);
    cr_expect(hsd_elf_find_symbols(elf, wanted, 2, 1000, NULL) == HSD_OK);
    cr_expect(wanted[0].address == CODE_ADDRESS + 8 && wanted[1].address == 0);
}

Test(elf, says_the_same_of_every_shape)
{
    for (size_t i = 0; i < 4; i++) {
        made m;
        hsd_elf elf;
        uint64_t left = 0;
        char id[16];
        make(&m, shapes[i]);
        cr_assert(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_OK);
        cr_expect(elf.is_64_bits == shapes[i].is_64_bits && elf.is_big_endian == shapes[i].is_big_endian);
        cr_expect(elf.type == HSD_ELF_SHARED && elf.machine == HSD_ELF_X86_64 && elf.entry == 0x1234);
        cr_expect(elf.damage == NULL && !elf.is_cut && elf.segment_count == 2);
        cr_expect(hsd_elf_segment_at(&elf, CODE_ADDRESS + 4, &left) == &elf.segments[0] && left == TEXT_BYTES - 4);
        cr_expect(hsd_elf_segment_at(&elf, CODE_ADDRESS + TEXT_BYTES, &left) == NULL);
        cr_expect(hsd_elf_build_id(&elf, id, sizeof id) && strcmp(id, "ab01ff") == 0);
        cr_expect(!hsd_elf_build_id(&elf, id, 6) && id[0] == '\0');
        cr_expect(!hsd_elf_is_go(&elf));
        expect_sections(&elf);
        expect_symbols(&elf);
        cr_expect(hsd_elf_expect(&elf, NULL) == (i == 0 ? HSD_OK : HSD_E_UNSUPPORTED));
        hsd_elf_close(&elf);
    }
}

Test(elf, what_is_none_is_refused)
{
    made m;
    hsd_elf elf;
    for (size_t i = 0; i < 4; i++) {
        static const uint8_t wrong[][2] = {{0, 'M'}, {4, 0}, {4, 3}, {5, 0}};
        make(&m, shapes[0]);
        m.bytes[wrong[i][0]] = wrong[i][1];
        cr_expect(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_E_NOT_THIS_FORMAT);
    }
    make(&m, shapes[0]);
    cr_expect(open_made(&elf, &m, 63, NULL) == HSD_E_NOT_THIS_FORMAT);
    cr_expect(open_made(&elf, &m, 0, NULL) == HSD_E_NOT_THIS_FORMAT);
}

/* At whatever byte a file ends: it opens, and what is not there is not found. */
Test(elf, a_cut_file_has_what_is_left)
{
    made m;
    for (size_t i = 0; i < 4; i++) {
        make(&m, shapes[i]);
        for (size_t size = 64; size < sizeof m.bytes; size++) {
            hsd_elf elf;
            hsd_error err;
            hsd_buffer bytes = {0};
            cr_assert(open_made(&elf, &m, size, NULL) == HSD_OK);
            if (elf.section_count == SECTIONS) expect_sections(&elf);
            if (size < TEXT_AT + TEXT_BYTES) cr_expect(elf.is_cut || elf.damage != NULL);
            if (elf.damage != NULL && i == 0) {
                cr_expect(hsd_elf_expect(&elf, &err) == HSD_E_CORRUPT);
                cr_expect_str_eq(err.text, "no valid ELF file: a table lies outside of it");
            }
            hsd_buffer_release(&bytes);
            hsd_elf_close(&elf);
        }
    }
}

/* Of a core the segments are enough: its sections go first where it is cut. */
Test(elf, a_core_may_lack_sections)
{
    made m;
    hsd_elf elf;
    make(&m, shapes[0]);
    put(&m, 16, HSD_ELF_CORE, 2);
    cr_assert(open_made(&elf, &m, SECTIONS_AT + 100, NULL) == HSD_OK);
    cr_expect(elf.damage != NULL && elf.segment_count == 2);
    cr_expect(hsd_elf_expect(&elf, NULL) == HSD_OK);
    hsd_elf_close(&elf);
    put(&m, 54, 55, 2); /* records of another size */
    cr_assert(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_OK);
    cr_expect(elf.segment_count == 0 && hsd_elf_expect(&elf, NULL) == HSD_E_CORRUPT);
    hsd_elf_close(&elf);
}

Test(elf, large_numbers_stand_in_the_first_section)
{
    made m;
    hsd_elf elf;
    make(&m, shapes[0]);
    put(&m, 56, 0xffff, 2);
    put(&m, 60, 0, 2);
    put(&m, 62, 0xffff, 2);
    put(&m, section_at(&m, 0) + 32, SECTIONS, 8);
    put(&m, section_at(&m, 0) + 40, 5, 4);
    put(&m, section_at(&m, 0) + 44, 2, 4);
    cr_assert(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_OK);
    cr_expect(elf.segment_count == 2 && elf.damage == NULL);
    expect_sections(&elf);
    hsd_elf_close(&elf);
}

/* The section .text, packed, in the place of its bytes. */
static void pack_text(made *m, bool is_old)
{
    uLongf packed = 128;
    const bool large = m->shape.is_64_bits;
    const size_t head = is_old || !large ? 12 : 24;
    const uint8_t plain[64] = {1, 2, 3};
    uint8_t *at = m->bytes + SECTIONS_AT + 500;
    cr_assert(compress(at + head, &packed, plain, sizeof plain) == Z_OK);
    if (is_old) {
        memcpy(at, "ZLIB\0\0\0\0\0\0\0\x40", 12);
        memcpy(m->bytes + NAMES_AT + 32, ".zdebug_x", 10);
        put(m, section_at(m, 1), 32, 4);
    } else {
        put(m, SECTIONS_AT + 500, 1, 4);
        put_word(m, SECTIONS_AT + 500, 8, 4, sizeof plain);
        put_word(m, section_at(m, 1), 8, 8, HSD_ELF_PACKED);
    }
    put_word(m, section_at(m, 1), 24, 16, SECTIONS_AT + 500);
    put_word(m, section_at(m, 1), 32, 20, head + packed);
}

Test(elf, packed_sections_are_unpacked)
{
    for (size_t i = 0; i < 8; i++) {
        made m;
        hsd_elf elf;
        hsd_buffer bytes = {0};
        const bool is_old = i >= 4;
        make(&m, shapes[i % 4]);
        pack_text(&m, is_old);
        cr_assert(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_OK);
        cr_expect(hsd_elf_unpacked_bytes(&elf, &elf.sections[1]) == 64);
        cr_expect(hsd_buffer_append(&bytes, "ab", 2, NULL) == HSD_OK);
        cr_expect(hsd_elf_append(&elf, &elf.sections[1], 64, &bytes, NULL) == HSD_OK);
        cr_expect(bytes.size == 66 && memcmp(bytes.data, "ab\1\2\3\0", 6) == 0);
        cr_expect(hsd_elf_append(&elf, &elf.sections[1], 63, &bytes, NULL) == HSD_E_OVER_BUDGET);
        cr_expect(hsd_elf_load(&elf, is_old ? ".debug_x" : ".text", 64, &bytes, NULL) == HSD_OK && bytes.size == 64);
        m.bytes[SECTIONS_AT + 500 + (is_old ? 0 : m.shape.is_big_endian ? 3 : 0)] = 2; /* another packing */
        cr_expect(hsd_elf_append(&elf, &elf.sections[1], 64, &bytes, NULL) == HSD_E_UNSUPPORTED);
        cr_expect(hsd_elf_unpacked_bytes(&elf, &elf.sections[1]) == UINT64_MAX);
        hsd_buffer_release(&bytes);
        hsd_elf_close(&elf);
    }
}

/* As the C linker writes a program with cgo: its own note first, and Go's behind it. */
Test(elf, a_program_of_go_is_known_by_any_of_its_notes)
{
    made m;
    hsd_elf elf;
    make(&m, shapes[0]);
    put_segment(&m, 1, HSD_ELF_NOTE, NOTES_AT, 0, 40);
    memcpy(m.bytes + NOTES_AT + 20, m.bytes + NOTES_AT, 20);
    memcpy(m.bytes + NOTES_AT + 32, "Go\0", 4);
    cr_assert(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_OK);
    cr_expect(hsd_elf_is_go(&elf));
    hsd_elf_close(&elf);
    put_segment(&m, 1, HSD_ELF_NOTE, NOTES_AT, 0, 36);
    cr_assert(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_OK);
    cr_expect(!hsd_elf_is_go(&elf)); /* the second one ends behind the segment */
    hsd_elf_close(&elf);
}

Test(elf, notes_are_told_by_name_and_kind)
{
    made m;
    hsd_elf elf;
    hsd_elf_note note;
    uint64_t at = NOTES_AT;
    make(&m, shapes[0]);
    memcpy(m.bytes + NOTES_AT + 12, "Go\0", 4);
    cr_assert(open_made(&elf, &m, sizeof m.bytes, NULL) == HSD_OK);
    cr_expect(hsd_elf_is_go(&elf));
    cr_expect(hsd_elf_next_note(&elf, &at, NOTES_AT + 20, 4, &note));
    cr_expect_str_eq(note.name, "Go");
    cr_expect(note.type == 3 && note.bytes == 3 && note.offset == NOTES_AT + 16 && at == NOTES_AT + 20);
    cr_expect(!hsd_elf_next_note(&elf, &at, NOTES_AT + 20, 4, &note));
    at = NOTES_AT;
    put(&m, NOTES_AT + 4, 0xffffffff, 4);
    cr_expect(!hsd_elf_next_note(&elf, &at, NOTES_AT + 20, 4, &note));
    hsd_elf_close(&elf);
}
