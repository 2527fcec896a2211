import java.util.concurrent.CountDownLatch;

/** A thread is started for each upload and never ends. */
public final class ParkedThreads {
    static final class Upload {
        final int number;
        final byte[] part = new byte[4000];
        Upload(int number) { this.number = number; }
    }

    static final CountDownLatch never = new CountDownLatch(1);

    static void follow(int number, CountDownLatch begun) throws InterruptedException {
        Upload upload = new Upload(number);
        begun.countDown();
        never.await();
        upload.part[0] = 1;
    }

    public static void main(String[] args) throws Exception {
        Stage.play(number -> {
            CountDownLatch begun = new CountDownLatch(1);
            Stage.daemon("upload-" + number, () -> follow(number, begun));
            begun.await();
        });
    }
}
