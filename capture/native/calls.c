/* Calls that return EINTR and may be taken up again (calls.h). From the kernel's sources: those that return it where
 * others return ERESTART…. */
#include "native/calls.h"

#include <stddef.h>
#include <sys/syscall.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static const hsn_call CALLS[] = {
    {SYS_epoll_wait, HSN_TIMEOUT_MILLISECONDS, 3},
    {SYS_epoll_pwait, HSN_TIMEOUT_MILLISECONDS, 3},
    {SYS_epoll_pwait2, HSN_TIMEOUT_TIMESPEC, 3},
    {SYS_rt_sigtimedwait, HSN_TIMEOUT_TIMESPEC, 2},
    {SYS_semtimedop, HSN_TIMEOUT_TIMESPEC, 3},
    {SYS_io_getevents, HSN_TIMEOUT_TIMESPEC, 4},
    {SYS_io_pgetevents, HSN_TIMEOUT_TIMESPEC, 4},
    {SYS_recvmmsg, HSN_TIMEOUT_RECEIVE, 0},
    {SYS_recvfrom, HSN_TIMEOUT_RECEIVE, 0},
    {SYS_recvmsg, HSN_TIMEOUT_RECEIVE, 0},
    {SYS_read, HSN_TIMEOUT_RECEIVE, 0},
    {SYS_readv, HSN_TIMEOUT_RECEIVE, 0},
    {SYS_accept, HSN_TIMEOUT_RECEIVE, 0},
    {SYS_accept4, HSN_TIMEOUT_RECEIVE, 0},
    {SYS_connect, HSN_TIMEOUT_SEND, 0},
    {SYS_sendto, HSN_TIMEOUT_SEND, 0},
    {SYS_sendmsg, HSN_TIMEOUT_SEND, 0},
    {SYS_sendmmsg, HSN_TIMEOUT_SEND, 0},
    {SYS_write, HSN_TIMEOUT_SEND, 0},
    {SYS_writev, HSN_TIMEOUT_SEND, 0},
    {SYS_semop, HSN_TIMEOUT_NONE, 0},
    {SYS_msgrcv, HSN_TIMEOUT_NONE, 0},
    {SYS_msgsnd, HSN_TIMEOUT_NONE, 0},
    {SYS_io_uring_enter, HSN_TIMEOUT_RING, 4},
};

const hsn_call *hsn_call_find(long number)
{
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
        if (CALLS[i].number == number) return &CALLS[i];
    return NULL;
}

unsigned long long *hsn_call_argument(struct user_regs_struct *r, int index)
{
    unsigned long long *arguments[] = {&r->rdi, &r->rsi, &r->rdx, &r->r10, &r->r8, &r->r9};
    return arguments[index];
}
