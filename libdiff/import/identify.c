#define _GNU_SOURCE /* memmem */
/*
 * Naming what was found when no importer bids: a table of well-known first bytes, then a look at
 * whether it is text and of what kind. It only serves an error message, so it never guesses
 * further than it can see, and shows the first bytes when it sees nothing it knows.
 */
#include "import/identify.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

typedef struct signature {
    uint32_t offset;
    uint32_t size;
    const char *bytes;
    const char *phrase;
} signature;

/* NOLINTNEXTLINE(bugprone-macro-parentheses): `bytes` is a literal */
#define SIGNATURE(offset, bytes, phrase)                                                                               \
    {                                                                                                                  \
        offset, sizeof bytes - 1, bytes, phrase                                                                        \
    }

/* Longer ones before their beginnings. */
static const signature signatures[] = {
    SIGNATURE(0, "\x89PNG\r\n\x1a\n", "a PNG image"),
    SIGNATURE(0, "\xff\xd8\xff", "a JPEG image"),
    SIGNATURE(0, "GIF8", "a GIF image"),
    SIGNATURE(0, "%PDF-", "a PDF document"),
    SIGNATURE(0,
              "\x7f"
              "ELF",
              "an ELF file"),
    SIGNATURE(0, "\xca\xfe\xba\xbe", "a Java class file or Mach-O binary"),
    SIGNATURE(0, "\xcf\xfa\xed\xfe", "a Mach-O binary"),
    SIGNATURE(0, "FLR\0", "a Java flight recording"),
    SIGNATURE(0, "-----BEGIN AGE ENCRYPTED FILE-----", "an age file in ASCII armour"),
    SIGNATURE(0, "PK\3\4", "a ZIP archive"),
    SIGNATURE(0, "PK\5\6", "an empty ZIP archive"),
    SIGNATURE(0, "\x1f\x8b", "a gzip file"),
    SIGNATURE(0, "\x28\xb5\x2f\xfd", "a zstd file"),
    SIGNATURE(0,
              "\xfd"
              "7zXZ\0",
              "an xz file"),
    SIGNATURE(0, "BZh", "a bzip2 file"),
    SIGNATURE(0, "\x04\x22\x4d\x18", "an lz4 file"),
    SIGNATURE(0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    SIGNATURE(257, "ustar", "a tar archive"),
    SIGNATURE(0, "SQLite format 3\0", "an SQLite database"),
    SIGNATURE(0, "MDMP", "a Windows minidump"),
    SIGNATURE(0, "MZ", "a Windows executable"),
    SIGNATURE(0, "Nettrace", "a .NET trace"),
    SIGNATURE(0, "go1.7 heap dump\n", "a Go heap dump"),
    SIGNATURE(0, "portable heap dump", "an IBM portable heap dump"),
    SIGNATURE(2, "portable heap dump", "an IBM portable heap dump"),
    SIGNATURE(0, "PERFILE2", "a perf recording"),
    SIGNATURE(0, "RMEM\1", "a capture of reli"),
    SIGNATURE(0, "JAVA PROFILE ", "a Java profile"),
};

static const char *find_signature(const uint8_t *prefix, size_t size)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(signatures); i++) {
        const signature *s = &signatures[i];
        if (size >= (size_t)s->offset + s->size && memcmp(prefix + s->offset, s->bytes, s->size) == 0) return s->phrase;
    }
    return NULL;
}

/* A core dump is an ELF file of type 4. */
static bool is_core(const uint8_t *prefix, size_t size)
{
    if (size < 18 || memcmp(prefix,
                            "\x7f"
                            "ELF",
                            4) != 0)
        return false;
    const unsigned low = prefix[5] == 2 ? 17 : 16;
    return prefix[low] == 4 && prefix[low ^ 1] == 0;
}

static size_t skip_space(const uint8_t *prefix, size_t size)
{
    size_t at = size >= 3 && memcmp(prefix, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && prefix[at] != 0 && strchr(" \t\r\n", prefix[at]) != NULL)
        at++;
    return at;
}

/* A control character that text does not have. */
static bool is_control(uint8_t c) { return c == 0 || c == 0x7f || (c < 0x20 && strchr("\t\n\r\f\x1b", c) == NULL); }

static bool is_text(const uint8_t *prefix, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (is_control(prefix[i])) return false;
    return true;
}

static bool identity_begins_with(const uint8_t *prefix, size_t size, const char *word)
{
    const size_t length = strlen(word);
    if (size < length) return false;
    for (size_t i = 0; i < length; i++) {
        const uint8_t c = prefix[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != (uint8_t)word[i]) return false;
    }
    return true;
}

/* Does the text begin with these characters, whatever blanks lie between? "#" is any digit. */
static bool begins_with_tokens(const uint8_t *text, size_t size, const char *tokens)
{
    size_t at = 0;
    for (const char *token = tokens; *token != '\0'; token++) {
        at += skip_space(text + at, size - at);
        if (at == size) return false;
        const uint8_t c = text[at++];
        if (*token == '#' ? c < '0' || c > '9' : c != (uint8_t)*token) return false;
    }
    return true;
}

/* What reli, a profiler of PHP, writes when no other form is asked for: its summary first. */
static bool is_of_reli(const uint8_t *text, size_t size)
{
    return begins_with_tokens(text, size, "{\"summary\":[{\"zend_mm_heap_total\"");
}

/* JavaScriptCore's own form: what Bun's generateHeapSnapshot() gives, and what Safari's inspector keeps. */
static bool is_of_webkit(const uint8_t *text, size_t size)
{
    return begins_with_tokens(text, size, "{\"version\":#,\"type\":\"Inspector\"") ||
           begins_with_tokens(text, size, "{\"version\":#,\"type\":\"GCDebugging\"");
}

/* What tools say of memory that was lost, in text: no heaps. */
static const char *report_of(const uint8_t *text, size_t size)
{
    static const char *const reports[][2] = {
        {"Memcheck, a memory error detector", "a report of valgrind's memcheck"},
        {"<protocoltool>memcheck</protocoltool>", "a report of valgrind's memcheck"},
        {"ERROR: LeakSanitizer: ", "a report of LeakSanitizer"},
        {"ERROR: AddressSanitizer: ", "a report of AddressSanitizer"},
        {"stacks with outstanding allocations", "a report of memleak"},
        {"leaks Report Version", "a report of leaks"},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(reports); i++)
        if (memmem(text, size, reports[i][0], strlen(reports[i][0])) != NULL) return reports[i][1];
    return NULL;
}

static const char *kind_of_text(const uint8_t *prefix, size_t size)
{
    const size_t at = skip_space(prefix, size);
    if (at == size) return "nothing but white space";
    const uint8_t *text = prefix + at;
    if (is_of_reli(text, size - at)) return "JSON of reli";
    if (is_of_webkit(text, size - at)) return "a heap snapshot of JavaScriptCore";
    if (report_of(text, size - at) != NULL) return report_of(text, size - at);
    if (*text == '{' || *text == '[') return "JSON, but no heap snapshot";
    if (identity_begins_with(text, size - at, "<!doctype html") || identity_begins_with(text, size - at, "<html"))
        return "an HTML page";
    if (identity_begins_with(text, size - at, "<?xml")) return "an XML file";
    if (identity_begins_with(text, size - at, "#!")) return "a script";
    return "a text file";
}

static bool is_all_zero(const uint8_t *prefix, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (prefix[i] != 0) return false;
    return true;
}

static void show_bytes(const uint8_t *prefix, size_t size, char *phrase, size_t capacity)
{
    char digits[3 * 16 + 4] = "";
    size_t used = 0;
    for (size_t i = 0; i < size && i < 16; i++)
        used += (size_t)snprintf(digits + used, sizeof digits - used, "%s%02x", i == 0 ? "" : " ", prefix[i]);
    snprintf(phrase, capacity, "unknown bytes (%s%s)", digits, size > 16 ? " ..." : "");
}

void hsd_identify(const uint8_t *prefix, size_t size, char *phrase, size_t capacity)
{
    const char *known = find_signature(prefix, size);
    if (size == 0)
        known = "an empty file";
    else if (is_core(prefix, size))
        known = "a core dump (ELF)";
    else if (known == NULL && is_all_zero(prefix, size))
        known = "nothing but zero bytes";
    else if (known == NULL && is_text(prefix, size))
        known = kind_of_text(prefix, size);
    else if (known == NULL && size >= 2 && (memcmp(prefix, "\xff\xfe", 2) == 0 || memcmp(prefix, "\xfe\xff", 2) == 0))
        known = "UTF-16 text";
    if (known != NULL)
        snprintf(phrase, capacity, "%s", known);
    else
        show_bytes(prefix, size, phrase, capacity);
}
