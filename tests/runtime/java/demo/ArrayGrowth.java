package demo;

import java.util.Arrays;
import java.util.Map;

/** A static array that is grown by copying: one array all the time, longer each time, full of sessions. */
public final class ArrayGrowth {
    static final class Session {
        long opened;
        long seen;
        double score;
        int user;
        byte state;
        Object next;
    }

    static Session[] table = new Session[0];

    static void add(int count) {
        int old = table.length;
        table = Arrays.copyOf(table, old + count);
        for (int i = old; i < table.length; i++) {
            table[i] = new Session();
        }
    }

    public static void main(String[] args) throws Exception {
        Plant.in(args)
                .growing("demo.ArrayGrowth$Session", "static demo.ArrayGrowth.table")
                .holder("static demo.ArrayGrowth.table", "demo.ArrayGrowth$Session[]", "[*] demo.ArrayGrowth$Session", "demo.ArrayGrowth$Session")
                .counts(Map.of("demo.ArrayGrowth$Session", () -> table.length, "demo.ArrayGrowth$Session[]", () -> 1))
                .leak(() -> add(3001), () -> add(17_317));
    }
}
