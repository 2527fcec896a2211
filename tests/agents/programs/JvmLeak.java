import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;

/**
 * Leaks of a JVM, one each run: {@code JvmLeak KIND [COUNT [BYTES]]}. Obeys the lines of kit.py, and {@code gc}, which collects all and
 * answers {@code collected}.
 *
 * <p>static: a map in a static field. local: a list in a local variable of a worker. threadlocal: a list in a thread local. finalizer:
 * objects behind a finalizer that hangs. quiet and bulk: COUNT objects with arrays of BYTES from the start, and no load.
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

    static final CountDownLatch HANGS = new CountDownLatch(1);
    static final Map<Integer, Session> cache = new HashMap<>();
    static final List<byte[]> bulk = new ArrayList<>();
    static final ThreadLocal<List<Session>> mine = ThreadLocal.withInitial(ArrayList::new);
    static final ArrayBlockingQueue<Integer> wanted = new ArrayBlockingQueue<>(1);
    static final ArrayBlockingQueue<Integer> done = new ArrayBlockingQueue<>(1);
    static volatile Object sink;
    static int planted;

    /** Allocates, keeps some for a while, drops it. */
    static void load(int seed) {
        Map<String, int[]> kept = new HashMap<>();
        for (int i = seed; ; i++) {
            kept.put("key" + i % 32, new int[i % 64]);
            sink = new long[i % 100];
            if (i % 4096 == 0) kept.clear();
            if (i % 64 == 0) Thread.yield();
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

    static void leak(String kind, int count) throws InterruptedException {
        switch (kind) {
            case "local", "threadlocal" -> {
                wanted.put(count);
                done.take();
            }
            case "finalizer" -> drop(count);
            default -> {
                for (int i = 0; i < count; i++) cache.put(planted + i, new Session(i));
            }
        }
        planted += count;
    }

    static void begin(String kind, String[] args) throws InterruptedException {
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
