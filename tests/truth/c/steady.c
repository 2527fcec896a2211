/* No leak: what it makes for a request it frees with the request. */
#include "program.h"

struct order {
    long id;
    char *text;
};
static struct order *current_order;

static void setup(void) {}

static void plant(long number)
{
    struct order *o = malloc(sizeof *o);
    o->id = number;
    o->text = malloc(300);
    if (current_order != NULL) {
        free(current_order->text);
        free(current_order);
    }
    current_order = o;
}
