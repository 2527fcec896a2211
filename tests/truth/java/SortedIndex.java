import java.util.TreeMap;

/** A red-black tree, filled in no order. */
public final class SortedIndex {
    static final class Entry {
        final int number;
        Entry(int number) { this.number = number; }
    }

    private final TreeMap<String, Entry> byWord = new TreeMap<>();
    static final SortedIndex index = new SortedIndex();

    void add(int number) { byWord.put(Integer.toHexString(number * 0x9e3779b1 | 0x1000_0000), new Entry(number)); }

    public static void main(String[] args) throws Exception {
        Stage.play(number -> index.add(number));
    }
}
