/* A list whose only reference, its head, is stored with a secret xor'ed over it, as allocators and canaries do. */
#include "program.h"

struct token {
    struct token *next;
    long number;
    char text[64];
};

uintptr_t masked_tokens = 0x5a5a5a5a5a5a5a5au;
static const uintptr_t secret = 0x5a5a5a5a5a5a5a5au;

static void setup(void) {}

static __attribute__((noinline)) struct token *new_token(long number)
{
    struct token *t = calloc(1, sizeof *t); /* truth: made */
    t->number = number;
    return t;
}

static void plant(long number)
{
    struct token *t = new_token(number);
    t->next = (struct token *)(masked_tokens ^ secret);
    masked_tokens = (uintptr_t)t ^ secret;
}
