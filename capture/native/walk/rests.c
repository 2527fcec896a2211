/*
 * Words that no program reads as pointers, and that often are some: memory of a std::string (libstdc++) in which
 * something else lay before. An old table of a hash map is freed, strings get its memory, and each of them would hold a
 * session.
 *
 *      characters ──► text   size    capacity   REST     characters elsewhere: a block of capacity + 1 bytes
 *      characters ─┐  size   text NUL …   REST           fewer than 16 characters, in the string itself
 *                  └─────────┘
 *      text NUL REST …                                   such a block, whose capacity is more than its text
 *
 * What is all but certain counts. A buffer of C that has the same three words in front of a pointer was not allocated
 * by operator new of libstdc++, and one of C++ that leads to another with the same words in the same place, or of the
 * same place of allocation, may be a list; a structure that begins with a long name has whole words, as chunks of pools
 * have, and a string that has grown has not.
 */
#include "native/walk/walk.h"

enum { WORD = sizeof(uintptr_t), SHORT_BYTES = 16, MOST_CAPACITY = 1 << 30 };

static bool is_by_strings(hsn_walker *k, const hsn_block *block)
{
    return block->stack != 0 && hsn_place_of(k, block->stack)->is_by_strings;
}

/* Three words: characters elsewhere, how many, and for how many there is room. */
static bool are_of_string(hsn_walker *k, const uintptr_t *words)
{
    const uintptr_t characters = words[0], size = words[1], capacity = words[2];
    hsn_block text;
    return size <= capacity && capacity >= SHORT_BYTES && capacity < MOST_CAPACITY &&
           hsn_table_find(characters, &text) && text.size == capacity + 1 && is_by_strings(k, &text);
}

/* The same call of operator new made both. */
static bool are_of_one_place(const hsn_block *a, const hsn_block *b)
{
    size_t a_count, b_count;
    if (a->stack == 0 || b->stack == 0) return true;
    const uintptr_t *a_frames = hsn_stacks_frames(a->stack, &a_count),
                    *b_frames = hsn_stacks_frames(b->stack, &b_count);
    return a_count > 1 && b_count > 1 && a_frames[1] == b_frames[1];
}

static bool is_last_of_string(hsn_walker *k, const hsn_block *around, const uintptr_t *at)
{
    hsn_block target;
    if (at[-3] == (uintptr_t)(at - 1)) return at[-2] < SHORT_BYTES;
    if (!are_of_string(k, at - 3)) return false;
    if (!hsn_table_find(*at, &target) || target.size != around->size) return true;
    /* what lies in front was scanned, and its words may be given back */
    if (target.address <= around->address) return !are_of_one_place(around, &target);
    const uintptr_t there = target.address + ((uintptr_t)(at - 3) - around->address);
    const hsn_mapping *m = hsn_maps_find(&k->maps, there);
    if (m == NULL || !m->can_read || m->high - there < 3 * WORD) return false;
    return !are_of_string(k, (const uintptr_t *)there);
}

/* A byte of text in any of the usual encodings. */
static bool is_text(unsigned char c) { return c >= ' ' || (c >= '\t' && c <= '\r'); }

/* Long text with its end in front of the word; shorter text is in no block of its own. Words of a block come in order,
 * so its text is gone through once. */
static bool is_behind_text(hsn_walker *k, const hsn_block *block, uintptr_t at)
{
    if (k->text != block->address) k->text = k->text_end = block->address;
    while (k->text_end < at && is_text(*(const unsigned char *)k->text_end))
        k->text_end++;
    return k->text_end < at && *(const char *)k->text_end == '\0' && k->text_end - block->address >= SHORT_BYTES;
}

bool hsn_is_rest(hsn_walker *k, const hsn_block *block, uintptr_t low, uintptr_t at)
{
    const uintptr_t *word = (const uintptr_t *)at;
    if (at - low >= 3 * WORD && is_last_of_string(k, block, word)) return true;
    if (at - low >= 2 * WORD && word[-2] == at && word[-1] < SHORT_BYTES) return true;
    /* what has pointers in it has whole words, and a string that grew an odd number of bytes: twice as many as before,
     * and the end */
    return low == block->address && block->size % WORD != 0 && is_by_strings(k, block) && is_behind_text(k, block, at);
}
