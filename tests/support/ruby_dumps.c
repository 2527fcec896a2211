/*
 * Lines as Ruby 2.7 to 3.3 write them, and some that nobody should (ruby_dumps.h).
 */
#include "support/ruby_dumps.h"

#include <string.h>

/* The class stands behind its instances; vm and global_tbl have several lines and name objects twice. */
static const char shop[] =
    "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x5000\", \"0x3000\", \"0x3000\"]}\n"
    "{\"type\":\"ROOT\", \"root\":\"machine_context\", \"references\":[\"0x1000\", \"0x1000\"]}\n"
    "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x3000\", \"0x3080\"]}\n"
    "{\"type\":\"ROOT\", \"root\":\"global_tbl\", \"references\":[\"0x2000\", \"0x2000\", \"0x8\"]}\n"
    "{\"type\":\"ROOT\", \"root\":\"finalizers\"}\n"
    "{\"address\":\"0x1000\", \"type\":\"OBJECT\", \"class\":\"0x3000\", \"ivars\":3, \"references\":[\"0x1080\", "
    "\"0x1000\", \"0x1080\"], "
    "\"file\":\"/srv/shop.rb\", \"line\":12, \"method\":\"open\", \"generation\":7, \"memsize\":40, "
    "\"flags\":{\"wb_protected\":true}}\n"
    "{\"address\":\"0x1040\", \"type\":\"OBJECT\", \"class\":\"0x3000\", \"references\":[\"0x10c0\"]}\n"
    "{\"address\":\"0x1080\", \"type\":\"STRING\", \"class\":\"0x30c0\", \"embedded\":true, \"bytesize\":5, "
    "\"value\":\"a\\\"b\\\\\\u0000\\u007f\", \"encoding\":\"UTF-8\", \"memsize\":40}\n"
    "{\"address\":\"0x10c0\", \"type\":\"STRING\", \"shared\":true, \"memsize\":80, \"references\":[\"0x1080\"]}\n"
    "{\"address\":\"0x2000\", \"type\":\"ARRAY\", \"class\":\"0x3100\", \"length\":2, \"references\":[\"0x1040\", "
    "\"0x1000\"], \"memsize\":96}\n"
    "{\"address\":\"0x2040\", \"type\":\"HASH\", \"class\":\"0x3140\", \"size\":1, \"default\":\"0x1000\", "
    "\"references\":[\"0x1080\"], "
    "\"memsize\":192}\n"
    "{\"address\":\"0x2080\", \"type\":\"OBJECT\", \"class\":\"0x31c0\", \"memsize\":40}\n"
    "{\"address\":\"0x3000\", \"type\":\"CLASS\", \"class\":\"0x3180\", \"superclass\":\"0x3200\", "
    "\"name\":\"Session\", "
    "\"references\":[\"0x3200\"], \"memsize\":500}\n"
    "{\"address\":\"0x3080\", \"type\":\"CLASS\", \"class\":\"0x3180\", \"superclass\":\"0x3200\", "
    "\"name\":\"Shop::Cache\", "
    "\"references\":[\"0x2040\", \"0x2040\"], \"memsize\":500}\n"
    "{\"address\":\"0x30c0\", \"type\":\"CLASS\", \"class\":\"0x3180\", \"name\":\"String\", \"memsize\":500}\n"
    "{\"address\":\"0x3180\", \"type\":\"CLASS\", \"class\":\"0x8\", \"superclass\":\"0x3200\", "
    "\"real_class_name\":\"Class\", "
    "\"singleton\":true, \"memsize\":500}\n"
    "{\"address\":\"0x31c0\", \"type\":\"CLASS\", \"class\":\"0x3180\", \"superclass\":\"0x3000\", \"memsize\":500}\n"
    "{\"address\":\"0x4000\", \"type\":\"IMEMO\", \"class\":\"0x3000\", \"imemo_type\":\"constcache\", "
    "\"references\":[\"0x2040\"], "
    "\"memsize\":40}\n"
    "{\"address\":\"0x4040\", \"type\":\"IMEMO\", \"class\":\"0x8\", \"imemo_type\":\"env\", \"memsize\":40}\n"
    "{\"address\":\"0x4080\", \"type\":\"NODE\", \"node_type\":\"NODE_SCOPE\"}\n"
    "{\"address\":\"0x5000\", \"type\":\"DATA\", \"struct\":\"VM/thread\", \"references\":[\"0x2040\", \"0x4040\"], "
    "\"memsize\":1048}\n"
    "{\"address\":\"0x5040\", \"type\":\"DATA\", \"struct\":\"odd\"struct\", \"memsize\":40}\n"
    "{\"address\":\"0x5080\", \"type\":\"FLOAT\", \"value\":\"1.79769e+308\", \"memsize\":40}\n";

static const char raw[] =
    "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x1000\"]}\n"
    "{\"address\":\"0x1000\", \"type\":\"OBJECT\", \"class\":\"0x2000\", \"file\":\"we\"ird\\pa\nth, \"x\".rb\", "
    "\"line\":3, "
    "\"method\":\"\\u00ff\0\", \":\\u00ff\0[{\"\"}t\", \"generation\":9, \"memsize\":40}\n"
    "{\"address\":\"0x2000\", \"type\":\"CLASS\", \"name\":\"Od\"d\\\", \"memsize\":100}\n"
    "{\"address\":\"0x3000\", \"type\":\"STRING\", \"bytesize\":3, \"value\":\"\x01\0\x02\", \"memsize\":40}\n";

static const char since[] =
    "{\"address\":\"0x1000\", \"type\":\"OBJECT\", \"class\":\"0x2000\", \"references\":[\"0x9000\"], "
    "\"file\":\"a.rb\", \"line\":1, "
    "\"generation\":3, \"memsize\":40}\n"
    "{\"address\":\"0x1040\", \"type\":\"ARRAY\", \"class\":\"0x2040\", \"length\":0, \"memsize\":40}\n";

static const char shapes[] =
    "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x1000\", \"0x10a0\"]}\n"
    "{\"address\":\"0x104dd0000\", \"type\":\"SHAPE\", \"id\":0, \"depth\":1, \"shape_type\":\"ROOT\", \"edges\":6, "
    "\"memsize\":184}\n"
    "{\"address\":\"0x1000\", \"type\":\"OBJECT\", \"shape_id\":5, \"slot_size\":160, \"class\":\"0x2000\", "
    "\"too_complex_shape\":true, "
    "\"future\":{\"a\":[1, {\"b\":\"}\"}], \"c\":null}, \"list\":[[], -1.5e3], \"object_id\":8}\n"
    "{\"address\":\"0x10a0\", \"type\":\"MODULE\", \"slot_size\":160, \"name\":\"Shop\", \"variation_count\":0, "
    "\"memsize\":160}\n"
    "{\"address\":\"0x1140\", \"type\":\"NONE\"}\n"
    "{\"address\":\"0x1168\", \"type\":\"ZOMBIE\"}\n"
    "{\"type\":\"SYMBOL\", \"value\":\"a\"}\n"
    "{\"address\":\"0x2000\",\"type\":\"CLASS\",\"name\":\"Cart\",\"memsize\":200}\r\n";

static const char broken[] = "{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x1000\"]}\n"
                             "{\"address\":\"0x1000\", \"type\":\"STRING\", \"memsize\":40}\n"
                             "{\"address\":\"0x1040\", \"type\":\"STRING\", \"memsize\"}\n"
                             "{\"address\":\"0x1080\", \"type\":\"STRING\", \"value\":\"without end\n"
                             "{\"address\":\"0x10c0\", \"type\":\"STRING\", \"references\":[\"0x1000\" \"0x2000\"]}\n"
                             "{\"address\":\"0x1100\", \"type\":\"STRING\", \"value\":\"\\q\"}\n"
                             "\n"
                             "1\n"
                             "{\"address\":\"0x1140\", \"type\":\"STRING\", \"memsize\":99999999999999999999999}\n";

#define DUMP(text)                                                                                                     \
    {                                                                                                                  \
#text, text, sizeof text - 1                                                                                   \
    }
const ruby_dump ruby_dumps[] = {DUMP(shop), DUMP(raw), DUMP(since), DUMP(shapes), DUMP(broken)};
const size_t ruby_dump_count = sizeof ruby_dumps / sizeof ruby_dumps[0];

const ruby_dump *ruby_dump_named(const char *name)
{
    for (size_t i = 0; i < ruby_dump_count; i++)
        if (strcmp(ruby_dumps[i].name, name) == 0) return &ruby_dumps[i];
    return NULL;
}
