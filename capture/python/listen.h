/*
 * The agent's own thread, in programs that it stays in. Both are called with the interpreter's lock.
 */
#ifndef HSPY_LISTEN_H
#define HSPY_LISTEN_H

/* NULL, or the sentence why it does not. Listening already: nothing happens. */
const char *hspy_listen(void);

/* Ends the thread. A capture under way is waited for. */
void hspy_stop(void);

#endif
