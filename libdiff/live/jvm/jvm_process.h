/*
 * What the two ways to a HotSpot JVM ask of it beforehand.
 */
#ifndef HSD_LIVE_JVM_PROCESS_H
#define HSD_LIVE_JVM_PROCESS_H

#include "live/jvm/perfdata.h"

/* Is it a HotSpot JVM that can be attached to? Fills process->runtime. */
hsd_gate hsd_jvm_look(const hsd_process_facts *facts, hsd_process *process, hsd_error *err);

/* Is this the command of a JVM? */
bool hsd_jvm_is_command(const char *command);

#endif
