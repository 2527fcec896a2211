package demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Listeners that are registered for each request and never removed; each holds its request. */
public final class Listeners {
    interface Listener {
        void stop();
    }

    static final class Request {
        final int id;
        long started;
        long bytes;
        boolean open = true;
        double cost;
        double limit;
        Request(int id) { this.id = id; }
    }

    static final class Closer implements Listener {
        private final Request request;
        Closer(Request request) { this.request = request; }
        @Override public void stop() { request.open = false; }
    }

    static final class Bus {
        final List<Listener> listeners = new ArrayList<>();
    }

    static final Bus BUS = new Bus();

    static void serve(int count) {
        for (int i = 0; i < count; i++) {
            BUS.listeners.add(new Closer(new Request(i)));
        }
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.Listeners$Request", "static demo.Listeners.BUS")
                .holder("static demo.Listeners.BUS", "demo.Listeners$Bus, .listeners java.util.ArrayList", "[*] demo.Listeners$Closer", "demo.Listeners$Closer", "demo.Listeners$Request")
                .counts(Map.of("demo.Listeners$Closer", () -> BUS.listeners.size(), "demo.Listeners$Request", () -> BUS.listeners.size()))
                .leak(() -> serve(700), () -> serve(14_321));
    }
}
