/*
 * Frames of a WebSocket: a head of 2, 4 or 10 bytes that is collected, then a payload that flows. See websocket.h.
 */
#include "live/node/websocket.h"

#include <string.h>

enum { FINAL = 0x80, RESERVED = 0x70, OPCODE = 0x0F, MASKED = 0x80, LENGTH = 0x7F, BINARY = 2 };

void hsd_websocket_init(hsd_websocket *socket, const hsd_websocket_receiver *to)
{
    const hsd_websocket_receiver receiver = *to;
    memset(socket, 0, sizeof *socket);
    socket->to = receiver;
}

static hsd_status refuse_websocket(const hsd_websocket *socket, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, socket->offset, "no WebSocket: %s", what);
}

static unsigned opcode_of(const hsd_websocket *socket) { return socket->head[0] & OPCODE; }
static bool is_final(const hsd_websocket *socket) { return (socket->head[0] & FINAL) != 0; }
static bool is_control(const hsd_websocket *socket) { return opcode_of(socket) >= HSD_WEBSOCKET_CLOSE; }

static size_t head_bytes(const hsd_websocket *socket)
{
    if (socket->head_size < 2) return 2;
    const unsigned length = socket->head[1] & LENGTH;
    return length == 127 ? 10 : length == 126 ? 4 : 2;
}

static uint64_t payload_bytes(const hsd_websocket *socket)
{
    const unsigned length = socket->head[1] & LENGTH;
    if (length < 126) return length;
    uint64_t bytes = 0;
    for (size_t i = 2; i < head_bytes(socket); i++)
        bytes = bytes << 8 | socket->head[i];
    return bytes;
}

static hsd_status begin_control(const hsd_websocket *socket, hsd_error *err)
{
    if (!is_final(socket) || socket->left > HSD_WEBSOCKET_CONTROL_MAX)
        return refuse_websocket(socket, "a control frame that is long or in pieces", err);
    if (opcode_of(socket) > HSD_WEBSOCKET_PONG)
        return refuse_websocket(socket, "a kind of frame that there is not", err);
    return HSD_OK;
}

static hsd_status begin_data(hsd_websocket *socket, hsd_error *err)
{
    const unsigned opcode = opcode_of(socket);
    if (opcode > BINARY) return refuse_websocket(socket, "a kind of frame that there is not", err);
    if ((opcode == 0) != socket->in_message)
        return refuse_websocket(socket, "a message within a message, or the rest of none", err);
    if (!socket->in_message) socket->message_bytes = 0;
    socket->in_message = true;
    if (__builtin_add_overflow(socket->message_bytes, socket->left, &socket->message_bytes) ||
        socket->message_bytes > HSD_WEBSOCKET_MESSAGE_MAX)
        return refuse_websocket(socket, "a message of more than 256 MiB", err);
    return HSD_OK;
}

static hsd_status begin_payload(hsd_websocket *socket, hsd_error *err)
{
    if ((socket->head[0] & RESERVED) != 0) return refuse_websocket(socket, "an extension that was not agreed on", err);
    if ((socket->head[1] & MASKED) != 0) return refuse_websocket(socket, "a masked frame of a server", err);
    socket->left = payload_bytes(socket);
    socket->control_size = 0;
    socket->in_payload = true;
    return is_control(socket) ? begin_control(socket, err) : begin_data(socket, err);
}

static hsd_status end_payload(hsd_websocket *socket, hsd_error *err)
{
    socket->in_payload = false;
    socket->head_size = 0;
    if (opcode_of(socket) == HSD_WEBSOCKET_CLOSE) socket->is_closed = true;
    if (opcode_of(socket) == HSD_WEBSOCKET_PING)
        return socket->to.ping(socket->to.context, socket->control, socket->control_size, err);
    if (is_control(socket) || !is_final(socket)) return HSD_OK;
    socket->in_message = false;
    return socket->to.data(socket->to.context, NULL, 0, true, err);
}

static hsd_status take_payload(hsd_websocket *socket, const uint8_t *bytes, size_t size, hsd_error *err)
{
    socket->left -= size;
    if (!is_control(socket)) return size == 0 ? HSD_OK : socket->to.data(socket->to.context, bytes, size, false, err);
    memcpy(socket->control + socket->control_size, bytes, size);
    socket->control_size += size;
    return HSD_OK;
}

hsd_status hsd_websocket_feed(hsd_websocket *socket, const void *bytes, size_t size, hsd_error *err)
{
    const uint8_t *at = bytes, *const end = at + size;
    while (at < end && !socket->is_closed) {
        if (socket->in_payload) {
            const size_t have = (size_t)(end - at), part = socket->left < have ? (size_t)socket->left : have;
            HSD_TRY(take_payload(socket, at, part, err));
            at += part;
            socket->offset += part;
        } else {
            socket->head[socket->head_size++] = *at++;
            socket->offset++;
            if (socket->head_size < head_bytes(socket)) continue;
            HSD_TRY(begin_payload(socket, err));
        }
        if (socket->in_payload && socket->left == 0) HSD_TRY(end_payload(socket, err));
    }
    return HSD_OK;
}

size_t hsd_websocket_frame(uint8_t *out, unsigned opcode, const void *payload, size_t size, const uint8_t mask[4])
{
    const uint8_t *from = payload;
    size_t n = 0;
    out[n++] = (uint8_t)(FINAL | opcode);
    if (size < 126) {
        out[n++] = (uint8_t)(MASKED | size);
    } else {
        out[n++] = MASKED | 126;
        out[n++] = (uint8_t)(size >> 8);
        out[n++] = (uint8_t)size;
    }
    for (size_t i = 0; i < 4; i++)
        out[n++] = mask[i];
    for (size_t i = 0; i < size; i++)
        out[n++] = from[i] ^ mask[i % 4];
    return n;
}
