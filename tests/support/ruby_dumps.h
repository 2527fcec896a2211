/*
 * Heap dumps of Ruby, line by line as different versions write them, with what is wrong in them: for tests and as seeds
 * of the fuzz target.
 */
#ifndef HSD_TESTS_RUBY_DUMPS_H
#define HSD_TESTS_RUBY_DUMPS_H

#include <stddef.h>

typedef struct ruby_dump {
    const char *name;
    const char *data; /* may hold NULs */
    size_t size;
} ruby_dump;

/*
 * shop: a program of 3.1. $list (0x2000, global_tbl) -> two Sessions (0x1000, 0x1040), each of which has a String;
 * Shop::Cache holds a Hash
 *       (0x2040), which the stack of a thread and a cache of constants refer to as well.
 * raw: texts that are no JSON. since: lines without roots. shapes: lines of 3.3 with shapes, free slots and a zombie.
 * broken: lines that cannot be read between some that can.
 */
extern const ruby_dump ruby_dumps[];
extern const size_t ruby_dump_count;

/* The one of that name. */
const ruby_dump *ruby_dump_named(const char *name);

#endif
