import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;

/** A worker keeps all that it ever saw in a local variable of its loop. */
public final class LocalOfWorker {
    static final class Row {
        final int number;
        final long[] columns = new long[5];
        Row(int number) { this.number = number; }
    }

    static final SynchronousQueue<Integer> numbers = new SynchronousQueue<>();
    static final SynchronousQueue<Integer> answers = new SynchronousQueue<>();

    static void importRows() throws InterruptedException {
        List<Row> imported = new ArrayList<>();
        for (;;) {
            imported.add(new Row(numbers.take()));
            answers.put(imported.size());
        }
    }

    public static void main(String[] args) throws Exception {
        Stage.daemon("importer", LocalOfWorker::importRows);
        Stage.play(number -> {
            numbers.put(number);
            answers.take();
        });
    }
}
