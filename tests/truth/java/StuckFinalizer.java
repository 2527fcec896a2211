import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;

/** One finalizer hangs, and all that should be finalized waits behind it. */
public final class StuckFinalizer {
    static final class Handle {
        final int number;
        final long[] address = new long[8];
        Handle(int number) { this.number = number; }

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() { address[0] = 0; }
    }

    static final class Socket {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws InterruptedException {
            HANGS.countDown();
            new CountDownLatch(1).await();
        }
    }

    static final CountDownLatch HANGS = new CountDownLatch(1);
    static volatile Object last;

    /** All handles are found dead: a collection is over when what was made behind them is gone. */
    static void collect() throws InterruptedException {
        last = null;
        WeakReference<Object> behind = new WeakReference<>(new Object());
        while (behind.get() != null) {
            System.gc();
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        last = new Socket();
        collect();
        HANGS.await();
        Stage.play(number -> last = new Handle(number), StuckFinalizer::collect);
    }
}
