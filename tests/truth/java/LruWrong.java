import java.util.LinkedHashMap;
import java.util.Map;

/** A cache that should forget its eldest entry, and compares the wrong thing. */
public final class LruWrong {
    static final class Picture {
        final int number;
        final int[] pixels = new int[16];
        Picture(int number) { this.number = number; }
    }

    static final class PictureCache extends LinkedHashMap<Integer, Picture> {
        private final int limit;
        PictureCache(int limit) {
            super(16, 0.75f, true);
            this.limit = limit;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Picture> eldest) { return eldest.getKey() < -limit; }
    }

    static final PictureCache pictures = new PictureCache(100);

    public static void main(String[] args) throws Exception {
        Stage.play(number -> pictures.put(1000 + number, new Picture(number)));
    }
}
