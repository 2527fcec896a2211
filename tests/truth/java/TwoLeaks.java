import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two leaks: three quarters of the bytes in a map of carts, one quarter in a list of notes. */
public final class TwoLeaks {
    static final class Cart {
        final int number;
        final long[] prices = new long[12];
        Cart(int number) { this.number = number; }
    }

    static final class Note {
        final int number;
        final int[] marks = new int[4];
        Note(int number) { this.number = number; }
    }

    static final class Shop {
        static final Map<Integer, Cart> carts = new HashMap<>();
    }

    static final List<Note> notes = new ArrayList<>();

    static void visit(int number) {
        Shop.carts.put(1000 + number, new Cart(number));
        notes.add(new Note(number));
    }

    public static void main(String[] args) throws Exception {
        Stage.play(TwoLeaks::visit);
    }
}
