package demo;

import java.util.HashMap;
import java.util.Map;

/** A static HashMap that is filled faster than it is emptied. */
public final class Cache {
    static final class Page {
        final int number;
        long stored;
        long expires;
        long hits;
        double age;
        double score;
        boolean dirty;
        Page(int number) { this.number = number; }
    }

    static final Map<Integer, Page> MAP = new HashMap<>();
    private static int next;

    static void add(int count) {
        for (int end = next + count; next < end; next++) {
            MAP.put(next, new Page(next));
        }
    }

    static void churn() {
        for (int i = 0; i < 1203; i++) {
            MAP.remove(i * 3);
        }
        add(15_010);
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.Cache$Page", "static demo.Cache.MAP")
                .holder("static demo.Cache.MAP", "java.util.HashMap", "[*].value demo.Cache$Page", "demo.Cache$Page")
                .counts(Map.of("demo.Cache$Page", () -> MAP.size()))
                .leak(() -> add(4000), () -> churn());
    }
}
