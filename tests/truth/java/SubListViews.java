import java.util.ArrayList;
import java.util.List;

/** The first page of each result is kept, as a view of the whole. */
public final class SubListViews {
    static final class Hit {
        final int number;
        Hit(int number) { this.number = number; }
    }

    static final class Search {
        static final List<List<Hit>> firstPages = new ArrayList<>();

        static void search(int number) {
            List<Hit> hits = new ArrayList<>(20);
            for (int i = 0; i < 20; i++) hits.add(new Hit(number + i));
            firstPages.add(hits.subList(0, 1));
        }
    }

    public static void main(String[] args) throws Exception {
        Stage.play(Search::search);
    }
}
