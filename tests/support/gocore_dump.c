/*
 * The heap dump of gocore_writer.h: runtime/heapdump.go's records with numbers in LEB128.
 */
#include "support/gocore_parts.h"

#include <string.h>

enum { OBJECT = 1, GOROUTINE = 4, FRAME = 5, PARAMS = 6, ITAB = 8, DATA_RECORD = 12, BSS_RECORD = 13 };

static void number(gocore_bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        gocore_add_number(out, (value & 0x7f) | 0x80, 1);
    gocore_add_number(out, value, 1);
}

static void text(gocore_bytes *out, const char *bytes)
{
    number(out, strlen(bytes));
    gocore_add(out, bytes, strlen(bytes));
}

static void words(gocore_bytes *out, const uint64_t *at, size_t count)
{
    number(out, 8 * count);
    for (size_t i = 0; i < count; i++)
        gocore_add_number(out, at[i], 8);
}

/* "p." says which words are pointers. */
static void fields(gocore_bytes *out, const char *pointers)
{
    for (size_t i = 0; pointers[i] != '\0'; i++) {
        if (pointers[i] != 'p') continue;
        number(out, 1);
        number(out, 8 * i);
    }
    number(out, 0);
}

static void memory(gocore_bytes *out, unsigned tag, uint64_t address, const uint64_t *at, size_t count,
                   const char *pointers)
{
    number(out, tag);
    number(out, address);
    words(out, at, count);
    fields(out, pointers);
}

static void frame(gocore_bytes *out)
{
    const uint64_t on_stack[10] = {[2] = GOCORE_A + 384, [4] = GOCORE_B + 32};
    number(out, GOROUTINE);
    for (int i = 0; i < 8; i++)
        number(out, i == 2 ? 7 : 0);
    text(out, "chan receive");
    for (int i = 0; i < 4; i++)
        number(out, 0);
    number(out, FRAME);
    number(out, STACK + 0x80);
    number(out, 0);
    number(out, 0);
    words(out, on_stack, 10);
    number(out, PROGRAM + 0x200);
    number(out, PROGRAM + 0x210);
    number(out, PROGRAM + 0x210);
    text(out, "main.work");
    fields(out, "..p.p.....");
}

void gocore_make_dump(gocore_bytes *out)
{
    const uint64_t first[8] = {GOCORE_A + 64, GOCORE_B, 5, GOCORE_C, 2, 2, SESSION, GOCORE_A + 128}, none[128] = {0};
    const uint64_t texts[128] = {GOCORE_B + 64, 3, GOCORE_B + 64, 2}, data[32] = {GOCORE_A};
    *out = (gocore_bytes){0};
    gocore_add(out, "go1.7 heap dump\n", 16);
    number(out, PARAMS);
    number(out, 0);
    number(out, 8);
    number(out, GOCORE_A);
    number(out, GOCORE_A + 0x6000);
    text(out, "amd64");
    text(out, "go1.19.8");
    number(out, 1);
    number(out, ITAB);
    number(out, PROGRAM + 0x900);
    number(out, SESSION);
    memory(out, OBJECT, GOCORE_A, first, 8, "pp.p..pp");
    memory(out, OBJECT, GOCORE_A + 64, none, 8, "pp.p..pp");
    memory(out, OBJECT, GOCORE_A + 128, none, 8, "pp.p..pp");
    memory(out, OBJECT, GOCORE_A + 384, none, 8, "pp.p..pp");
    for (unsigned i = 0; i < 3; i++)
        memory(out, OBJECT, GOCORE_B + 32 * i, none, 4, "....");
    memory(out, OBJECT, GOCORE_C, texts, 128, "p.p.p");
    frame(out);
    memory(out, DATA_RECORD, DATA, data, 32, "pp");
    memory(out, BSS_RECORD, DATA + 0x300, none, 8, "");
    number(out, 0);
}
