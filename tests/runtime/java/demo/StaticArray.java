package demo;

import java.util.Map;

/** A static array that was made long enough once and fills up: the same array before and after, which is nobody's inside. */
public final class StaticArray {
    static final class Slot {
        final int id;
        long opened;
        long closed;
        Object next;
        Slot(int id) { this.id = id; }
    }

    static final Object[] RING = new Object[40_000];
    private static int used;

    static void fill(int count) {
        for (int end = used + count; used < end; used++) {
            RING[used] = new Slot(used);
        }
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.StaticArray$Slot", "static demo.StaticArray.RING")
                .holder("static demo.StaticArray.RING", "java.lang.Object[]", "[*] demo.StaticArray$Slot", "demo.StaticArray$Slot")
                .counts(Map.of("demo.StaticArray$Slot", () -> used))
                .leak(() -> fill(5001), () -> fill(19_876));
    }
}
