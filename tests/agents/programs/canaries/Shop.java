import java.io.FileInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.Pattern;

/** java Shop SECRETS FOLDER: what a program reads, in every place that data can take. See test_canaries.py. */
public class Shop {
    static class Customer {
        String password;
        char[] letters;
        byte[] bytes;
        Object[] parts;
    }

    static final Map<String, Object> byName = new HashMap<>(), sorted = new TreeMap<>(), shared = new ConcurrentHashMap<>();
    static final Map<Object, Object> identity = new IdentityHashMap<>(), weak = new WeakHashMap<>();
    static final Set<String> names = new LinkedHashSet<>();
    static final List<Object> held = new ArrayList<>();
    static final Properties settings = new Properties();
    static final ThreadLocal<String> local = new ThreadLocal<>();
    static String last;

    static void hold(String text) {
        Customer one = new Customer();
        one.password = text;
        one.letters = text.toCharArray();
        one.bytes = text.getBytes(StandardCharsets.UTF_8);
        one.parts = new Object[] {text, text + text};
        byName.put(text, one);
        sorted.put(text, text);
        shared.put(text, new StringBuilder(text));
        identity.put(new String(text), text);
        weak.put(one, text);
        names.add(text);
        held.add((text + text).intern());
        held.add(new IllegalStateException(text));
        held.add(Pattern.compile(text));
        held.add((Callable<String>) () -> text);
        held.add(Optional.of(text));
        settings.setProperty(text, text);
        System.setProperty("shop." + text, text);
        held.add(CompletableFuture.completedFuture(text));
        last = text;
    }

    public static void main(String[] arguments) throws Exception {
        List<String> secrets = Files.readAllLines(Paths.get(arguments[0]));
        for (String text : secrets) hold(text);
        for (String text : secrets.subList(0, 10)) {
            Path file = Paths.get(arguments[1], text);
            Files.write(file, text.getBytes(StandardCharsets.UTF_8));
            held.add(new FileInputStream(file.toFile()));
        }
        for (String text : secrets.subList(0, 10)) {
            Thread waits = new Thread(() -> {
                String mine = text + text;
                local.set(mine);
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException end) {
                    held.add(mine);
                }
            });
            waits.setDaemon(true);
            waits.start();
        }
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine() && !in.nextLine().startsWith("quit")) {}
        System.exit(0);
    }
}
