/* A capture copied with its names resolved: every text goes through a resolver. See <hsdiff/symbols.h>. */
#include <hsdiff/symbols.h>

#include "base/options.h"
#include "format/rewrite.h"
#include "symbols/resolver.h"

static hsd_status replace(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    (void)type, (void)key;
    return hsd_resolver_replace(context, text, out, err);
}

hsd_status hsd_symbols_resolve(int in_fd, int out_fd, const hsd_symbol_options *options, const hsd_run *run,
                               hsd_symbol_result *result, hsd_error *err)
{
    hsd_symbol_options own;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_symbol_options, directory_count, &own, options, err));
    const uint64_t memory = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    hsd_reporter reporter;
    hsd_resolver resolver;
    hsd_rewrite_result copied = {0};
    hsd_reporter_init(&reporter, run);
    hsd_status status = hsd_resolver_open(&resolver, &own, memory, &reporter, err);
    if (status == HSD_OK) status = hsd_rewrite(in_fd, out_fd, replace, &resolver, run, &copied, err);
    if (status == HSD_OK && result != NULL) {
        *result = resolver.result;
        result->is_whole = copied.is_whole;
    }
    hsd_resolver_close(&resolver);
    hsd_reporter_release(&reporter);
    return status;
}
