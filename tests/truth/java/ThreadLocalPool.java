import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A thread-local list in each of four workers of a pool, to which every request adds. */
public final class ThreadLocalPool {
    static final class Parsed {
        final int number;
        final int[] fields = new int[4];
        Parsed(int number) { this.number = number; }
    }

    static final ThreadLocal<List<Parsed>> PARSED = ThreadLocal.withInitial(ArrayList::new);
    static final int WORKERS = 4;
    static final ExecutorService pool = Executors.newFixedThreadPool(WORKERS);

    /** A batch on each worker: all four have begun before one of them ends. */
    static void parse(int batch) throws Exception {
        CountDownLatch begun = new CountDownLatch(WORKERS);
        CountDownLatch ended = new CountDownLatch(WORKERS);
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            pool.execute(() -> {
                begun.countDown();
                try {
                    begun.await();
                } catch (InterruptedException e) {
                    return;
                }
                PARSED.get().add(new Parsed(batch * WORKERS + worker));
                ended.countDown();
            });
        }
        ended.await();
    }

    public static void main(String[] args) throws Exception {
        Stage.play(ThreadLocalPool::parse);
    }
}
