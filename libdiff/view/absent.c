/*
 * A build without libmicrohttpd: the viewer says so.
 */
#include <unistd.h>

#include "view/http.h"

bool hsd_http_is_known(void) { return false; }

hsd_status hsd_http_start(hsd_http **out, int listening, hsd_http_answer_fn answer, void *context, hsd_error *err)
{
    (void)answer, (void)context;
    *out = NULL;
    close(listening);
    hsd_fail(err, HSD_E_UNSUPPORTED, "this hsdiff was built without libmicrohttpd, which the viewer needs");
    hsd_error_set_hint(err, "build it with libmicrohttpd-dev, or write a page: hsdiff A B --html FILE");
    return HSD_E_UNSUPPORTED;
}

void hsd_http_cut_slow(hsd_http *http) { (void)http; }
void hsd_http_stop(hsd_http *http) { (void)http; }
