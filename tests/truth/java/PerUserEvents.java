import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two hundred users, each with a list of events that only grows: no list has much of it. */
public final class PerUserEvents {
    static final class Event {
        final int number;
        final long when;
        Event(int number) {
            this.number = number;
            this.when = number;
        }
    }

    static final class User {
        final List<Event> events = new ArrayList<>();
    }

    static final Map<Integer, User> users = new HashMap<>();

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 200; i++) users.put(i, new User());
        Stage.play(number -> users.get(number % 200).events.add(new Event(number)));
    }
}
