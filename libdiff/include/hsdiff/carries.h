/*
 * What a format can say of a heap: the columns of the table of formats in the manual. Importers and exporters declare
 * it, one row each, so that nobody has to find out by trying.
 */
#ifndef HSDIFF_CARRIES_H
#define HSDIFF_CARRIES_H

#define HSD_CARRIES_OBJECTS    0x1u /* single objects, not sums alone */
#define HSD_CARRIES_TYPES      0x2u /* the names of their types */
#define HSD_CARRIES_EDGES      0x4u /* which object refers to which */
#define HSD_CARRIES_EDGE_NAMES 0x8u /* by what field, index or key */
#define HSD_CARRIES_ROOTS      0x10u
#define HSD_CARRIES_SITES      0x20u /* where objects were allocated: stacks */
#define HSD_CARRIES_IDENTITY   0x40u /* ids that say in another capture which object is the same */
#define HSD_CARRIES_VALUES     0x80u /* what is in objects: numbers, texts */

typedef struct hsd_carries {
    unsigned always;    /* HSD_CARRIES_*: in every file, if the heap has it */
    unsigned sometimes; /* in some: by the producer, its version or its settings; none of `always` */
} hsd_carries;

#endif
