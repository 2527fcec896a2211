import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** The bus is a variable of main and of nothing else; listeners that capture their widget are never taken off it. */
public final class LocalBus {
    static final class Widget {
        final int[] pixels = new int[12];
        int last;
        void listenTo(Bus bus) { bus.listeners.add(price -> last = price); }
    }

    static final class Bus {
        final List<IntConsumer> listeners = new ArrayList<>();
    }

    public static void main(String[] args) throws Exception {
        Bus bus = new Bus();
        Stage.play(number -> new Widget().listenTo(bus));
        bus.listeners.forEach(one -> one.accept(1));
    }
}
