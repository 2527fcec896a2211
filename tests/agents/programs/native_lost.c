/*
 * Programs in C that lose memory, one a word on the command line. Obeys the lines of tests/agents/kit.py: "leak N" does
 * N more rounds of what the word says. What nobody should call lost is here as well: kept, constant, interior, tls and
 * late.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next, *other;
    char rest[48];
};

#define KEPT 4096
char *kept[KEPT]; /* not static: a compiler may leave out what is only written */
size_t kept_count;

__attribute__((noinline)) static char *copy_field(long i)
{
    char text[128];
    snprintf(text, sizeof text, "field %ld of a line that was read from a file a moment ago", i);
    return strdup(text);
}

/* A text that is looked at and never freed. */
static void lose_text(long i)
{
    if (copy_field(i)[0] != 'f') abort();
}

static void lose_list(long count)
{
    struct node *first = NULL;
    for (long i = 0; i < count; i++) {
        struct node *node = calloc(1, sizeof *node);
        node->next = first;
        first = node;
    }
    if (first == NULL) abort();
}

/* Two that hold each other. */
static void lose_cycle(long i)
{
    struct node *volatile a = calloc(1, sizeof *a), *volatile b = calloc(1, sizeof *b);
    a->other = b;
    b->other = a;
    if (a->other->other != a) exit((int)i % 2 + 1);
}

static struct node *grow_tree(unsigned depth)
{
    struct node *node = calloc(1, sizeof *node);
    if (depth == 0) return node;
    node->next = grow_tree(depth - 1);
    node->other = grow_tree(depth - 1);
    return node;
}

/* What it held is freed by nobody when it is larger and moves; the pointer to it is overwritten. */
static void lose_buffer(long i)
{
    static char *last;
    last = calloc(1, 200 + (size_t)i % 8);
    last = realloc(last, 400);
}

/* A table of pointers, and all that it holds. */
static void lose_table(long count)
{
    char **table = calloc((size_t)count, sizeof *table);
    for (long i = 0; i < count; i++)
        table[i] = copy_field(i);
}

static void *work(void *count)
{
    long rounds = (long)(intptr_t)count;
    struct node *mine = NULL;
    while (rounds-- > 0) {
        struct node *node = calloc(1, sizeof *node);
        node->next = mine;
        mine = node;
    }
    return mine != NULL ? NULL : count;
}

static void lose_in_thread(long count)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, (void *)(intptr_t)count) != 0) abort();
    pthread_join(thread, NULL);
}

/* ---- what is not lost ---- */

/* Only an address inside each block is kept. */
static void keep_inside(long i)
{
    if (kept_count < KEPT) kept[kept_count++] = copy_field(i) + 4;
}

static _Thread_local struct node *of_thread;

static void keep_in_thread(void)
{
    struct node *node = calloc(1, sizeof *node);
    node->next = of_thread;
    of_thread = node;
}

static void keep_for_a_while(long i)
{
    char *text = copy_field(i);
    if (text[0] == 'f') free(text);
}

/* ---- what no scan can see ---- */

static uintptr_t hidden; /* the list is there, its pointers are not */

static void hide(void)
{
    struct node *node = calloc(1, sizeof *node);
    node->next = (struct node *)hidden;
    hidden = (uintptr_t)node ^ UINTPTR_MAX;
}

/* ---- the lines ---- */

typedef struct way {
    const char *word;
    void (*each)(long i);
    void (*all)(long count);
} way;

static void tree_each(long i)
{
    (void)i;
    grow_tree(2);
}

static void tls_each(long i)
{
    (void)i;
    keep_in_thread();
}

static void hide_each(long i)
{
    (void)i;
    hide();
}

static const way ways[] = {
    {"strdup", lose_text, NULL},
    {"list", NULL, lose_list},
    {"cycle", lose_cycle, NULL},
    {"tree", tree_each, NULL},
    {"realloc", lose_buffer, NULL},
    {"table", NULL, lose_table},
    {"thread", NULL, lose_in_thread},
    {"interior", keep_inside, NULL},
    {"tls", tls_each, NULL},
    {"clean", keep_for_a_while, NULL},
    {"constant", keep_for_a_while, NULL},
    {"xor", hide_each, NULL},
};

/* No word of what was done stays on the stack. */
__attribute__((noinline)) static void forget(void)
{
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}

__attribute__((noinline)) static void run(const way *way, long count)
{
    if (way->all != NULL)
        way->all(count);
    else
        for (long i = 0; i < count; i++)
            way->each(i);
}

int main(int count, char **words)
{
    char line[64];
    long number, total = 0;
    const way *chosen = NULL;
    for (size_t i = 0; count > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(words[1], ways[i].word) == 0) chosen = &ways[i];
    if (chosen == NULL) return 2;
    if (strcmp(chosen->word, "constant") == 0) run(&ways[0], 1500); /* more than 100 KiB, once */
    forget();
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && sscanf(line, "leak %ld", &number) == 1) {
        run(chosen, number);
        forget();
        total += number;
        printf("leaked %ld\n", total);
        fflush(stdout);
    }
    return 0;
}
