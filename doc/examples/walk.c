/* Every object of a capture with its references, as it stands in the file: bytes, objects, and the largest one. */
#include <inttypes.h>
#include <stdio.h>

#include <hsdiff/open.h>

static hsd_status walk(hsd_capture *capture, hsd_error *err)
{
    hsd_object_reader *reader = NULL;
    hsd_object object;
    uint64_t objects = 0, references = 0, bytes = 0, most = 0, largest = 0;
    hsd_status status =
        hsd_object_reader_open(&reader, capture, HSD_WANT_IDS | HSD_WANT_SIZES | HSD_WANT_REFERENCES, err);
    while (status == HSD_OK && (status = hsd_object_reader_next(reader, &object, err)) == HSD_OK) {
        references += object.reference_count;
        if (object.is_continuation) continue; /* more references of the object before */
        objects++;
        bytes += object.size_bytes;
        if (object.size_bytes <= most) continue;
        most = object.size_bytes;
        largest = object.id;
    }
    hsd_object_reader_close(reader);
    if (status != HSD_END) return status;
    printf("%" PRIu64 " objects, %" PRIu64 " references, %" PRIu64 " bytes; the largest is 0x%" PRIx64 " with %" PRIu64
           " bytes\n",
           objects, references, bytes, largest, most);
    return HSD_OK;
}

int main(int argc, char **argv)
{
    hsd_capture *capture = NULL;
    hsd_error err;
    hsd_error_init(&err);
    if (argc != 2) {
        fprintf(stderr, "usage: walk CAPTURE\n");
        return 2;
    }
    hsd_status status = hsd_open(&capture, argv[1], NULL, NULL, NULL, &err);
    if (status == HSD_OK) status = walk(capture, &err);
    if (status != HSD_OK) fprintf(stderr, "%s: %s\n", err.file, err.text);
    hsd_capture_close(capture);
    return status == HSD_OK ? 0 : 1;
}
