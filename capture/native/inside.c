/* Captures that the program takes of itself (hscapture/native.h). */
#include <hscapture/native.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "native/local.h"
#include "native/snapshot.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int hsn_capture_fd(int fd)
{
    ucontext_t here;
    const hsa_request request = {.verb = HSA_CAPTURE, .fd = fd, .is_push = true};
    if (getcontext(&here) != 0) return -1;
    const hsn_taken taken = hsn_snapshot(&request, &here);
    if (taken.error == NULL && taken.is_whole) return 0;
    errno = taken.error != NULL ? EAGAIN : EIO;
    return -1;
}

PUBLIC int hsn_capture(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    const int result = hsn_capture_fd(fd);
    const int error = errno;
    close(fd);
    if (result != 0) unlink(path);
    errno = error;
    return result;
}

PUBLIC void hsn_pause(void) { hsn_silence(); }

PUBLIC void hsn_resume(void)
{
    if (hsn_me.silent > 0) hsn_speak();
}
