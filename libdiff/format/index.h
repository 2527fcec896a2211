/*
 * The end of a complete capture: trailer, end record, index (FORMAT.md 9, 11.2). One read each, and every block's
 * place is known.
 */
#ifndef HSD_FORMAT_INDEX_H
#define HSD_FORMAT_INDEX_H

#include "format/block_list.h"
#include "format/facts.h"
#include "format/header.h"

/* What a capture's file is, for the functions that walk it. */
typedef struct hsd_file {
    hsd_input input;
    hsd_file_header header;
} hsd_file;

/* Reads and checks the file header. */
hsd_status hsd_file_read_header(hsd_file *file, hsd_fault *fault);

/* The header of the block at `offset`: parsed, its field rules not yet held (see hsd_block_header_check).
 * HSD_E_TRUNCATED when the file ends inside the header or inside the block. */
hsd_status hsd_file_read_block_header(const hsd_file *file, uint64_t offset, hsd_block_header *out, hsd_fault *fault);

/* Reads the trailer from the last bytes of the file. */
hsd_status hsd_file_read_trailer(const hsd_file *file, hsd_trailer *out, hsd_fault *fault);

/*
 * Reads END and INDEX where the trailer says, and fills the list with all blocks of the file, INDEX and END included.
 * Holds the rules that the index alone can show: the blocks lie one behind the other from the header to the trailer,
 * numbers ascend, ordinals add up. `end` borrows from `block`, which holds END afterwards. HSD_E_CORRUPT, I/O, memory.
 */
hsd_status hsd_index_read(const hsd_file *file, const hsd_trailer *trailer, hsd_block *block, hsd_block_list *list,
                          hsd_facts *end, hsd_fault *fault);

/* Takes one INDEX block apart: appends what its records say. `first` is the number of records before it in INDEX
 * blocks. */
hsd_status hsd_index_decode(const hsd_block *block, uint64_t first, hsd_block_list *list, hsd_fault *fault);

/* True if the block of an INDEX or another has the column of numbers (9.1). */
bool hsd_index_has_numbers(const hsd_block *block);

#endif
