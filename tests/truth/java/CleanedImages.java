import java.lang.ref.Cleaner;

/** Images are let go, and never freed: what the Cleaner is to call refers to its image, whose field it reads. */
public final class CleanedImages {
    static final class Image implements AutoCloseable {
        private final long handle;
        private final short[] palette = new short[64];
        private final Cleaner.Cleanable cleanable;

        Image(long handle) {
            this.handle = handle;
            cleanable = CLEANER.register(this, () -> release(this.handle)); // truth: action
        }

        static void release(long handle) {}

        @Override
        public void close() { palette[0] = 0; } // and not cleanable.clean()
    }

    static final Cleaner CLEANER = Cleaner.create();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> new Image(number).close());
    }
}
