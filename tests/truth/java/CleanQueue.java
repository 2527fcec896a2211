import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** No leak: a queue that is consumed; all is done when the counter says so. */
public final class CleanQueue {
    static final class Job {
        final int number;
        final byte[] text = new byte[300];
        Job(int number) { this.number = number; }
    }

    static final BlockingQueue<Job> jobs = new ArrayBlockingQueue<>(64);
    static final AtomicInteger done = new AtomicInteger();
    static final AtomicInteger sent = new AtomicInteger();

    static void consume() throws InterruptedException {
        for (;;) done.addAndGet(jobs.take().text.length / 300);
    }

    public static void main(String[] args) throws Exception {
        Stage.daemon("consumer", CleanQueue::consume);
        Stage.play(number -> {
            jobs.put(new Job(number));
            sent.incrementAndGet();
        }, () -> {
            while (done.get() < sent.get()) Thread.onSpinWait();
        });
    }
}
