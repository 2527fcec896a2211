import java.io.BufferedWriter;
import java.io.File;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;

/**
 * What VisualVM's heap library (NetBeans') says of every object of an HPROF dump: id, class, shallow size, retained size.
 *
 * <pre>java -Xmx… -cp JARS Retained.java DUMP.hprof OUT.csv</pre>
 *
 * The library keeps its indexes beside the dump or in java.io.tmpdir; it computes dominators when the first
 * retained size is asked for. Seconds are printed for loading and for dominators.
 */
public final class Retained {
    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        System.out.printf("loaded in %.1f s%n", (System.nanoTime() - start) * 1e-9);
        start = System.nanoTime();
        long count = 0;
        try (PrintWriter out = new PrintWriter(new BufferedWriter(Files.newBufferedWriter(Path.of(args[1])), 1 << 20))) {
            out.println("id,class,bytes,retained_bytes");
            for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
                Instance one = all.next();
                long retained = one.getRetainedSize();
                if (count++ == 0) System.out.printf("dominators in %.1f s%n", (System.nanoTime() - start) * 1e-9);
                out.printf("0x%x,%s,%d,%d%n", one.getInstanceId(), one.getJavaClass().getName(), one.getSize(), retained);
            }
        }
        System.out.printf("%d instances in %.1f s%n", count, (System.nanoTime() - start) * 1e-9);
    }
}
