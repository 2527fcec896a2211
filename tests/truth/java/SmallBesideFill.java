import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A cache that fills to its bound, and beside it a list that takes a twenty-fifth of the growth and has no bound. */
public final class SmallBesideFill {
    static final class Job {
        final int number;
        long copies;
        Job(int number) { this.number = number; }
        void finish() {}
    }

    static final class Images {
        private final Map<Integer, byte[]> byNumber = new HashMap<>();
        void put(int number) { byNumber.put(number % 60_000, new byte[480]); }
    }

    static final class Exporter {
        private final List<Runnable> hooks = new ArrayList<>();
        void export(Job job) { hooks.add(job::finish); }
    }

    private static final Images IMAGES = new Images();
    private static final Exporter EXPORTER = new Exporter();

    public static void main(String[] arguments) throws Exception {
        Stage.play(number -> {
            IMAGES.put(number);
            if (number % 2 == 0) EXPORTER.export(new Job(number));
        });
    }
}
