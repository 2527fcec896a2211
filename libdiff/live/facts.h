/*
 * What /proc says of a process: hsd_process_facts and the questions of way.h are answered by facts.c, what it runs by
 * script.c, which gate stands in front of it by gates.c.
 */
#ifndef HSD_LIVE_FACTS_H
#define HSD_LIVE_FACTS_H

#include "live/way.h"

enum { HSD_SHARED_FILES = 64 };

/* What is asked of every process in a list and has few answers. Belongs to one thread. */
typedef struct hsd_shared_facts {
    /* of what listens in this network namespace: abstract sockets, one behind the other; NULL = not read */
    char *names;
    const char **sorted; /* the same, `count` of them */
    size_t count;
    bool has_dotnet; /* a diagnostics socket of .NET is among those with a path */
    bool has_user;
    unsigned uid;  /* the last one, and */
    char user[32]; /* its name */
    struct {
        uint64_t device, inode;
        bool is_go;
    } files[HSD_SHARED_FILES]; /* executables that were looked into, the last ones */
    size_t file_count;
    bool has_agent;  /* it was looked where the native agent is: */
    char agent[400]; /* "" = nowhere */
} hsd_shared_facts;

/* Does it execute a program of Go? */
bool hsd_facts_is_go(const hsd_process_facts *facts);
/* "alice", or "#1000" for who has no name here. */
const char *hsd_shared_user_name(hsd_shared_facts *shared, unsigned uid);

void hsd_shared_facts_open(hsd_shared_facts *out);
void hsd_shared_facts_close(hsd_shared_facts *shared);
/* The sockets are those of this process' network namespace: NULL for a process in another. */
const hsd_shared_facts *hsd_facts_sockets(const hsd_process_facts *facts);

/* Does an abstract socket of this name listen there? */
bool hsd_shared_facts_listen(const hsd_shared_facts *shared, const char *name);

/* HSD_E_NOT_FOUND: no such process, or it is gone by now. HSD_E_UNSUPPORTED: /proc does not show it, or `pid` is a
 * thread's. */
hsd_status hsd_facts_read(hsd_process_facts *out, long pid, hsd_error *err);

/* Keeps the names of mapped files for hsd_process_maps, as they are now. More than there is room for: nothing is kept.
 */
void hsd_facts_keep_maps(hsd_process_facts *facts);

/* Main script, class or archive of an interpreter, without its folder: "shop.js", "com.shop.Main". "" if there is none.
 */
void hsd_facts_script(const hsd_process_facts *facts, char *out, size_t size);

/* The name that people know the process by: the script, or the executable. */
void hsd_process_own_name(const hsd_process_facts *facts, char *out, size_t size);

/* Is it called so: by comm, executable, first word or script? */
bool hsd_facts_is_called(const hsd_process_facts *facts, const char *name);

/* Does its name hold `text`: comm, executable, script or main class? */
bool hsd_facts_name_holds(const hsd_process_facts *facts, const char *text);

/* Control groups: the id of its container, 64 hexadecimal digits or "", and its systemd unit ("shop.service") or "". */
typedef struct hsd_groups {
    char container[65], unit[128];
} hsd_groups;
void hsd_groups_parse(hsd_groups *out, const char *text); /* what /proc/PID/cgroup says, foreign text */
void hsd_facts_groups(const hsd_process_facts *facts, hsd_groups *out);

/* "alice", or "#1000" for who has no name here. */
void hsd_user_name(char *out, size_t size, unsigned uid);

/* Does an agent listen under this abstract name, or under one that it has in a later turn (connect.h)? */
bool hsd_facts_listens(const hsd_process_facts *facts, const char *name);

/* The gates that stand in front of every way: ended, another user, a thread of the kernel. */
hsd_status hsd_gates_pass(const hsd_process_facts *facts, hsd_error *err);

/* A gate of ways that go through sockets: the process has a network namespace of its own. Fills the error, closed. */
hsd_gate hsd_gate_of_network(const hsd_process_facts *facts, hsd_error *err);

/* What gives the right to look into the process, which may not be looked at from here; `otherwise` is what needs no
 * such right. */
void hsd_gate_hint_rights(const hsd_process_facts *facts, hsd_error *err, const char *otherwise);

/* Why `pid` is not in /proc: no process, or hidden. */
hsd_status hsd_gate_of_absence(long pid, hsd_error *err);

#endif
