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

const cli_fact *cli_fact_get(size_t i) { return i < sizeof facts / sizeof facts[0] ? &facts[i] : NULL; }

const char *cli_identity_word(hsd_identity identity)
{
    static const char *const words[] = {"none", "exact", "address", "moving"};
    return words[identity <= HSD_IDENTITY_MOVING ? identity : 0];
}

const char *cli_identity_sentence(hsd_identity identity)
{
    static const char *const sentences[] = {
        "none: objects cannot be recognised in another capture",
        "exact: ids are never reused, objects are recognised in other captures of the process",
        "address: objects are recognised by address and type in other captures of the process",
        "moving: objects change their address, another capture can be compared by counts alone"};
    return sentences[identity <= HSD_IDENTITY_MOVING ? identity : 0];
}
