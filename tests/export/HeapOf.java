import java.io.File;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import org.graalvm.visualvm.lib.jfluid.heap.GCRoot;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.PrimitiveArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ThreadObjectGCRoot;

/**
 * What VisualVM's heap library sees in a heap dump, one fact a line, parted by tabs:
 *
 * <pre>java -cp JARS HeapOf.java DUMP [RETAINED-CLASS…]</pre>
 *
 * total INSTANCES BYTES; class NAME INSTANCES BYTES; root KIND COUNT; thread NAME FRAMES; and for each class named, of all its
 * instances: retained NAME SUM.
 */
public final class HeapOf {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        System.out.printf("total\t%d\t%d%n", heap.getSummary().getTotalLiveInstances(), heap.getSummary().getTotalLiveBytes());
        TreeMap<String, long[]> classes = new TreeMap<>();
        for (Object each : heap.getAllClasses()) {
            JavaClass one = (JavaClass) each;
            long[] sum = classes.computeIfAbsent(one.getName(), name -> new long[2]);
            sum[0] += one.getInstancesCount();
            sum[1] += one.getAllInstancesSize();
        }
        classes.forEach((name, sum) -> System.out.printf("class\t%s\t%d\t%d%n", name, sum[0], sum[1]));
        roots(heap);
        for (int i = 1; i < args.length; i++) {
            long retained = 0;
            for (Object each : heap.getJavaClassByName(args[i]).getInstances()) retained += ((Instance) each).getRetainedSize();
            System.out.printf("retained\t%s\t%d%n", args[i], retained);
        }
    }

    private static void roots(Heap heap) {
        TreeMap<String, Integer> kinds = new TreeMap<>();
        for (Object each : (Iterable<?>) heap.getGCRoots()) {
            GCRoot root = (GCRoot) each;
            kinds.merge(root.getKind(), 1, Integer::sum);
            if (!(root instanceof ThreadObjectGCRoot)) continue;
            StackTraceElement[] stack = ((ThreadObjectGCRoot) root).getStackTrace();
            Object name = root.getInstance().getValueOfField("name");
            System.out.printf("thread\t%s\t%d%n", text(name), stack == null ? 0 : stack.length);
        }
        kinds.forEach((kind, count) -> System.out.printf("root\t%s\t%d%n", kind, count));
    }

    private static String text(Object string) {
        Object value = string instanceof Instance ? ((Instance) string).getValueOfField("value") : null;
        if (!(value instanceof PrimitiveArrayInstance)) return "?";
        boolean isBytes = ((Instance) value).getJavaClass().getName().equals("byte[]");
        StringBuilder text = new StringBuilder();
        List<?> values = ((PrimitiveArrayInstance) value).getValues();
        for (Iterator<?> each = values.iterator(); each.hasNext();) {
            String unit = (String) each.next();
            text.append(isBytes ? (char) Integer.parseInt(unit) : unit.charAt(0));
        }
        return text.toString();
    }
}
