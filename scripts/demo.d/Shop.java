import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A shop's server that leaks: orders are remembered in a static map and never forgotten, while the page cache beside it is bounded
 * and healthy. It waits on standard input after each load, so that somebody else can dump its heap: see scripts/demo.
 */
public class Shop {
    static final class Order {
        final long number;
        final List<Line> lines = new ArrayList<>();

        Order(long number) { this.number = number; }
    }

    static final class Line {
        final int product;
        final int count;

        Line(int product, int count) { this.product = product; this.count = count; }
    }

    static final Map<Long, Order> openOrders = new HashMap<>();

    static final Map<String, byte[]> pages = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) { return size() > 500; }
    };

    static void serve(long from, long to) {
        for (long request = from; request < to; request++) {
            Order order = new Order(request);
            for (int i = 0; i <= request % 3; i++) order.lines.add(new Line((int) request % 100, i + 1));
            openOrders.put(request, order);
            pages.put("/page/" + request % 2000, new byte[400]);
        }
    }

    public static void main(String[] arguments) throws Exception {
        serve(0, 5_000);
        System.out.println("ready");
        System.in.read();
        serve(5_000, 45_000);
        System.out.println("ready");
        System.in.read();
    }
}
