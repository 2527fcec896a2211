/* Everything of the program hangs from one structure, which one variable refers to: what grows is one of its fields. */
#include "program.h"

struct upload {
    struct upload *next;
    char *name;
    char state[40];
};
struct application {
    const char *title;
    char *banner;
    struct upload *uploads;
    long served;
};

static struct application *the_application;

static void setup(void)
{
    the_application = calloc(1, sizeof *the_application);
    the_application->title = "uploads";
    the_application->banner = strdup("welcome");
}

static __attribute__((noinline)) struct upload *begin_upload(void)
{
    struct upload *u = calloc(1, sizeof *u); /* truth: made */
    u->name = strdup("a picture of the holidays.jpeg");
    return u;
}

static void plant(long number)
{
    struct upload *u = begin_upload();
    u->state[0] = (char)number;
    u->next = the_application->uploads;
    the_application->uploads = u;
}
