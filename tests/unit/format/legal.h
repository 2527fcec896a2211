/*
 * A small legal capture: two objects, the first refers to the second, one root. In pieces, so that a test can replace
 * one of them by something that breaks a rule.
 */
#ifndef HSD_TESTS_LEGAL_H
#define HSD_TESTS_LEGAL_H

#include "unit/format/forge.h"

/* One block each; counted for the end record. */
void legal_put_strings(forge *f);
void legal_put_types(forge *f);
void legal_put_labels(forge *f);
void legal_put_objects(forge *f);
void legal_put_roots(forge *f);
void legal_put_type_totals(forge *f);
void legal_put_group_totals(forge *f);

/* Strings, types and labels. */
void legal_put_tables(forge *f);

/* Columns of the two objects but for ID, which must come first; and the two objects counted. */
void legal_put_object_columns(forge *f);
void legal_count_objects(forge *f);

/* Totals, index, end, trailer. */
void legal_put_end(forge *f);

forge legal_capture(void);

/* The legal capture with something put before the objects, instead of them, behind the roots; NULL = nothing unusual.
 */
forge legal_with(void (*before)(forge *f), void (*objects)(forge *f), void (*after)(forge *f));

/* Expects that this is the first rule that verify finds broken ("" = none), and that reading refuses the capture or
 * does not. Frees it. */
void legal_expect(forge f, const char *rule, bool is_refused);

#endif
