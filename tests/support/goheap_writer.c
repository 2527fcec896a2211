/*
 * Records as runtime/heapdump.go writes them.
 */
#include "support/goheap_writer.h"

#include <stdlib.h>
#include <string.h>

static void put(goheap_dump *dump, const void *bytes, size_t size)
{
    if (dump->size + size > dump->room) {
        dump->room = (dump->size + size) * 2;
        dump->data = realloc(dump->data, dump->room);
        if (dump->data == NULL) abort();
    }
    if (size > 0) memcpy(dump->data + dump->size, bytes, size);
    dump->size += size;
}

void goheap_number(goheap_dump *dump, uint64_t number)
{
    uint8_t byte;
    do {
        byte = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        put(dump, &byte, 1);
        number >>= 7;
    } while ((byte & 0x80) != 0);
}

static void numbers(goheap_dump *dump, size_t count, const uint64_t *each)
{
    for (size_t i = 0; i < count; i++)
        goheap_number(dump, each[i]);
}

#define NUMBERS(dump, ...)                                                                                             \
    numbers(dump, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[]){__VA_ARGS__})

void goheap_text(goheap_dump *dump, const void *bytes, size_t size)
{
    goheap_number(dump, size);
    put(dump, bytes, size);
}

static void text(goheap_dump *dump, const char *string) { goheap_text(dump, string, strlen(string)); }

void goheap_begin(goheap_dump *dump, bool is_big_endian, unsigned pointer_bytes)
{
    *dump = (goheap_dump){0};
    put(dump, "go1.7 heap dump\n", 16);
    NUMBERS(dump, 6, is_big_endian, pointer_bytes, 0xc000000000, 0xc004000000);
    text(dump, "amd64");
    text(dump, "go1.19.8");
    goheap_number(dump, 2);
}

static void put_words(goheap_dump *dump, const uint64_t *words, size_t count, bool is_big_endian,
                      unsigned pointer_bytes)
{
    goheap_number(dump, count * pointer_bytes);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[8];
        for (unsigned k = 0; k < pointer_bytes; k++)
            bytes[is_big_endian ? pointer_bytes - 1 - k : k] = (uint8_t)(words[i] >> 8 * k);
        put(dump, bytes, pointer_bytes);
    }
}

static void put_fields(goheap_dump *dump, const char *is_pointer, unsigned pointer_bytes)
{
    for (size_t i = 0; is_pointer[i] != '\0'; i++)
        if (is_pointer[i] == 'p') NUMBERS(dump, 1, i * pointer_bytes);
    goheap_number(dump, 0);
}

void goheap_memory(goheap_dump *dump, unsigned tag, uint64_t address, const uint64_t *words, const char *is_pointer,
                   bool is_big_endian, unsigned pointer_bytes)
{
    NUMBERS(dump, tag, address);
    put_words(dump, words, strlen(is_pointer), is_big_endian, pointer_bytes);
    put_fields(dump, is_pointer, pointer_bytes);
}

void goheap_end(goheap_dump *dump) { goheap_number(dump, 0); }

static void put_large(goheap_dump *dump)
{
    const size_t size = (size_t)5 << 20;
    uint8_t *zeros = calloc(1, size);
    if (zeros == NULL) abort();
    NUMBERS(dump, 1, 0xc000400000);
    goheap_text(dump, zeros, size);
    goheap_number(dump, 0);
    free(zeros);
}

static void put_goroutine(goheap_dump *dump, bool is_big_endian, unsigned pointer_bytes)
{
    const uint64_t locals[] = {1, 0xc000012028};
    NUMBERS(dump, 4, 0xc000001000, 0xc000080000, 7, 0x401000, 4, 0, 0, 0);
    text(dump, "chan receive");
    NUMBERS(dump, 0, 0, 0, 0);
    NUMBERS(dump, 5, 0xc000080000, 0, 0);
    put_words(dump, locals, 2, is_big_endian, pointer_bytes);
    NUMBERS(dump, 0x401000, 0x401010, 0x401010);
    text(dump, "main.work");
    put_fields(dump, ".p", pointer_bytes);
    NUMBERS(dump, 5, 0xc000080010, 1, 0xc000080000);
    put_words(dump, locals, 1, is_big_endian, pointer_bytes);
    NUMBERS(dump, 0x402000, 0x402010, 0x402010);
    text(dump, "runtime.goexit");
    put_fields(dump, ".pp", pointer_bytes); /* outside of its bytes, as Go writes it */
}

static void put_profile(goheap_dump *dump)
{
    NUMBERS(dump, 16, 0x5000, 16, 2);
    text(dump, "main.leak");
    text(dump, "/src/main.go");
    goheap_number(dump, 12);
    text(dump, "main.main");
    text(dump, "/src/main.go");
    NUMBERS(dump, 40, 3, 1);
    NUMBERS(dump, 17, 0xc000012010, 0x5000);
}

void goheap_program(goheap_dump *dump, bool is_big_endian, unsigned pointer_bytes, bool with_large)
{
    const uint64_t list[] = {0xc000012000, 0xc000012010, 0, 3}, leaf[] = {0, 9}, chain[] = {0xc000012020, 1},
                   data[] = {with_large ? 0xc0008fffff : 0, 0}, bss[] = {0x7ffc12345678, 0xc000010000, 0xdead};
    goheap_begin(dump, is_big_endian, pointer_bytes);
    NUMBERS(dump, 3, 0x4a0000, 16);
    text(dump, "main.");
    NUMBERS(dump, 1, 8, 0x4b0000, 0x4a0000);
    goheap_memory(dump, 1, 0xc000010000, list, "ppp.", is_big_endian, pointer_bytes);
    goheap_memory(dump, 1, 0xc000012000, leaf, "p.", is_big_endian, pointer_bytes);
    goheap_memory(dump, 1, 0xc000012010, chain, "p.", is_big_endian, pointer_bytes);
    goheap_memory(dump, 1, 0xc000012020, leaf, "p.", is_big_endian, pointer_bytes);
    goheap_memory(dump, 1, 0xc000012030, leaf, "..", is_big_endian, pointer_bytes);
    if (with_large) put_large(dump);
    put_goroutine(dump, is_big_endian, pointer_bytes);
    NUMBERS(dump, 9, 0x600000, 0, 4711);
    goheap_memory(dump, 12, 0x610000, data, "p.", is_big_endian, pointer_bytes);
    goheap_memory(dump, 13, 0x620000, bss, "ppp", is_big_endian, pointer_bytes);
    NUMBERS(dump, 7, 0xc000012000, 0x4c0000, 0x4c0008, 0x4a0000, 0x4a0000);
    goheap_number(dump, 10);
    for (uint64_t i = 0; i < 24 + 256 + 1; i++)
        goheap_number(dump, i == 6 ? 96 : i == 24 + 256 ? 5 : 0);
    put_profile(dump);
    NUMBERS(dump, 14, 1, 2, 3, 4, 5, 6, 7);
    goheap_number(dump, 2);
    text(dump, "other");
    goheap_number(dump, 0xc000012010);
    goheap_end(dump);
}

void goheap_release(goheap_dump *dump)
{
    free(dump->data);
    *dump = (goheap_dump){0};
}
