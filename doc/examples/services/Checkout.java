import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A shop's service that leaks: the cache of price lists has the moment of the request in its key, so no entry is ever found again. The
 * cache of pages beside it is bounded.
 *
 *   java Checkout          GET /cart?user=NUMBER
 */
public class Checkout {
    record Key(long user, long asked) {}

    static final class Price {
        final int article;
        final long cents;

        Price(int article, long cents) { this.article = article; this.cents = cents; }
    }

    static final Map<Key, List<Price>> prices = new ConcurrentHashMap<>();

    static final Map<String, String> pages = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) { return size() > 100; }
    };

    static Key keyOf(long user) { return new Key(user, System.nanoTime()); }

    static List<Price> pricesOf(Key key) {
        List<Price> list = new ArrayList<>();
        for (int article = 0; article < 4; article++) list.add(new Price(article, 100 * article + key.user() % 7));
        return list;
    }

    static String cart(long user) {
        List<Price> list = prices.computeIfAbsent(keyOf(user), Checkout::pricesOf);
        return pages.computeIfAbsent("/cart/" + user % 150, path -> "<h1>" + path + "</h1>") + list.size();
    }

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 8080), 0);
        server.createContext("/cart", exchange -> {
            byte[] body = cart(Long.parseLong(exchange.getRequestURI().getQuery().substring("user=".length()))).getBytes();
            exchange.getResponseHeaders().set("Connection", "close");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
