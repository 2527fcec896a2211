import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Messages are in the static list of one class and in the static queue of another. */
public final class TwoClasses {
    static final class Message {
        final int number;
        final int[] words = new int[6];
        Message(int number) { this.number = number; }
    }

    static final class Archive {
        static final List<Message> stored = new ArrayList<>();
    }

    static final class Outgoing {
        static final ArrayDeque<Message> unsent = new ArrayDeque<>();
    }

    static void write(int number) {
        Message message = new Message(number);
        Archive.stored.add(message);
        Outgoing.unsent.add(message);
    }

    public static void main(String[] args) throws Exception {
        Stage.play(TwoClasses::write);
    }
}
