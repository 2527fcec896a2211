import java.lang.ref.WeakReference;
import java.util.concurrent.CopyOnWriteArrayList;

/** Subscribers are referred to weakly and go; the references to them stay, in a list that nobody cleans. */
public final class StaleSubscribers {
    static final class Subscriber {
        final int[] seen = new int[30];
    }

    static final class Subscription extends WeakReference<Subscriber> {
        final String topic;
        final int number;
        Subscription(Subscriber subscriber, int number) {
            super(subscriber);
            this.number = number;
            topic = "topic " + (100_000 + number);
        }
    }

    interface Topics {
        CopyOnWriteArrayList<Subscription> SUBSCRIPTIONS = new CopyOnWriteArrayList<>();
    }

    static void collect() throws InterruptedException {
        WeakReference<Object> behind = new WeakReference<>(new Object());
        while (behind.get() != null) {
            System.gc();
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage.play(number -> Topics.SUBSCRIPTIONS.add(new Subscription(new Subscriber(), number)), StaleSubscribers::collect);
    }
}
