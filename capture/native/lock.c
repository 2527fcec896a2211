/* Waiting for a lock (lock.h). */
#include "native/lock.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

#include "native/machine.h"

enum {
    SPINS = 64,  /* looks at a lock before the processor is given away */
    YIELDS = 64, /* … before the thread sleeps: the holder may have a lower priority */
    SLEEP_NS = 50 * 1000
};

void (*hsn_when_waiting)(void);

void hsn_wait_a_little(unsigned tries, bool holds_none)
{
    const int error = errno;
    if (holds_none && tries >= SPINS && hsn_when_waiting != NULL) hsn_when_waiting();
    if (tries < SPINS) {
        hsn_pause();
    } else if (tries < SPINS + YIELDS) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    }
    errno = error;
}
