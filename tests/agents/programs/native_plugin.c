/*
 * A library that forgets what it allocated, and is unloaded.
 *
 *      native_plugin LIBRARY     for each of "leak N" (tests/agents/kit.py) the library is loaded, used and unloaded
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLUGIN
struct plugin_context {
    long number;
    char *settings;
};

__attribute__((visibility("default"))) long plugin_run(long number);
long plugin_run(long number)
{
    struct plugin_context *context = calloc(1, sizeof *context);
    if (context == NULL) return 0;
    context->number = number;
    context->settings = strdup("colour=blue threads=4");
    return context->number;
}
#else
static long use(const char *path, long number)
{
    long (*run)(long);
    void *library = dlopen(path, RTLD_NOW);
    void *symbol = library == NULL ? NULL : dlsym(library, "plugin_run");
    if (symbol == NULL) exit(3);
    memcpy(&run, &symbol, sizeof run);
    const long answer = run(number);
    dlclose(library);
    return answer;
}

int main(int argc, char **argv)
{
    char line[128];
    long planted = 0;
    if (argc != 2) return 2;
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0) {
        for (long i = strtol(line + 5, NULL, 10); i > 0; i--)
            use(argv[1], ++planted);
        printf("leaked %ld\n", planted);
        fflush(stdout);
    }
    return 0;
}
#endif
