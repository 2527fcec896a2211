/*
 * The compressor: zstd, one frame a block, inside memory that is given to it at open and never more.
 * codec.c is the only file of the library that knows zstd.
 */
#ifndef HSC_CODEC_H
#define HSC_CODEC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the compressor is set to: the level's own parameters, with window and tables made smaller until
 * its working memory is at most `memory_bytes`, or as small as it goes.
 */
typedef struct hsc_codec_plan {
    int level;
    unsigned window_log, chain_log, hash_log, search_log, min_match, target_length;
    int strategy;
    size_t workspace_bytes; /* what hsc_codec_init must be given, aligned to 8 */
} hsc_codec_plan;

void hsc_codec_make_plan(hsc_codec_plan *plan, int level, size_t memory_bytes);

typedef struct hsc_compressor {
    void *context; /* inside the workspace; NULL: nothing is compressed */
} hsc_compressor;

/* False if the library cannot work inside the workspace, which stays the caller's. */
bool hsc_codec_init(hsc_compressor *compressor, const hsc_codec_plan *plan, void *workspace);

/* Compresses into at most `capacity` bytes; 0 if it does not fit, and the block is better stored raw. */
size_t hsc_codec_compress(hsc_compressor *compressor, void *out, size_t capacity, const void *in, size_t size);

#endif
