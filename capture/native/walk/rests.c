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
 * by operator new of libstdc++, and one of C++ that leads to another like it may be a list; a structure that begins
 * with a long name has whole words, and was allocated by nothing inside libstdc++.
 */
#include "native/walk/walk.h"

enum { WORD = sizeof(uintptr_t), SHORT_BYTES = 16, MOST_CAPACITY = 1 << 30 };

static bool is_by_strings(hsn_walker *k, const hsn_block *block, unsigned least)
{
    return block->stack != 0 && hsn_place_of(k, block->stack)->strings >= least;
}

static bool is_last_of_string(hsn_walker *k, const hsn_block *around, const uintptr_t *at)
{
    const uintptr_t characters = at[-3], size = at[-2], capacity = at[-1];
    hsn_block text, target;
    if (characters == (uintptr_t)(at - 1)) return size < SHORT_BYTES;
    return size <= capacity && capacity >= SHORT_BYTES && capacity < MOST_CAPACITY &&
           hsn_table_find(characters, &text) && text.size == capacity + 1 && is_by_strings(k, &text, 1) &&
           !(hsn_table_find(*at, &target) && target.size == around->size);
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
    return low == block->address && is_by_strings(k, block, block->size % WORD != 0 ? 1 : 2) &&
           is_behind_text(k, block, at);
}
