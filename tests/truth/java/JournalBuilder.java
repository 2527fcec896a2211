/** A journal in a StringBuilder that nobody empties. */
public final class JournalBuilder {
    static final class Journal {
        private final StringBuilder text = new StringBuilder();
        void add(int number) { text.append("entry ").append(1_000_000 + number).append(": accepted by the second office\n"); }
    }

    static final Journal journal = new Journal();

    public static void main(String[] args) throws Exception {
        Stage.play(journal::add);
    }
}
