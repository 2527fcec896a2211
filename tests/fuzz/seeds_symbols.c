/* Seeds of fuzz_symbols: the reference captures, and texts in every form of FORMAT.md 7.12. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/make_samples.h"
#include "support/memfile.h"

static const char *const texts[] = {
    "libshop.so+0x1af0{3fa4}",
    "my shop+0x0{}",
    "{vtable} shop+0x3d60{3fa4}",
    "{vtable} shop+0x3d60{3fa4} 7Session",
    "{vtable} (no file) 7Session",
    "{variable} shop+0x4048{3fa4}",
    "{local} 120 40 stack of worker 1: shop+0x11f4{3fa4}",
    "{register} 3 stack of worker 1: shop+0x11f4{3fa4}",
    "{allocated} <=48 B at shop+0x1190{} < shop+0x11f4{ab} < (no file)",
    "{allocated} <=48 B",
    "from a+0x1{} to b+0xffffffffffffffff{00}",
    "safe_pool_allocate",
    "std::vector<int, std::allocator<int> >::_M_realloc_insert",
};

static int write_seed(const char *folder, const char *name, size_t number, const void *bytes, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s-%02zu", folder, name, number);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return perror(path), 1;
    fwrite(bytes, 1, size, file);
    return fclose(file) == 0 ? 0 : (perror(path), 1);
}

int main(int argc, char **argv)
{
    int status = argc == 2 ? 0 : 2;
    for (size_t i = 0; status == 0 && i < sizeof texts / sizeof texts[0]; i++)
        status = write_seed(argv[1], "text", i, texts[i], strlen(texts[i]));
    for (size_t i = 0; status == 0 && i < hsd_sample_count(); i++) {
        size_t size;
        uint8_t *bytes = memfile_sample(i, &size);
        status = write_seed(argv[1], hsd_sample_name(i), i, bytes, size);
        free(bytes);
    }
    return status;
}
