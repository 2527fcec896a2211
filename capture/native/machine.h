/*
 * What differs between the machines that the native agent runs on: the registers of an interrupted function, and what
 * is in a word that says where to return to.
 *
 *      x86-64     frames by call frame information, or by frame pointers; threads are stopped as by a debugger
 *      aarch64    frames by frame pointers, which compilers keep there if not told otherwise; threads are stopped by a signal
 */
#ifndef HSN_MACHINE_H
#define HSN_MACHINE_H

#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
enum { HSN_RED_ZONE = 128 };
static inline uintptr_t hsn_context_pc(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RIP]; }
static inline uintptr_t hsn_context_sp(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RSP]; }
static inline uintptr_t hsn_context_bp(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RBP]; }
static inline uintptr_t hsn_return_address(uintptr_t word) { return word; }
static inline void hsn_pause(void) { __builtin_ia32_pause(); }
#elif defined(__aarch64__)
enum { HSN_RED_ZONE = 0 };
static inline uintptr_t hsn_context_pc(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.pc; }
static inline uintptr_t hsn_context_sp(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.sp; }
static inline uintptr_t hsn_context_bp(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.regs[29]; }
/* Without the signature that pointer authentication puts into the upper bits. */
static inline uintptr_t hsn_return_address(uintptr_t word) { return word & ((UINT64_C(1) << 48) - 1); }
static inline void hsn_pause(void) { __asm__ volatile("yield"); }
#else
#error "the native agent is for x86-64 and aarch64"
#endif

#endif
