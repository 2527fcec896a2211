/*
 * A program that esbuild wrote of two sources: its script, the map to these, and its heap in V8.
 */
#ifndef HSD_TESTS_V8_BUNDLE_H
#define HSD_TESTS_V8_BUNDLE_H

#include "support/v8_writer.h"

#define V8_BUNDLE_FOLDER "/srv/app/dist/"
/* What esbuild writes of src/cache.ts, which has the class Entry and the map sessions, and src/main.ts, which has
 * admit(). */
#define V8_BUNDLE                                                                                                      \
    "\"use strict\";var s=class{constructor(r){this.key=r}key},n=new Map;function o(t){n.set(t,new s(t))}"             \
    "setInterval(()=>o(\"a\"),1e3);\n"
#define V8_BUNDLE_COMMENT "//# sourceMappingURL=app.js.map\n"
#define V8_BUNDLE_MAP                                                                                                  \
    "{\"version\":3,\"sources\":[\"../src/cache.ts\",\"../src/main.ts\"],\"mappings\":\"aAAO,IAAMA,EAAN,KAAY,CACjB,"   \
    "YAAmBC,EAAa,CAAb,SAAAA,CAAc,CAAd,GACrB,EACaC,EAAW,IAAI,ICF5B,SAASC,EAAMC,EAAc,CAC3BC,EAAS,IAAID,"                 \
    "EAAM,IAAIE,EAAMF,CAAI,CAAC,CACpC,CACA,YAAY,IAAMD,EAAM,GAAG,EAAG,GAAI\",\"names\":[\"Entry\",\"key\","             \
    "\"sessions\",\"admit\",\"user\",\"sessions\",\"Entry\"]}"

typedef struct v8_bundle {
    uint32_t module, admit, entry, entries;
} v8_bundle;

/* Adds the program to an empty heap, its script under this path: its scope, the function, the class and an object of
 * that. */
v8_bundle v8_add_bundle(v8_heap *heap, const char *path);

/* A closure that the program's object `leak` has; its function stands in a script. */
uint32_t v8_add_closure(v8_heap *heap, const v8_program *p, const char *name, uint32_t context, uint32_t script);

/* The column of a word in a script of one line, in which it stands. */
uint32_t v8_column_of(const char *script, const char *word);

#endif
