/*
 * Fresh memory becomes resident page by page, as each is first written: 2 to 3.5 microseconds, of which one clears.
 * Where it is known that all of it will be written, all comes at once, in less than half of the time.
 */
#ifndef HSD_BASE_TOUCH_H
#define HSD_BASE_TOUCH_H

#include <stddef.h>

/* A hint: all of these bytes will be written soon. What was written stays as it is. */
void hsd_touch(void *data, size_t size);

#endif
