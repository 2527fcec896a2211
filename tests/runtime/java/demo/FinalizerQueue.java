package demo;

import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A finalizer that hangs: everything that has one and is dropped waits behind it, held by the queue and by the list of what has one. */
public final class FinalizerQueue {
    private static final CountDownLatch HANGS = new CountDownLatch(1);
    private static int dropped;

    static final class Hanging {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws InterruptedException {
            HANGS.countDown();
            new CountDownLatch(1).await();
        }
    }

    static final class Handle {
        final int id;
        long address;
        long length;
        double a, b, c, d, e, f, g, h, i, j, k, l;
        Handle(int id) { this.id = id; }

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            address = 0;
        }
    }

    static void drop(int count) {
        for (int i = 0; i < count; i++) {
            dropped += new Handle(i).length == 0 ? 1 : 0;
        }
        System.gc();
    }

    static void hang() throws InterruptedException {
        new Hanging();
        while (HANGS.getCount() > 0) {
            System.gc();
            Thread.sleep(10);
        }
        drop(1200);
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.FinalizerQueue$Handle", "(shared)")
                .holder("static java.lang.ref.Finalizer.queue", "java.lang.ref.ReferenceQueue", null, "demo.FinalizerQueue$Handle")
                .counts(Map.of("demo.FinalizerQueue$Handle", () -> dropped))
                .leak(() -> hang(), () -> drop(21_004));
    }
}
