import java.util.Map;
import java.util.WeakHashMap;

/** A WeakHashMap whose values refer to their keys, so that no key ever goes. */
public final class WeakValues {
    static final class Conn {
        final int number;
        Conn(int number) { this.number = number; }
    }

    static final class ConnState {
        final Conn conn;
        long seen;
        ConnState(Conn conn) { this.conn = conn; }
    }

    static final Map<Conn, ConnState> states = new WeakHashMap<>();

    static void connect(int number) {
        Conn conn = new Conn(number);
        states.put(conn, new ConnState(conn));
    }

    public static void main(String[] args) throws Exception {
        Stage.play(WeakValues::connect);
    }
}
