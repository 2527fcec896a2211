import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Phantom references wait in a set for a queue that nobody polls. */
public final class PhantomCleanup {
    static final class Resource {
        final int number;
        Resource(int number) { this.number = number; }
    }

    static final class Cleanup extends PhantomReference<Resource> {
        final byte[] state = new byte[64];
        Cleanup(Resource resource, ReferenceQueue<Resource> queue) { super(resource, queue); }
    }

    static final ReferenceQueue<Resource> dead = new ReferenceQueue<>();
    static final Set<Cleanup> waiting = ConcurrentHashMap.newKeySet();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> waiting.add(new Cleanup(new Resource(number), dead)));
    }
}
