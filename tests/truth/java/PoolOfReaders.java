import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.SynchronousQueue;

/** Four readers keep what they have read in a variable of their loops. */
public final class PoolOfReaders {
    static final class Chapter {
        final int number;
        final char[] text = new char[30];
        Chapter(int number) { this.number = number; }
    }

    static final SynchronousQueue<Integer> orders = new SynchronousQueue<>(true);
    static final SynchronousQueue<Integer> done = new SynchronousQueue<>(true);

    static void read() throws InterruptedException {
        Deque<Chapter> chapters = new ArrayDeque<>();
        for (;;) {
            chapters.addLast(new Chapter(orders.take()));
            done.put(chapters.size());
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 1; i <= 4; i++) Stage.daemon("reader-" + i, PoolOfReaders::read);
        Stage.play(number -> {
            orders.put(number);
            done.take();
        });
    }
}
