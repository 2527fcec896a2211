/*
 * hsd_synth: writes a pair of synthetic captures and their truth (synth.h).
 *
 * usage: hsd_synth [OPTION=VALUE…] FOLDER        writes FOLDER/a.hs, FOLDER/b.hs, FOLDER/truth.json; what stands there
 * is replaced
 *
 *      objects=100000 references=3 types=200 skew=1.1 churn=5 growth=10 skeleton=12 shared=5 unreached=2 resized=1 roots=50 seed=1
 *      shape=tree|list|star|comb|cycle|layers  identity=exact|address|moving|none  targets=ids|ordinals  order=id|shuffled
 *      compression=1 memory=0
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/synth.h"

static int choice(const char *value, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(value, words[i]) == 0) return i;
    }
    fprintf(stderr, "hsd_synth: %s?\n", value);
    exit(2);
}

static void set_option(hsd_synth_options *o, const char *name, const char *value)
{
    static const char *const shapes[] = {"tree", "list", "star", "comb", "cycle", "layers", NULL};
    static const char *const identities[] = {"none", "exact", "address", "moving", NULL};
    static const char *const targets[] = {"ids", "ordinals", NULL}, *const orders[] = {"id", "shuffled", NULL};
    const struct {
        const char *name;
        double *place;
    } numbers[] = {{"references", &o->references}, {"skew", &o->skew},          {"churn", &o->churn},
                   {"growth", &o->growth},         {"skeleton", &o->skeleton},  {"shared", &o->shared},
                   {"resized", &o->resized},       {"unreached", &o->unreached}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].place = strtod(value, NULL);
            return;
        }
    }
    if (strcmp(name, "objects") == 0)
        o->objects = strtoull(value, NULL, 10);
    else if (strcmp(name, "types") == 0)
        o->types = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "roots") == 0)
        o->roots = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "seed") == 0)
        o->seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "compression") == 0)
        o->compression = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "memory") == 0)
        o->memory_bytes = (size_t)strtoull(value, NULL, 10);
    else if (strcmp(name, "shape") == 0)
        o->shape = (hsd_synth_shape)choice(value, shapes);
    else if (strcmp(name, "identity") == 0)
        o->identity = (hsc_identity)choice(value, identities);
    else if (strcmp(name, "targets") == 0)
        o->targets_are_ordinals = choice(value, targets) == 1;
    else if (strcmp(name, "order") == 0)
        o->is_shuffled = choice(value, orders) == 1;
    else {
        fprintf(stderr, "hsd_synth: no option %s\n", name);
        exit(2);
    }
}

static const char *path_in(const char *folder, const char *name)
{
    static char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) exit(2);
    return path;
}

static int write_pair(hsd_synth *s, const char *folder)
{
    for (int side = 0; side < 2; side++) {
        const char *path = path_in(folder, side == 0 ? "a.hs" : "b.hs");
        unlink(path);
        if (hsd_synth_write(s, side == 1, path) != HSC_OK)
            return fprintf(stderr, "hsd_synth: cannot write %s\n", path), 1;
    }
    FILE *out = fopen(path_in(folder, "truth.json"), "w");
    if (out == NULL) return 1;
    hsd_synth_truth(s, out);
    return fclose(out) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    hsd_synth_options options;
    hsd_synth_options_init(&options);
    const char *folder = NULL;
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals == NULL) {
            folder = argv[i];
            continue;
        }
        *equals = '\0';
        set_option(&options, argv[i], equals + 1);
    }
    if (folder == NULL) return fputs("usage: hsd_synth [OPTION=VALUE…] FOLDER\n", stderr), 2;
    hsd_synth *s = hsd_synth_new(&options);
    if (s == NULL) return fputs("hsd_synth: these options make no heap\n", stderr), 2;
    const int result = write_pair(s, folder);
    hsd_synth_free(s);
    return result;
}
