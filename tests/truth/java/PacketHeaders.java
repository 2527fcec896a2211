import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Views of the first bytes of packets, by port: each keeps its packet. The map has four entries. */
public final class PacketHeaders {
    static final class Index {
        final Map<Integer, List<ByteBuffer>> headers = new TreeMap<>();

        void note(int port, ByteBuffer packet) {
            headers.computeIfAbsent(port, p -> new ArrayList<>()).add(packet.slice(0, 20));
        }
    }

    static final Index index = new Index();

    static void receive(int number) {
        ByteBuffer packet = ByteBuffer.allocate(256).putInt(number);
        index.note(number % 4, packet);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(PacketHeaders::receive);
    }
}
