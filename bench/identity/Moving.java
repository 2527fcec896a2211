import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A heap whose objects know who they are, dumped before and after it changed: {@code java Moving FOLDER [name=value...]}.
 *
 * <p>Every object of the program has an int field {@code __id} that no other ever had; objects of the platform follow from the one
 * that owns them (truth.h says how). So nothing here replaces an owned platform object by another of the same type and size in the
 * same place, and no platform container is known by what it holds, but for nodes that hold one thing each.
 *
 * <ul>
 * <li>objects=N: about how many there are before (100000)
 * <li>expiry, addition, mutation: shares of them, between the dumps (0.15, 0.15, 0.1)
 * <li>leak=list, map, listeners, chain, worker, array: where the planted leak hangs
 * <li>mode=change: all of the above; mode=churn: every object of the program is replaced by an equal one, and nothing grows
 * <li>seed=N: of what is made; noise=N: of garbage and identity hashes, which the objects do not depend on
 * <li>dumps=AB: both, or A or B alone, for two processes that do the same
 * </ul>
 *
 * <p>Writes A.hprof and B.hprof, each after a full collection, and truth.json: where the leak hangs.
 */
public final class Moving {
    private static int nextId = 1;

    static class Tracked {
        int __id = nextId++;
    }

    static final class Tag extends Tracked {
        String name;
    }

    static final class Item extends Tracked {
        int sku;
        double price;
        String label;
        Tag tag;
    }

    static final class Session extends Tracked {
        String user;
        long created;
        int hits;
        byte[] token;
        ArrayList<Item> cart = new ArrayList<>();
    }

    static final class Event extends Tracked {
        long when;
        Item payload;
        Event previous;
    }

    static final class Tree extends Tracked {
        int key;
        Tree left;
        Tree right;
        Tree parent;
    }

    static final class Vertex extends Tracked {
        Vertex first;
        Vertex second;
        Vertex third;
    }

    static final class Twin extends Tracked {
        Twin other;
    }

    static final class Setting extends Tracked {
        String text;
        long limit;
    }

    static final class Config extends Tracked {
        final HashMap<String, Setting> settings = new HashMap<>();
        Config child;
    }

    static final class Listener extends Tracked {
        long[] seen;
    }

    static final class Leaked extends Tracked {
        byte[] bytes;
        Leaked next;
    }

    static final class Bus extends Tracked {
        final ArrayList<Leaked> listeners = new ArrayList<>();
    }

    static final class Chain extends Tracked {
        Leaked head;
    }

    static final class Worker extends Tracked implements Runnable {
        final ArrayList<Leaked> done = new ArrayList<>();

        @Override
        public void run() {
            synchronized (this) {
                while (true) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            }
        }
    }

    static final HashMap<Integer, Session> SESSIONS = new HashMap<>();
    static final ArrayList<Tag> TAGS = new ArrayList<>();
    static final ArrayList<Twin> TWINS = new ArrayList<>();
    static final LinkedHashMap<Integer, Item> RECENT = new LinkedHashMap<>(16, 0.75f, true);
    static final Set<Listener> LISTENERS = new HashSet<>();
    static Event lastEvent;
    static Tree tree;
    static Vertex[] vertices;
    static Config config;
    static Object[] plain;
    static int plainUsed;
    static final ArrayList<Leaked> LIST = new ArrayList<>();
    static final HashMap<Integer, Leaked> MAP = new HashMap<>();
    static final Bus BUS = new Bus();
    static final Chain CHAIN = new Chain();
    static Leaked[] array = new Leaked[0];
    /** Lies below all that is made and goes between the dumps, so that a collector that slides things down does so. */
    static byte[] ballast;

    private final Map<String, String> settings = new HashMap<>();
    private final File folder;
    private final Random random;
    private final Random noise;
    private final int unit;
    private final Worker worker = new Worker();
    private int sessionNumber;
    private int recentNumber;
    private int leakNumber;
    private int turnNumber;

    private Moving(String[] args) {
        folder = new File(args[0]);
        for (int i = 1; i < args.length; i++) {
            String[] words = args[i].split("=", 2);
            settings.put(words[0], words[1]);
        }
        random = new Random(Long.parseLong(setting("seed", "1")));
        noise = new Random(Long.parseLong(setting("noise", "1")) + 77);
        unit = Math.max(40, Integer.parseInt(setting("objects", "100000")) / 27);
    }

    private String setting(String name, String otherwise) {
        return settings.getOrDefault(name, otherwise);
    }

    private double share(String name, String otherwise) {
        return Double.parseDouble(setting(name, otherwise));
    }

    // ---- making ----

    private Item item() {
        Item item = new Item();
        item.sku = random.nextInt(5000);
        item.price = random.nextInt(100);
        item.label = "sku-" + random.nextInt(20_000);
        item.tag = TAGS.get(random.nextInt(TAGS.size()));
        return item;
    }

    private void addSession() {
        Session session = new Session();
        session.user = "user" + sessionNumber;
        session.created = random.nextLong();
        session.token = new byte[16];
        random.nextBytes(session.token);
        for (int i = random.nextInt(5); i > 0; i--) {
            session.cart.add(item());
        }
        SESSIONS.put(sessionNumber++ + 1000, session);
    }

    private void addEvent(int number) {
        Event event = new Event();
        event.when = number;
        event.payload = number % 3 == 0 ? item() : null;
        event.previous = lastEvent;
        lastEvent = event;
    }

    private void grow(int key) {
        Tree made = new Tree();
        made.key = key;
        Tree at = tree;
        while (at != null) {
            made.parent = at;
            at = key < at.key ? at.left : at.right;
        }
        if (made.parent == null) {
            tree = made;
        } else if (key < made.parent.key) {
            made.parent.left = made;
        } else {
            made.parent.right = made;
        }
    }

    private void addTwin(boolean isPair) {
        Twin twin = new Twin();
        twin.other = isPair ? new Twin() : null;
        TWINS.add(twin);
    }

    private void addPlain() {
        plain[plainUsed++] = new Object();
    }

    private Setting newSetting() {
        Setting made = new Setting();
        made.text = "v" + random.nextInt(1000);
        made.limit = random.nextInt(100_000);
        return made;
    }

    private void use(int number) {
        if (RECENT.size() >= unit / 8) {
            Iterator<Integer> oldest = RECENT.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        RECENT.put(number + 1000, item());
    }

    private void listen() {
        Listener listener = new Listener();
        listener.seen = new long[4];
        listener.seen[0] = random.nextInt(50);
        LISTENERS.add(listener);
    }

    private void make() {
        for (int i = 0; i < 50; i++) {
            Tag tag = new Tag();
            tag.name = "tag" + i;
            TAGS.add(tag);
        }
        plain = new Object[2 * unit];
        vertices = new Vertex[unit];
        for (int i = 0; i < unit; i++) {
            vertices[i] = new Vertex();
        }
        for (Vertex vertex : vertices) {
            wire(vertex);
        }
        for (int i = 0; i < unit; i++) {
            addSession();
            addEvent(i);
            grow(random.nextInt());
            addTwin(i % 4 == 0);
            addPlain();
            if (i % 4 == 0) {
                listen();
            }
            if (i % 8 == 0) {
                use(recentNumber++);
                leak(setting("leak", "list"));
            }
        }
        Config at = config = new Config();
        for (int i = 0; i < unit / 2; i++) {
            if (i % 20 == 19) {
                at = at.child = new Config();
            }
            at.settings.put("k" + i, newSetting());
        }
    }

    private void wire(Vertex vertex) {
        vertex.first = vertices[random.nextInt(unit)];
        vertex.second = vertices[random.nextInt(unit)];
        vertex.third = vertices[random.nextInt(unit)];
    }

    // ---- the leak ----

    private void leak(String where) {
        Leaked leaked = new Leaked();
        leaked.bytes = new byte[64];
        leaked.bytes[0] = (byte) random.nextInt(7);
        switch (where) {
            case "list" -> LIST.add(leaked);
            case "map" -> MAP.put(leakNumber++ + 1000, leaked);
            case "listeners" -> BUS.listeners.add(leaked);
            case "worker" -> worker.done.add(leaked);
            case "chain" -> {
                leaked.next = CHAIN.head;
                CHAIN.head = leaked;
            }
            case "array" -> {
                if (leakNumber == array.length) {
                    array = java.util.Arrays.copyOf(array, leakNumber + Math.max(16, leakNumber / 2));
                }
                array[leakNumber++] = leaked;
            }
            default -> throw new IllegalArgumentException("leak=" + where);
        }
    }

    private static String place(String where) {
        return switch (where) {
            case "list" -> place("static Moving.LIST", "java.util.ArrayList");
            case "map" -> place("static Moving.MAP", "java.util.HashMap");
            case "listeners" -> place("static Moving.BUS", "Moving$Bus, .listeners java.util.ArrayList");
            case "chain" -> place("static Moving.CHAIN", "Moving$Chain");
            case "array" -> place("static Moving.array", "Moving$Leaked[]");
            default -> "null"; // by which of its frames and fields a thread is named first depends on what the JVM left on its stack
        };
    }

    private static String place(String root, String path) {
        return "{\"root\": \"" + root + "\", \"path\": \"" + path + "\"}";
    }

    // ---- between the dumps ----

    private void change() {
        double expiry = share("expiry", "0.15");
        double addition = share("addition", "0.15");
        double mutation = share("mutation", "0.1");
        SESSIONS.values().removeIf(session -> random.nextDouble() < expiry);
        // Listeners stand in the order of their identity hashes, which no seed decides: so they go by their ids.
        LISTENERS.removeIf(listener -> new Random(listener.__id).nextDouble() < expiry);
        for (int i = 0; i < unit * addition; i++) {
            addSession();
            if (i % 4 == 0) {
                listen();
            }
        }
        for (Session session : SESSIONS.values()) {
            if (random.nextDouble() < mutation) {
                mutate(session);
            }
        }
        for (int i = 0; i < unit * mutation; i++) {
            addEvent(unit + i);
            grow(random.nextInt());
            vertices[random.nextInt(unit)].first = new Vertex();
            use(recentNumber++);
            plain[random.nextInt(unit)] = null;
            addPlain();
            turnSetting(random.nextInt(unit / 2));
        }
        for (int i = 0; i < unit * expiry / 3; i++) {
            TWINS.remove(random.nextInt(TWINS.size()));
        }
        for (int i = 0; i < unit * addition / 3; i++) {
            addTwin(false);
        }
        for (int i = 0; i < unit * 2; i++) {
            leak(setting("leak", "list"));
        }
    }

    private void mutate(Session session) {
        session.hits++;
        switch (random.nextInt(4)) {
            case 0 -> session.cart.add(item());
            case 1 -> session.token = new byte[session.token.length + 16];
            case 2 -> session.token[3]++;
            default -> {
                if (!session.cart.isEmpty()) {
                    session.cart.remove(0);
                }
            }
        }
    }

    /** Another setting, node and key: a node is known by what it holds, and a key that is equal would be taken for the old one. */
    private void turnSetting(int number) {
        Config at = config;
        for (int i = 0; i < (number + 1) / 20; i++) {
            at = at.child;
        }
        at.settings.remove("k" + number);
        at.settings.put("k" + number + "." + turnNumber++, newSetting());
    }

    // ---- churn: all of it replaced by equals ----

    private static Item copy(Item item) {
        if (item == null) {
            return null;
        }
        Item made = new Item();
        made.sku = item.sku;
        made.price = item.price;
        made.label = new String(item.label.toCharArray());
        made.tag = item.tag;
        return made;
    }

    private static Session copy(Session session) {
        Session made = new Session();
        made.user = new String(session.user.toCharArray());
        made.created = session.created;
        made.token = session.token.clone();
        session.cart.forEach(item -> made.cart.add(copy(item)));
        return made;
    }

    private static Leaked copy(Leaked leaked) {
        Leaked made = new Leaked();
        made.bytes = leaked.bytes.clone();
        return made;
    }

    private List<Integer> shuffled(int count) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            order.add(i);
        }
        Collections.shuffle(order, random);
        return order;
    }

    private void churn() {
        List<Integer> keys = new ArrayList<>(SESSIONS.keySet());
        Collections.shuffle(keys, random);
        keys.forEach(key -> SESSIONS.put(key, copy(SESSIONS.get(key))));
        for (int i : shuffled(TWINS.size())) {
            Twin made = new Twin();
            made.other = TWINS.get(i).other == null ? null : new Twin();
            TWINS.set(i, made);
        }
        for (int i : shuffled(plainUsed)) {
            plain[i] = new Object();
        }
        for (int i : shuffled(LIST.size())) {
            LIST.set(i, copy(LIST.get(i)));
        }
        RECENT.replaceAll((key, item) -> copy(item));
        churnEvents();
        churnVertices();
        churnTree();
        churnSettings();
    }

    private static void churnEvents() {
        Event before = null;
        for (Event event = lastEvent; event != null; event = event.previous) {
            Event made = new Event();
            made.when = event.when;
            made.payload = copy(event.payload);
            if (before == null) {
                lastEvent = made;
            } else {
                before.previous = made;
            }
            before = made;
        }
    }

    private static void churnVertices() {
        HashMap<Vertex, Vertex> made = new HashMap<>();
        for (int i = 0; i < vertices.length; i++) {
            made.put(vertices[i], new Vertex());
        }
        for (int i = 0; i < vertices.length; i++) {
            Vertex old = vertices[i];
            Vertex vertex = vertices[i] = made.get(old);
            vertex.first = made.get(old.first);
            vertex.second = made.get(old.second);
            vertex.third = made.get(old.third);
        }
    }

    private void churnTree() {
        ArrayList<Tree> waiting = new ArrayList<>();
        Tree old = tree;
        tree = null;
        waiting.add(old);
        while (!waiting.isEmpty()) {
            Tree at = waiting.remove(waiting.size() - 1);
            grow(at.key);
            if (at.left != null) {
                waiting.add(at.left);
            }
            if (at.right != null) {
                waiting.add(at.right);
            }
        }
    }

    private static void churnSettings() {
        for (Config at = config; at != null; at = at.child) {
            at.settings.replaceAll((key, old) -> {
                Setting made = new Setting();
                made.text = new String(old.text.toCharArray());
                made.limit = old.limit;
                return made;
            });
        }
    }

    // ---- dumps ----

    /** What a program does all day, and what makes a collector move things. */
    private void litter() {
        Session[] kept = new Session[64];
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[noise.nextInt(100)];
            if (bytes.length == 0) {
                kept[i & 63] = null;
            }
            noise.nextInt();
        }
    }

    private void dump(String name) throws IOException {
        File file = new File(folder, name + ".hprof");
        Files.deleteIfExists(file.toPath());
        System.gc();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.getPath(), true);
    }

    private void run() throws IOException {
        String dumps = setting("dumps", "AB");
        Thread thread = new Thread(worker, "worker");
        thread.setDaemon(true);
        thread.start();
        for (int i = noise.nextInt(1000); i > 0; i--) {
            System.identityHashCode(new Object());
        }
        dump("warm-up");
        litter();
        ballast = new byte[unit * 32 + 40_000];
        System.gc();
        make();
        boolean isChurn = setting("mode", "change").equals("churn");
        if (isChurn) {
            churn(); // once for the classes that it loads
        }
        litter();
        if (dumps.contains("A")) {
            dump("A");
        }
        litter();
        if (isChurn) {
            churn();
        } else {
            ballast = null;
            change();
        }
        litter();
        if (dumps.contains("B")) {
            dump("B");
        }
        Files.delete(Path.of(folder.getPath(), "warm-up.hprof"));
        String leak = isChurn ? "null" : place(setting("leak", "list"));
        Files.writeString(Path.of(folder.getPath(), "truth.json"), "{\"leak\": " + leak + "}\n");
    }

    public static void main(String[] args) throws IOException {
        new Moving(args).run();
    }
}
