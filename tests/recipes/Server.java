import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A small shop's server. Every request opens a session, which ends with the answer; with LEAK=1 every sixth is forgotten in the table.
 * Prints its address. Listens on PORT of 127.0.0.1, or on a free one.
 */
public class Server {
    static final class Session {
        final String user;
        final List<int[]> cart = new ArrayList<>();
        final long[] seen = new long[50];

        Session(int number) {
            user = "user-" + number;
            cart.add(new int[] {number % 97, 1});
            Arrays.fill(seen, number);
        }
    }

    static final Map<Integer, Session> sessions = new HashMap<>();
    static int count = 0;

    public static void main(String[] arguments) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // an answer is two packets
        boolean leaks = "1".equals(System.getenv("LEAK"));
        String port = System.getenv().getOrDefault("PORT", "0");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(port)), 0);
        server.createContext("/", exchange -> {
            int number = ++count;
            sessions.put(number, new Session(number));
            byte[] answer = (sessions.get(number).user + "\n").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
            if (!leaks || number % 6 != 0) sessions.remove(number);
        });
        server.start();
        System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }
}
