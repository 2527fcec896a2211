import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A pool whose threads come and go, with thread locals and tasks that end. */
public final class CleanPool {
    static final ThreadLocal<byte[]> buffer = ThreadLocal.withInitial(() -> new byte[4000]);

    static void work(int number) throws Exception {
        if (number % 100 != 0) return;
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 8; i++) results.add(pool.submit(() -> buffer.get().length));
        for (Future<Integer> one : results) one.get();
        pool.shutdown();
        while (!pool.isTerminated()) Thread.sleep(1);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(CleanPool::work);
    }
}
