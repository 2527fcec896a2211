/*
 * Whose rights a thread has on files: where root captures somebody else's program, what it leaves in folders of that
 * user is made and removed with that user's rights, and so by no link to anywhere else.
 */
#ifndef HSD_LIVE_RIGHTS_H
#define HSD_LIVE_RIGHTS_H

#include <sys/types.h>

typedef struct hsd_rights {
    uid_t uid;
    gid_t gid;
} hsd_rights;

/* Takes these rights for files, on this thread and its children; returns those it had. Nothing happens unless this is
 * root. */
hsd_rights hsd_rights_take(hsd_rights other);
void hsd_rights_return(hsd_rights before);

#endif
