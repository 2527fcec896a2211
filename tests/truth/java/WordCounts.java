import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/** Readers see a copy of the map: each change puts a new one into an atomic reference, with more entries. */
public final class WordCounts {
    static final class Count {
        final String word;
        final List<Integer> pages = new ArrayList<>(2);
        Count(String word) { this.word = word; }
    }

    private static final AtomicReference<Map<String, Count>> counts = new AtomicReference<>(new TreeMap<>());
    private static final int BATCH = 100;
    private static final List<Count> fresh = new ArrayList<>(BATCH);

    static void read(int number) {
        Count count = new Count("word" + (100_000 + number));
        count.pages.add(number % 100);
        fresh.add(count);
        if (fresh.size() < BATCH) return;
        Map<String, Count> next = new TreeMap<>(counts.get());
        for (Count one : fresh) next.put(one.word, one);
        fresh.clear();
        counts.set(next);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(WordCounts::read);
    }
}
