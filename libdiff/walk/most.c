/*
 * How many objects this library walks: as many as its numbers of nodes count, with label nodes and root nodes.
 */
#include "base/node.h"
#include <hsdiff/capture.h>

uint64_t hsd_most_walked(void) { return HSD_NODE_BITS == 32 ? HSD_MOST_WALKED : UINT64_C(1) << 40; }
