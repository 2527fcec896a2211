/*
 * What stands at one place: helpers of a container that refer to one another, by whatever turns, and what they have.
 */
#include "holders_kit.h"

TestSuite(places, .init = setup, .fini = teardown);

/* A map of four entries, two of them to the right: each has a list to which `news` items come. */
static void write_small_map(bool is_after, uint64_t news)
{
    static const uint64_t entries[][7] = {
        {11, BY_ID, 12, BY_NAME, 20, VALUE, 0}, {21, VALUE, 0}, {13, BY_NAME, 22, VALUE, 0}, {23, VALUE, 0}};
    hsc_writer *w = begin(is_after, HSC_IDENTITY_EXACT);
    put(w, 1, MAP, 8, (const uint64_t[]){10, INSIDE, 0});
    for (uint64_t i = 0; i < 4; i++) {
        put(w, 10 + i, TABLE, 32, entries[i]);
        good(hsc_begin_object(w, &(hsc_object){.id = 20 + i, .type = NODE, .size_bytes = 8}));
        for (uint64_t k = 0; is_after && k < news; k++)
            good(hsc_reference(w, 1000 * (i + 1) + k, ELEMENT, k));
        good(hsc_end_object(w));
        for (uint64_t k = 0; is_after && k < news; k++)
            put(w, 1000 * (i + 1) + k, ITEM, 100, NULL);
    }
    put_root(w, ROOT_STRING, 1);
    finish(w);
}

Test(places, of_what_the_entries_of_a_small_map_have_are_one)
{
    write_small_map(false, 0);
    write_small_map(true, 30);
    hsd_diff *diff = compare(NULL, NULL);
    cr_assert_eq(diff->holder_count + diff->other_holder_count, 1);
    cr_assert(is_text(diff->holders[0].type, "Map"));
    cr_assert_eq(diff->holders[0].new_.objects, 120);
    hsd_diff_free(diff);
}
