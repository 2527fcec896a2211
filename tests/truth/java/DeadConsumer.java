import java.util.concurrent.LinkedBlockingQueue;

/** A mailbox whose reader has died of an exception that nobody saw. */
public final class DeadConsumer {
    static final class Job {
        final int number;
        final long due;
        Job(int number) {
            this.number = number;
            this.due = number * 1000L;
        }
    }

    static final class Mailer {
        final LinkedBlockingQueue<Job> mailbox = new LinkedBlockingQueue<>();

        void start() throws InterruptedException {
            Thread reader = new Thread(() -> {
                try {
                    for (int sent = 0; sent < 10; ) sent += mailbox.take().number;
                    throw new IllegalStateException("connection refused");
                } catch (InterruptedException | IllegalStateException e) {
                    return;
                }
            }, "mail-reader");
            reader.start();
            for (int i = 0; i < 10; i++) mailbox.put(new Job(1));
            reader.join();
        }
    }

    static final Mailer mailer = new Mailer();

    public static void main(String[] args) throws Exception {
        mailer.start();
        Stage.play(number -> mailer.mailbox.put(new Job(number)));
    }
}
