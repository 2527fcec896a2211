import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Users in two maps, which are fields of one object of a nested class. */
public final class UserDirectory {
    static final class User {
        final long id;
        String mail;
        User(long id) {
            this.id = id;
            this.mail = "mail" + id + "@example.org";
        }
    }

    static final class Directory {
        private final Map<Long, User> usersById = new HashMap<>();
        private final Map<String, User> usersByMail = new LinkedHashMap<>();

        void add(int number) {
            User user = new User(10_000L + number);
            usersById.put(user.id, user);
            usersByMail.put(user.mail, user);
        }
    }

    static final Directory directory = new Directory();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> directory.add(number));
    }
}
