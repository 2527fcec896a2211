/* A trie of words: new nodes hang from old ones everywhere. */
#include "program.h"

struct node {
    struct node *by_letter[10];
    long uses;
};

static struct node *word_trie;
static unsigned long state = 88172645463325252u;

static __attribute__((noinline)) struct node *make_node(void)
{
    return calloc(1, sizeof(struct node)); /* truth: made */
}

static void setup(void) { word_trie = make_node(); }

/* Walks down by the digits of a number and hangs one node at the end of what is there. */
static void plant(long number)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    struct node **place = &word_trie;
    for (unsigned long rest = state; *place != NULL; rest = rest / 10 + (unsigned long)number)
        place = &(*place)->by_letter[rest % 10];
    *place = make_node();
}
