import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Events by their kind in an EnumMap of lists. */
public final class EventsByKind {
    enum Kind { OPENED, CHANGED, CLOSED }

    static final class Event {
        final int number;
        final Kind kind;
        Event(int number, Kind kind) {
            this.number = number;
            this.kind = kind;
        }
    }

    static final Map<Kind, List<Event>> events = new EnumMap<>(Kind.class);

    static void happen(int number) {
        Kind kind = Kind.values()[number % 3];
        events.computeIfAbsent(kind, k -> new ArrayList<>()).add(new Event(number, kind));
    }

    public static void main(String[] args) throws Exception {
        Stage.play(EventsByKind::happen);
    }
}
