/*
 * What owns a configuration or a judgement: one arena for its rows and texts. All that is made here lives until the
 * store is freed; nothing is freed by itself.
 */
#ifndef HSD_CHECK_STORE_H
#define HSD_CHECK_STORE_H

#include "base/arena.h"
#include <hsdiff/check.h>

typedef struct hsd_check_store {
    hsd_arena arena;
} hsd_check_store;

hsd_status hsd_check_store_new(hsd_check_store **out, hsd_error *err);
void hsd_check_store_free(hsd_check_store *store); /* NULL is accepted */

/* `count` zeroed items of `size` bytes. */
hsd_status hsd_check_take(hsd_check_store *store, size_t count, size_t size, void **out, hsd_error *err);

/* A copy, NUL-terminated behind its size. */
hsd_status hsd_check_copy(hsd_check_store *store, hsd_text text, hsd_text *out, hsd_error *err);

/* A sentence, cut after 500 bytes. */
hsd_status hsd_check_say(hsd_check_store *store, hsd_text *out, hsd_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A list of texts that grows. */
typedef struct hsd_check_list {
    hsd_text *items;
    size_t count, capacity;
} hsd_check_list;

hsd_status hsd_check_add(hsd_check_store *store, hsd_check_list *list, hsd_text text, hsd_error *err);

/* Bytewise, the shorter one first. */
int hsd_check_compare(hsd_text a, hsd_text b);

static inline bool hsd_check_is_same(hsd_text a, hsd_text b) { return hsd_check_compare(a, b) == 0; }

/* For "%.*s" of a name in a sentence: its bytes, at most HSD_CHECK_SHOWN, cut between two characters. */
#define HSD_CHECK_SHOWN 80u
int hsd_check_shown(hsd_text text);

/* Bytes of the UTF-8 character that a text of `left` (> 0) bytes begins with; 1 for what is none. */
size_t hsd_check_character(const char *at, size_t left);

#endif
