/* Demangling by libiberty, which has a limit of depth and of length of its own. See demangle.h. */
#include "symbols/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HSD_HAVE_IBERTY
#include <libiberty/demangle.h>

#include "base/fail.h"

/* "shop.take(int)" becomes "shop.take"; "shop.List!(int)" stays. */
static void leave_parameters(char *name)
{
    size_t at = strlen(name), depth = 0;
    if (at == 0 || name[at - 1] != ')') return;
    do {
        at--;
        depth += name[at] == ')';
        depth -= name[at] == '(';
    } while (at > 0 && depth > 0);
    if (at > 0 && name[at - 1] != '!') name[at] = '\0';
}

/* Nobody bounds how deep it goes, so names of more bytes than programs of D have are left. */
static char *demangle_dlang(const char *name)
{
    char *out = strlen(name) <= 512 ? dlang_demangle(name, DMGL_ANSI) : NULL;
    if (out != NULL) leave_parameters(out);
    return out;
}

static char *demangle_encoded(const char *name)
{
    if (strncmp(name, "_D", 2) == 0 && name[2] >= '1' && name[2] <= '9') return demangle_dlang(name);
    if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0) return NULL;
    if (strlen(name) > 16384) return NULL; /* its time grows faster than the name */
    char *rust = rust_demangle(name, DMGL_ANSI);
    return rust != NULL ? rust : cplus_demangle_v3(name, DMGL_ANSI);
}

#else

static char *demangle_encoded(const char *name)
{
    (void)name;
    return NULL;
}

#endif

/* What a module of Fortran has, by GNU's compiler: "__store_MOD_head" is store::head. */
static char *demangle_fortran(const char *name)
{
    static const char between[] = "_MOD_";
    const char *at = strncmp(name, "__", 2) == 0 && name[2] != '\0' ? strstr(name + 3, between) : NULL;
    if (at == NULL || at[sizeof between - 1] == '\0') return NULL;
    const size_t bytes = strlen(name) + 1;
    char *out = malloc(bytes);
    if (out != NULL) snprintf(out, bytes, "%.*s::%s", (int)(at - name) - 2, name + 2, at + sizeof between - 1);
    return out;
}

/* Free Pascal: "U_$SHOP_$$_ORDERS" of a unit, "U_$P$PLIST_$$_JOBS" of the program, "P$PLIST_$$_ENQUEUE$INT64" of a
 * procedure with its parameters; its words are in capitals, whatever people wrote. */
static char *demangle_pascal(const char *name)
{
    static const char between[] = "_$$_";
    const char *unit = strncmp(name, "U_$", 3) == 0 ? name + 3 : name, *at = strstr(unit, between);
    if (at == NULL) return NULL;
    unit += strncmp(unit, "P$", 2) == 0 ? 2 : 0;
    const char *word = at + sizeof between - 1;
    const size_t size = strcspn(word, "$"), bytes = strlen(name) + 1;
    if (at <= unit || size == 0) return NULL;
    char *out = malloc(bytes);
    if (out == NULL) return NULL;
    snprintf(out, bytes, "%.*s.%.*s", (int)(at - unit), unit, (int)size, word);
    for (char *c = out; *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    return out;
}

static char *demangle(const char *name)
{
    char *out = demangle_fortran(name);
    if (out == NULL) out = demangle_pascal(name);
    return out != NULL ? out : demangle_encoded(name);
}

hsd_status hsd_demangle(const char *linkage_name, char **out, hsd_error *err)
{
    *out = demangle(linkage_name);
    if (*out == NULL) *out = strdup(linkage_name);
    return *out != NULL ? HSD_OK : hsd_fail_nomem(err, "a name");
}
