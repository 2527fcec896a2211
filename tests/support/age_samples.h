/* Files that the program age wrote, and whom they are for. */
#ifndef HSD_TESTS_AGE_SAMPLES_H
#define HSD_TESTS_AGE_SAMPLES_H

#define AGE_IDENTITY  "AGE-SECRET-KEY-1C8XHZVCPKYJ93AUALWLJZX0FR6UMT0EFKKKQ5XK7FZ73YFRDPRLQ5CSTPH"
#define AGE_RECIPIENT "age164nath9sz9w4h7g446j0c9ukzg6zcnmt3czfnct4jvggvazyv4qs9gcr50"

/* base64: nothing; "hello"; "two recipients"; "ssh too", to a key of SSH besides */
#define AGE_NOTHING                                                                                                    \
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBqWHpJcnMwQnVlZjBEOGJUWWJveFFmUk1FTWFzQnQyREFvaHNmU3pMaG5NCmxoUTc1c2tX" \
    "a0ZIcnNWZE0za2toR040clVtdVM4dW9pelRNQ0NWRUpMazAKLS0tIERlazErTWJCeWNkaEFWMmR0R0ZFMkxuTGt3ak12Z25XTVYrSFBzYlRhczAK" \
    "ItwoysD8/DlIgrjlcMPNcFkSDncen61pjeY97DPlV/w="
#define AGE_HELLO                                                                                                      \
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBQcUIzTHh0ZHJjR1dlTTBQZzBsQktERHM3NFpRaGJETVN0MjdsZDkvT0FnCjM0eWNUSnFz" \
    "UkNSUiszK1dwcXBHd3QvSWpjRzEycGUyTGJCYi9Hc2g0SVUKLS0tIGxLdWNHcVZuTEs5UmEwSFVLWmUxckowZ2ZTdmZyTnIvczh3Q0hVb3c3Q0UK" \
    "l9CwVlStazOB/nkCpLt6A4iMtjF9GjhukzSpHMuhj7ZJgg5xqQ=="
#define AGE_TWO                                                                                                        \
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBFcGpVOHVLcFBPeDZsNzhHRDBRSEpmVm9YeXBoWFFWMWtwNFIyMVgwNVdZCmtjNCswSGg3" \
    "a3E2UWFGSzhQSDFSK1ZiMnFtTjUyL0cyZkNMMTRUQUZCbjgKLT4gWDI1NTE5IENTOFZCdVpsaTA4TW95RTVqZFBRZTdvdTVHaTVrdTBxY3l4R2c3" \
    "NVZsSFEKOGx1TTZURGw4L0NqTWc1Q2I3YzJyTENOcUZyUjRNT1J1REpSU05XRHFaRQotLS0gWFM1cmpYR0x3dGt2UmVnM082U1kvQzBPa1NZZVNw" \
    "N1JtQTFjbXBIdUh5VQoHq4c8D4poS4RXBLrmKaylYaGCxqfIu/0GFfkCT/LK+QZcs+rda0YxJtzcjWRg"
#define AGE_SSH_TOO                                                                                                    \
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBoMXYydE1ibmh5RmJQeEUxN1dTbCtnRnZBWUx5eTQ0enUwc3pWbWpvWnk0CnI1Z2VqUnBW" \
    "b0l5WXJvVUtyUktITE1WLzV1Y2lQbnZsdUdmZ2hueWxoV1kKLT4gc3NoLWVkMjU1MTkgNGlYOW5nIENkeUFWV2U3cTVTZ0c3TFppaTAxSDJCNy90" \
    "VjExOXExVGxxaXdVU2MyVmcKb0ZHeC9qeXhraWJoNlN3NDhnamJoa2w2MGdHdEhuTjBFUWV4ZFpZWDNHQQotLS0gSFFlbTBJZ1g0L1VKS1MxeUhk" \
    "WmY5S1l0cXhPNVhzMzZZQXZoaHR3dGxFYwqMP/oimXTojXO7Uj/Mki/xkGAaFznBsDYd4Ps3kFcM0cB8tmplLBE="

#endif
