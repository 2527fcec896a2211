import java.util.HashSet;
import java.util.Set;

/** Words are interned, and a set keeps all of them. */
public final class InternedWords {
    static final class Lexer {
        static final Set<String> seen = new HashSet<>();
        static void read(int number) { seen.add(("word-" + (1_000_000 + number)).intern()); }
    }

    public static void main(String[] args) throws Exception {
        Stage.play(Lexer::read);
    }
}
