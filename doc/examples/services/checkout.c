/*
 * A shop's service that leaks twice: the table of sessions only grows, and the text of an answer is never freed. The
 * cache of pages beside them is bounded.
 *
 *   cc -g checkout.c -o checkout && ./checkout          GET /cart?user=NUMBER
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct session {
    int user;
    int items;
    char articles[64];
    struct session *next;
} session;

static session *sessions;
static char *pages[100];

static session *session_of(int user)
{
    session *found = malloc(sizeof *found);
    found->user = user;
    found->items = user % 5;
    snprintf(found->articles, sizeof found->articles, "articles of %d", user);
    found->next = sessions;
    sessions = found;
    return found;
}

static void remember_page(int number)
{
    char text[40];
    snprintf(text, sizeof text, "<h1>/cart/%d</h1>", number);
    free(pages[number]);
    pages[number] = strdup(text);
}

static char *answer_of(const session *cart)
{
    char *text = malloc(120);
    snprintf(text, 120, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n%d\n", cart->items);
    return text;
}

static void serve(int connection)
{
    char request[4096];
    const ssize_t got = read(connection, request, sizeof request - 1);
    if (got <= 0) return;
    request[got] = 0;
    const char *user = strstr(request, "user=");
    const int number = user ? atoi(user + strlen("user=")) : 0;
    const session *cart = session_of(number);
    remember_page(number % 100);
    char *text = answer_of(cart);
    if (write(connection, text, strlen(text)) < 0) perror("write");
}

int main(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(8080), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0) return 1;
    for (;;) {
        const int connection = accept(listener, NULL, NULL);
        serve(connection);
        close(connection);
    }
}
