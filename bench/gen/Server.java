import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A heap of a chosen number of objects, like a server's, twice: with known truth. Run by jvm.sh.
 *
 * <pre>java -Xmx… -cp CLASSES Server N FOLDER</pre>
 *
 * Writes FOLDER/a.hprof, FOLDER/b.hprof and FOLDER/truth.json and prints the truth; if they are there for the same N, nothing is
 * made anew. Between the dumps 2% of the sessions end, 4% begin, every fourth new one leaves an audit event behind that is
 * never removed (the leak), and half of the templates go (a type that shrinks). A session is nine objects or so: Session, its
 * name (a String and its bytes), a map entry with a boxed key, a Profile, a cart (array) of Items; and it refers to an older
 * session as its peer. Carts have a geometric tail, so that fan-out is skewed as in a real heap.
 */
public final class Server {
    static final class Item {
        final int sku;
        final int count;
        final Session owner;
        final Profile profile;
        final Item previous;
        Item(int sku, int count, Session owner, Item previous) {
            this.sku = sku; this.count = count; this.owner = owner; this.profile = owner.profile; this.previous = previous;
        }
    }

    static final class Session {
        final long id;
        final String name;
        final Item[] cart;
        final Profile profile;
        final Template template;
        Session peer;
        boolean ended;
        Session(long id, String name, Item[] cart, Profile profile) {
            this.id = id; this.name = name; this.cart = cart; this.profile = profile;
            this.template = TEMPLATES.get((int) (id & 63));
        }
    }

    static final class Profile {
        final int age;
        final Profile base;
        Object note;
        Session owner;
        Profile(int age, Profile base) { this.age = age; this.base = base; }
    }

    static final class AuditEvent {
        final long who;
        final String text;
        AuditEvent(long who, String text) { this.who = who; this.text = text; }
    }

    static final class Template {
        final String name;
        final int[] parts;
        Template(String name, int[] parts) { this.name = name; this.parts = parts; }
    }

    static final Map<Integer, Session> SESSIONS = new HashMap<>();
    static final List<AuditEvent> AUDIT = new ArrayList<>();
    static final Map<Integer, Template> TEMPLATES = new HashMap<>();
    static final Profile DEFAULTS = new Profile(0, null);

    /** Objects of one session with its share of the rest: measured, and a little low so that at least N come out. */
    private static final double OBJECTS_PER_SESSION = 8.6;
    private static final int[] live = {0, 0, 1, 0, 0};
    private static final String[] NAMES = {"Session", "Item", "Profile", "AuditEvent", "Template"};
    private static final Random random = new Random(20260121);

    public static void main(String[] args) throws IOException {
        int wanted = Integer.parseInt(args[0]);
        Path folder = Path.of(args[1]);
        Files.createDirectories(folder);
        Path truth = folder.resolve("truth.json");
        if (Files.exists(truth) && Files.exists(folder.resolve("a.hprof")) && Files.exists(folder.resolve("b.hprof"))
                && Files.readString(truth).startsWith("{\"wanted\":" + wanted + ",")) {
            System.out.println(Files.readString(truth).strip());
            return;
        }
        int count = (int) Math.ceil(wanted / OBJECTS_PER_SESSION);
        for (int n = 0; n < Math.max(100, count >> 7); n++) {
            TEMPLATES.put(n, new Template("template-" + n, new int[n & 63]));
            live[4]++;
        }
        for (int id = 0; id < count; id++) {
            begin(id);
        }
        int[] before = live.clone();
        dump(folder, "a.hprof");

        int freed = 0;
        int itemsBefore = live[1];
        while (freed < count / 50) {
            freed += end(random.nextInt(count)) ? 1 : 0;
        }
        int itemsFreed = itemsBefore - live[1];
        for (int id = count; id < count + count / 25; id++) {
            begin(id);
            if ((id & 3) == 0) {
                AUDIT.add(new AuditEvent(id, "login " + id));
                live[3]++;
            }
        }
        int templates = TEMPLATES.size();
        TEMPLATES.keySet().removeIf(n -> n >= 64 && n < templates / 2);
        live[4] = TEMPLATES.size();
        dump(folder, "b.hprof");
        write(truth, wanted, before, new int[] {count / 25, live[1] - before[1] + itemsFreed, count / 25, live[3], 0},
                new int[] {freed, itemsFreed, freed, 0, templates - TEMPLATES.size()});
    }

    private static void begin(int id) {
        int length = random.nextInt(3);
        while (length < 512 && random.nextInt(4) == 0) {
            length += 2;
        }
        Item[] cart = new Item[length];
        Session session = new Session(id, "user number " + id, cart, new Profile(id & 127, DEFAULTS));
        for (int i = 0; i < length; i++) {
            cart[i] = new Item(random.nextInt(1000), i, session, i == 0 ? null : cart[i - 1]);
        }
        session.profile.note = session.name;
        session.profile.owner = session;
        session.peer = id == 0 ? null : SESSIONS.get(random.nextInt(id));
        SESSIONS.put(id, session);
        live[0]++;
        live[1] += length;
        live[2]++;
    }

    private static boolean end(int id) {
        Session session = SESSIONS.remove(id);
        if (session == null) {
            return false;
        }
        session.ended = true;
        live[0]--;
        live[1] -= session.cart.length;
        live[2]--;
        return true;
    }

    /** Sessions that ended are still some other's peer: move those on to the next that lives, then only the live are left. */
    private static void dump(Path folder, String name) throws IOException {
        for (Session session : SESSIONS.values()) {
            while (session.peer != null && session.peer.ended) {
                session.peer = session.peer.peer;
            }
        }
        // A name of its own until whole, so that a killed run leaves nothing to mistake for a result.
        Path part = folder.resolve("part-" + name);
        Files.deleteIfExists(part);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(part.toString(), true);
        Files.move(part, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private static String counts(int[] numbers) {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < NAMES.length; i++) {
            text.append(i == 0 ? "" : ",").append("\"Server$").append(NAMES[i]).append("\":").append(numbers[i]);
        }
        return text.append('}').toString();
    }

    private static void write(Path truth, int wanted, int[] before, int[] begun, int[] freed) throws IOException {
        String text = "{\"wanted\":" + wanted + ",\"java\":\"" + System.getProperty("java.version") + "\""
                + ",\"before\":" + counts(before) + ",\"after\":" + counts(live)
                + ",\"new\":" + counts(begun) + ",\"freed\":" + counts(freed)
                + ",\"roots\":{\"Server$Session\":\"static Server.SESSIONS\",\"Server$AuditEvent\":\"static Server.AUDIT\"}}\n";
        Files.writeString(truth, text);
        System.out.print(text);
    }
}
