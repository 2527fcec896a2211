import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;

/** No leak: a cache of soft references of fixed size, sessions that end. */
public final class CleanCaches {
    static final class Picture {
        final int number;
        final byte[] pixels = new byte[200];
        Picture(int number) { this.number = number; }
    }

    static final class Session {
        final int number;
        Session(int number) { this.number = number; }
    }

    static final Map<Integer, SoftReference<Picture>> pictures = new HashMap<>();
    static final Map<Integer, Session> sessions = new HashMap<>();

    static void visit(int number) {
        pictures.put(number % 500, new SoftReference<>(new Picture(number)));
        sessions.put(number, new Session(number));
        sessions.remove(number - 500);
    }

    public static void main(String[] args) throws Exception {
        for (int i = -1000; i < 0; i++) visit(i);
        for (int i = 0; i < 500; i++) pictures.put(i, new SoftReference<>(new Picture(i)));
        Stage.play(CleanCaches::visit);
    }
}
