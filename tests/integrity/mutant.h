/*
 * Changes of one operator each that a program is built with, all of them together, and of which HSD_MUTANT says at its
 * start which one holds (none where it is not set). switched.py writes them into a copy of the sources and says what
 * each word means. A change that would have made a difference where it is reached notes its number, so one run tells
 * which changes it can notice at all.
 */
#ifndef HSD_TESTS_INTEGRITY_MUTANT_H
#define HSD_TESTS_INTEGRITY_MUTANT_H

#ifdef HSD_MUTANTS_OFF /* the source as it was: the same code must come of it */

#define HSD_COMPARED(number, old, new, left, right) ((left)old(right))
#define HSD_JOINED(number, is_or, left, right)      HSD_JOINED_##is_or(left, right)
#define HSD_JOINED_0(left, right)                   ((left) && (right))
#define HSD_JOINED_1(left, right)                   ((left) || (right))
#define HSD_BESIDE(number, sign, left)              ((left)sign 1)
#define HSD_ADDED(number, left, right)              ((left) += (right))
#define HSD_ANSWERED(number, what)                  (what)

#else

extern unsigned hsd_mutant;             /* mutant.c */
extern unsigned char *hsd_mutants_seen; /* by number, or NULL */

static inline int hsd_is_changed(unsigned number, int differs)
{
    if (differs && hsd_mutants_seen != (unsigned char *)0) hsd_mutants_seen[number] = 1;
    return number == hsd_mutant;
}

#define HSD_COMPARED(number, old, new, left, right)                                                                    \
    ({                                                                                                                 \
        __auto_type left_##number = (left);                                                                            \
        __auto_type right_##number = (right);                                                                          \
        const int is_##number = (left_##number old right_##number), new_##number = (left_##number new right_##number); \
        hsd_is_changed(number, is_##number != new_##number) ? new_##number : is_##number;                              \
    })
/* Whether the right side is asked differs, too, and it may do something. */
#define HSD_JOINED(number, is_or, left, right)                                                                         \
    ({                                                                                                                 \
        const _Bool left_##number = (left), or_##number = hsd_is_changed(number, 1) != (is_or);                        \
        left_##number == or_##number ? or_##number : !!(right);                                                        \
    })
#define HSD_BESIDE(number, sign, left)                                                                                 \
    ({                                                                                                                 \
        __auto_type left_##number = (left);                                                                            \
        hsd_is_changed(number, 1) ? left_##number : left_##number sign 1;                                              \
    })
#define HSD_ADDED(number, left, right)                                                                                 \
    ({                                                                                                                 \
        __auto_type right_##number = (right);                                                                          \
        hsd_is_changed(number, right_##number != 0) ? ((left) -= right_##number) : ((left) += right_##number);         \
    })
#define HSD_ANSWERED(number, what) (hsd_is_changed(number, 1) ? !(what) : (what))

#endif
#endif
