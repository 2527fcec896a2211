/* The kernel's futex, of words that no other process sees. */
#ifndef HSN_FUTEX_H
#define HSN_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HSN_FUTEX_WAIT = FUTEX_WAIT | FUTEX_PRIVATE_FLAG, HSN_FUTEX_WAKE = FUTEX_WAKE | FUTEX_PRIVATE_FLAG };

static inline long hsn_futex(_Atomic uint32_t *at, int what, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, at, what, value, timeout, NULL, 0);
}

#endif
