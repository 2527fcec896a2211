/*
 * A program of Go and a core of it, made word by word: an executable with DWARF, symbols and descriptions of types, and
 * the memory of its runtime with three spans. For tests and as seeds of the fuzz target; small, and known in every bit.
 * The offsets of the runtime's structures are other ones than any real runtime has: what reads them must take them from
 * the DWARF.
 *
 *      main.head   *session ─► A0 ─next─► A1 ─next─► A5        A: slots of 64 B, live 0 1 2 5 6
 *      main.list   []*session ─► C1 ─[0]─► A0, [1]─► A1         B: slots of 32 B without pointers, live 0 to 4
 *      A0.any      interface {}: session ─► A2                 C: slots of 1,024 B, live 0 and 1
 *      A0.name     ─► B0, A5.name ─► B1;  A0.tags []string ─► C0 ─[0]─► B2, [1]─► B3
 *      main.work   a goroutine is in it: variable mine *session ─► A6, name string ─► B4, and a word that leads into A2
 */
#ifndef HSD_TESTS_GOCORE_WRITER_H
#define HSD_TESTS_GOCORE_WRITER_H

#include <stddef.h>
#include <stdint.h>

/* how the runtime keeps pointer bits */
enum { GOCORE_1_19 = 0, GOCORE_1_21 = 1, GOCORE_1_22 = 2, GOCORE_FORMS = 3 };

#define GOCORE_A UINT64_C(0xc000000000)
#define GOCORE_B UINT64_C(0xc000002000)
#define GOCORE_C UINT64_C(0xc000004000)

typedef struct gocore_bytes {
    uint8_t *data;
    size_t size, room;
} gocore_bytes;

void gocore_make_program(gocore_bytes *out, int form);
void gocore_make_core(gocore_bytes *out, int form);

/*
 * A heap dump of the program in its form of 1.19, with some of its objects, for --exe: main.head ─► A0, which has what
 * it has in the core; A1 and A2; B0 to B2; C0 with two texts; a frame of main.work, whose variable mine leads to A6 and
 * name to B1.
 */
void gocore_make_dump(gocore_bytes *out);

/* The word of the core's memory at this address: for tests that spoil it. */
void gocore_set_word(gocore_bytes *core, uint64_t address, uint64_t value);
void gocore_release(gocore_bytes *bytes);

/* Addresses in the core that tests spoil. */
#define GOCORE_HEAD      UINT64_C(0x600000)
#define GOCORE_SPAN_LIST UINT64_C(0x600800)
#define GOCORE_SPANS     UINT64_C(0x600900)
#define GOCORE_HEAP      UINT64_C(0x600500)
#define GOCORE_VERSION   UINT64_C(0x600180)
#define GOCORE_NOTE      UINT64_C(0x400100)
#define GOCORE_QUEUE     UINT64_C(0x600700) /* the first block of finalizers that are due: none */
#define GOCORE_BLOCK     UINT64_C(0x602800) /* room for one: the next one at 8, how many at 24, from 40 on they */
#define GOCORE_WAITING                                                                                                 \
    UINT64_C(0x600e50) /* of the goroutine: a sudog, whose value, next one and channel stand behind each other */
#define GOCORE_POINTER_TO_SESSION                                                                                      \
    UINT64_C(0x4008c0)      /* its description; that of its elements stands in a channel at 24 */
#define GOCORE_DUE_BYTES 40 /* object at 0, function at 8, type at 16 */

#endif
