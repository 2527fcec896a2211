/*
 * zstd inside a fixed workspace, the only includer of its header. The workspace is sized from the
 * parameters (ZSTD_estimateCCtxSize_usingCParams) and given to a static context, which never allocates.
 *
 * What it costs is nearly all per byte of the window: at level 1 a 64 KiB window takes 297 KiB and a
 * 1 KiB window 30 KiB. Columns repeat over short distances, so a small window loses little.
 */
#include "codec.h"

#ifdef HSC_NO_ZSTD
/* Where there is no zstd (WebAssembly) blocks are stored as they are: a codec of the format like the other. */

void hsc_codec_make_plan(hsc_codec_plan *plan, int level, size_t memory_bytes)
{
    (void)memory_bytes;
    *plan = (hsc_codec_plan){.level = level, .workspace_bytes = 8};
}

bool hsc_codec_init(hsc_compressor *compressor, const hsc_codec_plan *plan, void *workspace)
{
    (void)plan, (void)workspace;
    compressor->context = NULL;
    return true;
}

size_t hsc_codec_compress(hsc_compressor *compressor, void *out, size_t capacity, const void *in, size_t size)
{
    (void)compressor, (void)out, (void)capacity, (void)in, (void)size;
    return 0;
}

#else
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

enum { SMALLEST_WINDOW_LOG = 10, LARGEST_WINDOW_LOG = 18, SMALLEST_TABLE_LOG = 8 };

#ifdef HSD_MSAN /* libzstd was not built with the memory sanitizer: what it writes is written */
void __msan_unpoison(const volatile void *data, size_t size);
#endif

static void set_plan(hsc_codec_plan *plan, int level, ZSTD_compressionParameters c)
{
    const size_t bytes = ZSTD_estimateCCtxSize_usingCParams(c);
    *plan = (hsc_codec_plan){.level = level,
                             .window_log = c.windowLog,
                             .chain_log = c.chainLog,
                             .hash_log = c.hashLog,
                             .search_log = c.searchLog,
                             .min_match = c.minMatch,
                             .target_length = c.targetLength,
                             .strategy = (int)c.strategy,
                             .workspace_bytes = (bytes + 7) & ~(size_t)7};
}

void hsc_codec_make_plan(hsc_codec_plan *plan, int level, size_t memory_bytes)
{
    for (unsigned log = LARGEST_WINDOW_LOG; log >= SMALLEST_WINDOW_LOG; log--) {
        ZSTD_compressionParameters c = ZSTD_getCParams(level, 1ull << log, 0);
        c.windowLog = log;
        set_plan(plan, level, c);
        if (plan->workspace_bytes <= memory_bytes) return;
    }
    ZSTD_compressionParameters c = ZSTD_getCParams(1, 1ull << SMALLEST_WINDOW_LOG, 0);
    c.windowLog = SMALLEST_WINDOW_LOG;
    c.hashLog = c.chainLog = SMALLEST_TABLE_LOG;
    set_plan(plan, 1, c); /* too little memory for anything of the level's own */
}

bool hsc_codec_init(hsc_compressor *compressor, const hsc_codec_plan *plan, void *workspace)
{
    ZSTD_CCtx *context = ZSTD_initStaticCCtx(workspace, plan->workspace_bytes);
    if (context == NULL) return false;
    const struct {
        ZSTD_cParameter parameter;
        int value;
    } settings[] = {
        {ZSTD_c_compressionLevel, plan->level},          {ZSTD_c_windowLog, (int)plan->window_log},
        {ZSTD_c_chainLog, (int)plan->chain_log},         {ZSTD_c_hashLog, (int)plan->hash_log},
        {ZSTD_c_searchLog, (int)plan->search_log},       {ZSTD_c_minMatch, (int)plan->min_match},
        {ZSTD_c_targetLength, (int)plan->target_length}, {ZSTD_c_strategy, plan->strategy},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (ZSTD_isError(ZSTD_CCtx_setParameter(context, settings[i].parameter, settings[i].value))) return false;
    }
    compressor->context = context;
    /* Once round, so that a context that is too small shows here and not in the middle of a capture. */
    unsigned char out[256];
    static const unsigned char in[128];
    return hsc_codec_compress(compressor, out, sizeof out, in, sizeof in) != 0;
}

size_t hsc_codec_compress(hsc_compressor *compressor, void *out, size_t capacity, const void *in, size_t size)
{
    if (compressor->context == NULL) return 0;
    const size_t got = ZSTD_compress2(compressor->context, out, capacity, in, size);
    if (ZSTD_isError(got)) return 0;
#ifdef HSD_MSAN
    __msan_unpoison(out, got);
#endif
    return got;
}
#endif
