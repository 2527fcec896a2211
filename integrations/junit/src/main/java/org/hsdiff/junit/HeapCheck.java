package org.hsdiff.junit;

import com.sun.management.HotSpotDiagnosticMXBean;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.opentest4j.AssertionFailedError;

/** Heap dumps of this JVM, and what the command {@code hsdiff check} says of them. The command is that of the variable HSDIFF, else of PATH. */
final class HeapCheck {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final String DEFAULT_REPORTS = Files.isDirectory(Path.of("build")) ? "build/hsdiff-reports" : "target/hsdiff-reports";

    private final NoLeak wanted;
    private final String name;
    private final String command = System.getenv().getOrDefault("HSDIFF", "hsdiff");

    /** Runs the command: a test that cannot be judged says so before it is run. */
    HeapCheck(NoLeak wanted, String name) throws IOException, InterruptedException {
        this.wanted = wanted;
        this.name = name;
        Path version = Files.createTempFile("hsdiff-", ".txt");
        try {
            run(version, "--version");
        } finally {
            Files.delete(version);
        }
    }

    /** What is alive: the JVM collects before it writes. */
    static Path dump(Path file) throws IOException {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), true);
        return file;
    }

    void judge(List<Path> dumps, Path folder) throws IOException, InterruptedException {
        Path page = folder.resolve("page.html");
        List<String> words = new ArrayList<>(List.of("check", "-q", "--top", "1", "--color", "never", "--config", write(folder).toString(), "--html", page.toString()));
        dumps.forEach(dump -> words.add(dump.toString()));
        Path answer = folder.resolve("answer.txt");
        int status = run(answer, words.toArray(String[]::new));
        if (status == PASSED) return;
        String text = Files.readString(answer);
        if (status != FAILED) throw new IllegalStateException("hsdiff check: " + text.strip());
        throw new AssertionFailedError(message(text, dumps, folder, keep(page)));
    }

    // ---- what is asked

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private String limit(String usual) {
        return quoted(wanted.maxGrowth().equals("auto") ? usual : wanted.maxGrowth() + " per round");
    }

    /** Rules in YAML, as JSON. */
    private Path write(Path folder) throws IOException {
        String allowed = Stream.of(wanted.allow()).map(holder -> "{\"holder\": " + quoted(holder) + ", \"reason\": \"allowed by the test\"}").collect(Collectors.joining(", "));
        return Files.writeString(folder.resolve("rules.yml"), "{\"check\": {\"warmup\": 1}, \"rules\": ["
                + "{\"name\": \"nothing holds more after each round\", \"holder\": \"*\", \"max_growth\": " + limit("auto") + "}, "
                + "{\"name\": \"the heap is no larger after each round\", \"metric\": \"total.bytes\", \"max_growth\": " + limit("1 % per round") + "}"
                + "], \"allow\": [" + allowed + "]}\n");
    }

    private int run(Path answer, String... words) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(answer.toFile());
        builder.environment().remove("LD_PRELOAD");
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return process.waitFor();
        } catch (IOException missing) {
            throw new IllegalStateException("the command hsdiff does not run (" + missing.getMessage()
                    + "). Install it (its doc/install.md says how), or set the variable HSDIFF to its path", missing);
        }
    }

    // ---- what is told

    private Path keep(Path page) throws IOException {
        Path reports = Path.of(System.getenv().getOrDefault("HSDIFF_REPORTS", DEFAULT_REPORTS)).toAbsolutePath();
        Files.createDirectories(reports);
        return Files.copy(page, reports.resolve(name + ".html"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static Stream<String> parts(String text, String... starts) {
        return Stream.of(text.split("\n\n")).filter(part -> Stream.of(starts).anyMatch(part.stripLeading()::startsWith)).map(String::stripTrailing);
    }

    /** Of the diff of the first and the last round its answer and what keeps it alive; then the rules that failed. */
    private String message(String verdict, List<Path> dumps, Path folder, Path page) throws IOException, InterruptedException {
        Path diff = folder.resolve("diff.txt");
        run(diff, "-q", "--color", "never", dumps.get(1).toString(), dumps.get(dumps.size() - 1).toString());
        Stream<String> first = Stream.of(name + " leaks: something grew in each of " + wanted.rounds() + " rounds.");
        Stream<String> held = parts(Files.readString(diff, StandardCharsets.UTF_8), "Live heap", "WHAT KEEPS IT ALIVE");
        Stream<String> last = Stream.of("Report: " + page);
        return Stream.of(first, held, parts(verdict, "RULE "), last).flatMap(part -> part).collect(Collectors.joining("\n\n"));
    }
}
