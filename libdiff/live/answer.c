/*
 * Taking an agent's answer apart.
 */
#include "live/answer.h"

#include <string.h>

hsd_answer hsd_answer_parse(const char *line, const char **sentence)
{
    *sentence = "";
    if (strcmp(line, "ok") == 0) return HSD_ANSWER_OK;
    if (strncmp(line, "error ", 6) != 0 || line[6] == '\0') return HSD_ANSWER_NONE;
    *sentence = line + 6;
    return HSD_ANSWER_ERROR;
}
