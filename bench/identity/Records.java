import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Records that are written to while they stay: {@code java Records FOLDER [name=value...]}. As Moving, every object of the program
 * has an int field {@code __id} that no other ever had, which hsd_blind takes out of the dumps.
 *
 * <ul>
 * <li>objects=N: about how many records and leaves there are before (90000); a third are records
 * <li>form=same: nobody writes to what stays; touched: half of what stays has a counter and a time written anew; rewritten: all that
 * stays has another number
 * <li>store=map, named, table, list: what holds the records: by key; in a row that closes up, each with a name of its own; in a
 * slot that the next one takes; in such a row, without a name
 * <li>churn=SHARE: of the records that go, and come as well (0.3); 0 for a program that only adds
 * <li>growth=SHARE: of records that come besides (0.05)
 * <li>seed=N, noise=N: as in Moving
 * </ul>
 *
 * <p>Writes A.hprof and B.hprof, each after a full collection, and truth.json.
 */
public final class Records {
    private static int nextId = 1;

    static class Tracked {
        int __id = nextId++;
    }

    static final class Leaf extends Tracked {
        int number;
        int hits;
    }

    static final class Rec extends Tracked {
        int number;
        int hits;
        long lastSeen;
        String name;
        Leaf left;
        Leaf right;
    }

    static final HashMap<Integer, Rec> MAP = new HashMap<>();
    static final ArrayList<Rec> LIST = new ArrayList<>();
    static Rec[] table;
    /** Lies below all that is made and goes between the dumps. */
    static byte[] ballast;

    private final Map<String, String> settings = new HashMap<>();
    private final File folder;
    private final Random random;
    private final Random noise;
    private final String store;
    private final int count;
    private int made;

    private Records(String[] args) {
        folder = new File(args[0]);
        for (int i = 1; i < args.length; i++) {
            String[] words = args[i].split("=", 2);
            settings.put(words[0], words[1]);
        }
        random = new Random(Long.parseLong(setting("seed", "1")));
        noise = new Random(Long.parseLong(setting("noise", "1")) + 77);
        store = setting("store", "map");
        count = Integer.parseInt(setting("objects", "90000")) / 3;
    }

    private String setting(String name, String otherwise) {
        return settings.getOrDefault(name, otherwise);
    }

    private double share(String name, String otherwise) {
        return Double.parseDouble(setting(name, otherwise));
    }

    // ---- making ----

    private Leaf leaf(int number) {
        Leaf leaf = new Leaf();
        leaf.number = number;
        return leaf;
    }

    private Rec rec() {
        int number = made++;
        Rec rec = new Rec();
        rec.number = number;
        rec.name = store.equals("named") ? "record-" + number : null;
        rec.left = leaf(2 * number);
        rec.right = leaf(2 * number + 1);
        return rec;
    }

    private void add(int slot) {
        switch (store) {
            case "map" -> MAP.put(made + 1000, rec());
            case "list", "named" -> LIST.add(rec());
            default -> table[slot] = rec();
        }
    }

    // ---- between the dumps ----

    private List<Rec> kept() {
        switch (store) {
            case "map" -> {
                return new ArrayList<>(MAP.values());
            }
            case "list", "named" -> {
                return new ArrayList<>(LIST);
            }
            default -> {
                List<Rec> kept = new ArrayList<>();
                for (Rec rec : table) {
                    if (rec != null) {
                        kept.add(rec);
                    }
                }
                return kept;
            }
        }
    }

    private void touch(Tracked object) {
        if (random.nextBoolean()) {
            return;
        }
        if (object instanceof Rec rec) {
            rec.hits++;
            rec.lastSeen = noise.nextLong();
        } else if (object instanceof Leaf leaf) {
            leaf.hits++;
        }
    }

    private static void rewrite(Tracked object) {
        if (object instanceof Rec rec) {
            rec.number ^= 0x5a5a5a5a;
        } else if (object instanceof Leaf leaf) {
            leaf.number ^= 0x5a5a5a5a;
        }
    }

    private void write(Tracked object) {
        switch (setting("form", "same")) {
            case "touched" -> touch(object);
            case "rewritten" -> rewrite(object);
            default -> { }
        }
    }

    private void change() {
        double churn = share("churn", "0.3");
        MAP.values().removeIf(rec -> random.nextDouble() < churn);
        LIST.removeIf(rec -> random.nextDouble() < churn);
        for (int i = 0; table != null && i < count; i++) {
            if (random.nextDouble() < churn) {
                table[i] = null;
            }
        }
        for (Rec rec : kept()) {
            write(rec);
            write(rec.left);
            write(rec.right);
        }
        for (int i = 0; table != null && i < count; i++) {
            if (table[i] == null) {
                add(i);
            }
        }
        for (int i = 0; table == null && i < count * churn; i++) {
            add(0);
        }
        for (int i = 0; i < count * share("growth", "0.05"); i++) {
            add(count + i);
        }
    }

    // ---- dumps ----

    private void litter() {
        Object[] kept = new Object[64];
        for (int i = 0; i < 200_000; i++) {
            kept[i & 63] = new byte[noise.nextInt(100)];
        }
    }

    private void dump(String name) throws IOException {
        File file = new File(folder, name + ".hprof");
        Files.deleteIfExists(file.toPath());
        System.gc();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.getPath(), true);
    }

    private void run() throws IOException {
        dump("warm-up");
        litter();
        ballast = new byte[count * 32 + 40_000];
        System.gc();
        if (store.equals("table")) {
            table = new Rec[2 * count];
        }
        for (int i = 0; i < count; i++) {
            add(i);
            if (i % 64 == 0) {
                litterALittle();
            }
        }
        litter();
        dump("A");
        litter();
        ballast = null;
        change();
        litter();
        dump("B");
        Files.delete(Path.of(folder.getPath(), "warm-up.hprof"));
        Files.writeString(Path.of(folder.getPath(), "truth.json"), "{\"leak\": null}\n");
    }

    private void litterALittle() {
        byte[] bytes = new byte[noise.nextInt(1000)];
        if (bytes.length == 1) {
            random.nextInt();
        }
    }

    public static void main(String[] args) throws IOException {
        new Records(args).run();
    }
}
