import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.NumberFormat;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A shop over HTTP whose heap is captured under load: {@code java Service seed=S [items=N] [leak=BYTES round=REQUESTS kind=KIND]}.
 *
 * <p>Prints "listening PORT PLACE" once it serves, with PLACE the JSON of where the leak hangs, or null. load.py makes the requests; POST
 * /capture?file=F writes a dump of the live heap after full collections and answers with {"leaked": things kept so far}; POST /stop ends
 * it. Everything that the shop keeps is bounded (Shop.java); what leak= adds is in Leaks.java. Requests run on four threads, mail and
 * stock on a pool that grows and shrinks, expiry on a timer.
 */
public final class Service {
    private static final Pattern ITEM = Pattern.compile("/(item|render)/(\\d+)");
    private static final Pattern SID = Pattern.compile("(?:^|; )sid=([^;]*)");
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\": (?:\"([^\"]*)\"|([\\w.]+))");
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");

    static final class HttpError extends RuntimeException {
        private static final long serialVersionUID = 1;
        final int status;

        HttpError(int status, String message) {
            super(message);
            this.status = status;
        }
    }

    /** One request: what handlers need, and what leaks keep a part of. */
    static final class Call {
        final int number;
        final String method;
        final String path;
        final Map<String, String> query;
        final byte[] body;
        final String cookie;
        String answerCookie;
        String user;

        Call(int number, HttpExchange exchange) throws IOException {
            this.number = number;
            method = exchange.getRequestMethod();
            path = exchange.getRequestURI().getPath();
            query = parseQuery(exchange.getRequestURI().getRawQuery());
            body = exchange.getRequestBody().readAllBytes();
            cookie = exchange.getRequestHeaders().getFirst("Cookie");
        }

        private static Map<String, String> parseQuery(String text) {
            Map<String, String> query = new HashMap<>();
            for (String pair : text == null ? new String[0] : text.split("&")) {
                String[] words = pair.split("=", 2);
                query.put(words[0], words.length > 1 ? URLDecoder.decode(words[1], StandardCharsets.UTF_8) : "");
            }
            return query;
        }
    }

    interface Handler {
        String handle(Call call) throws Exception;
    }

    private final Shop shop;
    private final Leaks leaks;
    private final AtomicInteger calls = new AtomicInteger();
    private final ConcurrentHashMap<String, Handler> routes = new ConcurrentHashMap<>();
    private final ThreadLocal<NumberFormat> money = ThreadLocal.withInitial(() -> NumberFormat.getCurrencyInstance(Locale.GERMANY));
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, named("timer"));
    private final ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 6, 300, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(4), named("pool"),
            new ThreadPoolExecutor.CallerRunsPolicy());
    private final HttpServer server;

    private Service(Map<String, String> settings) throws IOException {
        long seed = Long.parseLong(settings.getOrDefault("seed", "1"));
        shop = new Shop(seed, Integer.parseInt(settings.getOrDefault("items", "3000")));
        leaks = Leaks.of(settings, seed);
        routes.put("GET /item", this::item);
        routes.put("GET /search", this::search);
        routes.put("GET /render", this::render);
        routes.put("POST /login", this::login);
        routes.put("GET /cart", this::cart);
        routes.put("POST /cart", this::addToCart);
        routes.put("POST /order", this::order);
        routes.put("GET /report", this::report);
        routes.put("GET /export", this::export);
        routes.put("POST /upload", this::upload);
        routes.put("GET /time", this::time);
        routes.put("GET /broken", this::broken);
        routes.put("GET /rare", this::rare);
        routes.put("POST /capture", this::capture);
        routes.put("POST /stop", this::stop);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        ExecutorService workers = Executors.newFixedThreadPool(4, named("http"));
        server.setExecutor(workers);
        server.createContext("/", this::serve);
        timer.scheduleAtFixedRate(shop::sweep, 100, 100, TimeUnit.MILLISECONDS);
    }

    private static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    // ---- one request ----

    private void serve(HttpExchange exchange) throws IOException {
        Call call = new Call(calls.incrementAndGet(), exchange);
        long started = System.nanoTime();
        int status = 200;
        String answer;
        try {
            answer = handlerOf(call).handle(call);
        } catch (HttpError e) {
            status = e.status;
            answer = "{\"error\": \"" + e.getMessage() + "\"}";
        } catch (Exception e) {
            status = 500;
            answer = "{\"error\": \"" + e + "\"}";
            shop.errors.add(e);
        }
        send(exchange, call, status, answer);
        shop.measure(call.method + " " + first(call.path), status, System.nanoTime() - started);
        shop.log.add(STAMP.format(LocalDateTime.now()) + " " + call.method + " " + call.path + " " + status);
        if (!call.path.equals("/capture")) {
            leaks.call(call, shop);
        }
    }

    private void send(HttpExchange exchange, Call call, int status, String answer) throws IOException {
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.startsWith("<") ? "text/html" : "application/json");
        if (call.answerCookie != null) {
            exchange.getResponseHeaders().set("Set-Cookie", "sid=" + call.answerCookie + "; HttpOnly");
        }
        boolean isChunked = call.path.equals("/export");
        exchange.sendResponseHeaders(status, isChunked ? 0 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private static String first(String path) {
        int end = path.indexOf('/', 1);
        return end < 0 ? path : path.substring(0, end);
    }

    private Handler handlerOf(Call call) {
        Handler handler = routes.get(call.method + " " + first(call.path));
        if (handler == null) {
            throw new HttpError(404, "no route " + call.path);
        }
        return handler;
    }

    private static Map<String, String> json(Call call) {
        String text = new String(call.body, StandardCharsets.UTF_8);
        if (!text.startsWith("{") || !text.endsWith("}")) {
            throw new HttpError(400, "the body is not JSON");
        }
        Map<String, String> fields = new HashMap<>();
        Matcher matcher = FIELD.matcher(text);
        while (matcher.find()) {
            fields.put(matcher.group(1), matcher.group(2) != null ? matcher.group(2) : matcher.group(3));
        }
        return fields;
    }

    // ---- sessions ----

    private Shop.Session session(Call call) {
        Matcher matcher = SID.matcher(call.cookie == null ? "" : call.cookie);
        Shop.Session session = matcher.find() ? shop.sessions.get(matcher.group(1)) : null;
        if (session == null) {
            throw new HttpError(401, "no session");
        }
        session.seen = System.currentTimeMillis();
        session.visits++;
        call.user = session.user;
        return session;
    }

    private String login(Call call) {
        Map<String, String> fields = json(call);
        String sid = Base64.getUrlEncoder().withoutPadding().encodeToString((fields.get("user") + ":" + shop.random()).getBytes(StandardCharsets.UTF_8));
        shop.sessions.put(sid, new Shop.Session(fields.get("user"), Locale.forLanguageTag(fields.get("language"))));
        call.answerCookie = sid;
        return "{\"user\": \"" + fields.get("user") + "\"}";
    }

    private String cart(Call call) {
        Shop.Session session = session(call);
        BigDecimal total = BigDecimal.ZERO;
        StringBuilder lines = new StringBuilder();
        for (Shop.Line line : session.lines()) {
            total = total.add(shop.item(line.item()).price.multiply(BigDecimal.valueOf(line.count())));
            lines.append(lines.length() == 0 ? "" : ", ").append(line.item());
        }
        return "{\"lines\": [" + lines + "], \"total\": \"" + money.get().format(total.setScale(2, RoundingMode.HALF_UP)) + "\"}";
    }

    private String addToCart(Call call) {
        Map<String, String> fields = json(call);
        Shop.Session session = session(call);
        session.add(new Shop.Line(Integer.parseInt(fields.get("item")), Integer.parseInt(fields.get("count")), fields.get("note")));
        return "{\"lines\": " + session.lines().size() + "}";
    }

    private String order(Call call) throws Exception {
        Map<String, String> fields = json(call);
        Shop.Session session = session(call);
        List<Shop.Line> lines = session.takeLines();
        if (lines.isEmpty()) {
            throw new HttpError(409, "the cart is empty");
        }
        Shop.Order order = new Shop.Order(calls.get(), session.user, lines, fields.get("address"));
        shop.orders.add(order);
        List<CompletableFuture<Void>> reserved = lines.stream()
                .map(line -> CompletableFuture.runAsync(() -> shop.item(line.item()).stock.add(-line.count()), pool)).collect(Collectors.toList());
        CompletableFuture.allOf(reserved.toArray(new CompletableFuture<?>[0])).get(5, TimeUnit.SECONDS);
        pool.execute(() -> shop.log.add("mail: order " + order.number() + " of " + order.user()));
        return "{\"number\": " + order.number() + ", \"lines\": " + lines.size() + "}";
    }

    // ---- pages ----

    private Shop.Item itemOf(Call call) {
        Matcher matcher = ITEM.matcher(call.path);
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) >= shop.itemCount()) {
            throw new HttpError(404, "no such item");
        }
        return shop.item(Integer.parseInt(matcher.group(2)));
    }

    private String item(Call call) {
        Shop.Item item = itemOf(call);
        List<String> related = shop.related.computeIfAbsent(String.join(" ", item.tags), key -> shop.find(item.tags.subList(0, 2)).stream()
                .limit(5).map(other -> other.name).collect(Collectors.toList()));
        return "{\"id\": " + item.id + ", \"name\": \"" + item.name + "\", \"price\": " + item.price + ", \"related\": " + related.size() + "}";
    }

    private String search(Call call) {
        String words = call.query.getOrDefault("q", "");
        int page = Integer.parseInt(call.query.getOrDefault("page", "0"));
        return shop.pages.computeIfAbsent("search " + words + " " + page, key -> {
            List<Shop.Item> found = shop.find(List.of(words.split("[ +]")));
            return found.stream().sorted((a, b) -> a.price.compareTo(b.price)).skip(page * 10L).limit(10)
                    .map(item -> String.format("{\"id\": %d, \"name\": \"%s\", \"price\": %s}", item.id, item.name, item.price))
                    .collect(Collectors.joining(", ", "{\"count\": " + found.size() + ", \"found\": [", "]}"));
        });
    }

    private String render(Call call) {
        Shop.Item item = itemOf(call);
        Locale locale = Locale.forLanguageTag(call.query.getOrDefault("lang", "en"));
        return shop.pages.computeIfAbsent("render " + item.id + " " + locale, key -> {
            StringBuilder page = new StringBuilder("<html lang=\"" + locale + "\"><head><title>" + item.name + "</title></head><body>");
            for (String sentence : item.text.split("(?<=red|summer|paper) ")) {
                page.append("<p>").append(sentence.replace("&", "&amp;").replace("<", "&lt;")).append("</p>");
            }
            return page.append("<b>").append(NumberFormat.getCurrencyInstance(locale).format(item.price)).append("</b></body></html>").toString();
        });
    }

    private String report(Call call) {
        String group = call.query.getOrDefault("group", "tag");
        Map<String, BigDecimal> worth = shop.items().collect(Collectors.groupingBy(
                item -> group.equals("tag") ? item.tags.get(0) : group.equals("price") ? "p" + item.price.intValue() / 10 : "s" + item.stock.sum() % 10,
                Collectors.reducing(BigDecimal.ZERO, item -> item.price, BigDecimal::add)));
        return worth.entrySet().stream().sorted(Map.Entry.<String, BigDecimal>comparingByValue().reversed())
                .map(row -> "\"" + row.getKey() + "\": " + row.getValue()).collect(Collectors.joining(", ", "{", "}"));
    }

    private String export(Call call) {
        int from = Integer.parseInt(call.query.get("from"));
        return shop.items().skip(from).limit(Long.parseLong(call.query.get("count")))
                .map(item -> item.id + ",\"" + item.name + "\"," + item.price).collect(Collectors.joining("\n"));
    }

    private String upload(Call call) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(call.body);
        return "{\"bytes\": " + call.body.length + ", \"digest\": \"" + Base64.getEncoder().encodeToString(digest) + "\"}";
    }

    private String time(Call call) {
        LocalDateTime when = LocalDateTime.of(2024, 2, 3, Integer.parseInt(call.query.get("offset")), 0);
        Locale locale = Locale.forLanguageTag(call.query.get("lang"));
        return "{\"text\": \"" + DateTimeFormatter.ofPattern("EEEE d MMMM, HH:mm", locale).format(when) + "\"}";
    }

    private String broken(Call call) {
        String kind = call.query.get("kind");
        if (kind.equals("0")) {
            return shop.item(-1).name;
        }
        if (kind.equals("1")) {
            throw new IllegalStateException("out of stock");
        }
        return CompletableFuture.supplyAsync(() -> String.valueOf(Integer.parseInt("broken")), pool).join();
    }

    /** Code that few requests need: its classes are loaded when the first of them comes, whichever round that is. */
    private String rare(Call call) throws Exception {
        return switch (call.query.get("kind")) {
            case "0" -> "{\"packed\": " + Rare.pack(report(call)) + "}";
            case "1" -> "{\"metrics\": " + shop.metrics.values().parallelStream().mapToLong(LongAdder::sum).sum() + "}";
            case "2" -> "{\"id\": \"" + UUID.randomUUID() + "\"}";
            default -> "{\"zone\": \"" + Rare.zones() + "\"}";
        };
    }

    private static final class Rare {
        static int pack(String text) throws IOException {
            java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
            try (java.util.zip.GZIPOutputStream gzip = new java.util.zip.GZIPOutputStream(out)) {
                gzip.write(text.getBytes(StandardCharsets.UTF_8));
            }
            return out.size();
        }

        static String zones() {
            return java.time.ZonedDateTime.of(2024, 6, 1, 12, 0, 0, 0, java.time.ZoneId.of("Europe/Berlin")).toString();
        }
    }

    // ---- captures ----

    private String capture(Call call) throws Exception {
        Thread.sleep(60);
        System.gc();
        Thread.sleep(20);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(call.query.get("file"), true);
        return "{\"leaked\": " + leaks.count() + "}";
    }

    private String stop(Call call) {
        timer.schedule(() -> System.exit(0), 10, TimeUnit.MILLISECONDS);
        return "{}";
    }

    public static void main(String[] args) throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (String arg : args) {
            String[] words = arg.split("=", 2);
            settings.put(words[0], words[1]);
        }
        Service service = new Service(settings);
        service.server.start();
        System.out.println("listening " + service.server.getAddress().getPort() + " " + service.leaks.place());
    }
}
