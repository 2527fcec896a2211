/*
 * From an instruction to its line, by the tables of code objects: co_lnotab up to Python 3.9, co_linetable of 3.10, and
 * the one of 3.11 and later, which has columns, too (Objects/locations.md of CPython). Lines are told as differences.
 */
#include "base/check.h"
#include "import/memray/memray.h"

#define PYTHON_3_10 0x030A0000u
#define PYTHON_3_11 0x030B0000u

/* What an entry of the newest table is: the four bits above its length. */
enum { ONE_LINE_0 = 10, ONE_LINE_2 = 12, NO_COLUMNS = 13, LONG = 14, NONE = 15 };

typedef struct cursor {
    const uint8_t *at, *end;
    int64_t line;
} cursor;

static uint8_t next_byte(cursor *c) { return c->at < c->end ? *c->at++ : 0; }

/* Six bits a byte, the low ones first; the seventh says that more follow. */
static uint32_t next_number(cursor *c)
{
    uint32_t value = 0;
    uint8_t byte = 0x40;
    for (unsigned shift = 0; (byte & 0x40) != 0; shift += 6) {
        byte = next_byte(c);
        if (shift < 32) value |= (uint32_t)(byte & 0x3f) << shift;
    }
    return value;
}

/* The lowest bit is the sign. */
static int64_t next_signed(cursor *c)
{
    const uint32_t value = next_number(c);
    return (value & 1) != 0 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* What follows the first byte of an entry. */
static void pass_entry(cursor *c, unsigned kind)
{
    if (kind == NONE) return;
    if (kind == LONG || kind == NO_COLUMNS) {
        c->line += next_signed(c);
        for (int i = 0; kind == LONG && i < 3; i++)
            next_number(c);
        return;
    }
    if (kind >= ONE_LINE_0 && kind <= ONE_LINE_2) {
        c->line += kind - ONE_LINE_0;
        next_byte(c);
    }
    next_byte(c);
}

static bool find_in_locations(cursor *c, uint64_t unit)
{
    uint64_t past = 0;
    while (c->at < c->end && *c->at != 0) {
        const uint8_t first = next_byte(c);
        past += (first & 7u) + 1u;
        pass_entry(c, first >> 3 & 15);
        if (unit < past) return true;
    }
    return false;
}

/* Pairs: how many bytes of code the lines before this one have, and the difference. */
static void find_in_lnotab(cursor *c, uint64_t offset)
{
    uint64_t past = 0;
    while (c->end - c->at >= 2) {
        past += next_byte(c);
        if (past > offset) return;
        c->line += (int8_t)next_byte(c);
    }
}

/* Pairs: how many bytes of code this line has, and its difference; -128 for code without a line. */
static void find_in_ranges(cursor *c, uint64_t offset)
{
    uint64_t past = 0;
    while (c->end - c->at >= 2) {
        past += next_byte(c);
        const int8_t delta = (int8_t)next_byte(c);
        if (delta != INT8_MIN) c->line += delta;
        if (past > offset) return;
    }
}

uint32_t hsd_mr_line(uint32_t python_version, const uint8_t *table, size_t size, int64_t first_line, int64_t offset)
{
    cursor c = {table, table + size, first_line};
    if (size == 0 || offset < 0) return 0;
    if (python_version < PYTHON_3_10)
        find_in_lnotab(&c, (uint64_t)offset);
    else if (python_version < PYTHON_3_11)
        find_in_ranges(&c, (uint64_t)offset * 2);
    else if (!find_in_locations(&c, (uint64_t)offset / 2))
        return 0;
    return c.line < 0 ? 0 : (uint32_t)hsd_min_u64((uint64_t)c.line, INT32_MAX);
}
