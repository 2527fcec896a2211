import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** Retries that are due in hours and were superseded long since. */
public final class DelayedRetries {
    static final class Retry implements Delayed {
        final int number;
        final long due;
        Retry(int number) {
            this.number = number;
            this.due = System.nanoTime() + TimeUnit.HOURS.toNanos(5 + number % 7);
        }

        @Override
        public long getDelay(TimeUnit unit) { return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS); }

        @Override
        public int compareTo(Delayed other) { return Long.compare(due, ((Retry) other).due); }
    }

    static final DelayQueue<Retry> retries = new DelayQueue<>();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> {
            retries.poll();
            retries.put(new Retry(number));
        });
    }
}
