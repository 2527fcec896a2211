/*
 * What owns a configuration or a judgement, and small helpers for texts.
 */
#include "check/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

hsd_status hsd_check_store_new(hsd_check_store **out, hsd_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? HSD_OK : hsd_fail_nomem(err, "the check");
}

void hsd_check_store_free(hsd_check_store *store)
{
    if (store == NULL) return;
    hsd_arena_release(&store->arena);
    free(store);
}

hsd_status hsd_check_take(hsd_check_store *store, size_t count, size_t size, void **out, hsd_error *err)
{
    size_t bytes;
    *out = hsd_mul_size(count, size, &bytes) ? hsd_arena_take(&store->arena, bytes) : NULL;
    return *out != NULL ? HSD_OK : hsd_fail_nomem(err, "the check");
}

hsd_status hsd_check_copy(hsd_check_store *store, hsd_text text, hsd_text *out, hsd_error *err)
{
    *out = (hsd_text){hsd_arena_copy(&store->arena, text.data, text.size), text.size};
    return out->data != NULL ? HSD_OK : hsd_fail_nomem(err, "the check");
}

hsd_status hsd_check_say(hsd_check_store *store, hsd_text *out, hsd_error *err, const char *format, ...)
{
    char text[501];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0) text[0] = '\0';
    return hsd_check_copy(store, (hsd_text){text, strlen(text)}, out, err);
}

hsd_status hsd_check_add(hsd_check_store *store, hsd_check_list *list, hsd_text text, hsd_error *err)
{
    if (list->count == list->capacity) {
        void *items;
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 8;
        HSD_TRY(hsd_check_take(store, capacity, sizeof *list->items, &items, err));
        if (list->count > 0) memcpy(items, list->items, list->count * sizeof *list->items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = text;
    return HSD_OK;
}

int hsd_check_compare(hsd_text a, hsd_text b)
{
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

int hsd_check_shown(hsd_text text)
{
    size_t size = 0;
    while (size < text.size) {
        const size_t next = size + hsd_check_character(text.data + size, text.size - size);
        if (next > HSD_CHECK_SHOWN) break;
        size = next;
    }
    return (int)size;
}

size_t hsd_check_character(const char *at, size_t left)
{
    const uint8_t *byte = (const uint8_t *)at;
    const size_t size = byte[0] < 0xc2 || byte[0] > 0xf4 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    if (size > left) return 1;
    for (size_t i = 1; i < size; i++)
        if ((byte[i] & 0xc0) != 0x80) return 1;
    const bool is_overlong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xf0 && byte[1] < 0x90);
    const bool is_no_character = (byte[0] == 0xed && byte[1] > 0x9f) || (byte[0] == 0xf4 && byte[1] > 0x8f);
    return is_overlong || is_no_character ? 1 : size;
}
