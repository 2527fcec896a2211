// Leaks on request under allocation load in three threads: kit.py says which lines it obeys. More of them:
//
//      large N     plants N arrays of 100,000 bytes in Shop.Cache.blobs
//      heap MIB    builds a heap of so many MiB in Shop.Cache.ballast, and says "built OBJECTS"
//      shuffle     makes holes in the heap and collects five times, so that the collector moves what lies between them: "shuffled"
//      late        loads the agent now: "loaded"
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Shop {
    public class Session {
        public string name;
        public int[] data;
        public string Note { get; set; }
        public Slot slot;
    }

    public struct Slot {
        public long number;
        public Tag tag;
    }

    public class Tag { public int value; }
    public class Badge { public Tag tag = new Tag(); }
    public class Local { public Tag tag = new Tag(); }
    public class Pair<A, B> { public A first; public B second; }
    public class Grain { public Grain next, other; public long a, b; }

    public static class Cache {
        public static List<Session> sessions = new List<Session>();
        public static List<byte[]> blobs = new List<byte[]>();
        public static object[] ballast;
        public static Pair<Tag, Session[]> pair = new Pair<Tag, Session[]> { first = new Tag(), second = new Session[2] };
        public static Nested nested = new Nested();
        public static Slot slot = new Slot { tag = new Tag() };
        [ThreadStatic] public static Tag perThread;
        public static Nested wearer = new Nested();
        public static ConditionalWeakTable<Nested, Badge> badges = new ConditionalWeakTable<Nested, Badge>();
        public class Nested { public Tag[,] grid = new Tag[2, 2]; }
    }

    static class Program {
        static volatile bool isOver;

        static void Load() {
            var random = new Random(7);
            var queue = new Queue<object>();
            Cache.perThread = new Tag();
            while (!isOver) {
                for (int i = 0; i < 200; i++) {
                    queue.Enqueue(new byte[random.Next(10, 400)]);
                    if (queue.Count > 3000) queue.Dequeue();
                }
                Thread.Yield();
            }
        }

        static void Leak(int count) {
            for (int i = 0; i < count; i++)
                Cache.sessions.Add(new Session { name = "session " + Cache.sessions.Count, data = new int[4], Note = "note " + i,
                                                 slot = new Slot { tag = new Tag() } });
        }

        // Chains of grains of 48 bytes, 16 a MiB, each with a reference to one of the chain before.
        static long Build(int mebibytes) {
            const int each = 1024 * 1024 / 48 / 16;
            var random = new Random(3);
            Grain[] before = new Grain[each], now = new Grain[each];
            Cache.ballast = new object[mebibytes * 16];
            for (int chain = 0; chain < Cache.ballast.Length; chain++) {
                for (int i = 0; i < each; i++)
                    now[i] = new Grain { next = i > 0 ? now[i - 1] : null, other = before[random.Next(each)] };
                Cache.ballast[chain] = now[each - 1];
                var old = before; before = now; now = old;
            }
            return (long)Cache.ballast.Length * each;
        }

        // Objects of the sizes of ours lie between ours and die: the blocks that ours are in get sparse, and are evacuated.
        static void Shuffle(List<Session> kept) {
            for (int round = 0; round < 5; round++) {
                var holes = new List<object>();
                for (int i = 0; i < 60000; i++) {
                    holes.Add(new Session { name = "hole " + i, data = new int[4], slot = new Slot { tag = new Tag() } });
                    if (i % 30 == 0 && kept != null) kept.Add((Session)holes[holes.Count - 1]);
                }
                GC.Collect();
                holes = null;
                GC.Collect();
            }
        }

        // On a thread that ends: a word that stayed on a stack would keep what died, a list of 60,000 with all that is in it, say.
        static void ShuffleApart(List<Session> kept) {
            var thread = new Thread(() => Shuffle(kept));
            thread.Start();
            thread.Join();
        }

        [DllImport("mono-profiler-hsdiff")] static extern void mono_profiler_init_hsdiff(string description);

        static void Main() {
            Cache.badges.Add(Cache.wearer, new Badge());
            Cache.badges.Add(new Cache.Nested(), new Badge());
            var threads = new List<Thread>();
            for (int i = 0; i < 3; i++) {
                var thread = new Thread(Load) { Name = "load " + i };
                thread.Start();
                threads.Add(thread);
            }
            var held = new Local();
            Console.WriteLine("ready");
            string line;
            while ((line = Console.ReadLine()) != null && line != "quit") {
                var words = line.Split(' ');
                int number = words.Length > 1 ? int.Parse(words[1]) : 0;
                if (words[0] == "leak") { Leak(number); Console.WriteLine("leaked " + Cache.sessions.Count); }
                else if (words[0] == "large") {
                    for (int i = 0; i < number; i++) Cache.blobs.Add(new byte[100000]);
                    Console.WriteLine("leaked " + Cache.blobs.Count);
                }
                else if (words[0] == "heap") Console.WriteLine("built " + Build(number));
                else if (words[0] == "shuffle") { ShuffleApart(Cache.sessions); Console.WriteLine("shuffled"); }
                else if (words[0] == "still") { ShuffleApart(null); Console.WriteLine("shuffled"); }
                else if (words[0] == "late") { mono_profiler_init_hsdiff("hsdiff"); Console.WriteLine("loaded"); }
            }
            isOver = true;
            foreach (var thread in threads) thread.Join();
            GC.KeepAlive(held);
        }
    }
}
