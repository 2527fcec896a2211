/* A board of scores in a skip list: each node has as many pointers at its end as it has levels. */
#include "program.h"

enum { LEVELS = 12 };

struct node {
    long score;
    char who[24];
    int levels;
    struct node *forward[];
};

static struct board {
    struct node *head;
    long length;
} * board;

static unsigned dice = 7;

static int draw_levels(void)
{
    int levels = 1;
    while (levels < LEVELS && ((dice = dice * 1103515245u + 12345u) >> 16 & 3) == 0)
        levels++;
    return levels;
}

static __attribute__((noinline)) struct node *make_node(long score, int levels)
{
    struct node *n = calloc(1, sizeof *n + (size_t)levels * sizeof n->forward[0]); /* truth: made */
    n->score = score;
    n->levels = levels;
    return n;
}

static void setup(void)
{
    board = calloc(1, sizeof *board);
    board->head = make_node(-1, LEVELS);
}

static void plant(long number)
{
    const long score = (number * 7919) % 1000003;
    struct node *update[LEVELS], *at = board->head;
    for (int i = LEVELS; i-- > 0; update[i] = at)
        while (at->forward[i] != NULL && at->forward[i]->score < score)
            at = at->forward[i];
    struct node *n = make_node(score, draw_levels());
    for (int i = 0; i < n->levels; i++) {
        n->forward[i] = update[i]->forward[i];
        update[i]->forward[i] = n;
    }
    board->length++;
}
