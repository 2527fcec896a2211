/*
 * Seeds of fuzz_user_keys: a field, a key and a preview each, as the target takes them apart.
 */
#include <stdio.h>
#include <string.h>

static const struct seed {
    const char *field, *key, *preview;
} seeds[] = {
    {"id", "com.x.User:id", "id=17 age=3 isAdmin=true"},
    {"age", "com.x.User:age", "id=17 age=-3 ..."},
    {"d", "a::b<c::d>:d", "z=122 d=1.5e-07 b=true l=9"},
    {"my name", "com.x.User:my name", "x=1 my name=\"a \\\"b\\\" id=5\" id=6"},
    {"id", "std::vector", "name=\"id=5\\\\\" uid=4 id=6"},
    {"n", ":", "n=\"a...\" n=5"},
    {"a=b", "a:b:a=b", "a=b=4 a=5 aa=6"},
    {"x", "", "1, 2, 3, 4, 5..."},
    {"id", "T:", "id="},
    {"id", "::id", ""},
};

static int write_seed(const char *folder, size_t number, const struct seed *seed)
{
    char path[1024], head[2] = {(char)(strlen(seed->field) - 1), (char)strlen(seed->key)};
    snprintf(path, sizeof path, "%s/user-keys-%02zu", folder, number);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return perror(path), 1;
    fwrite(head, 1, sizeof head, file);
    fprintf(file, "%s%s%s", seed->field, seed->key, seed->preview);
    return fclose(file) == 0 ? 0 : (perror(path), 1);
}

int main(int argc, char **argv)
{
    int status = argc == 2 ? 0 : 2;
    for (size_t i = 0; status == 0 && i < sizeof seeds / sizeof seeds[0]; i++)
        status = write_seed(argv[1], i, &seeds[i]);
    return status;
}
