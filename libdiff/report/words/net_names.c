/*
 * Namespaces of the class library: "System", and as many of its words behind it as a class still follows.
 */
#include "report/words/net_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"

/* Words of namespaces below System. None is the name of a class that has classes or statics of its own. */
static const char *const words[] = {
    "Buffers",         "Channels", "Collections",   "CompilerServices", "ComponentModel", "Concurrent", "Data",
    "Diagnostics",     "Emit",     "Generic",       "Globalization",    "Http",           "IO",         "Immutable",
    "InteropServices", "Linq",     "Net",           "Numerics",         "ObjectModel",    "Pipelines",  "Reflection",
    "Runtime",         "Security", "Serialization", "Sockets",          "Specialized",    "Tasks",      "Text",
    "Threading",       "Tracing",  "Xml",
};

static const char first[] = "System.";

static bool is_word_char(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

static bool is_among_words(const char *word, size_t size)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(words); i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0) return true;
    return false;
}

/* Bytes of the namespaces at `at`, the last dot included; 0 = none begin here. */
static size_t namespaces(const char *name, size_t size, size_t at)
{
    size_t used = sizeof first - 1;
    if (size - at <= used || memcmp(name + at, first, used) != 0) return 0;
    for (;;) {
        size_t end = at + used;
        while (end < size && is_word_char(name[end]))
            end++;
        if (end == size || name[end] != '.' || !is_among_words(name + at + used, end - at - used)) break;
        used = end + 1 - at;
    }
    return at + used < size && isupper((unsigned char)name[at + used]) ? used : 0;
}

size_t hsd_net_namespaces(const char *name, size_t size, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        const bool begins = i == 0 || (!is_word_char(name[i - 1]) && name[i - 1] != '.');
        if (begins) i += namespaces(name, size, i);
        out[used++] = name[i++];
    }
    return used;
}
