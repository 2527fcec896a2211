/* shop SECRETS FOLDER: what a program reads, in every place that data can take. See test_canaries.py. */
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

struct customer {
    std::string password;
    char letters[64];
    char *text;
    customer *next;
    virtual ~customer() {}
};

static std::map<std::string, customer *> by_name;
static std::unordered_map<std::string, std::string> table;
static std::set<std::string> names;
static std::vector<std::string> values;
static std::vector<void *> pages;
static customer *last;
static char inside[4096];
static std::wstring wide;

static void hold(const std::string &text)
{
    customer *one = new customer();
    one->password = text + text;
    std::snprintf(one->letters, sizeof one->letters, "%s", text.c_str());
    one->text = strdup(text.c_str());
    one->next = last;
    last = one;
    by_name[text] = one;
    table[text] = text;
    names.insert(text);
    values.push_back(text);
    wide.append(text.begin(), text.end());
    std::snprintf(inside, sizeof inside, "%s", text.c_str());
}

static void map_file(const std::string &folder, const std::string &text)
{
    const std::string path = folder + "/" + text;
    std::ofstream(path) << text << std::string(4096, ' ');
    const int fd = open(path.c_str(), O_RDWR);
    pages.push_back(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
    setenv(("SHOP_" + text).c_str(), text.c_str(), 1);
}

int main(int, char **arguments)
{
    std::ifstream in(arguments[1]);
    for (std::string text; std::getline(in, text);)
        hold(text);
    for (int i = 0; i < 10; i++)
        map_file(arguments[2], values[i]);
    std::thread waits([] {
        volatile char mine[64];
        for (size_t i = 0; i < sizeof mine; i++)
            mine[i] = inside[i];
        for (;;)
            pause();
    });
    waits.detach();
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {}
    _exit(0);
}
