import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;

/** Compressors are kept and never ended: each has its state outside of the heap. */
public final class GzipStreams {
    static final class Compressor {
        final Deflater deflater = new Deflater();
        final byte[] out = new byte[64];
        void write(byte[] text) {
            deflater.setInput(text);
            deflater.deflate(out);
        }
    }

    static final List<Compressor> compressors = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> {
            Compressor one = new Compressor();
            one.write(new byte[100]);
            compressors.add(one);
        });
    }
}
