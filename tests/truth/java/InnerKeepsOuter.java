import java.util.ArrayList;
import java.util.List;

/** Small inner objects are kept, and each keeps the large one around it. */
public final class InnerKeepsOuter {
    static final class Document {
        final byte[] text = new byte[500];
        final int number;
        Document(int number) { this.number = number; }

        final class Cursor {
            int at;
            int peek() { return text[at]; }
        }

        Cursor cursor() { return new Cursor(); }
    }

    static final class History {
        private final List<Document.Cursor> cursors = new ArrayList<>();
        void visit(int number) { cursors.add(new Document(number).cursor()); }
    }

    static final History history = new History();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> history.visit(number));
    }
}
