import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A service of two versions. {@code Service leaks FROM} forgets to end every fourth session after the first FROM, {@code Service} ends them all; all
 * else is the same: a cache that fills up and throws out, garbage, a table that stays. Obeys "serve N", answers "served TOTAL"; "quit" ends it.
 */
public final class Service {
    record Product(String name, int price) {}

    static final class Session {
        final List<String> cart = new ArrayList<>();
        Session(int number) { cart.add("item " + number); }
    }

    static final class Pages extends LinkedHashMap<Integer, String> {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, String> eldest) { return size() > 1000; }
    }

    static final class Shop {
        final Map<Integer, Session> sessions = new HashMap<>();
        final Pages pages = new Pages();
        final List<Product> catalogue = new ArrayList<>();
        final int leaksFrom;
        int served;

        Shop(int leaksFrom) {
            this.leaksFrom = leaksFrom;
            for (int i = 0; i < 1000; i++) catalogue.add(new Product("product " + i, i));
        }

        void serve() {
            int number = served++;
            sessions.put(number, new Session(number));
            pages.put(number * 7919 % 6000, "page of " + number);
            if (number < leaksFrom || number % 4 != 0) sessions.remove(number);
        }
    }

    static Shop shop;

    public static void main(String[] args) throws Exception {
        shop = new Shop(args.length > 0 && args[0].equals("leaks") ? Integer.parseInt(args[1]) : Integer.MAX_VALUE);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = lines.readLine()) != null && !line.equals("quit"); ) {
            int count = Integer.parseInt(line.substring("serve ".length()));
            for (int i = 0; i < count; i++) shop.serve();
            System.out.println("served " + shop.served);
        }
    }
}
