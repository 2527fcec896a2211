/*
 * Words for facts and identities, shared by info and dump.
 */
#include "info_words.h"

static const cli_fact facts[] = {
    {0x1, "collected", "a full collection ran just before: no garbage inside"},
    {0x2, "sampled", "counts are scaled from samples: they are estimates"},
    {CLI_FACT_VALUES, "values", "values of user data are inside"},
    {0x8, "no_roots", "no roots: everything counts as live"},
    {0x10, "no_references", "no references: everything counts as live"},
    {0x20, "conservative", "references were guessed from words that look like pointers"},
};

const cli_fact *cli_fact_get(size_t i)
{
    return i < sizeof facts / sizeof facts[0] ? &facts[i] : NULL;
}

const char *cli_identity_word(hsd_identity identity)
{
    static const char *const words[] = {"none", "exact", "address", "moving"};
    return words[identity <= HSD_IDENTITY_MOVING ? identity : 0];
}

const char *cli_identity_sentence(hsd_identity identity)
{
    static const char *const sentences[] = {
        "none: another capture can be compared by counts alone",
        "exact: ids are never reused, so objects are recognised again",
        "address: objects are recognised again by address and type",
        "moving: addresses change, so captures are compared by counts alone"};
    return sentences[identity <= HSD_IDENTITY_MOVING ? identity : 0];
}
