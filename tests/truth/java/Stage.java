import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * What every program of this folder has around its leak: the lines of tests/agents/kit.py, and noise that goes on all the time. All noise
 * is bounded, and has filled before "ready" is said.
 */
final class Stage {
    interface Leak {
        void plant(int number) throws Exception;
    }

    interface Work {
        void run() throws Exception;
    }

    static final class Page {
        final String path;
        int hits;
        Page(String path) { this.path = path; }
    }

    static final class Reply {
        final int status;
        final byte[] body;
        Reply(int status, byte[] body) {
            this.status = status;
            this.body = body;
        }
    }

    /** The pages that were asked for last. */
    static final class PageCache extends LinkedHashMap<String, Page> {
        PageCache() { super(600, 0.75f, true); }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Page> eldest) { return size() > 400; }
    }

    static final int RING = 300;
    private static final CountDownLatch FILLED = new CountDownLatch(3);
    private static int planted;

    private Stage() {}

    static int next(int seed) { return seed * 1_664_525 + 1_013_904_223; }

    static Thread daemon(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(3);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A cache that evicts. */
    private static void browse() throws InterruptedException {
        PageCache pages = new PageCache();
        for (int i = 0, seed = 1; ; i++) {
            String path = "/page/" + ((seed = next(seed)) >>> 8) % 1200;
            pages.computeIfAbsent(path, Page::new).hits++;
            if (i == 20_000) FILLED.countDown();
            if (i > 20_000 && i % 50 == 0) Thread.sleep(1);
        }
    }

    /** The last replies, in a ring. */
    private static void keepHouse() throws InterruptedException {
        ArrayDeque<Reply> last = new ArrayDeque<>();
        for (int i = 0; ; i++) {
            last.addLast(new Reply(200, new byte[512]));
            if (last.size() > RING) last.removeFirst();
            if (i == 2 * RING) FILLED.countDown();
            if (i > 2 * RING && i % 20 == 0) Thread.sleep(1);
        }
    }

    /** Requests that a pool serves. */
    private static void serve() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3, work -> {
            Thread thread = new Thread(work, "request");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; ; i++) {
            int number = i % 1000;
            Future<Reply> reply = pool.submit(() -> new Reply(200, ("reply to request " + number).getBytes()));
            reply.get();
            if (i == 1000) FILLED.countDown();
            if (i > 1000 && i % 10 == 0) Thread.sleep(1);
        }
    }

    static void play(Leak leak) throws Exception { play(leak, () -> {}); }

    /** @param settle ends when nothing that was planted is under way any more */
    static void play(Leak leak, Work settle) throws Exception {
        daemon("browser", Stage::browse);
        daemon("housekeeper", Stage::keepHouse);
        daemon("server", Stage::serve);
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, work -> {
            Thread thread = new Thread(work, "clock");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < 20; i++) clock.scheduleAtFixedRate(() -> {}, 1, 5, TimeUnit.MILLISECONDS);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        FILLED.await();
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null && !line.equals("quit"); ) {
            int count = Integer.parseInt(line.substring("leak ".length()));
            for (int i = 0; i < count; i++) leak.plant(planted++);
            settle.run();
            System.out.println("leaked " + planted);
        }
        System.exit(0);
    }
}
