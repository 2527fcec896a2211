import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;

/** Files stay open in a list. A Cleaner has an action for each, with a buffer that the file itself does not refer to. */
public final class OpenFiles {
    static final class Release implements Runnable {
        final byte[] buffer = new byte[100];

        @Override
        public void run() { buffer[0] = 0; }
    }

    static final class File {
        final int number;

        File(int number) {
            this.number = number;
            CLEANER.register(this, new Release());
        }
    }

    static final Cleaner CLEANER = Cleaner.create();
    static final List<File> open = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> open.add(new File(number)));
    }
}
