/* A small program with a small leak: 58 KiB a round of a quarter of a megabyte. */
#define LOAD_SMALL
#include "program.h"

struct alarm {
    struct alarm *next;
    long number;
    char text[83];
};

struct alarm *alarm_list;

static void setup(void) {}

static __attribute__((noinline)) struct alarm *new_alarm(long number)
{
    struct alarm *a = calloc(1, sizeof *a); /* truth: made */
    a->number = number;
    return a;
}

static void plant(long number)
{
    struct alarm *a = new_alarm(number);
    a->next = alarm_list;
    alarm_list = a;
}
