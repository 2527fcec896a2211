import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What Service serves: a catalogue with its index, sessions and caches that are bounded, orders, metrics. All of it follows from a seed
 * and from the requests; the bounds vary by seed, so that no two services have the same heap. Safe from several threads.
 */
final class Shop {
    private static final String[] WORDS = ("red green blue small large soft hard warm cold light heavy round square wooden iron paper glass "
            + "silver plain striped summer winter garden kitchen office travel children outdoor").split(" ");

    static final class Item {
        final int id;
        final String name;
        final List<String> tags;
        final BigDecimal price;
        final String text;
        final LongAdder stock = new LongAdder();
        final Map<String, String> details = new HashMap<>();

        Item(int id, Random random) {
            Set<String> words = new LinkedHashSet<>();
            while (words.size() < 3) {
                words.add(word(random));
            }
            this.id = id;
            tags = List.copyOf(words);
            name = tags.get(0) + " " + tags.get(1) + " thing " + id;
            price = BigDecimal.valueOf(random.nextInt(10_000), 2);
            text = Stream.generate(() -> word(random)).limit(150 + random.nextInt(200)).collect(Collectors.joining(" "));
            details.put("weight", random.nextInt(5000) + " g");
            details.put("maker", "maker " + random.nextInt(40));
        }
    }

    record Line(int item, int count, String note) {
    }

    record Order(int number, String user, List<Line> lines, String address) {
    }

    static final class Session {
        final String user;
        final Locale locale;
        private final ArrayList<Line> lines = new ArrayList<>();
        volatile long seen = System.currentTimeMillis();
        volatile int visits;

        Session(String user, Locale locale) {
            this.user = user;
            this.locale = locale;
        }

        synchronized void add(Line line) {
            lines.removeIf(other -> other.item() == line.item());
            if (lines.size() == 8) {
                lines.remove(0);
            }
            lines.add(line);
        }

        synchronized List<Line> lines() {
            return List.copyOf(lines);
        }

        synchronized List<Line> takeLines() {
            List<Line> taken = List.copyOf(lines);
            lines.clear();
            return taken;
        }
    }

    /** The least recently used goes first. */
    static final class LruCache<V> {
        private final LinkedHashMap<String, V> entries;

        LruCache(int limit) {
            entries = new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                    return size() > limit;
                }
            };
        }

        synchronized V get(String key) {
            return entries.get(key);
        }

        synchronized void put(String key, V value) {
            entries.put(key, value);
        }

        V computeIfAbsent(String key, Function<String, V> make) {
            V value = get(key);
            if (value == null) {
                value = make.apply(key);
                put(key, value);
            }
            return value;
        }
    }

    /** The last few things. */
    static final class Recent<T> {
        private final ArrayDeque<T> things = new ArrayDeque<>();
        private final int limit;

        Recent(int limit) {
            this.limit = limit;
        }

        synchronized void add(T thing) {
            things.addLast(thing);
            if (things.size() > limit) {
                things.removeFirst();
            }
        }

        synchronized Collection<T> all() {
            return List.copyOf(things);
        }
    }

    private final Random random;
    private final Item[] items;
    /** Of the price list, as caches of other services know it. It makes every price remember its text. */
    final int version;
    private final Map<String, List<Item>> index = new HashMap<>();
    final LruCache<Session> sessions;
    final LruCache<String> pages;
    final LruCache<List<String>> related;
    final Recent<Order> orders;
    final Recent<Exception> errors = new Recent<>(5);
    final Recent<String> log = new Recent<>(300);
    final Recent<long[]> windows = new Recent<>(8);
    /** Of each client; nobody fills it but a leak. */
    final Map<String, long[]> buckets = new HashMap<>();
    final ConcurrentHashMap<String, LongAdder> metrics = new ConcurrentHashMap<>();

    Shop(long seed, int count) {
        random = new Random(seed);
        items = new Item[count];
        for (int i = 0; i < count; i++) {
            items[i] = new Item(i, random);
            for (String tag : items[i].tags) {
                index.computeIfAbsent(tag, key -> new ArrayList<>()).add(items[i]);
            }
        }
        version = Stream.of(items).map(item -> item.price.toString()).collect(Collectors.joining(",")).hashCode();
        sessions = new LruCache<>(about(40));
        pages = new LruCache<>(about(80));
        related = new LruCache<>(about(80));
        orders = new Recent<>(about(12));
    }

    private int about(int count) {
        return (int) (count * (0.8 + 0.4 * random.nextDouble()));
    }

    private static String word(Random random) {
        return WORDS[random.nextInt(WORDS.length)];
    }

    synchronized long random() {
        return random.nextLong();
    }

    int itemCount() {
        return items.length;
    }

    Item item(int id) {
        return items[id];
    }

    Stream<Item> items() {
        return Stream.of(items);
    }

    /** Items that have all of these tags. */
    List<Item> find(List<String> tags) {
        List<Item> found = index.getOrDefault(tags.get(0), List.of());
        return found.stream().filter(item -> item.tags.containsAll(tags)).collect(Collectors.toList());
    }

    void measure(String route, int status, long nanoseconds) {
        if (status != 404) {
            metrics.computeIfAbsent(route + " " + status, key -> new LongAdder()).increment();
        }
        metrics.computeIfAbsent("2^" + (64 - Long.numberOfLeadingZeros(nanoseconds / 1000)) + " us", key -> new LongAdder()).increment();
    }

    /** What the timer does now and then. */
    void sweep() {
        windows.add(metrics.values().stream().mapToLong(LongAdder::sum).toArray());
        log.add("orders under way: " + orders.all().size());
    }
}
