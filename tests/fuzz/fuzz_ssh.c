/*
 * What arrives from the other end of a capture over ssh, on any bytes and in pieces of any size: the same is heard
 * however it is cut, and a word is an address or none.
 */
#include <stdlib.h>
#include <string.h>

#include "live/ssh/address.h"
#include "live/ssh/frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_so)
{
    if (!is_so) abort();
}

typedef struct heard {
    hsd_remote_answer answer;
    uint64_t bytes, sum;
    unsigned processes, ends;
} heard;

static bool take_process(void *context, char *text)
{
    heard *self = context;
    self->processes++;
    hsd_frames_read_process(text, &self->answer);
    expect(self->answer.process.pid >= 0 && self->answer.process.way != NULL);
    return true;
}

static bool take_data(void *context, const uint8_t *data, size_t size)
{
    heard *self = context;
    expect(size > 0);
    for (size_t i = 0; i < size; i++)
        self->sum = self->sum * 31 + data[i];
    self->bytes += size;
    return true;
}

static void take_end(void *context, char *text)
{
    heard *self = context;
    self->ends++;
    hsd_frames_read_end(text, &self->answer);
    expect(self->answer.exit_status >= 0 && self->answer.exit_status <= 255 &&
           strlen(self->answer.said) < sizeof self->answer.said);
}

static hsd_status hear(heard *self, const uint8_t *data, size_t size, size_t piece)
{
    hsd_frames *frames = calloc(1, sizeof *frames);
    const hsd_frames_taker taker = {take_process, take_data, take_end, self};
    hsd_status status = frames == NULL ? HSD_E_NOMEM : HSD_OK;
    *self = (heard){.bytes = 0};
    for (size_t at = 0; at < size && status == HSD_OK; at += piece)
        status = hsd_frames_take(frames, data + at, size - at < piece ? size - at : piece, &taker, NULL);
    free(frames);
    return status;
}

static void look_at_address(const char *text)
{
    hsd_remote at;
    if (hsd_remote_parse(&at, text, NULL) != HSD_OK) return;
    expect(hsd_remote_is(text) && at.host[0] != '\0' && at.host[0] != '-' && at.user[0] != '-' && at.name[0] != '-' &&
           at.port <= 65535);
    expect(strpbrk(at.host, " \n'\"`$;&|<>(){}\\*?!~") == NULL && strpbrk(at.user, " \n'\"`$;&|<>(){}\\*?!~") == NULL &&
           strchr(at.name, '\n') == NULL);
    const char *const words[] = {at.name};
    char *line = hsd_remote_line("x", words, 1);
    expect(line == NULL || strlen(line) >= strlen(at.name) + 4);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static heard whole, pieces;
    const hsd_status status = hear(&whole, data, size, size + 1);
    expect(hear(&pieces, data, size, 1 + size % 7) == status);
    expect(whole.bytes == pieces.bytes && whole.sum == pieces.sum && whole.processes == pieces.processes &&
           whole.ends == pieces.ends);
    expect(strcmp(whole.answer.said, pieces.answer.said) == 0 && whole.answer.exit_status == pieces.answer.exit_status);
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    look_at_address(text);
    hsd_remote_is_ticket(text);
    free(text);
    return 0;
}
