package demo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.IntSupplier;

/** Every common container at once, each full of a class of its own: each holder is the container, not what it is made of. */
public final class Containers {
    abstract static class Item implements Comparable<Item> {
        private static int made;
        final int id = made++;
        long a;
        long b;

        @Override
        public int compareTo(Item other) {
            return Integer.compare(id, other.id);
        }
    }

    static final class InArrayList extends Item { }
    static final class InArrayDeque extends Item { }
    static final class InLinkedList extends Item { }
    static final class InVector extends Item { }
    static final class InPriorityQueue extends Item { }
    static final class InHashSet extends Item { }
    static final class InLinkedHashSet extends Item { }
    static final class InTreeSet extends Item { }
    static final class InCopyOnWrite extends Item { }
    static final class InConcurrentQueue extends Item { }
    static final class InConcurrentDeque extends Item { }
    static final class InBlockingQueue extends Item { }
    static final class InBlockingDeque extends Item { }
    static final class InArrayQueue extends Item { }
    static final class InTransferQueue extends Item { }
    static final class InSkipSet extends Item { }
    static final class InKeySet extends Item { }
    static final class InSynchronizedList extends Item { }
    static final class InHashMap extends Item { }
    static final class InLinkedMap extends Item { }
    static final class InTreeMap extends Item { }
    static final class InIdentityMap extends Item { }
    static final class InHashtable extends Item { }
    static final class InConcurrentMap extends Item { }
    static final class InSkipMap extends Item { }
    static final class InSynchronizedMap extends Item { }

    static final Collection<InArrayList> ARRAY_LIST = new ArrayList<>();
    static final Collection<InArrayDeque> ARRAY_DEQUE = new ArrayDeque<>();
    static final Collection<InLinkedList> LINKED_LIST = new LinkedList<>();
    static final Collection<InVector> VECTOR = new Vector<>();
    static final Collection<InPriorityQueue> PRIORITY_QUEUE = new PriorityQueue<>();
    static final Collection<InHashSet> HASH_SET = new HashSet<>();
    static final Collection<InLinkedHashSet> LINKED_HASH_SET = new LinkedHashSet<>();
    static final Collection<InTreeSet> TREE_SET = new TreeSet<>();
    static final Collection<InCopyOnWrite> COPY_ON_WRITE = new CopyOnWriteArrayList<>();
    static final Collection<InConcurrentQueue> CONCURRENT_QUEUE = new ConcurrentLinkedQueue<>();
    static final Collection<InConcurrentDeque> CONCURRENT_DEQUE = new ConcurrentLinkedDeque<>();
    static final Collection<InBlockingQueue> BLOCKING_QUEUE = new LinkedBlockingQueue<>();
    static final Collection<InBlockingDeque> BLOCKING_DEQUE = new LinkedBlockingDeque<>();
    static final Collection<InArrayQueue> ARRAY_QUEUE = new ArrayBlockingQueue<>(10_000);
    static final Collection<InTransferQueue> TRANSFER_QUEUE = new LinkedTransferQueue<>();
    static final Collection<InSkipSet> SKIP_SET = new ConcurrentSkipListSet<>();
    static final Collection<InKeySet> KEY_SET = ConcurrentHashMap.newKeySet();
    static final Collection<InSynchronizedList> SYNCHRONIZED_LIST = Collections.synchronizedList(new ArrayList<>());
    static final Map<Integer, InHashMap> HASH_MAP = new HashMap<>();
    static final Map<Integer, InLinkedMap> LINKED_MAP = new LinkedHashMap<>();
    static final Map<Integer, InTreeMap> TREE_MAP = new TreeMap<>();
    static final Map<Integer, InIdentityMap> IDENTITY_MAP = new IdentityHashMap<>();
    static final Map<Integer, InHashtable> HASHTABLE = new Hashtable<>();
    static final Map<Integer, InConcurrentMap> CONCURRENT_MAP = new ConcurrentHashMap<>();
    static final Map<Integer, InSkipMap> SKIP_MAP = new ConcurrentSkipListMap<>();
    static final Map<Integer, InSynchronizedMap> SYNCHRONIZED_MAP = Collections.synchronizedMap(new HashMap<>());

    /** So many of them in each container; a map's keys are numbers that no cache of the library shares. */
    static void add(int count) {
        for (int i = 0; i < count; i++) {
            ARRAY_LIST.add(new InArrayList());
            ARRAY_DEQUE.add(new InArrayDeque());
            LINKED_LIST.add(new InLinkedList());
            VECTOR.add(new InVector());
            PRIORITY_QUEUE.add(new InPriorityQueue());
            HASH_SET.add(new InHashSet());
            LINKED_HASH_SET.add(new InLinkedHashSet());
            TREE_SET.add(new InTreeSet());
            COPY_ON_WRITE.add(new InCopyOnWrite());
            CONCURRENT_QUEUE.add(new InConcurrentQueue());
            CONCURRENT_DEQUE.add(new InConcurrentDeque());
            BLOCKING_QUEUE.add(new InBlockingQueue());
            BLOCKING_DEQUE.add(new InBlockingDeque());
            ARRAY_QUEUE.add(new InArrayQueue());
            TRANSFER_QUEUE.add(new InTransferQueue());
            SKIP_SET.add(new InSkipSet());
            KEY_SET.add(new InKeySet());
            SYNCHRONIZED_LIST.add(new InSynchronizedList());
            HASH_MAP.put(100_000 + HASH_MAP.size(), new InHashMap());
            LINKED_MAP.put(100_000 + LINKED_MAP.size(), new InLinkedMap());
            TREE_MAP.put(100_000 + TREE_MAP.size(), new InTreeMap());
            IDENTITY_MAP.put(100_000 + IDENTITY_MAP.size(), new InIdentityMap());
            HASHTABLE.put(100_000 + HASHTABLE.size(), new InHashtable());
            CONCURRENT_MAP.put(100_000 + CONCURRENT_MAP.size(), new InConcurrentMap());
            SKIP_MAP.put(100_000 + SKIP_MAP.size(), new InSkipMap());
            SYNCHRONIZED_MAP.put(100_000 + SYNCHRONIZED_MAP.size(), new InSynchronizedMap());
        }
    }

    public static void main(String[] args) throws Exception {
        Map<String, IntSupplier> counts = new TreeMap<>();
        Plant plant = Plant.in(args);
        plant.holder("static demo.Containers.ARRAY_LIST", "java.util.ArrayList", null, "demo.Containers$InArrayList");
        counts.put("demo.Containers$InArrayList", () -> ARRAY_LIST.size());
        plant.holder("static demo.Containers.ARRAY_DEQUE", "java.util.ArrayDeque", null, "demo.Containers$InArrayDeque");
        counts.put("demo.Containers$InArrayDeque", () -> ARRAY_DEQUE.size());
        plant.holder("static demo.Containers.LINKED_LIST", "java.util.LinkedList", null, "demo.Containers$InLinkedList");
        counts.put("demo.Containers$InLinkedList", () -> LINKED_LIST.size());
        plant.holder("static demo.Containers.VECTOR", "java.util.Vector", null, "demo.Containers$InVector");
        counts.put("demo.Containers$InVector", () -> VECTOR.size());
        plant.holder("static demo.Containers.PRIORITY_QUEUE", "java.util.PriorityQueue", null, "demo.Containers$InPriorityQueue");
        counts.put("demo.Containers$InPriorityQueue", () -> PRIORITY_QUEUE.size());
        plant.holder("static demo.Containers.HASH_SET", "java.util.HashSet", null, "demo.Containers$InHashSet");
        counts.put("demo.Containers$InHashSet", () -> HASH_SET.size());
        plant.holder("static demo.Containers.LINKED_HASH_SET", "java.util.LinkedHashSet", null, "demo.Containers$InLinkedHashSet");
        counts.put("demo.Containers$InLinkedHashSet", () -> LINKED_HASH_SET.size());
        plant.holder("static demo.Containers.TREE_SET", "java.util.TreeSet", null, "demo.Containers$InTreeSet");
        counts.put("demo.Containers$InTreeSet", () -> TREE_SET.size());
        plant.holder("static demo.Containers.COPY_ON_WRITE", "java.util.concurrent.CopyOnWriteArrayList", null, "demo.Containers$InCopyOnWrite");
        counts.put("demo.Containers$InCopyOnWrite", () -> COPY_ON_WRITE.size());
        plant.holder("static demo.Containers.CONCURRENT_QUEUE", "java.util.concurrent.ConcurrentLinkedQueue", null, "demo.Containers$InConcurrentQueue");
        counts.put("demo.Containers$InConcurrentQueue", () -> CONCURRENT_QUEUE.size());
        plant.holder("static demo.Containers.CONCURRENT_DEQUE", "java.util.concurrent.ConcurrentLinkedDeque", null, "demo.Containers$InConcurrentDeque");
        counts.put("demo.Containers$InConcurrentDeque", () -> CONCURRENT_DEQUE.size());
        plant.holder("static demo.Containers.BLOCKING_QUEUE", "java.util.concurrent.LinkedBlockingQueue", null, "demo.Containers$InBlockingQueue");
        counts.put("demo.Containers$InBlockingQueue", () -> BLOCKING_QUEUE.size());
        plant.holder("static demo.Containers.BLOCKING_DEQUE", "java.util.concurrent.LinkedBlockingDeque", null, "demo.Containers$InBlockingDeque");
        counts.put("demo.Containers$InBlockingDeque", () -> BLOCKING_DEQUE.size());
        plant.holder("static demo.Containers.ARRAY_QUEUE", "java.util.concurrent.ArrayBlockingQueue", null, "demo.Containers$InArrayQueue");
        counts.put("demo.Containers$InArrayQueue", () -> ARRAY_QUEUE.size());
        plant.holder("static demo.Containers.TRANSFER_QUEUE", "java.util.concurrent.LinkedTransferQueue", null, "demo.Containers$InTransferQueue");
        counts.put("demo.Containers$InTransferQueue", () -> TRANSFER_QUEUE.size());
        plant.holder("static demo.Containers.SKIP_SET", "java.util.concurrent.ConcurrentSkipListSet", null, "demo.Containers$InSkipSet");
        counts.put("demo.Containers$InSkipSet", () -> SKIP_SET.size());
        plant.holder("static demo.Containers.KEY_SET", "java.util.concurrent.ConcurrentHashMap$KeySetView", null, "demo.Containers$InKeySet");
        counts.put("demo.Containers$InKeySet", () -> KEY_SET.size());
        plant.holder("static demo.Containers.SYNCHRONIZED_LIST", "java.util.Collections$SynchronizedRandomAccessList", null, "demo.Containers$InSynchronizedList");
        counts.put("demo.Containers$InSynchronizedList", () -> SYNCHRONIZED_LIST.size());
        plant.holder("static demo.Containers.HASH_MAP", "java.util.HashMap", null, "demo.Containers$InHashMap");
        counts.put("demo.Containers$InHashMap", () -> HASH_MAP.size());
        plant.holder("static demo.Containers.LINKED_MAP", "java.util.LinkedHashMap", null, "demo.Containers$InLinkedMap");
        counts.put("demo.Containers$InLinkedMap", () -> LINKED_MAP.size());
        plant.holder("static demo.Containers.TREE_MAP", "java.util.TreeMap", null, "demo.Containers$InTreeMap");
        counts.put("demo.Containers$InTreeMap", () -> TREE_MAP.size());
        plant.holder("static demo.Containers.IDENTITY_MAP", "java.util.IdentityHashMap", null, "demo.Containers$InIdentityMap");
        counts.put("demo.Containers$InIdentityMap", () -> IDENTITY_MAP.size());
        plant.holder("static demo.Containers.HASHTABLE", "java.util.Hashtable", null, "demo.Containers$InHashtable");
        counts.put("demo.Containers$InHashtable", () -> HASHTABLE.size());
        plant.holder("static demo.Containers.CONCURRENT_MAP", "java.util.concurrent.ConcurrentHashMap", null, "demo.Containers$InConcurrentMap");
        counts.put("demo.Containers$InConcurrentMap", () -> CONCURRENT_MAP.size());
        plant.holder("static demo.Containers.SKIP_MAP", "java.util.concurrent.ConcurrentSkipListMap", null, "demo.Containers$InSkipMap");
        counts.put("demo.Containers$InSkipMap", () -> SKIP_MAP.size());
        plant.holder("static demo.Containers.SYNCHRONIZED_MAP", "java.util.Collections$SynchronizedMap", null, "demo.Containers$InSynchronizedMap");
        counts.put("demo.Containers$InSynchronizedMap", () -> SYNCHRONIZED_MAP.size());
        plant.counts(counts).leak(() -> add(700), () -> add(2500));
    }
}
