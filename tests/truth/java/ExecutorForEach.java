import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** An executor is made for each report, and never shut down. */
public final class ExecutorForEach {
    static final class Report {
        final long[] sums = new long[500];
    }

    static void make(int number) throws InterruptedException {
        ThreadLocal<Report> current = ThreadLocal.withInitial(Report::new);
        CountDownLatch done = new CountDownLatch(1);
        ExecutorService own = Executors.newFixedThreadPool(1);
        own.execute(() -> {
            current.get().sums[0] = number;
            done.countDown();
        });
        done.await(1, TimeUnit.MINUTES);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(ExecutorForEach::make);
    }
}
