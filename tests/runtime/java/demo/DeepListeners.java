package demo;

import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** A list of listeners two levels below the static that leads to it: lambdas, each with the session that it captured. */
public final class DeepListeners {
    static final class Session {
        final int id;
        long opened;
        long seen;
        double score;
        boolean open = true;
        Session(int id) { this.id = id; }
    }

    static final class Events {
        final List<IntConsumer> listeners = new LinkedList<>();
        int fired;
    }

    static final class Services {
        final String name = "services";
        final Events events = new Events();
    }

    static final class App {
        final Services services = new Services();
        int version = 3;
    }

    static final App APP = new App();

    static void connect(int count) {
        for (int i = 0; i < count; i++) {
            Session session = new Session(i);
            APP.services.events.listeners.add(code -> session.open = code == 0);
        }
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.DeepListeners$Session", "static demo.DeepListeners.APP")
                .holder("static demo.DeepListeners.APP", "demo.DeepListeners$App, .services demo.DeepListeners$Services, "
                        + ".events demo.DeepListeners$Events, .listeners java.util.LinkedList", null, "demo.DeepListeners$Session")
                .counts(Map.of("demo.DeepListeners$Session", () -> APP.services.events.listeners.size()))
                .leak(() -> connect(600), () -> connect(13_131));
    }
}
