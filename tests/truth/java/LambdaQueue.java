import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Letters are handed to an executor of one thread, which hangs in the first of them. */
public final class LambdaQueue {
    static final class Letter {
        final int number;
        final String text;
        Letter(int number) {
            this.number = number;
            text = "letter " + (100_000 + number);
        }
        void send() { last = number; }
    }

    static volatile int last;
    private static final ExecutorService postOffice = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "postman");
        thread.setDaemon(true);
        return thread;
    });

    static void post(int number) {
        Letter letter = new Letter(number);
        postOffice.execute(() -> letter.send());
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        postOffice.execute(() -> {
            hangs.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        hangs.await();
        Stage.play(LambdaQueue::post);
    }
}
