import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Direct buffers are kept: little in the heap, much outside. */
public final class OffHeap {
    static final class Channel {
        private final List<ByteBuffer> pending = new ArrayList<>();
        void receive(int number) { pending.add(ByteBuffer.allocateDirect(10_000).putInt(number)); }
    }

    static final Channel channel = new Channel();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> channel.receive(number));
    }
}
