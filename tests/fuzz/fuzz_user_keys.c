/*
 * The keys that the user names, on any bytes: the first two say how long the field and how long the key's text are,
 * then come field, key and preview. What is found lies in the preview behind the name of the field, has no blank
 * outside quotes, and is what the preview without its end has, wherever that is cut and marked so.
 */
#include <stdlib.h>
#include <string.h>

#include "walk/user_keys.h"

#define CUTS_MOST 64u /* places of the cut that are tried */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(hsd_text preview, hsd_text field, hsd_text value)
{
    const char *end = preview.data + preview.size;
    if (value.size == 0 || value.data < preview.data || value.data + value.size > end) abort();
    if ((size_t)(value.data - preview.data) < field.size + 1 || value.data[-1] != '=') abort();
    if (memcmp(value.data - 1 - field.size, field.data, field.size) != 0) abort();
    if (value.data[0] != '"' && memchr(value.data, ' ', value.size) != NULL) abort();
    if (value.data[0] == '"' && (value.size < 2 || value.data[value.size - 1] != '"')) abort();
    if (value.data + value.size != end && value.data[value.size] != ' ') abort();
}

/* The preview up to `cut`, and the mark, in a buffer of just that size. */
static hsd_text cut_copy(hsd_text preview, size_t cut)
{
    char *copy = malloc(cut + 3);
    if (copy == NULL) exit(0);
    if (cut > 0) memcpy(copy, preview.data, cut);
    memcpy(copy + cut, "...", 3);
    return (hsd_text){copy, cut + 3};
}

static void check_cuts(hsd_text preview, hsd_text field)
{
    hsd_text value, of_cut;
    const hsd_user_value answer = hsd_user_value_find(preview, field, &value);
    if (answer == HSD_USER_VALUE_FOUND)
        check_value(preview, field, value);
    else if (value.size != 0)
        abort();
    for (size_t cut = preview.size > CUTS_MOST ? preview.size - CUTS_MOST : 0; cut < preview.size; cut++) {
        const hsd_text copy = cut_copy(preview, cut);
        const hsd_user_value of_copy = hsd_user_value_find(copy, field, &of_cut);
        if (of_copy == HSD_USER_VALUE_ABSENT && answer == HSD_USER_VALUE_FOUND) abort();
        if (of_copy == HSD_USER_VALUE_FOUND) {
            check_value(copy, field, of_cut);
            const bool is_same = of_cut.size == value.size && memcmp(of_cut.data, value.data, value.size) == 0;
            /* The preview may be as long as previews get, and then its last value counts as cut. */
            if (answer == HSD_USER_VALUE_ABSENT || (answer == HSD_USER_VALUE_FOUND && !is_same)) abort();
        }
        free((void *)(uintptr_t)copy.data);
    }
}

/* A key of these bytes is refused, or has the parts that it was made of. */
static void read_key(const uint8_t *data, size_t size)
{
    char text[256];
    const char *const specs[] = {text};
    hsd_user_keys keys;
    hsd_error err;
    memcpy(text, data, size);
    text[size] = '\0';
    hsd_error_init(&err);
    const hsd_status status = hsd_user_keys_read(&keys, specs, 1, &err);
    if (status == HSD_E_NOT_FOUND) {
        if (err.text[0] == '\0' || err.hint[0] == '\0') abort();
    } else if (status == HSD_OK) {
        const hsd_user_key *key = &keys.items[0];
        if (key->type.size == 0 || key->field.size == 0 || strchr(key->field.data, ':') != NULL) abort();
        if (key->type.size + 1 + key->field.size != strlen(text)) abort();
    }
    hsd_user_keys_release(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    const size_t left = size - 2;
    const size_t field_bytes = 1 + data[0] % left, key_bytes = data[1] % (left - field_bytes + 1);
    const char *field = (const char *)data + 2;
    read_key(data + 2 + field_bytes, key_bytes);
    const hsd_text preview = {field + field_bytes + key_bytes, left - field_bytes - key_bytes};
    check_cuts(preview, (hsd_text){field, field_bytes});
    return 0;
}
