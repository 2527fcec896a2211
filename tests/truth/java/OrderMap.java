import java.util.concurrent.ConcurrentHashMap;

/** Orders stay in a ConcurrentHashMap when they are done. */
public final class OrderMap {
    static final class Order {
        final long number;
        boolean isDone;
        Order(long number) { this.number = number; }
    }

    static final class Shop {
        private final ConcurrentHashMap<Long, Order> orders = new ConcurrentHashMap<>();

        void buy(int number) {
            Order order = orders.computeIfAbsent(100_000L + number, Order::new);
            order.isDone = true;
        }
    }

    static final Shop shop = new Shop();

    public static void main(String[] args) throws Exception {
        Stage.play(shop::buy);
    }
}
