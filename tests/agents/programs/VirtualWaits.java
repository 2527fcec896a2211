import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;

/** JDK 21 and later: a virtual thread for each payment, which waits for an answer that never comes; "together": all for one. */
final class VirtualWaits {
    static final class Payment {
        final byte[] card = new byte[100];
        final CountDownLatch answered = new CountDownLatch(1);

        void settle() {
            awaitAll();
            answers += card.length;
        }
    }

    static final CountDownLatch settled = new CountDownLatch(1);
    static int answers;

    static void awaitAll() {
        try {
            settled.await();
        } catch (InterruptedException e) {
            answers--;
        }
    }

    static void awaitAnswer(Payment payment, CountDownLatch begun) throws InterruptedException {
        begun.countDown();
        payment.answered.await(); // waits
        answers += payment.card.length;
    }

    static void pay() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Thread.startVirtualThread(() -> {
            try {
                awaitAnswer(new Payment(), begun);
            } catch (InterruptedException e) {
                answers--;
            }
        });
        begun.await();
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        int planted = 0;
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null && !line.equals("quit"); ) {
            int count = Integer.parseInt(line.substring("leak ".length()));
            for (int i = 0; i < count; i++)
                if (arguments.length == 0) pay();
                else Thread.startVirtualThread(new Payment()::settle);
            planted += count;
            System.out.println("leaked " + planted);
        }
        System.exit(0);
    }
}
