// unique_ptr::release() where get() was meant.
#include "program.hpp"

class Packet {
public:
    explicit Packet(long number) : number_(number) {}
    virtual ~Packet() = default;
    virtual long number() const { return number_; }

private:
    long number_;
    char body_[112] = {};
};

static long sent;

static void setup() {}

[[gnu::noinline]] static void transmit(const Packet *packet) { sent += packet->number(); }

[[gnu::noinline]] static void send_packet(long number)
{
    auto packet = std::make_unique<Packet>(number); // truth: made
    transmit(packet.release());
}

static void plant(long number) { send_packet(number); }
