/*
 * The one line that an agent answers with (capture/agent/agent.h).
 */
#ifndef HSD_LIVE_ANSWER_H
#define HSD_LIVE_ANSWER_H

enum { HSD_ANSWER_BYTES = 640 };

typedef enum hsd_answer { HSD_ANSWER_OK, HSD_ANSWER_ERROR, HSD_ANSWER_NONE } hsd_answer;

/* `line` without its line feed; *sentence is borrowed from it, "" unless it is an error. */
hsd_answer hsd_answer_parse(const char *line, const char **sentence);

#endif
