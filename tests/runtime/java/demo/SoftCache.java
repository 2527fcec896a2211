package demo;

import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;

/** A cache of SoftReferences: its pages count as live, and are counted apart, because they go when memory is short. */
public final class SoftCache {
    static final class Page {
        final int number;
        long stored;
        long hits;
        double age, a, b, c, d;
        Page(int number) { this.number = number; }
    }

    static final Map<Integer, SoftReference<Page>> CACHE = new HashMap<>();

    static void load(int count) {
        for (int i = 0; i < count; i++) {
            CACHE.put(CACHE.size(), new SoftReference<>(new Page(i)));
        }
    }

    private static int loaded() {
        return (int) CACHE.values().stream().filter(reference -> reference.get() != null).count();
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.SoftCache$Page", "static demo.SoftCache.CACHE")
                .holder("static demo.SoftCache.CACHE", "java.util.HashMap", null, "demo.SoftCache$Page")
                .soft("demo.SoftCache$Page")
                .counts(Map.of("demo.SoftCache$Page", () -> loaded()))
                .leak(() -> load(2100), () -> load(16_006));
    }
}
