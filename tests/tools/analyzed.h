/*
 * What gcc's analyzer cannot see from one file: that these functions return the failure that they are given or named
 * after. tests/tools/tools.py includes it before a file of which the analyzer said something.
 */
#ifndef HSD_TESTS_ANALYZED_H
#define HSD_TESTS_ANALYZED_H

#include "base/fail.h"

#define HSD_FAILS(call, status)                                                                                        \
    __extension__({                                                                                                    \
        const hsd_status fails_ = (status);                                                                            \
        if (fails_ == HSD_OK) __builtin_unreachable();                                                                 \
        (void)call;                                                                                                    \
        fails_;                                                                                                        \
    })
#define hsd_fail(err, status, ...)            HSD_FAILS((hsd_fail)(err, fails_, __VA_ARGS__), status)
#define hsd_fail_at(err, status, offset, ...) HSD_FAILS((hsd_fail_at)(err, fails_, offset, __VA_ARGS__), status)
#define hsd_fail_errno(err, number, ...)      HSD_FAILS((hsd_fail_errno)(err, number, __VA_ARGS__), HSD_E_IO)
#define hsd_fail_nomem(err, what)             HSD_FAILS((hsd_fail_nomem)(err, what), HSD_E_NOMEM)

#endif
