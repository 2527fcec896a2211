/*
 * The list of blocks, kept until the INDEX is written at the end (FORMAT.md §9). A linked list of pieces:
 * nothing is copied when it grows, so adding a block costs the same for the first and the millionth.
 */
#include "index.h"

bool hsc_index_add(hsc_index *index, unsigned type, uint32_t records, uint32_t objects, uint32_t stored_bytes)
{
    const size_t at = (size_t)(index->count % HSC_INDEX_PIECE);
    if (at == 0) {
        hsc_index_piece *piece = hsc_take(index->allocator, sizeof *piece);
        if (piece == NULL) return false;
        piece->next = NULL;
        if (index->last != NULL)
            index->last->next = piece;
        else
            index->first = piece;
        index->last = piece;
    }
    index->last->entries[at] = (hsc_index_entry){stored_bytes, type << 24 | records, objects};
    index->count++;
    return true;
}

void hsc_index_release(hsc_index *index)
{
    for (hsc_index_piece *piece = index->first; piece != NULL;) {
        hsc_index_piece *next = piece->next;
        hsc_give(index->allocator, piece);
        piece = next;
    }
    *index = (hsc_index){.allocator = index->allocator};
}
