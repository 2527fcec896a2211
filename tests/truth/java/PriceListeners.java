import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;

/** Tickets listen for prices by lambdas, and never stop. */
public final class PriceListeners {
    static final class Ticket {
        final int number;
        double price;
        Ticket(int number) { this.number = number; }
    }

    static final class PriceFeed {
        private final List<DoubleConsumer> listeners = new ArrayList<>();
        void onPrice(DoubleConsumer listener) { listeners.add(listener); }
    }

    static final PriceFeed feed = new PriceFeed();

    static void openTicket(int number) {
        Ticket ticket = new Ticket(number);
        feed.onPrice(price -> ticket.price = price); // truth: made
    }

    public static void main(String[] args) throws Exception {
        Stage.play(PriceListeners::openTicket);
    }
}
