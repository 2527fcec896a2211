import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Answers questions under load: {@code JvmAnswers}. For each line {@code ask N} one line {@code answer N DIGEST}, which depends on N alone; two
 * threads allocate meanwhile, and keep 40,000 objects alive. Ends at {@code quit}.
 */
public final class JvmAnswers {
    record Order(int number, String customer, double amount) {}

    static final Map<Integer, Order> KEPT = new ConcurrentHashMap<>();

    static void load(int seed) {
        Random random = new Random(seed);
        for (int i = 0; ; i++) {
            KEPT.put(random.nextInt(40_000), new Order(i, "customer " + random.nextInt(500), random.nextDouble()));
            if (i % 64 == 0) Thread.yield();
        }
    }

    static String answer(int number) throws Exception {
        Random random = new Random(number);
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < 3000; i++) orders.add(new Order(i, "c" + random.nextInt(97), random.nextInt(10_000) / 100.0));
        Map<String, List<Order>> byCustomer = orders.stream().collect(Collectors.groupingBy(Order::customer, TreeMap::new, Collectors.toList()));
        StringBuilder text = new StringBuilder();
        byCustomer.forEach((name, all) -> {
            all.sort((a, b) -> Double.compare(b.amount(), a.amount()) != 0 ? Double.compare(b.amount(), a.amount()) : a.number() - b.number());
            text.append(name).append(all.size()).append(all.get(0)).append(String.format("%.2f", all.stream().mapToDouble(Order::amount).sum()));
        });
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes("UTF-8")));
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 2; i++) {
            int seed = i;
            Thread thread = new Thread(() -> load(seed), "load-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null && !line.equals("quit"); ) {
            int number = Integer.parseInt(line.split(" ")[1]);
            System.out.println("answer " + number + " " + answer(number));
        }
    }
}
