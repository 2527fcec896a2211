/*
 * One address, one type, and yet two objects: told by what is around them.
 *
 * Where ids are addresses, what was freed and what came in its place are one pair if they are of one type and no mark
 * tells them apart (walk/marks.h). A pair is *suspect* if its size or its root changed: either the object grew or moved
 * on where it is, or it is another one; where there are few, those that kept both are suspect as well. It is another
 * one, *replaced*, if it keeps no company: something refers to it on both sides, but nothing on both, and it refers to
 * nothing on both that is its own.
 *
 *      before   P ──► x ──► a           after   Q ──► x ──► b          two objects
 *               P ──► x ──► a                   P ──► x ──► b          one, it changed where it hangs
 *               P ──► x ──► a                   Q ──► x ──► a          one, it moved from P to Q with what it holds
 *
 * What is around an object is the same if address and type are, or if it is a root of the same name, and if the
 * reference has the same name: a page and its parts that went, in whose places an answer and its body came, are not
 * each other's company. A reference without a name, as those of elements, may be any. Its own is what fewer than
 * HSD_REPLACED_SHARED refer to: a type, an empty value, a word that many use says nothing.
 *
 * Of one size it must have had something of its own on both sides: a job without any, that went from one queue to
 * another, is one. Without that, or of one size and root, it is another one only if nothing about it is alike: neither
 * the type and the name by which anything refers to it, nor any name by which it refers to something. The nodes of a
 * list that was sorted lose all their company and stay.
 *
 * WRONG it is of an object that moved on, grew meanwhile, and has nothing of its own: it counts as freed and new, and
 * net is right.
 *
 * IN DOUBT IT IS ONE OBJECT, as before: where something around it has no address of its own (pseudo objects, folded
 * parts), where there is more around it than HSD_REPLACED_AROUND, and behind the first HSD_REPLACED_SUSPECTS by
 * address; where more than these kept size and root, none of them is looked at. Bounded memory: 6 MiB, two sorters at
 * their least, and 3 bits an object; at most two records a reference in temporary files.
 *
 * Symmetric: with before and after exchanged the same pairs are replaced.
 */
#ifndef HSD_DIFF_REPLACED_H
#define HSD_DIFF_REPLACED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "sort/sorter.h"
#include <hsdiff/status.h>

/* Fixed, so that the answer does not depend on the budget. */
#define HSD_REPLACED_SUSPECTS (UINT32_C(1) << 15) /* of each sort */
#define HSD_REPLACED_SHARED   3u
#define HSD_REPLACED_AROUND   65536u /* of one sort */

struct hsd_comparison;

typedef enum hsd_suspicion {
    HSD_SUSPECT_NONE,
    HSD_SUSPECT_RESIZED,
    HSD_SUSPECT_MOVED,
    HSD_SUSPECT_STAYED,
    HSD_SUSPICIONS
} hsd_suspicion;

typedef struct hsd_suspect {
    uint64_t id;           /* of both */
    uint32_t type;         /* likewise, common number */
    hsd_node nodes[2];     /* ordinals before, after */
    uint32_t counts[2][2]; /* before, after: what refers to it, what it refers to */
    hsd_suspicion why;
    bool has_own[2];
    bool is_alike; /* what refers to it is of one kind, or a name by which it refers */
    bool is_one;
} hsd_suspect;

/* Suspects in the order of the merge; a zeroed one has none. */
typedef struct hsd_replaced {
    hsd_suspect *suspects;
    uint32_t count, capacity;
    uint32_t next, taken[HSD_SUSPICIONS]; /* of the merge */
    uint32_t most[HSD_SUSPICIONS];        /* of each sort */
    bool has_many;                        /* of those that stayed: they are one */
} hsd_replaced;

/* True if suspects can be told, and both sides must keep their graphs for it. */
bool hsd_replaced_can_tell(const struct hsd_comparison *c);

/* After both walks, before the merge. O(objects + references). HSD_E_NOMEM, HSD_E_CANCELLED, and what reading brings.
 */
hsd_status hsd_replaced_find(hsd_replaced *replaced, const struct hsd_comparison *c, hsd_error *err);

/*
 * Its steps, for censuses that lie in parts (libdiff/ranks): suspects of this part; what is around them on one side, as
 * records of HSD_REPLACED_COMPANY_WORDS, all of them the key; and with the company of both sides, which are they.
 */
#define HSD_REPLACED_COMPANY_WORDS 3u
hsd_status hsd_replaced_gather(hsd_replaced *replaced, const struct hsd_comparison *c, hsd_error *err);
hsd_status hsd_replaced_look(hsd_replaced *replaced, const struct hsd_comparison *c, int side, hsd_sorter *company,
                             hsd_error *err);
hsd_status hsd_replaced_judge(hsd_replaced *replaced, hsd_sorter *company, hsd_error *err);

/* Of the records of one step of the merge, once for each step in order: true if they are two objects. */
bool hsd_replaced_next(hsd_replaced *replaced, const struct hsd_comparison *c, const uint64_t *const *records);

void hsd_replaced_release(hsd_replaced *replaced);

#endif
