import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/** No leak: sessions that end, with what others know of them in a WeakHashMap. It makes little garbage, so collections are rare. */
public final class CleanWeakTags {
    static final class Session {
        final String id;
        final Map<String, Object> attributes = new HashMap<>();
        Session(String id) {
            this.id = id;
            attributes.put("user", id);
        }
    }

    static final Map<String, Session> sessions = new ConcurrentHashMap<>();
    static final Map<Session, String> tags = Collections.synchronizedMap(new WeakHashMap<>());
    private static final Deque<String> ages = new ArrayDeque<>();

    static void login(int number) {
        Session session = new Session("s" + number);
        sessions.put(session.id, session);
        tags.put(session, "checkout");
        ages.add(session.id);
        if (ages.size() > 700) sessions.remove(ages.remove());
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3000; i++) login(-i);
        Stage.play(CleanWeakTags::login);
    }
}
