/*
 * What structures of CPython hold, by name: fields that no descriptor of Python names, and what the interpreter itself
 * keeps. layouts.h says where each stands. The agent in a process and the reader of core files (libdiff) tell both
 * alike, from these rows.
 */
#ifndef HSPY_STRUCTURES_H
#define HSPY_STRUCTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layouts.h"

/* A reference of a structure, or of the interpreter: `offset` bytes from its start; 0 = this version has none. */
typedef struct structure_field {
    const char *name;
    uint32_t offset;
    bool is_secondary; /* of the interpreter: a root only of what nothing else holds */
} structure_field;

typedef enum structure {
    STRUCTURE_FUNCTION,
    STRUCTURE_EXCEPTION,
    STRUCTURE_GENERATOR,
    STRUCTURE_CODE,
    STRUCTURE_INTERPRETER
} structure;

enum { STRUCTURE_FIELDS_MAX = 11 };

/* Fills `out`; how many there are. */
size_t structure_fields(const layout *at, structure which, structure_field out[STRUCTURE_FIELDS_MAX]);

/* A reference that traverse tells without a name, by the types of both ends: a `source` or a subtype of it, and a
 * `target`, NULL for any. The first row that fits counts. A label in brackets is that of entries; "" says that it has
 * none, and "=" that the target is the inside of the source. */
typedef struct structure_rule {
    const char *source, *target, *label;
} structure_rule;

extern const structure_rule structure_rules[];
extern const size_t structure_rule_count;

/* A context of contextvars keeps its values in a tree. Nodes of these types, which are static ones, have pairs of a
 * ContextVar and its value; where that is NULL another node stands in the place of the value. */
enum { STRUCTURE_PAIRS_AT = 32, STRUCTURE_VARIABLE_NAME_AT = 16 };
bool structure_has_variables(const char *type);
bool structure_is_variable(const char *type);

#endif
