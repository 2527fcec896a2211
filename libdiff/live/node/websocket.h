/*
 * WebSocket (RFC 6455), the client's side of it, as far as a local inspector needs: text messages in both directions,
 * in one frame out and in any number of them in, pings answered, a close taken note of. No extension is offered, and
 * none taken.
 *
 * The frames are read from pieces of any size, and their payload is passed on as it comes, so a message may be larger
 * than memory. What the other side sends is not trusted: masked frames, reserved bits, control frames that are long or
 * in pieces, a continuation of nothing, messages of more than HSD_WEBSOCKET_MESSAGE_MAX bytes are HSD_E_CORRUPT.
 */
#ifndef HSD_LIVE_WEBSOCKET_H
#define HSD_LIVE_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

#define HSD_WEBSOCKET_MESSAGE_MAX (UINT64_C(256) << 20)
enum { HSD_WEBSOCKET_CONTROL_MAX = 125, HSD_WEBSOCKET_HEAD_MAX = 14 };

/* What stands for a key and its answer in the handshake: on a loopback connection there is no cache that could be
 * fooled. */
#define HSD_WEBSOCKET_KEY    "dGhlIHNhbXBsZSBub25jZQ=="
#define HSD_WEBSOCKET_ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

typedef struct hsd_websocket_receiver {
    /* Bytes of a message; the last of them, which may be none, with is_last. */
    hsd_status (*data)(void *context, const void *bytes, size_t size, bool is_last, hsd_error *err);
    /* to be answered with a pong */
    hsd_status (*ping)(void *context, const void *bytes, size_t size, hsd_error *err);
    void *context;
} hsd_websocket_receiver;

typedef struct hsd_websocket {
    hsd_websocket_receiver to;
    uint8_t head[HSD_WEBSOCKET_HEAD_MAX], control[HSD_WEBSOCKET_CONTROL_MAX];
    size_t head_size, control_size;
    uint64_t left, message_bytes, offset; /* of the frame; of the message so far; in all */
    bool in_payload, in_message, is_closed;
} hsd_websocket;

void hsd_websocket_init(hsd_websocket *socket, const hsd_websocket_receiver *to);

/* Reads on; behind a close frame bytes are ignored, and is_closed is set. */
hsd_status hsd_websocket_feed(hsd_websocket *socket, const void *bytes, size_t size, hsd_error *err);

enum { HSD_WEBSOCKET_TEXT = 1, HSD_WEBSOCKET_CLOSE = 8, HSD_WEBSOCKET_PING = 9, HSD_WEBSOCKET_PONG = 10 };

/* A whole masked frame into `out`, which has room for `size` + HSD_WEBSOCKET_HEAD_MAX bytes. Returns its size. `size`
 * is at most 65,535. */
size_t hsd_websocket_frame(uint8_t *out, unsigned opcode, const void *payload, size_t size, const uint8_t mask[4]);

#endif
