/*
 * A program that writes a capture of objects of its own: an interpreter, a game engine, a cache. Here a list of
 * sessions in a variable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>

enum { TYPE_SESSION = 1, NAME_OF_LIST = 1, LABEL_LIST = 1, LABEL_NEXT = 2, SESSION_BYTES = 48 };

static void describe(hsc_writer *w)
{
    hsc_define_string(w, NAME_OF_LIST, "app.sessions", 12);
    hsc_define_string(w, 2, "next", 4);
    hsc_define_type(w, TYPE_SESSION, "Session", 7, 0);
    hsc_define_label(w, LABEL_LIST, HSC_LABEL_VARIABLE, 0, NAME_OF_LIST);
    hsc_define_label(w, LABEL_NEXT, HSC_LABEL_FIELD, 0, 2);
}

int main(int argc, char **argv)
{
    hsc_writer *w = NULL;
    hsc_options options;
    hsc_root_record root;
    memset(&root, 0, sizeof root);
    hsc_options_init(&options);
    options.runtime = "a list in C";
    options.process_name = "emit";
    options.identity = HSC_IDENTITY_ADDRESS; /* the same number is the same object, as long as it lives */
    if (argc != 3) {
        fprintf(stderr, "usage: emit SESSIONS FILE\n");
        return 2;
    }
    if (hsc_open_file(&w, argv[2], &options) != HSC_OK) {
        perror(argv[2]); /* a file of that name is kept */
        return 2;
    }
    describe(w);
    const long sessions = strtol(argv[1], NULL, 10);
    for (long i = 1; i <= sessions; i++) {
        hsc_object object;
        memset(&object, 0, sizeof object);
        object.id = (uint64_t)i * 64;
        object.type = TYPE_SESSION;
        object.size_bytes = SESSION_BYTES;
        hsc_begin_object(w, &object);
        if (i > 1) hsc_reference(w, (uint64_t)(i - 1) * 64, LABEL_NEXT, 0);
        hsc_end_object(w);
    }
    root.kind = HSC_ROOT_GLOBAL;
    root.label = LABEL_LIST;
    root.target = (uint64_t)sessions * 64;
    if (sessions > 0) hsc_root(w, &root);
    const hsc_status status = hsc_finish(w); /* errors stick: the last call tells */
    if (status != HSC_OK) fprintf(stderr, "%s: %s\n", argv[2], hsc_error_text(w));
    hsc_close(w);
    return status == HSC_OK ? 0 : 1;
}
