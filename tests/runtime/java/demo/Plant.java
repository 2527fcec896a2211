package demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What every planted leak shares: two live dumps, a class histogram right before each, and the case's truth.
 *
 * <p>The folder comes from the first argument; {@code -gz=1} as the second asks the JVM for compressed dumps. Counts in
 * truth.json are the case's own. {@code before.histogram.txt} and {@code after.histogram.txt} are what the JVM itself
 * says. Histogram and dump are asked for by one child process, while this one does nothing but wait for it: so both see
 * the same live objects, and every class can be compared, not only the planted ones.
 */
final class Plant {
    /** Changes the heap: the warm-up before the first dump, the leak between the two. */
    interface Step {
        void run() throws Exception;
    }

    private final Path folder;
    private final String compress;
    private final StringJoiner holders = new StringJoiner(",\n  ");
    private String root;
    private String growing;
    private String shrinking;
    private String soft;
    private Map<String, IntSupplier> counts = Map.of();

    private Plant(String[] args) throws IOException {
        folder = Path.of(args[0]).toAbsolutePath();
        compress = args.length > 1 ? args[1] : "";
        Files.createDirectories(folder);
    }

    /** The folder of a case and how its dumps are compressed. */
    static Plant in(String[] args) throws IOException {
        return new Plant(args);
    }

    /** The class that grows most, and the name that growth by root should show, or a part of it. */
    Plant growing(String type, String root) {
        this.growing = type;
        this.root = root;
        return this;
    }

    /** The class that shrinks most. */
    Plant shrinking(String type) {
        this.shrinking = type;
        return this;
    }

    /**
     * A holder of the growth; the first one is what the report must name first, unless no class is growing most.
     *
     * @param root its whole name
     * @param path from the root to the container: "demo.App, .services demo.Services, .listeners java.util.LinkedList"
     * @param items the growth edge below it by which the planted objects hang, "[*].value demo.Page", or null
     * @param types the planted classes whose growth it holds
     */
    Plant holder(String root, String path, String items, String... types) {
        holders.add("{\"root\": " + quoted(root) + ", \"path\": " + quoted(path) + ", \"items\": " + quoted(items)
                + ", \"types\": [" + Stream.of(types).map(Plant::quoted).collect(Collectors.joining(", ")) + "]}");
        return this;
    }

    /** A planted class whose objects are all held by soft references alone. */
    Plant soft(String type) {
        this.soft = type;
        return this;
    }

    /** Live objects of each planted class, asked before each dump. */
    Plant counts(Map<String, IntSupplier> counts) {
        this.counts = counts;
        return this;
    }

    /** Warms up, dumps, leaks, dumps and writes truth.json. */
    void leak(Step warmUp, Step leak) throws Exception {
        warmUp.run();
        int[] before = counts.values().stream().mapToInt(IntSupplier::getAsInt).toArray();
        dump("before");
        leak.run();
        int[] after = counts.values().stream().mapToInt(IntSupplier::getAsInt).toArray();
        dump("after");
        StringJoiner types = new StringJoiner(",\n  ");
        int i = 0;
        for (String type : counts.keySet()) {
            types.add(quoted(type) + ": {\"before\": " + before[i] + ", \"after\": " + after[i++] + '}');
        }
        truth(types.toString());
    }

    private static String quoted(String text) {
        return text == null ? "null" : '"' + text.replace("\"", "\\\"") + '"';
    }

    private String dumpName(String side) {
        return side + (compress.isEmpty() ? ".hprof" : ".hprof.gz");
    }

    private void dump(String side) throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        // The first collection lets cleaners run over what the case, and starting this child, dropped.
        String script = "set -e; rm -f \"$4\"; \"$1\" \"$2\" GC.run; sleep 0.1; "
                + "\"$1\" \"$2\" GC.class_histogram >\"$3\"; \"$1\" \"$2\" GC.heap_dump $5 \"$4\"";
        Process child = new ProcessBuilder("sh", "-c", script, "sh", jcmd, Long.toString(ProcessHandle.current().pid()),
                folder.resolve(side + ".histogram.txt").toString(), folder.resolve(dumpName(side)).toString(), compress)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        if (child.waitFor() != 0 || !Files.exists(folder.resolve(dumpName(side)))) {
            throw new IOException("jcmd wrote no " + side + " dump");
        }
    }

    private void truth(String types) throws IOException {
        Files.writeString(folder.resolve("truth.json"), "{\"runtime\": \"java\", \"version\": " + quoted(System.getProperty("java.version"))
                + ",\n \"before\": " + quoted(dumpName("before")) + ", \"after\": " + quoted(dumpName("after"))
                + ",\n \"root\": " + quoted(root) + ",\n \"growing\": [" + (growing == null ? "" : quoted(growing))
                + "],\n \"shrinking\": [" + (shrinking == null ? "" : quoted(shrinking))
                + "],\n \"soft\": " + quoted(soft)
                + ",\n \"holders\": [\n  " + holders + "],\n \"types\": {\n  " + types + "}}\n");
    }
}
