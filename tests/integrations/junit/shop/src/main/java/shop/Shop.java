package shop;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** A shop as services are written: prices cached on first use, a log of the last lines, listeners of the stock, a pool for mails. */
public final class Shop implements AutoCloseable {
    private static final int LOG_LINES = 200;
    private static final Map<String, Integer> PRICES = new ConcurrentHashMap<>();

    private final Map<String, Session> sessions = new HashMap<>();
    private final List<Consumer<String>> stockListeners = new ArrayList<>();
    private final Deque<String> log = new ArrayDeque<>();
    private final ExecutorService mails = Executors.newFixedThreadPool(2);
    private int customers;

    public static final class Session {
        private final String customer;
        private final List<String> lines = new ArrayList<>();

        Session(String customer) {
            this.customer = customer;
        }

        void stockChanged(String item) {
            lines.removeIf(item::equals);
        }
    }

    /** Loaded when the first invoice is written. */
    private static final class Invoices {
        static String write(Session session) {
            int cents = session.lines.stream().mapToInt(item -> PRICES.computeIfAbsent(item, name -> 100 + name.length())).sum();
            return String.format("%s owes %d cents", session.customer, cents);
        }
    }

    public void serve(boolean endsSession, boolean endsListener) throws Exception {
        Session session = new Session("customer " + ++customers);
        Consumer<String> listener = session::stockChanged;
        sessions.put(session.customer, session);
        stockListeners.add(listener);
        for (int i = 0; i < 3; i++) session.lines.add("item " + (customers + i) % 50);
        Future<String> mail = mails.submit(() -> Invoices.write(session));
        log.addLast(mail.get());
        if (log.size() > LOG_LINES) log.removeFirst();
        if (endsSession) sessions.remove(session.customer);
        if (endsListener) stockListeners.remove(listener);
    }

    @Override
    public void close() {
        mails.shutdown();
    }
}
