/*
 * Blocks of files, and memory on top of them. See memory.h.
 */
#include "go/types/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

enum { BLOCK_BITS = 13, BLOCK_BYTES = 1 << BLOCK_BITS, LEAST_BLOCKS = 8 };

static hsd_status read_whole(hsd_source *source, uint64_t offset, uint8_t *out, size_t size, hsd_error *err)
{
    HSD_TRY(source->ops->seek(source->context, offset, err));
    for (size_t got; size > 0; out += got, size -= got) {
        HSD_TRY(source->ops->read(source->context, out, size, &got, err));
        if (got == 0) return hsd_fail(err, HSD_E_TRUNCATED, "it became shorter while it was read");
    }
    return HSD_OK;
}

static hsd_status read_source(void *context, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    hsd_source *source = context;
    if (source->is_borrowed) {
        const size_t have = (size_t)(source->end - source->window);
        if (offset > have || size > have - offset) return hsd_fail(err, HSD_E_TRUNCATED, "the input ends here");
        memcpy(data, source->window + offset, size);
        return HSD_OK;
    }
    HSD_TRY(read_whole(source, offset, data, size, err));
    return source->ops->seek(source->context, source->base_offset + (uint64_t)(source->end - source->window), err);
}

hsd_status hsd_goinput_over(hsd_elf_input *input, hsd_source *source, uint64_t bytes, hsd_error *err)
{
    *input = (hsd_elf_input){.read = read_source, .context = source, .bytes = bytes};
    if (source->is_borrowed || source->ops->seek != NULL) return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED,
                    "types are looked for here and there, and this input can only be read in order");
}

hsd_status hsd_goprogram_find(hsd_elf *program, const char *path, const hsd_import_options *options, hsd_error *err)
{
    if (options->open_file == NULL) return hsd_elf_open_file(program, path, err);
    const int fd = options->open_file(options->open_context, path);
    *program = (hsd_elf){0};
    const hsd_status status =
        fd < 0 ? hsd_fail_errno(err, errno, "cannot open") : hsd_elf_open_fd(program, fd, true, err);
    if (status != HSD_OK) hsd_error_set_file(err, path);
    return status;
}

hsd_status hsd_goprogram_open(hsd_elf *program, const char *path, const hsd_import_options *options, hsd_error *err)
{
    HSD_TRY(hsd_goprogram_find(program, path, options, err));
    const hsd_status status = hsd_elf_expect(program, err);
    if (status == HSD_OK) return HSD_OK;
    hsd_error_set_file(err, path);
    hsd_elf_close(program);
    return status;
}

hsd_status hsd_goblocks_open(goblocks *blocks, const hsd_elf_input *input, uint64_t most_bytes, hsd_error *err)
{
    uint64_t count = LEAST_BLOCKS;
    const uint64_t wanted = hsd_min_u64(most_bytes, input->bytes) / BLOCK_BYTES;
    while (count * 2 <= wanted)
        count *= 2;
    *blocks = (goblocks){.input = *input, .mask = count - 1};
    blocks->bytes = malloc(count * BLOCK_BYTES);
    blocks->keys = calloc(count, sizeof *blocks->keys);
    if (blocks->bytes != NULL && blocks->keys != NULL) return HSD_OK;
    hsd_goblocks_close(blocks);
    return hsd_fail_nomem(err, "blocks of a file");
}

void hsd_goblocks_close(goblocks *blocks)
{
    free(blocks->bytes);
    free(blocks->keys);
    *blocks = (goblocks){0};
}

static hsd_status fetch(goblocks *blocks, uint64_t number, uint64_t place, hsd_error *err)
{
    const uint64_t offset = number << BLOCK_BITS;
    const size_t size = (size_t)hsd_min_u64(BLOCK_BYTES, blocks->input.bytes - offset);
    blocks->keys[place] = 0;
    HSD_TRY(blocks->input.read(blocks->input.context, offset, blocks->bytes + place * BLOCK_BYTES, size, err));
    blocks->keys[place] = number + 1;
    return HSD_OK;
}

hsd_status hsd_goblocks_read(goblocks *blocks, uint64_t offset, void *out, size_t size, hsd_error *err)
{
    uint8_t *to = out;
    if (offset > blocks->input.bytes || size > blocks->input.bytes - offset) return HSD_END;
    while (size > 0) {
        const uint64_t number = offset >> BLOCK_BITS, place = number & blocks->mask, at = offset & (BLOCK_BYTES - 1);
        const size_t part = (size_t)hsd_min_u64(size, BLOCK_BYTES - at);
        if (blocks->keys[place] != number + 1) HSD_TRY(fetch(blocks, number, place, err));
        memcpy(to, blocks->bytes + place * BLOCK_BYTES + at, part);
        to += part;
        offset += part;
        size -= part;
    }
    return HSD_OK;
}

static bool locate_goblock(gomemory *memory, uint64_t address)
{
    if (address >= memory->last_address && address - memory->last_address < memory->last.left) return true;
    goplace found;
    if (!memory->locate(memory->context, address, &found) || found.left == 0) return false;
    memory->last_address = address;
    memory->last = found;
    return true;
}

hsd_status hsd_gomemory_read(gomemory *memory, uint64_t address, void *out, size_t size, hsd_error *err)
{
    uint8_t *to = out;
    while (size > 0) {
        if (!locate_goblock(memory, address)) return HSD_END;
        const uint64_t inside = address - memory->last_address;
        const size_t part = (size_t)hsd_min_u64(size, memory->last.left - inside);
        const hsd_status status = hsd_goblocks_read(memory->last.blocks, memory->last.offset + inside, to, part, err);
        if (status != HSD_OK) return status;
        to += part;
        size -= part;
        if (size > 0 && !hsd_add_u64(address, part, &address)) return HSD_END;
    }
    return HSD_OK;
}

hsd_status hsd_gomemory_word(gomemory *memory, uint64_t address, uint64_t *out, hsd_error *err)
{
    uint8_t bytes[8];
    *out = 0;
    const hsd_status status = hsd_gomemory_read(memory, address, bytes, sizeof bytes, err);
    if (status == HSD_END) return HSD_OK;
    if (status != HSD_OK) return status;
    for (unsigned i = 0; i < 8; i++)
        *out |= (uint64_t)bytes[i] << 8 * i;
    return HSD_OK;
}
