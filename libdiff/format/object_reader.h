/*
 * Reading objects ahead, and ids alone: what of an hsd_object_reader the engine uses and the public header does not
 * tell.
 */
#ifndef HSD_FORMAT_OBJECT_READER_H
#define HSD_FORMAT_OBJECT_READER_H

#include <hsdiff/capture.h>

struct hsd_object_block;

/* Beside HSD_WANT_…: the id without identity and content, which take as long to decode as all else of a JVM's objects.
 */
#define HSD_WANT_ID 0x8000u

/* Targets that are ordinals as they are stored, for hsd_object_reader_next_block: format/object_block.h. */
#define HSD_WANT_DIFFERENCES 0x4000u

/*
 * The ids of the objects that begin in the next block, for a reader that wants them: *count of them, of which the first
 * has the ordinal *first. Borrowed until the next call. Not to be mixed with hsd_object_reader_next, whose statuses
 * these are; *count may be 0.
 */
hsd_status hsd_object_reader_next_ids(hsd_object_reader *reader, const uint64_t **ids, uint32_t *count, uint64_t *first,
                                      hsd_error *err);

/*
 * The next block, whose records from objects->next on are those that hsd_object_reader_next would tell one after the
 * other; for whoever goes through its columns. Borrowed until the next call. Not to be mixed with
 * hsd_object_reader_next, whose statuses these are.
 */
hsd_status hsd_object_reader_next_block(hsd_object_reader *reader, const struct hsd_object_block **objects,
                                        hsd_error *err);

/* From now on the next block is read and decoded on a thread of its own while the last one is looked at: as much memory
 * again. For passes from the first object to the last; before the first of them. */
void hsd_object_reader_read_ahead(hsd_object_reader *reader);

#endif
