/*
 * What a diff says in few words, for summaries of jobs and comments; foreign names are escaped in `form`. Each says
 * nothing where there is nothing to say.
 */
#ifndef HSD_REPORT_BRIEF_H
#define HSD_REPORT_BRIEF_H

#include "report/model/model.h"

/* "Live heap grew 1.26 MiB (+144%): 1.30 MiB new, 40 KiB freed." */
void hsd_tell_diff_answer(hsd_out *out, const hsd_model *model, hsd_escape_form form);

/* "1.20 MiB more is lost, in 12 objects: no pointer to it is left. It was allocated at push (a.c:31).": as the first
 * screen says it, with who allocated most of it. */
void hsd_tell_diff_lost(hsd_out *out, const hsd_model *model, hsd_escape_form form);

/* "91% of the growth hangs from one place: global.sessions: Map." */
void hsd_tell_diff_holder(hsd_out *out, const hsd_model *model, hsd_escape_form form);

/* "before.hs 1.20 MiB in 12 objects → after.hs 2.40 MiB in 24 objects, incomplete." */
void hsd_tell_diff_captures(hsd_out *out, const hsd_model *model, hsd_escape_form form);

/* "Holders are not known: the captures carry no references." */
void hsd_tell_diff_why_no_holders(hsd_out *out, const hsd_model *model, hsd_escape_form form);

#endif
