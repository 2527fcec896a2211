/*
 * Words for facts and identities, shared by info and dump.
 */
#include "info_words.h"

#include <stdio.h>

static const cli_fact facts[] = {
    {0x1, "collected", "a full collection ran just before: no garbage inside"},
    {0x2, "sampled", "counts are scaled from samples: they are estimates"},
    {CLI_FACT_VALUES, "values", "values of user data are inside"},
    {0x8, "no_roots", "no roots: everything counts as live"},
    {0x10, "no_references", "no references: everything counts as live"},
    {0x20, "conservative", "references were guessed from words that look like pointers"},
    {0x80, "manual", "no collector: what no root reaches is lost"},
    {0x200, "redacted", "redacted: names and values are pseudonyms"},
    {0x400, "blurred", "sizes are classes, up to a fifth less than they were"},
    {0x100, "estimated", "sizes are estimates: how many objects there are is exact"},
};

const cli_fact *cli_fact_get(size_t i) { return i < sizeof facts / sizeof facts[0] ? &facts[i] : NULL; }

const char *cli_format_short_time(char out[HSD_NUMBER_CHARS], uint64_t elapsed_ns)
{
    const unsigned tenths = (unsigned)(elapsed_ns / 100000 % 10000000);
    if (elapsed_ns >= UINT64_C(1000000000)) return hsd_format_duration(out, elapsed_ns);
    if (tenths < 100)
        snprintf(out, HSD_NUMBER_CHARS, "%u.%u ms", tenths / 10, tenths % 10);
    else
        snprintf(out, HSD_NUMBER_CHARS, "%u ms", tenths / 10);
    return out;
}

const char *cli_identity_word(hsd_identity identity)
{
    static const char *const words[] = {"none", "exact", "address", "moving"};
    return words[identity <= HSD_IDENTITY_MOVING ? identity : 0];
}

const char *cli_identity_sentence(hsd_identity identity)
{
    static const char *const sentences[] = {"none: another capture can be compared by counts alone",
                                            "exact: ids are never reused, so objects are recognised again",
                                            "address: objects are recognised again by address and type",
                                            "moving: addresses change, so captures are compared by counts alone"};
    return sentences[identity <= HSD_IDENTITY_MOVING ? identity : 0];
}
