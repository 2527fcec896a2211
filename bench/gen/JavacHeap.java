/**
 * A large heap as a real program makes it: javac with every class of the JDK's modules completed, dumped.
 *
 *      java -Xmx8g --add-modules ALL-SYSTEM JavacHeap.java OUT.hprof [ROUNDS]
 *
 * Each round holds one more compiler with its own symbol tables (some 2 to 4 million objects). Needs a JDK.
 */
import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.source.util.JavacTask;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

public class JavacHeap {
    static final List<Object> compilers = new ArrayList<>();

    static int complete(Elements elements, TypeElement type) {
        int count = 1;
        try {
            for (TypeElement inner : ElementFilter.typesIn(type.getEnclosedElements())) count += complete(elements, inner);
            elements.getAllMembers(type);
        } catch (RuntimeException broken) {
            return count; // a class that refers to what is not there
        }
        return count;
    }

    static int fill() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject unit = new SimpleJavaFileObject(java.net.URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
            @Override public CharSequence getCharContent(boolean ignore) { return "class A {}"; }
        };
        JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of("--add-modules", "ALL-SYSTEM"), null, List.of(unit));
        try {
            task.parse();
            task.analyze();
        } catch (java.io.IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
        Elements elements = task.getElements();
        int classes = 0;
        for (ModuleElement module : Set.copyOf(elements.getAllModuleElements())) {
            for (Element pkg : module.getEnclosedElements()) {
                for (TypeElement type : ElementFilter.typesIn(pkg.getEnclosedElements())) classes += complete(elements, type);
            }
        }
        compilers.add(task);
        return classes;
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 1;
        for (int i = 0; i < rounds; i++) System.out.println(fill() + " classes");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(args[0], true);
    }
}
