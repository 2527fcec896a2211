/*
 * Cutting names that end in a place of code. See code_names.h.
 */
#include "report/words/code_names.h"

#include <stdbool.h>
#include <string.h>

#include "report/words/utf8.h"
#include "report/words/width.h"

#define FILE_COLUMNS_MIN 5 /* of a file: narrower than that it says nothing */

typedef struct code_name {       /* [*]: Function save (cart.js:12): where its parts begin */
    size_t word;                 /* "Function "; that of the name where there is none */
    size_t function, file, line; /* "save (", "cart.js", ":12)" */
} code_name;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* "Function " in front of a name, at the beginning or behind "[*]: ". */
static void find_word(const char *name, code_name *c)
{
    static const char word[] = "Function ", behind[] = ": ";
    const size_t size = sizeof word - 1;
    c->word = c->function = 0;
    for (size_t at = 0; at + size < c->file; at++) {
        const bool begins = at == 0 || (at >= 2 && memcmp(name + at - 2, behind, 2) == 0);
        if (!begins || memcmp(name + at, word, size) != 0) continue;
        c->word = at;
        /* "(anonymous)" says nothing that its place does not */
        c->function = name[at + size] == '(' ? c->file - 1 : at + size;
    }
}

static bool find_parts(const char *name, size_t size, code_name *c)
{
    if (size < 6 || name[size - 1] != ')') return false;
    c->line = size - 1;
    while (c->line > 0 && is_digit(name[c->line - 1]))
        c->line--;
    if (c->line == size - 1 || c->line == 0 || name[--c->line] != ':') return false;
    for (c->file = c->line; c->file > 1 && name[c->file - 1] != '('; c->file--) {
    }
    if (c->file < 3 || c->file == c->line || name[c->file - 2] != ' ') return false;
    find_word(name, c);
    return true;
}

static size_t put_code_name(char *out, size_t used, const char *text, size_t size)
{
    memcpy(out + used, text, size);
    return used + size;
}

/* The first columns of a text and the last, in bytes: *head from the beginning, *tail where the last begin. */
static void find_ends(const char *text, size_t size, size_t first, size_t last, size_t *head, size_t *tail)
{
    const size_t total = hsd_width_of_text(text, size);
    size_t columns = 0;
    *head = 0;
    for (*tail = 0; *tail < size && total - columns > last;) {
        uint32_t code;
        *tail += hsd_utf8_next(text + *tail, size - *tail, &code);
        columns += hsd_width_of_character(code);
        if (columns <= first) *head = *tail;
    }
}

/* "cart…e.js" in `width` columns, or the mark alone where that would say nothing. */
static size_t put_file(char *out, size_t used, const char *file, size_t size, size_t width, const char *mark,
                       size_t mark_size)
{
    size_t head = 0, tail = size;
    const size_t mark_width = hsd_width_of_text(mark, mark_size), room = width > mark_width ? width - mark_width : 0;
    if (hsd_width_of_text(file, size) <= width) return put_code_name(out, used, file, size);
    if (room >= FILE_COLUMNS_MIN) find_ends(file, size, room - room / 2, room / 2, &head, &tail);
    used = put_code_name(out, used, file, head);
    used = put_code_name(out, used, mark, mark_size);
    return put_code_name(out, used, file + tail, size - tail);
}

size_t hsd_code_cut(const char *name, size_t size, size_t width, const char *mark, size_t mark_size, char *out)
{
    code_name c;
    if (!find_parts(name, size, &c)) return 0;
    size_t used = put_code_name(out, 0, name, c.word);
    used = put_code_name(out, used, name + c.function, c.file - c.function);
    const size_t taken = hsd_width_of_text(out, used) + hsd_width_of_text(name + c.line, size - c.line);
    const size_t without = used >= 2 ? used - 2 : 0; /* " (" */
    used = put_file(out, used, name + c.file, c.line - c.file, width > taken ? width - taken : 0, mark, mark_size);
    used = put_code_name(out, used, name + c.line, size - c.line);
    return hsd_width_of_text(out, used) <= width ? used : without;
}
