/*
 * What owns the result of a series.
 */
#include "series/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/pages.h"

void hsd_series_keep_pages(hsd_series_store *store, size_t most_bytes)
{
    if (!store->keeps_pages) hsd_pages_keep(most_bytes);
    store->keeps_pages = true;
}

void hsd_series_keep_no_pages(hsd_series_store *store)
{
    if (store->keeps_pages) hsd_pages_keep_no_more();
    store->keeps_pages = false;
}

void hsd_series_store_free(hsd_series_store *store)
{
    if (store == NULL) return;
    hsd_series_keep_no_pages(store);
    hsd_arena_release(&store->arena);
    free(store);
}

hsd_status hsd_series_take(hsd_series_store *store, size_t size, void **out, hsd_error *err)
{
    *out = hsd_arena_take(&store->arena, size);
    return *out != NULL ? HSD_OK : hsd_fail_nomem(err, "the result");
}

hsd_status hsd_series_text(hsd_series_store *store, hsd_text text, hsd_text *out, hsd_error *err)
{
    const char *copy = hsd_arena_copy(&store->arena, text.size > 0 ? text.data : "", text.size);
    *out = (hsd_text){copy, text.size};
    return copy != NULL ? HSD_OK : hsd_fail_nomem(err, "the result");
}

hsd_status hsd_series_words(hsd_series_store *store, const char *words, hsd_text *out, hsd_error *err)
{
    return hsd_series_text(store, (hsd_text){words, strlen(words)}, out, err);
}

hsd_status hsd_series_format(hsd_series_store *store, hsd_text *out, hsd_error *err, const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hsd_series_words(store, text, out, err);
}

int hsd_series_compare(hsd_text a, hsd_text b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* ---- warnings ---- */

static void warn(hsd_series_store *store, hsd_text text, size_t most)
{
    for (size_t i = 0; i < store->warning_count; i++) {
        if (hsd_series_compare(store->warnings[i], text) == 0) return;
    }
    if (store->warning_count >= most ||
        hsd_series_text(store, text, &store->warnings[store->warning_count], NULL) != HSD_OK) {
        store->warnings_dropped++;
        return;
    }
    store->warning_count++;
}

void hsd_series_warn(hsd_series_store *store, hsd_text text)
{
    warn(store, text, HSD_SERIES_WARNINGS - HSD_SERIES_WARNINGS_KEPT);
}

void hsd_series_warn_of(hsd_series_store *store, const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    warn(store, (hsd_text){text, strlen(text)}, HSD_SERIES_WARNINGS);
}

void hsd_series_warn_of_the_rest(hsd_series_store *store)
{
    char text[64];
    if (store->warnings_dropped == 0) return;
    snprintf(text, sizeof text, "%" PRIu64 " more %s like these", store->warnings_dropped,
             store->warnings_dropped == 1 ? "warning" : "warnings");
    hsd_text *last = &store->warnings[store->warning_count];
    if (hsd_series_words(store, text, last, NULL) == HSD_OK) store->warning_count++;
}
