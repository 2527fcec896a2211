/* What a stopped thread holds in its registers, from either way of stopping it. */
#ifndef HSN_REGISTERS_H
#define HSN_REGISTERS_H

#include <stddef.h>
#include <sys/user.h>
#include <ucontext.h>

#include "native/world.h"

enum { HSN_XSAVE_BYTES = 16 * 1024 }; /* more than any machine has today: AMX makes 11 KiB */

/* Of a signal's frame. */
void hsn_registers_of_signal(hsn_thread *t, const ucontext_t *context);

/* Where a stopped thread is, of its registers. */
uintptr_t hsn_registers_pc(const hsn_thread *t);
uintptr_t hsn_registers_bp(const hsn_thread *t);

/* DWARF's number of the register at this place of `registers`; HSN_NO_REGISTER of others than general ones. */
enum { HSN_NO_REGISTER = 255 };
unsigned hsn_registers_number(size_t place);

/* Of a tracer's look (x86-64): `area` is what XSAVE wrote, `size` bytes of it; 0 = not to be had. */
void hsn_registers_of_trace(hsn_thread *t, const struct user_regs_struct *general, const unsigned char *area,
                            size_t size);

#endif
