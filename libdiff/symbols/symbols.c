/*
 * A capture copied with its names resolved: every text goes through a resolver. See <hsdiff/symbols.h>.
 *
 *      STRINGS   7  "+16 {member} {allocated} …"      7  "items_"
 *      LABELS    3  field, string 7                   3  field, string 7; for what is inside a container: folded; for
 *                                                        what it holds: an element
 */
#include <hsdiff/symbols.h>

#include <stdlib.h>

#include <hscapture/hscapture.h>

#include "base/array.h"
#include "base/options.h"
#include "base/search.h"
#include "format/rewrite.h"
#include "symbols/resolver.h"

/* A string that says more of its label than a name. */
typedef struct said_of_label {
    uint32_t string;
    hsd_member_kind kind;
} said_of_label;

typedef struct resolving {
    hsd_resolver resolver;
    said_of_label *said; /* ascending: strings come in that order, others are not kept */
    size_t count, capacity;
} resolving;

enum { SAID_MAX = 1 << 20 };

static hsd_status keep_said(resolving *r, uint32_t string, hsd_member_kind kind, hsd_error *err)
{
    const bool is_name = kind == HSD_MEMBER_UNKNOWN || kind == HSD_MEMBER_NAMED;
    if (is_name || r->count == SAID_MAX || (r->count > 0 && r->said[r->count - 1].string >= string)) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(r->said, r->capacity, r->count + 1, 64, "names", err));
    r->said[r->count++] = (said_of_label){string, kind};
    return HSD_OK;
}

static hsd_status replace(void *context, uint8_t type, uint32_t key, hsd_text text, hsd_text *out, hsd_error *err)
{
    resolving *r = context;
    HSD_TRY(hsd_resolver_replace(&r->resolver, text, out, err));
    return type == HSC_BLOCK_STRINGS ? keep_said(r, key, r->resolver.member, err) : HSD_OK;
}

static hsd_member_kind said_of(const resolving *r, uint32_t string)
{
    size_t at;
    HSD_LOWER_BOUND(at, 0, r->count, r->said[at].string, string);
    return at < r->count && r->said[at].string == string ? r->said[at].kind : HSD_MEMBER_UNKNOWN;
}

static void replace_label(void *context, hsd_rewritten_label *label)
{
    const hsd_member_kind kind = said_of(context, label->name);
    if (kind == HSD_MEMBER_INSIDE || kind == HSD_MEMBER_BACK) label->flags |= HSC_LABEL_FOLD;
    if (kind == HSD_MEMBER_BACK || kind == HSD_MEMBER_BESIDE)
        label->flags = (label->flags & ~(uint32_t)HSC_STRENGTH_MASK) | HSC_STRENGTH_WEAK;
    if (kind != HSD_MEMBER_ITEM) return;
    label->kind = HSC_LABEL_ELEMENT;
    label->name = 0;
}

hsd_status hsd_symbols_resolve(int in_fd, int out_fd, const hsd_symbol_options *options, const hsd_run *run,
                               hsd_symbol_result *result, hsd_error *err)
{
    hsd_symbol_options own;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_symbol_options, directory_count, &own, options, err));
    const uint64_t memory = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    hsd_reporter reporter;
    resolving r = {.count = 0};
    hsd_rewrite_result copied = {0};
    hsd_reporter_init(&reporter, run);
    hsd_status status = hsd_resolver_open(&r.resolver, &own, memory, &reporter, err);
    if (status == HSD_OK) status = hsd_rewrite_labels(in_fd, out_fd, replace, replace_label, &r, run, &copied, err);
    if (status == HSD_OK && own.pid > 0) hsd_modules_tell_missing(&r.resolver.modules);
    if (status == HSD_OK && result != NULL) {
        *result = r.resolver.result;
        result->is_whole = copied.is_whole;
    }
    hsd_resolver_close(&r.resolver);
    free(r.said);
    hsd_reporter_release(&reporter);
    return status;
}
