/*
 * Turns payloads into blocks on their way out. A block goes out in one write of the sink: its header is put
 * into the space that is kept free before the payload, raw or compressed.
 */
#include "block.h"

#include "bytes.h"
#include "hash.h"
#include "layout.h"
#include "writer.h"

enum { HEADER = HSC_BLOCK_HEADER_BYTES };

/* All but the payload's checksum, which is taken with the header's as its seed. */
static uint64_t put_header(unsigned char *at, const hsc_blocks *blocks, const hsc_block *block, unsigned codec,
                           size_t raw_bytes, size_t stored_bytes)
{
    memcpy(at, HSC_BLOCK_MAGIC, HSC_BLOCK_MAGIC_BYTES);
    at[4] = (unsigned char)block->type;
    at[5] = (unsigned char)codec;
    hsc_put_u16(at + 6, (uint16_t)block->flags);
    hsc_put_u32(at + 8, block->records);
    hsc_put_u32(at + 12, 0);
    hsc_put_u64(at + 16, blocks->count);
    hsc_put_u64(at + 24, block->first_ordinal);
    hsc_put_u32(at + 32, (uint32_t)raw_bytes);
    hsc_put_u32(at + 36, (uint32_t)stored_bytes);
    const uint64_t check = hsc_hash(at, 40, blocks->seed);
    hsc_put_u64(at + 48, check);
    return check;
}

static hsc_status send_bytes(hsc_blocks *blocks, const void *bytes, size_t size)
{
    return hsc_output_write(&blocks->output, bytes, size) ? HSC_OK : HSC_E_IO;
}

/* After the last byte of a block: it counts, and the index knows of it (but for INDEX and END). */
static hsc_status note_capture_block(hsc_blocks *blocks, const hsc_block *block, size_t stored_bytes)
{
    blocks->count++;
    if (block->type == HSC_BLOCK_INDEX || block->type == HSC_BLOCK_END) return HSC_OK;
    return hsc_index_add(&blocks->index, block->type, block->records, block->objects, (uint32_t)stored_bytes)
               ? HSC_OK
               : HSC_E_NOMEM;
}

hsc_status hsc_block_told(hsc_writer *w, hsc_status status)
{
    if (status == HSC_E_IO) return hsc_fail_errno(w, w->blocks.output.system_error, "cannot write the capture");
    if (status == HSC_E_NOMEM) return hsc_fail(w, HSC_E_NOMEM, "no memory for the index of blocks");
    return status;
}

static hsc_status send_block(hsc_blocks *blocks, const hsc_block *block, unsigned codec, size_t raw_bytes,
                             unsigned char *payload, size_t stored_bytes)
{
    unsigned char *header = payload - HEADER;
    const uint64_t seed = put_header(header, blocks, block, codec, raw_bytes, stored_bytes);
    hsc_put_u64(header + 40, hsc_hash(payload, stored_bytes, seed));
    const hsc_status status = send_bytes(blocks, header, HEADER + stored_bytes);
    return status == HSC_OK ? note_capture_block(blocks, block, stored_bytes) : status;
}

hsc_status hsc_block_write_stored(hsc_writer *w, const hsc_block *block, size_t used)
{
    const hsc_status status = hsc_settle(w);
    if (status != HSC_OK) return status;
    return hsc_block_told(w, send_block(&w->blocks, block, HSC_CODEC_NONE, used, w->blocks.raw, used));
}

hsc_status hsc_block_send(hsc_blocks *blocks, unsigned char *raw, const hsc_block *block, size_t used, hsc_room room)
{
    if (room.bytes > HEADER && used > HSC_SMALLEST_COMPRESSED) {
        unsigned char *packed = room.at + HEADER;
        size_t capacity = room.bytes - HEADER;
        if (capacity >= used) capacity = used - 1; /* not smaller: not worth decompressing */
        const size_t got = hsc_codec_compress(&blocks->compressor, packed, capacity, raw, used);
        if (got != 0) return send_block(blocks, block, HSC_CODEC_ZSTD, used, packed, got);
    }
    return send_block(blocks, block, HSC_CODEC_NONE, used, raw, used);
}

hsc_status hsc_block_write(hsc_writer *w, const hsc_block *block, size_t used, hsc_room room)
{
    const hsc_status status = hsc_settle(w);
    if (status != HSC_OK) return status;
    if (room.at == NULL) room = (hsc_room){w->blocks.raw + used, w->blocks.raw_bytes - used};
    return hsc_block_told(w, hsc_block_send(&w->blocks, w->blocks.raw, block, used, room));
}

hsc_status hsc_block_write_pieces(hsc_writer *w, const hsc_block *block, size_t used, const hsc_piece *pieces,
                                  size_t count)
{
    hsc_blocks *blocks = &w->blocks;
    size_t size = used;
    hsc_status status = hsc_settle(w);
    if (status != HSC_OK) return status;
    for (size_t i = 0; i < count; i++)
        size += pieces[i].size;
    unsigned char *header = blocks->raw - HEADER;
    hsc_hash_stream stream;
    hsc_hash_begin(&stream, put_header(header, blocks, block, HSC_CODEC_NONE, size, size));
    hsc_hash_add(&stream, blocks->raw, used);
    for (size_t i = 0; i < count; i++)
        hsc_hash_add(&stream, pieces[i].bytes, pieces[i].size);
    hsc_put_u64(header + 40, hsc_hash_end(&stream));
    status = send_bytes(blocks, header, HEADER + used);
    for (size_t i = 0; i < count && status == HSC_OK; i++)
        status = send_bytes(blocks, pieces[i].bytes, pieces[i].size);
    return hsc_block_told(w, status == HSC_OK ? note_capture_block(blocks, block, size) : status);
}
