/*
 * How long a thread has waited in a call that begins its wait anew when it is taken up again. The kernel does not say
 * since when a call waits, but since when its thread has not run, by the clock of the processor that it ran on last.
 */
#ifndef HSD_LIVE_PYTHON_WAITED_H
#define HSD_LIVE_PYTHON_WAITED_H

#include <stdint.h>
#include <sys/types.h>

typedef struct hsd_waited {
    uint64_t since_ns, sleeps; /* since_ns 0 = it did not wait in such a call, or the kernel does not say */
} hsd_waited;

/* Before the thread is stopped. */
void hsd_waited_note(hsd_waited *out, long pid, pid_t tid);

/* Has the thread, which stands now, been stopped out of the same sleep? Else nothing is known of its wait. */
void hsd_waited_confirm(hsd_waited *waited, long pid, pid_t tid);

/* What is left now of so many milliseconds; all of them where that is not known. */
uint64_t hsd_waited_rest_ms(const hsd_waited *waited, uint64_t whole_ms);

#endif
