/*
 * What the addon uses of Node-API, whose binary interface is stable: https://nodejs.org/api/n-api.html. The functions
 * come from the node that loads it.
 */
#ifndef HSC_NODE_API_H
#define HSC_NODE_API_H

#include <stddef.h>

typedef struct napi_env_opaque *napi_env;
typedef struct napi_value_opaque *napi_value;
typedef struct napi_callback_info_opaque *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef int napi_status; /* 0 = done */

napi_status napi_create_function(napi_env env, const char *name, size_t length, napi_callback callback, void *data,
                                 napi_value *result);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count, napi_value *arguments,
                             napi_value *receiver, void **data);
napi_status napi_get_value_double(napi_env env, napi_value value, double *result);
napi_status napi_create_double(napi_env env, double value, napi_value *result);

#endif
