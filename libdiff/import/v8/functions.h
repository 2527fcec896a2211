/*
 * Functions of the program. A closure is of the type of its function, which says where that stands:
 *
 *      Function onChange (server.js:6)
 *      Function (anonymous) (router.mjs:12)
 *      Function (anonymous) (bundle.js:1:20311)      lines longer than people write have a column
 *      Function put (cache.ts:8)                     by its source, where there is a map: originals.h
 *      Function                                      of the runtime's own scripts, and of none
 *
 *      closure ─shared─► function ─script─► script      its file; the list of locations has the line of each closure
 *
 * Every function that has a closure gets a number of a type at once; what the type is called is found out when the
 * strings come. So those that share a name are one type to all that read the capture.
 */
#ifndef HSD_IMPORT_V8_FUNCTIONS_H
#define HSD_IMPORT_V8_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id_map.h"
#include "import/v8/files.h"
#include "import/v8/names.h"

#define HSD_V8_NO_FUNCTION         UINT32_MAX
#define HSD_V8_FUNCTION_TYPE_BYTES 256 /* the name of its type, at most */

/* What a name can prove: bits of a WAIT_PROOF entry's number. */
#define HSD_V8_PROOF_SHARED    0x1u  /* "shared" */
#define HSD_V8_PROOF_CONTEXT   0x2u  /* "context" */
#define HSD_V8_PROOF_SCRIPT    0x4u  /* "script", "script_or_debug_info" */
#define HSD_V8_PROOF_PROXY     0x8u  /* "global_proxy", for scopes.h */
#define HSD_V8_PROOF_SCOPE     0x10u /* "scope_info", for blocks.h */
#define HSD_V8_PROOF_MODULE    0x20u /* "Module", for modules.h */
#define HSD_V8_PROOF_CONSTANTS 0x40u /* "(constant pool)" and others, for declared.h */
#define HSD_V8_PROOF_PREVIOUS  0x80u /* "previous", for scopes.h */
/* for frames.h: "system / BytecodeArray"; "system / Context" and others; what "IdentityMapBase" lists */
#define HSD_V8_PROOF_BYTECODE  0x100u
#define HSD_V8_PROOF_VARIABLES 0x200u
#define HSD_V8_PROOF_COMPILED  0x400u
#define HSD_V8_PROOF_LITERAL   0x800u /* "3 / deoptimization literal" */

uint32_t hsd_v8_proof_of(hsd_bytes text);

/* The entry that will know what this name proves. */
static inline hsd_status hsd_v8_put_proof(hsd_v8_names *names, uint32_t name, uint32_t *out, hsd_error *err)
{
    return hsd_v8_names_intern(names, HSD_V8_WAIT_PROOF, 0, 0, name, out, err);
}

static inline bool hsd_v8_is_proven(const hsd_v8_names *names, uint32_t entry, uint32_t proof)
{
    return entry < names->count && (names->entries[entry].number & proof) != 0;
}

/* One internal reference: the string number of its name, and where it leads. */
typedef struct hsd_v8_link {
    uint32_t name, target;
} hsd_v8_link;

typedef struct hsd_v8_function {
    uint32_t function, context, closure;                  /* nodes: its code; of the first closure that was met */
    uint32_t function_proof, context_proof, script_proof; /* entries that must prove SHARED, CONTEXT, SCRIPT */
    uint32_t type;                                        /* number in the capture */
    uint32_t string;                                      /* its name, in the snapshot */
    uint32_t file;                                        /* or HSD_V8_NO_FILE; from resolve on */
    uint32_t source;                                      /* file that it was made of, or HSD_V8_NO_FILE: `file` */
    uint32_t line, column;                                /* from 1; 0 = not known; in `source`, where that is known */
    hsd_bytes name;                                       /* once it is known */
} hsd_v8_function;

typedef struct hsd_v8_code { /* a node of type code: function or script, or neither */
    uint32_t ordinal, name, target, proof;
} hsd_v8_code;

typedef struct hsd_v8_functions {
    hsd_v8_function *items;
    uint32_t count, capacity;
    hsd_id_map numbers;  /* code of a function -> function */
    hsd_id_map closures; /* first closure of a function -> function */
    hsd_v8_code *codes;  /* ascending by ordinal */
    uint32_t code_count, code_capacity;
    hsd_arena arena;
} hsd_v8_functions;

/* A closure called `string`: its function and its context. *out is the number of the function, HSD_V8_NO_FUNCTION past
 * the limit. */
hsd_status hsd_v8_functions_closure(hsd_v8_functions *functions, hsd_v8_names *names, uint32_t closure, uint32_t string,
                                    const hsd_v8_link links[2], uint32_t *out, hsd_error *err);

/* A node of type code and its second internal reference: a function's leads to its script. */
hsd_status hsd_v8_functions_code(hsd_v8_functions *functions, hsd_v8_names *names, uint32_t ordinal, uint32_t name,
                                 hsd_v8_link link, hsd_error *err);

/* All nodes were seen: finds the file of each function. */
hsd_status hsd_v8_functions_resolve(hsd_v8_functions *functions, hsd_v8_names *names, hsd_v8_files *files,
                                    hsd_error *err);

/* A location: line and column, from 0, of a node that may be a closure. The function whose first it is, or
 * HSD_V8_NO_FUNCTION. */
uint32_t hsd_v8_functions_locate(hsd_v8_functions *functions, uint32_t node, uint64_t line, uint64_t column);

/* The string that a WAIT_FUNCTION entry waited for. */
hsd_status hsd_v8_functions_text(hsd_v8_functions *functions, uint32_t function, hsd_bytes text, hsd_error *err);

/* The file of a function, if all names are as they should be; else HSD_V8_NO_FILE. When all strings came. */
uint32_t hsd_v8_functions_file(const hsd_v8_functions *functions, const hsd_v8_names *names, uint32_t function);

/* Writes the name of its type, HSD_V8_FUNCTION_TYPE_BYTES at most; returns its length. When files are settled. */
size_t hsd_v8_functions_type(const hsd_v8_functions *functions, const hsd_v8_names *names, const hsd_v8_files *files,
                             uint32_t function, char *out);

void hsd_v8_functions_release(hsd_v8_functions *functions);

#endif
