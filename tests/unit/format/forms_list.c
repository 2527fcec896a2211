/* Prints the table of fields (format/forms.h), one a line: block type, column, and the table whose numbers it has. Read
 * by test_forms.py. */
#include <stdio.h>

#include "format/forms.h"

int main(void)
{
    static const char *const tables[HSD_TABLES] = {"string", "type", "label", "site", "thread"};
    for (unsigned i = 0; i < HSD_FORMS; i++)
        for (const hsd_field *field = hsd_forms[i].fields; field->kind != 0; field++)
            if (field->kind != HSD_FIELD_NONE)
                printf("%u %u %s\n", hsd_forms[i].block_type, field->column,
                       field->table == 0 ? "-" : tables[field->table - 1]);
    return 0;
}
