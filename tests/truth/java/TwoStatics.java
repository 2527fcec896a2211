import java.util.HashMap;
import java.util.Map;

/** Users in two static maps of one class. */
public final class TwoStatics {
    static final class User {
        final int id;
        final String name;
        User(int id) {
            this.id = id;
            this.name = "user-" + id;
        }
    }

    static final Map<Integer, User> byId = new HashMap<>();
    static final Map<String, User> byName = new HashMap<>();

    static void register(int number) {
        User user = new User(number);
        byId.put(user.id, user);
        byName.put(user.name, user);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(TwoStatics::register);
    }
}
