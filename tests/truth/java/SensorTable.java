/** A table of open addressing by numbers: two arrays that are doubled, no object for an entry but its value. */
public final class SensorTable {
    static final class Sensor {
        final long id;
        final double[] last = new double[4];
        Sensor(long id) { this.id = id; }
    }

    static final class Table {
        private long[] keys = new long[16];
        private Object[] values = new Object[16];
        private int count;

        void put(long key, Object value) {
            if (2 * ++count > keys.length) grow();
            int at = place(key);
            keys[at] = key;
            values[at] = value;
        }

        private int place(long key) {
            int at = (int) (key * 0x9E37_79B9L >>> 7) & keys.length - 1;
            while (values[at] != null && keys[at] != key) at = at + 1 & keys.length - 1;
            return at;
        }

        private void grow() {
            long[] oldKeys = keys;
            Object[] oldValues = values;
            keys = new long[2 * oldKeys.length];
            values = new Object[keys.length];
            for (int i = 0; i < oldKeys.length; i++) {
                if (oldValues[i] == null) continue;
                int at = place(oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
    }

    static final class Plant {
        private static final Plant only = new Plant();
        private final Table sensors = new Table();
        static Plant get() { return only; }
    }

    public static void main(String[] args) throws Exception {
        Stage.play(number -> Plant.get().sensors.put(1_000_003L * number + 1, new Sensor(number)));
    }
}
