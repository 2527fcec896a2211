import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** No leak: listeners that are removed, futures that are completed, thread locals that are cleared. */
public final class CleanListeners {
    static final class Ticket {
        final int number;
        double price;
        Ticket(int number) { this.number = number; }
    }

    static final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    static final ThreadLocal<Ticket> current = new ThreadLocal<>();

    static void open(int number) {
        Ticket ticket = new Ticket(number);
        Runnable listener = () -> ticket.price++;
        listeners.add(listener);
        current.set(ticket);
        CompletableFuture<Integer> done = new CompletableFuture<>();
        done.thenAccept(price -> ticket.price = price);
        done.complete(number);
        current.remove();
        listeners.remove(listener);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 1000; i++) open(i);
        Stage.play(CleanListeners::open);
    }
}
