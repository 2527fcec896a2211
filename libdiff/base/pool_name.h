/*
 * Threads of a pool are one root of a series and one holder of a diff: which of them had a request in hand when a
 * capture was taken is chance, and a leak in each is one leak. thread "http-4", Service.run(Service.java:10) is thread
 * "http-*", Service.run(Service.java:10).
 */
#ifndef HSD_BASE_POOL_NAME_H
#define HSD_BASE_POOL_NAME_H

#include <hsdiff/capture.h>

#define HSD_POOL_NAME_BYTES 256u /* longer names are left as they are */

/* The name to join a root by: runs of digits between the quotes of a thread's name are *. Other names come back as they
 * are, else the text lies in `buffer`. */
hsd_text hsd_pool_name(hsd_text root, char buffer[HSD_POOL_NAME_BYTES]);

#endif
