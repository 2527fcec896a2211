/*
 * Calls of tools: one is worked on, up to 32 wait, each can be cancelled by its id.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server.h"

#define STEP_MS 50u

void mcp_request_free(mcp_request *request)
{
    if (!request) return;
    mcp_message_release(&request->message);
    free(request->line);
    free(request);
}

bool mcp_queue_put(mcp_server *server, mcp_request *request)
{
    pthread_mutex_lock(&server->lock);
    const bool fits = server->waiting < MCP_WAITING_MOST;
    if (fits) {
        mcp_request **last = &server->first;
        while (*last)
            last = &(*last)->next;
        *last = request;
        server->waiting++;
        pthread_cond_broadcast(&server->changed);
    }
    pthread_mutex_unlock(&server->lock);
    return fits;
}

void mcp_queue_cancel(mcp_server *server, const char *id)
{
    pthread_mutex_lock(&server->lock);
    for (mcp_request *request = server->first; request; request = request->next)
        if (strcmp(request->id, id) == 0) atomic_store(&request->is_cancelled, true);
    if (server->working && strcmp(server->working->id, id) == 0) atomic_store(&server->working->is_cancelled, true);
    pthread_mutex_unlock(&server->lock);
}

static void wait_a_step(mcp_server *server)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)STEP_MS * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&server->changed, &server->lock, &until);
}

void mcp_queue_end(mcp_server *server, uint64_t patience_ms)
{
    const uint64_t began = mcp_now_ms();
    pthread_mutex_lock(&server->lock);
    server->is_ended = true;
    pthread_cond_broadcast(&server->changed);
    while (server->first || server->working) {
        if (mcp_is_over(server) || (patience_ms > 0 && mcp_now_ms() - began >= patience_ms)) break;
        wait_a_step(server);
    }
    atomic_store(&server->is_over, true);
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

/* The next that waits; NULL when there are no more. */
static mcp_request *take_request(mcp_server *server)
{
    pthread_mutex_lock(&server->lock);
    while (!server->first && !server->is_ended && !atomic_load(&server->is_over))
        pthread_cond_wait(&server->changed, &server->lock);
    mcp_request *request = server->first;
    if (request) {
        server->first = request->next;
        server->waiting--;
    }
    server->working = request;
    pthread_mutex_unlock(&server->lock);
    return request;
}

static void finish_request(mcp_server *server, mcp_request *request)
{
    pthread_mutex_lock(&server->lock);
    server->working = NULL;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    mcp_request_free(request);
}

void *mcp_queue_work(void *context)
{
    mcp_server *server = context;
    for (mcp_request *request; (request = take_request(server)) != NULL; finish_request(server, request))
        if (!atomic_load(&server->is_over) && !atomic_load(&request->is_cancelled)) mcp_answer(server, request);
    return NULL;
}
