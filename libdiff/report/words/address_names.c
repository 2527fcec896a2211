/* Names that nobody has resolved. See address_names.h. */
#include "report/words/address_names.h"

#include <ctype.h>
#include <string.h>

#include "base/check.h"

static bool is_hex(char c) { return isdigit((unsigned char)c) || (c >= 'a' && c <= 'f'); }

static size_t hex_digits(const char *text, size_t size)
{
    size_t count = 0;
    while (count < size && is_hex(text[count]))
        count++;
    return count;
}

/* Bytes of "+0x11d3{c815…}" at the beginning of the text, and of them those before the brace; 0 = it begins otherwise.
 */
static size_t address_bytes(const char *text, size_t size, size_t *kept)
{
    if (size < 6 || memcmp(text, "+0x", 3) != 0) return 0;
    const size_t offset = 3 + hex_digits(text + 3, size - 3);
    if (offset == 3 || offset == size || text[offset] != '{') return 0;
    const size_t end = offset + 1 + hex_digits(text + offset + 1, size - offset - 1);
    *kept = offset;
    return end < size && text[end] == '}' ? end + 1 : 0;
}

/* Bytes of a mark at the beginning of the text, and what stands in its place; 0 = there is none. */
static size_t mark_bytes(const char *text, size_t size, const char **instead)
{
    static const struct {
        const char *mark, *instead;
        unsigned numbers; /* behind it */
    } marks[] = {{"{allocated} ", "", 0}, {"{variable} ", "", 0}, {"{thread-local} ", "thread-local ", 0},
                 {"{vtable} ", "", 0},    {"{local} ", "", 2},    {"{register} ", "", 1}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(marks); i++) {
        size_t at = strlen(marks[i].mark);
        if (size < at || memcmp(text, marks[i].mark, at) != 0) continue;
        for (unsigned number = 0; number < marks[i].numbers; number++) {
            while (at < size && isdigit((unsigned char)text[at]))
                at++;
            if (at < size && text[at] == ' ') at++;
        }
        *instead = marks[i].instead;
        return at;
    }
    return 0;
}

/* Bytes of " < shop+0x10d0{c815…}" at the beginning of the text; 0 = it begins otherwise. */
static size_t call_bytes(const char *text, size_t size)
{
    size_t kept, at = 3;
    if (size < at || memcmp(text, " < ", at) != 0) return 0;
    while (at < size && text[at] != '+' && text[at] != ' ')
        at++;
    const size_t address = at < size && text[at] == '+' ? address_bytes(text + at, size - at, &kept) : 0;
    return address > 0 ? at + address : 0;
}

bool hsd_has_address_names(const char *text, size_t size)
{
    size_t kept;
    for (size_t at = 0; at < size; at++) {
        const char *plus = memchr(text + at, '+', size - at);
        if (plus == NULL) break;
        at = (size_t)(plus - text);
        if (address_bytes(plus, size - at, &kept) > 0) return true;
    }
    return false;
}

size_t hsd_plain_address_names(const char *text, size_t size, bool with_calls, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        const char *instead = "";
        size_t kept = 0, bytes = address_bytes(text + i, size - i, &kept);
        if (bytes == 0) bytes = mark_bytes(text + i, size - i, &instead);
        if (bytes == 0 && !with_calls) bytes = call_bytes(text + i, size - i);
        if (bytes == 0) {
            out[used++] = text[i++];
            continue;
        }
        memmove(out + used, kept > 0 ? text + i : instead, kept > 0 ? kept : strlen(instead));
        used += kept > 0 ? kept : strlen(instead);
        i += bytes;
    }
    return used;
}
