import java.util.ArrayList;
import java.util.List;

/** A singleton that is an enum, with a list in it. */
public final class EnumSingleton {
    enum AuditLog {
        INSTANCE;

        private final List<Record> records = new ArrayList<>();
        void add(int number) { records.add(new Record(number)); }
    }

    static final class Record {
        final int number;
        final long when;
        Record(int number) {
            this.number = number;
            this.when = number;
        }
    }

    public static void main(String[] args) throws Exception {
        Stage.play(AuditLog.INSTANCE::add);
    }
}
