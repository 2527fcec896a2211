package demo;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Three threads of a pool, each with a ThreadLocal map of its own; the map of "pool-2" alone is never cleared. */
public final class PoolWorker {
    static final class Ticket {
        final int id;
        long started;
        long bytes;
        double cost;
        Ticket(int id) { this.id = id; }
    }

    private static final int THREADS = 3;
    static final ThreadLocal<Map<Integer, Ticket>> TICKETS = ThreadLocal.withInitial(HashMap::new);
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final AtomicInteger SIZE = new AtomicInteger();
    static final ExecutorService POOL = Executors.newFixedThreadPool(THREADS, PoolWorker::thread);

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "pool-" + NAMES.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** One job for each thread: the barrier keeps a thread from taking two. */
    static void serve(int count) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        Future<?>[] jobs = new Future<?>[THREADS];
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = POOL.submit(() -> serve(count, barrier));
        }
        for (Future<?> job : jobs) {
            job.get();
        }
    }

    private static Void serve(int count, CyclicBarrier barrier) throws Exception {
        barrier.await();
        Map<Integer, Ticket> tickets = TICKETS.get();
        for (int i = 0; i < count; i++) {
            tickets.put(tickets.size(), new Ticket(i));
        }
        if (Thread.currentThread().getName().equals("pool-2")) {
            SIZE.set(tickets.size());
        } else {
            tickets.clear();
        }
        return null;
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.PoolWorker$Ticket", "ThreadLocal demo.PoolWorker.TICKETS.value")
                .holder("ThreadLocal demo.PoolWorker.TICKETS.value", "java.util.HashMap",
                        "[*].value demo.PoolWorker$Ticket", "demo.PoolWorker$Ticket")
                .counts(Map.of("demo.PoolWorker$Ticket", SIZE::get))
                .leak(() -> serve(800), () -> serve(12_020));
    }
}
