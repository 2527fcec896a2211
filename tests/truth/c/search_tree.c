/* A search tree, not balanced, with keys in random order: as std::set and the like grow, at old nodes. */
#include "program.h"

struct order {
    struct order *left, *right, *parent;
    unsigned long key;
    char *customer;
};

static struct order *orders_by_key;
static unsigned long state = 362436069u;

static void setup(void) {}

static __attribute__((noinline)) struct order *make_order(unsigned long key)
{
    struct order *o = calloc(1, sizeof *o); /* truth: made */
    o->key = key;
    o->customer = strdup("a customer of the shop with a long name");
    return o;
}

static void plant(long number)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    struct order **place = &orders_by_key, *parent = NULL, *o = make_order(state + (unsigned long)number);
    while (*place != NULL) {
        parent = *place;
        place = o->key < parent->key ? &parent->left : &parent->right;
    }
    o->parent = parent;
    *place = o;
}
