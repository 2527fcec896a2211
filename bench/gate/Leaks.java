import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * The planted leaks of Service: each keeps a little of some requests for ever, the way services really forget to let go.
 *
 * <p>{@code leak=BYTES} are spread over {@code round=REQUESTS}; {@code kind} is one of Kind, by default what the seed says. A kind knows
 * about how many bytes of heap one kept thing costs, container included, and what hsdiff calls the container: its root, or null
 * where that is whichever thread or frame comes first, and the path from there, or its end.
 */
final class Leaks {
    enum Kind {
        LIST(79, "OPEN", "java.util.ArrayList"),
        MAP(155, "PENDING", "java.util.HashMap"),
        CHAIN(88, "audit", ""),
        LISTENERS(77, "BUS", "Leaks$Bus, .listeners java.util.concurrent.CopyOnWriteArrayList"),
        LABELS(127, "HITS", "java.util.concurrent.ConcurrentHashMap"),
        BUCKETS(130, null, ".buckets java.util.HashMap"),
        WAITERS(138, "CONFIGURED", "java.util.concurrent.CompletableFuture"),
        THREADS(80, null, "java.lang.ThreadLocal$ThreadLocalMap, [*].value java.util.ArrayList");

        private final int unit;
        private final String field;
        private final String path;

        Kind(int unit, String field, String path) {
            this.unit = unit;
            this.field = field;
            this.path = path;
        }
    }

    record Request(int number, String path, String user) {
    }

    static final class Entry {
        final int number;
        final long when;
        final String what;
        final Entry next;

        Entry(Service.Call call, Entry next) {
            number = call.number;
            when = System.nanoTime();
            what = call.method + " " + call.path;
            this.next = next;
        }
    }

    static final class Bus {
        final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    }

    static final List<Request> OPEN = new ArrayList<>();
    static final Map<String, Request> PENDING = new HashMap<>();
    static final Bus BUS = new Bus();
    static final ConcurrentHashMap<String, LongAdder> HITS = new ConcurrentHashMap<>();
    static final CompletableFuture<String> CONFIGURED = new CompletableFuture<>();
    static final ThreadLocal<List<Request>> SEEN = ThreadLocal.withInitial(ArrayList::new);
    static Entry audit;

    private final Kind kind;
    private final double share;
    private double owed;
    private int kept;

    private Leaks(Kind kind, double share) {
        this.kind = kind;
        this.share = share;
    }

    static Leaks of(Map<String, String> settings, long seed) {
        double bytes = Double.parseDouble(settings.getOrDefault("leak", "0"));
        Kind kind = settings.containsKey("kind") ? Kind.valueOf(settings.get("kind").toUpperCase()) : Kind.values()[(int) (seed % Kind.values().length)];
        return new Leaks(bytes == 0 ? null : kind, bytes / Double.parseDouble(settings.getOrDefault("round", "300")));
    }

    String place() {
        return kind == null ? "null" : String.format("{\"kind\": \"%s\", \"root\": %s, \"path\": \"%s\"}", kind.name().toLowerCase(),
                kind.field == null ? "null" : "\"static Leaks." + kind.field + '"', kind.path);
    }

    synchronized int count() {
        return kept;
    }

    synchronized void call(Service.Call call, Shop shop) {
        if (kind == null) {
            return;
        }
        for (owed += share; owed >= kind.unit; owed -= kind.unit) {
            keep(call, shop);
            kept++;
        }
    }

    private static Runnable listener(int number, String path) {
        return () -> System.out.println(number + path);
    }

    private static Consumer<String> waiter(int number, String path) {
        return value -> System.out.println(number + path + value);
    }

    private void keep(Service.Call call, Shop shop) {
        switch (kind) {
            case LIST -> OPEN.add(new Request(call.number, call.path, call.user));
            case MAP -> PENDING.put(call.method + " " + call.number, new Request(call.number, call.path, call.user));
            case CHAIN -> audit = new Entry(call, audit);
            case LISTENERS -> BUS.listeners.add(listener(call.number, call.path));
            case LABELS -> HITS.computeIfAbsent(call.path + "#" + call.number, key -> new LongAdder()).increment();
            case BUCKETS -> shop.buckets.put("client " + call.number, new long[] {call.number, 1});
            case WAITERS -> CONFIGURED.thenAccept(waiter(call.number, call.path));
            default -> SEEN.get().add(new Request(call.number, call.path, call.user));
        }
    }
}
