/*
 * JavaScript as far as names need it: where the name of a function or a class stands, which a snapshot knows by the
 * place of its code alone, and where a variable of the scope around it is declared. Words, strings, templates, regular
 * expressions, comments and brackets are told apart; nothing is parsed.
 *
 *      var a=class{constructor(e){…}},l=[];function u(n){l.push(n)}
 *          ^1                     ^2  ^3            ^4            of the constructor at 2 the class stands at 1; from 4
 *                                                                 l is found to be declared at 3
 *
 * Whatever a script is, places that do not begin a word or a bracket, and functions of other names, say that it is not
 * the one that ran.
 */
#ifndef HSD_IMPORT_SOURCEMAP_SCRIPT_H
#define HSD_IMPORT_SOURCEMAP_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/names.h"

#define HSD_SCRIPT_NONE UINT32_MAX

/* Lines and columns from 0, columns in units of UTF-16. */
typedef struct hsd_script_spot {
    uint32_t line, column;
} hsd_script_spot;

typedef struct hsd_script_function {
    hsd_script_spot at; /* asked: where V8 says that it begins */
    hsd_bytes name;     /* what V8 calls it */
    /* answered */
    hsd_script_spot named; /* where that name stands; of a constructor that of its class */
    bool has_name, is_constructor;
    bool is_misfit; /* no function of this name begins there */
    uint32_t block; /* the innermost block that it stands in, 0 = the script */
} hsd_script_function;

typedef struct hsd_script_block {
    uint32_t parent;   /* NONE: of the script */
    uint32_t declared; /* its first declaration, or NONE */
} hsd_script_block;

typedef struct hsd_script_declaration {
    uint32_t name; /* number in `wanted` */
    hsd_script_spot at;
    uint32_t next;
} hsd_script_declaration;

typedef struct hsd_script {
    hsd_script_function *functions; /* the caller's, ascending by place */
    size_t function_count;
    const hsd_names *wanted; /* variables that are looked for; NULL = none */

    hsd_script_block *blocks; /* those in which functions stand; 0 is the script */
    uint32_t block_count, block_capacity;
    hsd_script_declaration *declarations;
    uint32_t declaration_count, declaration_capacity;
    bool is_balanced; /* else blocks say nothing */

    uint32_t *lines; /* where each begins, in units */
    uint32_t line_count, line_capacity;
    uint64_t *inside; /* a bit for each unit: it goes on with a word or a string */
    uint32_t units;
} hsd_script;

/* Answers all functions. The text is shorter than 2 GiB. HSD_E_NOMEM. */
hsd_status hsd_script_read(hsd_script *script, hsd_bytes text, hsd_error *err);

/* Whether this place is none of the script, or inside a word or a string. */
bool hsd_script_is_misfit(const void *script, uint32_t line, uint32_t column);

/* Where this variable is declared in this very block; NULL = it is not, or more than once. */
const hsd_script_declaration *hsd_script_find(const hsd_script *script, uint32_t block, uint32_t name);

void hsd_script_release(hsd_script *script);

#endif
