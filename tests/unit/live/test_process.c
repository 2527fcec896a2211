/* What processes are: ourselves, children, scripts; and the gates in front of those that cannot be captured. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/connect.h"
#include "live/dumped.h"
#include "live/facts.h"
#include "live/node/node_process.h"
#include "unit/live/child.h"

static hsd_error why;

static void start(void) { hsd_error_init(&why); }

TestSuite(process, .init = start, .timeout = 60);

static hsd_process_facts facts_of(long pid)
{
    hsd_process_facts facts;
    cr_assert_eq(hsd_facts_read(&facts, pid, &why), HSD_OK, "%s", why.text);
    return facts;
}

static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* ---- facts ---- */

Test(process, facts_of_ourselves)
{
    char value[8] = "";
    setenv("HSD_SET_LATER", "x", 1);
    const hsd_process_facts facts = facts_of(getpid());
    const uint64_t now = (uint64_t)time(NULL);
    cr_assert(facts.pid == getpid() && facts.uid == geteuid() && facts.gid == getegid() && facts.inner_pid > 0);
    cr_assert(facts.is_readable && facts.is_same_network && facts.is_same_mounts && facts.is_same_pids &&
              !facts.is_zombie);
    cr_assert(has(facts.executable, "test_live_process"), "%s", facts.executable);
    cr_assert(facts.started_unix_ns / 1000000000 + 600 > now && facts.started_unix_ns / 1000000000 < now + 5);
    cr_assert(hsd_process_maps(&facts, "test_live_process", false));
    cr_assert(hsd_process_maps(&facts, "libc", true));
    cr_assert_not(hsd_process_maps(&facts, "libc", false));
    cr_assert(hsd_process_variable(&facts, "HSD_SOURCE_DIR", value, sizeof value) ==
              (getenv("HSD_SOURCE_DIR") != NULL));
    cr_assert(strlen(value) < sizeof value);
    cr_assert_not(hsd_process_variable(&facts, "HSD_SET_LATER", value, sizeof value));
    cr_assert_not(hsd_process_variable(&facts, "HSD_SOURCE", value, sizeof value));
}

Test(process, facts_of_descriptors_and_sockets)
{
    FILE *file = fopen("/proc/self/status", "re");
    child c = child_start("agent", "");
    char name[64];
    hsd_process_facts facts = facts_of(getpid());
    cr_assert(hsd_process_has_open(&facts, "status"));
    cr_assert_not(hsd_process_has_open(&facts, "statu"));
    fclose(file);
    facts = facts_of(c.pid);
    snprintf(name, sizeof name, "hsdiff/1/native/%ld", (long)c.pid);
    cr_assert(hsd_facts_listens(&facts, name));
    name[strlen(name) - 1] = '\0';
    cr_assert_not(hsd_facts_listens(&facts, name));
    child_end(&c);
}

Test(process, what_a_list_shares_is_what_each_process_says)
{
    child c = child_start("agent", "");
    hsd_shared_facts shared;
    hsd_process_facts facts = facts_of(c.pid);
    char name[64], user[32];
    snprintf(name, sizeof name, "hsdiff/1/native/%ld", (long)c.pid);
    hsd_user_name(user, sizeof user, facts.uid);
    hsd_shared_facts_open(&shared);
    facts.shared = &shared;
    cr_assert_eq(hsd_facts_sockets(&facts), &shared);
    cr_assert(hsd_facts_listens(&facts, name));
    cr_assert_not(hsd_facts_listens(&facts, "hsdiff/1/native/"));
    cr_assert_str_eq(hsd_shared_user_name(&shared, facts.uid), user);
    cr_assert_str_eq(hsd_shared_user_name(&shared, 3999999999u), "#3999999999");
    cr_assert_str_eq(hsd_shared_user_name(&shared, facts.uid), user);
    cr_assert(!hsd_facts_is_go(&facts) && !hsd_facts_is_go(&facts) && shared.file_count == 1);
    facts.is_same_network = false; /* then the list of sockets is another's */
    cr_assert_null(hsd_facts_sockets(&facts));
    cr_assert(hsd_facts_listens(&facts, name));
    hsd_shared_facts_close(&shared);
    facts.is_same_network = true;
    cr_assert_null(hsd_facts_sockets(&facts));
    child_end(&c);
}

static const char *script_of(const char *executable, const char *words, size_t size)
{
    static char out[64];
    hsd_process_facts facts = {.pid = 1, .command = "comm"};
    snprintf(facts.executable, sizeof facts.executable, "%s", executable);
    memcpy(facts.arguments, words, size);
    hsd_facts_script(&facts, out, sizeof out);
    return out;
}

#define SCRIPT(executable, words) script_of(executable, words, sizeof(words))

Test(process, scripts_stand_behind_the_options_of_their_interpreter)
{
    cr_assert_str_eq(SCRIPT("/usr/bin/python3.11", "python3\0/srv/shop.py\0--port\0"), "shop.py");
    cr_assert_str_eq(SCRIPT("/usr/bin/python3.11", "python3\0-X\0dev\0-u\0shop.py\0"), "shop.py");
    cr_assert_str_eq(SCRIPT("/usr/bin/python3.11", "python3\0-c\0print()\0"), "");
    cr_assert_str_eq(SCRIPT("/usr/bin/python3.11", "python3\0-c\0from multiprocessing.resource_tracker import main\0"),
                     "resource_tracker");
    cr_assert_str_eq(SCRIPT("/usr/lib/jvm/bin/java", "java\0-Xmx1g\0-cp\0a.jar:b.jar\0com.shop.Main\0x\0"),
                     "com.shop.Main");
    cr_assert_str_eq(SCRIPT("/usr/lib/jvm/bin/java", "java\0-jar\0/srv/shop.jar\0"), "shop.jar");
    cr_assert_str_eq(SCRIPT("/usr/bin/node", "node\0--require\0./x.cjs\0server.js\0"), "server.js");
    cr_assert_str_eq(SCRIPT("/usr/bin/node", "node\0"), "");
    cr_assert_str_eq(SCRIPT("/usr/bin/node", "node\0-r\0"), "");
    cr_assert_str_eq(SCRIPT("/usr/bin/mono-sgen", "mono\0--profile=hsdiff\0shop.exe\0"), "shop.exe");
    cr_assert_str_eq(SCRIPT("/usr/bin/deno", "deno\0run\0-A\0shop.ts\0"), "shop.ts");
    cr_assert_str_eq(SCRIPT("/usr/bin/bun", "bun\0--smol\0run\0"), "");
    cr_assert_str_eq(SCRIPT("/srv/shop", "shop\0x\0"), "");
    cr_assert_str_eq(SCRIPT("", ""), "");
}

/* Whose own dumps are read, and whose inspector is asked. */
Test(process, runtimes_without_an_agent_are_known_by_their_executables)
{
    static const struct {
        const char *executable, *dumped, *v8;
    } cases[] = {
        {"/usr/bin/php8.2", "PHP", NULL},
        {"/usr/sbin/php-fpm8.2", "PHP", NULL},
        {"/opt/bin/bun.exe", "Bun", NULL},
        {"/usr/bin/bun", "Bun", NULL},
        {"/usr/bin/bunyan", NULL, NULL},
        {"/opt/deno", "Deno", "Deno"},
        {"/usr/bin/deno (deleted)", "Deno", "Deno"},
        {"/usr/bin/node (deleted)", NULL, "Node"},
        {"", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_process_facts facts = {.pid = 1};
        snprintf(facts.executable, sizeof facts.executable, "%s", cases[i].executable);
        const hsd_dumped *dumped = hsd_dumped_of(&facts);
        const char *v8 = hsd_node_v8_runtime(&facts);
        cr_expect_str_eq(dumped ? dumped->runtime : "", cases[i].dumped ? cases[i].dumped : "", "%s",
                         cases[i].executable);
        cr_expect_str_eq(v8 ? v8 : "", cases[i].v8 ? cases[i].v8 : "", "%s", cases[i].executable);
    }
}

Test(process, is_found_by_what_it_is_called)
{
    long pids[4];
    size_t found = 0;
    child c = child_start("plain", ""), d = child_start("plain", "");
    cr_assert_eq(hsd_process_find(pids, 4, &found, "live_program", &why), HSD_OK);
    cr_assert(found >= 2 && pids[0] < pids[1]);
    bool has_c = false;
    for (size_t i = 0; i < found && i < 4; i++)
        has_c = has_c || pids[i] == c.pid;
    cr_assert(has_c || found > 4);
    cr_assert_eq(hsd_process_find(pids, 0, &found, "live_program", &why), HSD_OK);
    cr_assert(found >= 2);
    cr_assert_eq(hsd_process_find(pids, 4, &found, "no-such-program", &why), HSD_OK);
    cr_assert_eq(found, 0);
    cr_assert_eq(hsd_process_find(pids, 4, &found, "", &why), HSD_OK);
    cr_assert_eq(found, 0);
    cr_assert_eq(hsd_process_find(pids, 4, &found, "test_live_process", &why), HSD_OK);
    for (size_t i = 0; i < found && i < 4; i++)
        cr_assert_neq(pids[i], (long)getpid());
    child_end(&c);
    child_end(&d);
}

/* ---- ways ---- */

Test(process, agent_in_it_opens_the_native_way)
{
    hsd_process process;
    child c = child_start("agent", "");
    cr_assert_eq(hsd_process_look(&process, c.pid, NULL, &why), HSD_OK, "%s", why.text);
    cr_assert_str_eq(process.way, "native");
    cr_assert_str_eq(process.name, "live_program");
    cr_assert(process.pid == c.pid && process.uid == geteuid() && process.stored != NULL);
    child_end(&c);
}

Test(process, without_an_agent_the_hint_starts_it_with_one)
{
    hsd_process process;
    child c = child_start("plain", "");
    cr_assert_eq(hsd_process_look(&process, c.pid, "native", &why), HSD_E_UNSUPPORTED);
    cr_assert(has(why.text, "no agent is loaded in process") && has(why.text, "live_program"), "%s", why.text);
    cr_assert(has(why.hint, "hsdiff capture -- COMMAND"), "%s", why.hint);
    cr_assert_eq(hsd_process_look(&process, c.pid, NULL, &why), HSD_E_UNSUPPORTED);
    child_end(&c);
}

Test(process, way_that_does_not_exist_names_those_that_do)
{
    hsd_process process;
    cr_assert_eq(hsd_process_look(&process, getpid(), "magic", &why), HSD_E_UNSUPPORTED);
    cr_assert(has(why.text, "magic") && has(why.hint, "native"), "%s; %s", why.text, why.hint);
}

/* ---- gates ---- */

Test(process, nobody_has_this_number)
{
    hsd_process process;
    const pid_t gone = fork();
    if (gone == 0) _exit(0);
    waitpid(gone, NULL, 0);
    cr_assert_eq(hsd_process_look(&process, gone, NULL, &why), HSD_E_NOT_FOUND);
    cr_assert(has(why.text, "there is no process"));
    cr_assert_eq(hsd_process_look(&process, 0, NULL, &why), HSD_E_NOT_FOUND);
    cr_assert_eq(hsd_process_look(&process, -1, NULL, &why), HSD_E_NOT_FOUND);
}

Test(process, zombie_has_no_heap)
{
    hsd_process process;
    const pid_t gone = fork();
    if (gone == 0) _exit(0);
    siginfo_t info;
    cr_assert_eq(waitid(P_PID, (id_t)gone, &info, WEXITED | WNOWAIT), 0);
    cr_assert_eq(hsd_process_look(&process, gone, NULL, &why), HSD_E_UNSUPPORTED);
    cr_assert(has(why.text, "has ended"), "%s", why.text);
    waitpid(gone, NULL, 0);
}

Test(process, thread_names_its_process)
{
    hsd_process process;
    char hint[64];
    child c = child_start("thread", "");
    cr_assert(c.told > 0 && c.told != c.pid);
    cr_assert_eq(hsd_process_look(&process, c.told, NULL, &why), HSD_E_UNSUPPORTED);
    snprintf(hint, sizeof hint, "hsdiff capture %ld", (long)c.pid);
    cr_assert(has(why.text, "is a thread of process"), "%s", why.text);
    cr_assert_str_eq(why.hint, hint);
    child_kill(&c);
}

static int look_as_nobody(pid_t pid)
{
    hsd_process process;
    if (setgid(65534) != 0 || setuid(65534) != 0) return 2;
    if (hsd_process_look(&process, pid, NULL, &why) != HSD_E_UNSUPPORTED) return 3;
    if (!has(why.text, "belongs to another user, root")) return 4;
    return has(why.hint, "sudo -u 'root' hsdiff capture") ? 0 : 5;
}

Test(process, of_another_user_wants_that_user)
{
    int status = -1;
    if (geteuid() != 0) cr_skip("needs root to be someone else");
    child c = child_start("agent", "");
    const pid_t other = fork();
    if (other == 0) _exit(look_as_nobody(c.pid));
    waitpid(other, &status, 0);
    cr_assert_eq(WEXITSTATUS(status), 0);
    child_end(&c);
}

Test(process, of_another_user_is_open_to_root)
{
    hsd_process process;
    child c;
    if (geteuid() != 0 || !child_start_as(&c, 65534, false, "agent", "")) cr_skip("needs root to be someone else");
    cr_assert_eq(hsd_process_look(&process, c.pid, NULL, &why), HSD_OK, "%s", why.text);
    cr_assert_eq(process.uid, 65534);
    child_end(&c);
}

static int look_into_network(pid_t pid)
{
    hsd_process process;
    if (setgid(65534) != 0 || setuid(65534) != 0) return 2;
    prctl(PR_SET_DUMPABLE, 1);
    if (hsd_process_look(&process, pid, "native", &why) != HSD_E_UNSUPPORTED) return 3;
    return has(why.text, "another network namespace") && has(why.hint, "docker exec") ? 0 : 4;
}

Test(process, in_another_network_wants_to_be_asked_inside)
{
    int status = -1;
    child c;
    if (geteuid() != 0 || !child_start_as(&c, 65534, true, "agent", "")) cr_skip("namespaces are not allowed here");
    const pid_t other = fork();
    if (other == 0) _exit(look_into_network(c.pid));
    waitpid(other, &status, 0);
    cr_assert_eq(WEXITSTATUS(status), 0);
    child_end(&c);
}

Test(process, that_ended_meanwhile_is_told_as_such)
{
    int fd = -1;
    child c = child_start("agent", "");
    const hsd_process_facts facts = facts_of(c.pid);
    child_kill(&c);
    cr_assert_eq(hsd_agent_connect(&fd, &facts, "native", &why), HSD_E_NOT_FOUND);
    cr_assert(fd == -1 && has(why.text, "has ended"), "%s", why.text);
}

/* ---- commands ---- */

typedef struct variables {
    char text[1024];
} variables;

static void set(void *context, const char *name, const char *value)
{
    variables *v = context;
    const size_t used = strlen(v->text);
    snprintf(v->text + used, sizeof v->text - used, "%s=%s;", name, value);
}

static hsd_status prepare(const char *command, variables *v)
{
    const char *const words[] = {command, NULL}, *chosen = NULL;
    v->text[0] = '\0';
    const hsd_status status = hsd_live_prepare(words, "native", &chosen, set, v, &why);
    cr_assert(status != HSD_OK || strcmp(chosen, "native") == 0);
    return status;
}

Test(process, commands_get_the_agent_in_front_of_what_is_preloaded)
{
    char folder[] = "/tmp/hsdiff-test-XXXXXX", path[128], expected[400];
    variables v;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libhsdiff-native.so", folder);
    setenv("HSDIFF_AGENTS", folder, 1);
    unsetenv("LD_PRELOAD");
    unsetenv("G_SLICE");
    cr_assert_eq(prepare("sh", &v), HSD_E_NOT_FOUND);
    cr_assert(has(why.text, "libhsdiff-native.so") && has(why.text, folder), "%s", why.text);
    fclose(fopen(path, "we"));
    cr_assert_eq(prepare("sh", &v), HSD_OK);
    snprintf(expected, sizeof expected, "G_SLICE=always-malloc;LD_PRELOAD=%s;", path);
    cr_assert_str_eq(v.text, expected);
    setenv("LD_PRELOAD", "/lib/other.so", 1);
    setenv("G_SLICE", "all", 1); /* as it was asked for */
    cr_assert_eq(prepare("/bin/sh", &v), HSD_OK);
    snprintf(expected, sizeof expected, "LD_PRELOAD=%s:/lib/other.so;", path);
    cr_assert_str_eq(v.text, expected);
    remove(path);
    rmdir(folder);
}

/* A script in a folder of its own, and the agent for what runs it in a folder of that name. */
static void put_file(const char *folder, const char *name, const char *text, unsigned mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    cr_assert(file != NULL && fputs(text, file) >= 0);
    fclose(file);
    cr_assert_eq(chmod(path, mode), 0);
}

Test(process, scripts_get_the_folder_of_the_agent_in_front_unless_it_cannot_be_named)
{
    static const struct {
        const char *way, *line, *file, *variable;
    } rows[] = {{"ruby", "#!/usr/bin/env ruby\n", "hsdiff.rb", "RUBYLIB"},
                {"python", "#!/usr/bin/python3 -E\n", "bootstrap/sitecustomize.py", "PYTHONPATH"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int is_bad = 0; is_bad < 2; is_bad++) {
            char top[] = "/tmp/hsdiff-test-XXXXXX", folder[128], inner[160], bootstrap[192], script[160], line[512];
            const char *const words[] = {script, NULL}, *chosen = NULL;
            variables v = {.text = ""};
            cr_assert_not_null(mkdtemp(top));
            snprintf(folder, sizeof folder, "%s/%s", top, is_bad ? "a:b" : "ab");
            snprintf(inner, sizeof inner, "%s/%s", folder, rows[i].way);
            snprintf(bootstrap, sizeof bootstrap, "%s/bootstrap", inner);
            cr_assert(mkdir(folder, 0700) == 0 && mkdir(inner, 0700) == 0 && mkdir(bootstrap, 0700) == 0);
            put_file(inner, rows[i].file, "", 0600);
            snprintf(script, sizeof script, "%s/serve", top);
            put_file(top, "serve", rows[i].line, 0700);
            setenv("HSDIFF_AGENTS", folder, 1);
            setenv(rows[i].variable, "/mine", 1);
            unsetenv("RUBYOPT");
            const hsd_status status = hsd_live_prepare(words, rows[i].way, &chosen, set, &v, &why);
            if (is_bad) {
                cr_assert_eq(status, HSD_E_UNSUPPORTED, "%s", rows[i].way);
                cr_assert(has(why.text, "it has a colon in it") && has(why.text, rows[i].variable) && v.text[0] == '\0',
                          "%s", why.text);
            } else {
                cr_assert_eq(status, HSD_OK, "%s", why.text);
                snprintf(line, sizeof line, "%s=%s%s:/mine;", rows[i].variable, inner, i == 1 ? "/bootstrap" : "");
                cr_assert(has(v.text, line), "%s, not %s", v.text, line);
            }
            put_file(top, "serve", "#!/bin/sh\n", 0700);
            cr_assert_eq(hsd_live_prepare(words, rows[i].way, &chosen, set, &v, &why), HSD_E_UNSUPPORTED);
            cr_assert(has(why.text, "is no command for the way"), "%s", why.text);
            snprintf(line, sizeof line, "%s/%s", inner, rows[i].file);
            const char *const made[] = {line, script, bootstrap, inner, folder, top};
            for (size_t n = 0; n < sizeof made / sizeof made[0]; n++)
                cr_assert_eq(remove(made[n]), 0, "%s", made[n]);
        }
}

Test(process, commands_that_cannot_be_preloaded_are_told)
{
    variables v;
    if (access("/sbin/ldconfig", X_OK) == 0 && prepare("/sbin/ldconfig", &v) == HSD_E_UNSUPPORTED)
        cr_assert(has(why.text, "linked statically"), "%s", why.text);
    if (access("/usr/bin/passwd", X_OK) == 0) {
        cr_assert_eq(prepare("/usr/bin/passwd", &v), HSD_E_UNSUPPORTED);
        cr_assert(has(why.text, "setuid"), "%s", why.text);
    }
    cr_assert_eq(hsd_live_prepare((const char *const[]){NULL}, NULL, &(const char *){NULL}, set, &v, &why),
                 HSD_E_MISUSE);
    cr_assert_eq(hsd_live_prepare((const char *const[]){"x", NULL}, "magic", &(const char *){NULL}, set, &v, &why),
                 HSD_E_UNSUPPORTED);
}
