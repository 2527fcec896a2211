/*
 * The smallest agent there can be: it "captures" a list of made-up objects through the real library, and does wrong
 * what a request asks it to do wrong.
 *
 *      objects=N      so many (1,000), each a Node of 16 to 271 bytes that refers to the one before
 *      pause=MS       between each thousand of them
 *      refuse=1       with a sentence of several lines
 *      cut=N          ends behind N objects without finishing
 *      big=1          stored as they are, so that bytes are many
 */
#ifndef HSD_TESTS_TINY_AGENT_H
#define HSD_TESTS_TINY_AGENT_H

#include <stdatomic.h>

#include "agent/agent.h"

extern _Atomic int tiny_served;  /* requests that were begun */
extern _Atomic int tiny_at_once; /* the most that were served at a time */
extern _Atomic int tiny_pushed;
extern const char *tiny_more_options; /* stand in front of those of every request, pushes too; borrowed */

hsa_agent tiny_agent(const char *name);

#endif
