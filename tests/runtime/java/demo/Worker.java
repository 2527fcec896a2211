package demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;

/** A ThreadLocal of a pool thread that is never cleared: held by the thread "leaky-worker", by no static field. */
public final class Worker {
    static final class Context {
        final int id;
        long started;
        long bytes;
        double cost;
        Object next;
        Context(int id) { this.id = id; }
    }

    // The list is made by the worker itself: no other thread and no static field ever sees it.
    static final ThreadLocal<List<Context>> CONTEXTS = ThreadLocal.withInitial(ArrayList::new);

    private static final SynchronousQueue<Integer> ORDERS = new SynchronousQueue<>();
    private static final SynchronousQueue<Integer> SIZES = new SynchronousQueue<>();
    private static int size;

    public static void main(String[] args) throws Exception {
        Thread worker = new Thread(Worker::work, "leaky-worker");
        worker.setDaemon(true);
        worker.start();
        Plant.in(args)
                .growing("demo.Worker$Context", "ThreadLocal demo.Worker.CONTEXTS.value")
                .holder("ThreadLocal demo.Worker.CONTEXTS.value", "java.util.ArrayList",
                        "[*] demo.Worker$Context", "demo.Worker$Context")
                .counts(Map.of("demo.Worker$Context", () -> size))
                .leak(() -> order(900), () -> order(11_005));
    }

    private static void order(int count) throws InterruptedException {
        ORDERS.put(count);
        size = SIZES.take();
    }

    private static void work() {
        try {
            while (true) {
                SIZES.put(fill(ORDERS.take()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int fill(int count) {
        List<Context> contexts = CONTEXTS.get();
        for (int i = 0; i < count; i++) {
            contexts.add(new Context(i));
        }
        return contexts.size();
    }
}
