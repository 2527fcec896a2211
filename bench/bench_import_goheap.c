/*
 * Importing heap dumps of Go: nodes of 64 bytes in lists, with three words that may point and two that do, 75 bytes of
 * dump an object.
 *
 *      bench_import_goheap [OBJECTS | FILE]
 */
#include <stdlib.h>

#include "importing.h"
#include "support/goheap_writer.h"
#include "support/random.h"

enum { WORDS = 8, TAG_OBJECT = 1, TAG_BSS = 13, FLUSH_BYTES = 1 << 20 };
#define FIRST UINT64_C(0xc000000000)

static void flush(goheap_dump *dump, FILE *file)
{
    if (fwrite(dump->data, 1, dump->size, file) != dump->size) exit(1);
    dump->size = 0;
}

static void make(FILE *file, uint64_t objects)
{
    test_random random = {9};
    goheap_dump dump = {0};
    goheap_begin(&dump, false, 8);
    for (uint64_t i = 0; i < objects; i++) {
        const uint64_t next = i + 1 < objects ? FIRST + (i + 1) * WORDS * 8 : 0,
                       far = FIRST + test_below(&random, objects) * WORDS * 8;
        const uint64_t words[WORDS] = {next, i, far, 0, 7, i * 3, 0, 0};
        goheap_memory(&dump, TAG_OBJECT, FIRST + i * WORDS * 8, words, "p.pp....", false, 8);
        if (dump.size > FLUSH_BYTES) flush(&dump, file);
    }
    const uint64_t root = FIRST;
    goheap_memory(&dump, TAG_BSS, 0x500000, &root, "p", false, 8);
    goheap_end(&dump);
    flush(&dump, file);
    goheap_release(&dump);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_goheap", make); }
