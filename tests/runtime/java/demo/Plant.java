package demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.IntSupplier;

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
        void run() throws InterruptedException;
    }

    private final Path folder;
    private final String compress;

    private Plant(String[] args) throws IOException {
        folder = Path.of(args[0]).toAbsolutePath();
        compress = args.length > 1 ? args[1] : "";
        Files.createDirectories(folder);
    }

    /**
     * Warms up, dumps, leaks, dumps and writes truth.json.
     *
     * @param root the name that growth by root should show, or a part of it
     * @param growing the class that grows most
     * @param shrinking the class that shrinks most, or null
     * @param counts live objects of each planted class, asked before each dump
     */
    static void leak(String[] args, String root, String growing, String shrinking, Map<String, IntSupplier> counts,
            Step warmUp, Step leak) throws IOException, InterruptedException {
        Plant plant = new Plant(args);
        warmUp.run();
        int[] before = counts.values().stream().mapToInt(IntSupplier::getAsInt).toArray();
        plant.dump("before");
        leak.run();
        int[] after = counts.values().stream().mapToInt(IntSupplier::getAsInt).toArray();
        plant.dump("after");
        StringJoiner types = new StringJoiner(",\n  ");
        int i = 0;
        for (String type : counts.keySet()) {
            types.add('"' + type + "\": {\"before\": " + before[i] + ", \"after\": " + after[i++] + '}');
        }
        plant.truth(root, growing, shrinking, types.toString());
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

    private void truth(String root, String growing, String shrinking, String types) throws IOException {
        Files.writeString(folder.resolve("truth.json"), "{\"runtime\": \"java\", \"version\": \"" + System.getProperty("java.version")
                + "\",\n \"before\": \"" + dumpName("before") + "\", \"after\": \"" + dumpName("after")
                + "\",\n \"root\": \"" + root + "\",\n \"growing\": [\"" + growing + "\"],\n \"shrinking\": ["
                + (shrinking == null ? "" : '"' + shrinking + '"') + "],\n \"types\": {\n  " + types + "}}\n");
    }
}
