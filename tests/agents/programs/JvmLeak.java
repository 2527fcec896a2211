import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/**
 * Leaks of a JVM, one each run: {@code JvmLeak KIND [COUNT [BYTES]]}. Obeys the lines of kit.py, and {@code gc}, which collects all and
 * answers {@code collected}.
 *
 * <p>static: a map in a static field. local: a list in a local variable of a worker. threadlocal: a list in a thread local. finalizer:
 * objects behind a finalizer that hangs. plugins: class loaders in a list, each with a class that has statics. direct: buffers outside the
 * heap, and views of them. listeners: lambdas in a list. shared: objects in two statics of one class. quiet and bulk: COUNT objects with arrays of BYTES from the start, and no load.
 */
public final class JvmLeak {
    static final class Session {
        final int number;
        Session next;
        Session(int number) { this.number = number; }
    }

    static final class Handle {
        static int made;
        long address;
        Handle() { made++; }

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() { address = 0; }
    }

    static final class Hanging {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws InterruptedException {
            HANGS.countDown();
            new CountDownLatch(1).await();
        }
    }

    /** Copied by a class loader of its own for each plugin. */
    static final class Plugin {
        static final Map<Integer, Session> TABLE = new HashMap<>();
        static final int[] LIMITS = new int[64];

        Plugin() {
            for (int i = 0; i < 4; i++) TABLE.put(i, null);
        }
    }

    static final class PluginLoader extends ClassLoader {
        final Class<?> made;

        PluginLoader(byte[] code) {
            super(JvmLeak.class.getClassLoader());
            made = defineClass("JvmLeak$Plugin", code, 0, code.length);
        }
    }

    /** What two statics of one class hold is held by the class. */
    static final class Directory {
        static final Map<Integer, Session> byNumber = new HashMap<>();
        static final List<Session> inOrder = new ArrayList<>();
    }

    static final class Server {
        static final List<Object> plugins = new ArrayList<>();
        static final List<ByteBuffer> buffers = new ArrayList<>();
        static final List<Predicate<Session>> listeners = new ArrayList<>();
    }

    static final CountDownLatch HANGS = new CountDownLatch(1);
    static final Map<Integer, Session> cache = new HashMap<>();
    static final List<byte[]> bulk = new ArrayList<>();
    static final ThreadLocal<List<Session>> mine = ThreadLocal.withInitial(ArrayList::new);
    static final ArrayBlockingQueue<Integer> wanted = new ArrayBlockingQueue<>(1);
    static final ArrayBlockingQueue<Integer> done = new ArrayBlockingQueue<>(1);
    static volatile Object sink;
    static int planted;

    /** Allocates, keeps some for a while, drops it. */
    static void load(int seed) throws InterruptedException {
        Map<String, int[]> kept = new HashMap<>();
        for (int i = seed; ; i++) {
            kept.put("key" + i % 32, new int[i % 64]);
            sink = new long[i % 100];
            if (i % 4096 == 0) kept.clear();
            if (i % 256 == 0) Thread.sleep(1);
        }
    }

    static void work() throws InterruptedException {
        List<Session> kept = new ArrayList<>();
        for (;;) {
            int count = wanted.take();
            for (int i = 0; i < count; i++) kept.add(new Session(i));
            done.put(kept.size());
        }
    }

    static void workLocal() throws InterruptedException {
        for (;;) {
            int count = wanted.take();
            for (int i = 0; i < count; i++) mine.get().add(new Session(i));
            done.put(mine.get().size());
        }
    }

    static void hang() throws InterruptedException {
        new Hanging();
        while (HANGS.getCount() > 0) {
            System.gc();
            Thread.sleep(10);
        }
    }

    /** Found dead, and then queued, by a thread of the JVM's. */
    static void drop(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) sink = new Handle();
        sink = null;
        System.gc();
        Thread.sleep(1000);
    }

    interface Body {
        void run() throws InterruptedException;
    }

    static void start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                return;
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    static void plug(int count) throws Exception {
        byte[] code;
        try (InputStream in = JvmLeak.class.getResourceAsStream("JvmLeak$Plugin.class")) {
            code = in.readAllBytes();
        }
        for (int i = 0; i < count; i++) {
            var constructor = new PluginLoader(code).made.getDeclaredConstructor();
            constructor.setAccessible(true);
            Server.plugins.add(constructor.newInstance());
        }
    }

    static void buffer(int count) {
        for (int i = 0; i < count; i++) {
            ByteBuffer made = ByteBuffer.allocateDirect(10_000);
            Server.buffers.add(made);
            Server.buffers.add(made.slice());
            Server.buffers.add(made.asReadOnlyBuffer());
        }
    }

    static void listen(int count) {
        for (int i = 0; i < count; i++) {
            Session heard = new Session(i);
            Server.listeners.add(session -> session == heard);
        }
    }

    static void share(int count) {
        for (int i = 0; i < count; i++) {
            Session both = new Session(i);
            Directory.byNumber.put(planted + i, both);
            Directory.inOrder.add(both);
        }
    }

    static void leak(String kind, int count) throws Exception {
        switch (kind) {
            case "local", "threadlocal" -> {
                wanted.put(count);
                done.take();
            }
            case "finalizer" -> drop(count);
            case "plugins" -> plug(count);
            case "direct" -> buffer(count);
            case "listeners" -> listen(count);
            case "shared" -> share(count);
            default -> {
                for (int i = 0; i < count; i++) cache.put(planted + i, new Session(i));
            }
        }
        planted += count;
    }

    static void begin(String kind, String[] args) throws Exception {
        int count = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        int bytes = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        switch (kind) {
            case "local" -> start("worker", JvmLeak::work);
            case "threadlocal" -> start("worker", JvmLeak::workLocal);
            case "finalizer" -> hang();
            case "bulk" -> {
                for (int i = 0; i < count; i++) bulk.add(new byte[bytes]);
            }
            default -> leak(kind, count);
        }
        if (kind.equals("quiet") || kind.equals("bulk")) return;
        for (int i = 0; i < 2; i++) {
            int seed = i * 1000;
            start("load-" + i, () -> load(seed));
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        begin(args[0], args);
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null && !line.equals("quit"); ) {
            if (line.equals("gc")) {
                System.gc();
                System.gc();
                System.out.println("collected");
            } else {
                leak(args[0], Integer.parseInt(line.substring("leak ".length())));
                System.out.println("leaked " + planted);
            }
        }
        System.exit(0);
    }
}
