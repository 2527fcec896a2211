/*
 * Reading objects ahead: what of an hsd_object_reader the engine uses and the public header does not tell.
 */
#ifndef HSD_FORMAT_OBJECT_READER_H
#define HSD_FORMAT_OBJECT_READER_H

#include <hsdiff/capture.h>

/* From now on the next block is read and decoded on a thread of its own while the last one is looked at: as much memory
 * again. For passes from the first object to the last; before the first of them. */
void hsd_object_reader_read_ahead(hsd_object_reader *reader);

#endif
