/*
 * What owns the result of a series: one arena for its rows and texts, and its warnings. Captures and profiles are gone
 * by the time it is printed, so all of it is copied.
 */
#ifndef HSD_SERIES_STORE_H
#define HSD_SERIES_STORE_H

#include "base/arena.h"
#include "base/buffer.h"
#include <hsdiff/series.h>

#define HSD_SERIES_WARNINGS      24u
#define HSD_SERIES_WARNINGS_KEPT 6u /* for those of the series itself */

typedef struct hsd_series_store {
    hsd_arena arena;
    hsd_text warnings[HSD_SERIES_WARNINGS + 1]; /* the last says how many there are besides */
    size_t warning_count;
    uint64_t warnings_dropped;
    bool keeps_pages; /* until the pair was compared, or never will be (hsd_series_keep_no_pages) */
} hsd_series_store;

/* NULL is accepted. */
void hsd_series_store_free(hsd_series_store *store);

/* What one capture leaves in memory stays for the next (hsd_pages_keep), where it did not already; and goes. */
void hsd_series_keep_pages(hsd_series_store *store, size_t most_bytes);
void hsd_series_keep_no_pages(hsd_series_store *store);

void hsd_series_forget_walked(hsd_series *series);

/* `size` zeroed bytes that live as long as the result. */
hsd_status hsd_series_take(hsd_series_store *store, size_t size, void **out, hsd_error *err);

/* Copies, NUL-terminated behind their size. */
hsd_status hsd_series_text(hsd_series_store *store, hsd_text text, hsd_text *out, hsd_error *err);
hsd_status hsd_series_words(hsd_series_store *store, const char *words, hsd_text *out, hsd_error *err);
hsd_status hsd_series_format(hsd_series_store *store, hsd_text *out, hsd_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A warning of one capture, and of the series. What was said before is not said again; what has no room is counted. */
void hsd_series_warn(hsd_series_store *store, hsd_text text);
void hsd_series_warn_of(hsd_series_store *store, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the last one, if any were dropped. */
void hsd_series_warn_of_the_rest(hsd_series_store *store);

/* Bytewise, the shorter one first: the order of names in every result. */
int hsd_series_compare(hsd_text a, hsd_text b);

static inline hsd_bytes hsd_series_bytes(hsd_text text) { return (hsd_bytes){(const uint8_t *)text.data, text.size}; }
static inline hsd_text hsd_series_text_of(hsd_bytes bytes) { return (hsd_text){(const char *)bytes.data, bytes.size}; }

static inline void hsd_series_add(hsd_amount *sum, hsd_amount amount)
{
    sum->objects += amount.objects;
    sum->bytes += amount.bytes;
}

#endif
