/*
 * Packages and paths of Java. A token is a run of words with dots between them; its packages are the words in lower
 * case in front of the first that begins with a capital.
 */
#include "report/words/java_names.h"

#include <ctype.h>
#include <string.h>

#include "base/check.h"
#include "report/words/width.h"

static const char *const markers[] = {"static ", "class ", "lambda in ", "ThreadLocal "};
static const char *const first_words[] = {"java",     "javax", "jakarta", "jdk", "sun", "kotlin", "scala", "android",
                                          "androidx", "com",   "org",     "net", "io",  "edu",    "gov",   "dev",
                                          "de",       "fr",    "uk",      "ch",  "nl",  "ru",     "cn",    "jp"};

static bool is_word_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static bool ends_with_marker(const char *name, size_t size)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(markers); i++) {
        const size_t length = strlen(markers[i]);
        if (size >= length && memcmp(name + size - length, markers[i], length) == 0) return true;
    }
    return false;
}

static bool is_first_word(const char *word, size_t size)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(first_words); i++)
        if (strlen(first_words[i]) == size && memcmp(first_words[i], word, size) == 0) return true;
    return false;
}

/* End of the word that begins here; it is one of a package if *is_package. */
static size_t word_end(const char *name, size_t size, size_t at, bool *is_package)
{
    *is_package = at < size && islower((unsigned char)name[at]);
    for (; at < size && is_word_char(name[at]); at++)
        if (isupper((unsigned char)name[at]) || name[at] == '$') *is_package = false;
    return at;
}

/* Where the class of the token that begins at `at` stands; `at` itself where it has no packages. */
static size_t class_start(const char *name, size_t size, size_t at)
{
    const size_t begin = at;
    for (;;) {
        bool is_package;
        const size_t end = word_end(name, size, at, &is_package);
        if (at < size && isupper((unsigned char)name[at])) break;
        if (!is_package || end == size || name[end] != '.') return begin;
        at = end + 1;
    }
    bool is_package;
    const size_t first_end = word_end(name, size, begin, &is_package);
    return at > begin && (ends_with_marker(name, begin) || is_first_word(name + begin, first_end - begin)) ? at : begin;
}

/* The packages from `at` to `end`, each with its dot. */
static size_t put_packages(const char *name, size_t at, size_t end, bool keep_last, char *out)
{
    size_t used = 0;
    while (at < end) {
        const size_t stop = (size_t)((const char *)memchr(name + at, '.', end - at) - name) + 1;
        const size_t kept = keep_last && stop == end ? stop - at : 1;
        memcpy(out + used, name + at, kept);
        used += kept;
        if (kept == 1) out[used++] = '.';
        at = stop;
    }
    return used;
}

size_t hsd_java_packages(const char *name, size_t size, bool keep_last, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        const bool begins = is_word_char(name[i]) && (i == 0 || (!is_word_char(name[i - 1]) && name[i - 1] != '.'));
        const size_t start = begins ? class_start(name, size, i) : i;
        if (start > i) used += put_packages(name, i, start, keep_last, out + used);
        i = start;
        do {
            out[used++] = name[i++];
        } while (begins && i < size && (is_word_char(name[i]) || name[i] == '.'));
    }
    return used;
}

/* ---- cutting a path ---- */

/* End of the class behind a marker at the beginning; 0 = this is no path of a class. */
static size_t class_end(const char *name, size_t size)
{
    bool is_package;
    for (size_t i = 0; i < HSD_ARRAY_LEN(markers); i++) {
        const size_t length = strlen(markers[i]);
        if (size <= length || memcmp(name, markers[i], length) != 0) continue;
        size_t at = length;
        while (at < size && !isupper((unsigned char)name[at])) {
            at = word_end(name, size, at, &is_package);
            if (at == size || name[at] != '.') return 0;
            at++;
        }
        return word_end(name, size, at, &is_package);
    }
    return 0;
}

/* A type follows: no field begins behind it. */
static bool is_end_of_path(const char *name, size_t size, size_t at)
{
    return name[at] == ':' || name[at] == '(' || (name[at] == ' ' && at + 1 < size && name[at + 1] == '-');
}

bool hsd_java_cut(const char *name, size_t size, size_t columns, size_t *head, size_t *tail)
{
    *head = class_end(name, size);
    if (*head == 0) return false;
    const size_t taken = hsd_width_of_text(name, *head);
    for (size_t at = *head + 1; at < size && !is_end_of_path(name, size, at); at++) {
        if (name[at] != '.' && name[at] != '[') continue;
        if (taken + hsd_width_of_text(name + at, size - at) > columns) continue;
        *tail = at;
        return true;
    }
    return false;
}

/* ---- frames ---- */

typedef struct frame { /* thread "importer", com.acme.Files.read(Files.java:19): where its parts begin */
    size_t class_, method, place, end;
    size_t line; /* ":19)"; `end` without one */
} frame;

static bool find_frame(const char *name, size_t size, frame *f)
{
    static const char begin[] = "thread \"", behind[] = "\", ";
    size_t at = sizeof begin - 1;
    if (size <= at || memcmp(name, begin, at) != 0) return false;
    while (at + sizeof behind - 1 < size && memcmp(name + at, behind, sizeof behind - 1) != 0)
        at++;
    f->class_ = f->method = at + sizeof behind - 1;
    for (f->place = f->class_; f->place < size && name[f->place] != '('; f->place++) {
        if (name[f->place] == ' ') return false;
        if (name[f->place] == '.') f->method = f->place + 1;
    }
    if (f->place >= size || f->method == f->class_) return false;
    const char *end = memchr(name + f->place, ')', size - f->place);
    if (end == NULL) return false;
    f->end = f->line = (size_t)(end - name) + 1;
    const char *line = memchr(name + f->place, ':', f->end - f->place);
    if (line != NULL) f->line = (size_t)(line - name);
    return true;
}

static size_t put_java_name(char *out, size_t used, const char *text, size_t size)
{
    memcpy(out + used, text, size);
    return used + size;
}

size_t hsd_java_frame(const char *name, size_t size, int step, const char *mark, size_t mark_size, char *out)
{
    frame f;
    if (!find_frame(name, size, &f)) return 0;
    size_t used = put_java_name(out, 0, name, f.class_);
    if (step > 0) used = put_java_name(out, used, mark, mark_size);
    const size_t from = step > 0 ? f.method : f.class_;
    used = put_java_name(out, used, name + from, f.place - from);
    if (step < 2 && f.line < f.end) {
        out[used++] = '(';
        used = put_java_name(out, used, mark, mark_size);
        used = put_java_name(out, used, name + f.line, f.end - f.line);
    }
    return put_java_name(out, used, name + f.end, size - f.end);
}
