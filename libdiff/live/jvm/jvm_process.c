/*
 * Which processes are HotSpot JVMs: libjvm.so is mapped. OpenJ9 has a library of that name too, and speaks another
 * protocol.
 */
#include "live/jvm/jvm_process.h"

#include <stdio.h>
#include <string.h>

#include "live/jvm/attach.h"

hsd_gate hsd_jvm_look(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    hsd_perfdata data;
    if (!hsd_process_maps(facts, "libjvm.so", false)) return HSD_GATE_NOT_MINE;
    if (hsd_process_maps(facts, "libj9vm", true)) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld runs on OpenJ9, whose heap only its own tools can read",
                 facts->pid);
        hsd_error_set_hint(err, "run the program on a HotSpot JVM: OpenJDK of a distribution, Temurin, Corretto, Zulu");
        return HSD_GATE_CLOSED;
    }
    if (hsd_perfdata_read(&data, facts) && data.version[0] != '\0')
        snprintf(process->runtime, sizeof process->runtime, "HotSpot %s", data.version);
    else
        snprintf(process->runtime, sizeof process->runtime, "HotSpot");
    /* the option may stand in a file: asked in vain, the JVM would print its threads into what the program writes */
    return data.lets_nobody_in ? hsd_attach_forbidden(facts, err) : hsd_attach_look(facts, err);
}

bool hsd_jvm_is_command(const char *command)
{
    static const char *const names[] = {"java",   "mvn",   "gradle", "gradlew", "ant",   "sbt",
                                        "kotlin", "scala", "groovy", "clojure", "jshell"};
    const char *slash = strrchr(command, '/'), *name = slash == NULL ? command : slash + 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}
