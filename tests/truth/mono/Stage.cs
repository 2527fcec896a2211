using System;
using System.Collections.Generic;
using System.Threading;

/// <summary>What every program of this folder has around its leak: the lines of tests/agents/kit.py, and noise that goes on all the time. All
/// noise is bounded, and has filled before "ready" is said.</summary>
static class Stage
{
    sealed class Page
    {
        public readonly string Path;
        public int Hits;
        public Page(string path) { Path = path; }
    }

    sealed class Reply
    {
        public readonly int Status = 200;
        public readonly byte[] Body = new byte[256];
    }

    static readonly ManualResetEvent pagesFull = new ManualResetEvent(false);
    static readonly ManualResetEvent ringFull = new ManualResetEvent(false);
    static int planted;
    static int ticks;

    public static int Next(int seed) { return unchecked(seed * 1664525 + 1013904223); }

    public static void Daemon(string name, Action work)
    {
        new Thread(() => work()) { Name = name, IsBackground = true }.Start();
    }

    /// <summary>A cache that evicts its oldest page.</summary>
    static void Browse()
    {
        var pages = new Dictionary<string, Page>();
        var order = new Queue<string>();
        int seed = 1;
        for (int i = 0; ; i++)
        {
            seed = Next(seed);
            string path = "/page/" + (int)((uint)seed >> 8) % 1200;
            if (!pages.TryGetValue(path, out Page page))
            {
                pages[path] = page = new Page(path);
                order.Enqueue(path);
            }
            page.Hits++;
            if (pages.Count > 400) pages.Remove(order.Dequeue());
            if (i == 10000) pagesFull.Set();
            if (i > 10000 && i % 50 == 0) Thread.Sleep(1);
        }
    }

    /// <summary>The last replies, in a ring.</summary>
    static void KeepHouse()
    {
        var last = new Reply[300];
        for (int i = 0; ; i++)
        {
            last[i % last.Length] = new Reply();
            if (i == last.Length) ringFull.Set();
            if (i > last.Length && i % 20 == 0) Thread.Sleep(1);
        }
    }

    public static void Play(Action<int> leak) { Play(leak, () => { }); }

    /// <param name="settle">ends when nothing that was planted is under way any more</param>
    public static void Play(Action<int> leak, Action settle)
    {
        Daemon("browser", Browse);
        Daemon("housekeeper", KeepHouse);
        using (new Timer(_ => Interlocked.Increment(ref ticks), null, 1, 5))
        {
            pagesFull.WaitOne();
            ringFull.WaitOne();
            Console.WriteLine("ready");
            for (string line; (line = Console.ReadLine()) != null && line != "quit"; )
            {
                int count = int.Parse(line.Substring("leak ".Length));
                for (int i = 0; i < count; i++) leak(planted++);
                settle();
                Console.WriteLine("leaked " + planted);
            }
        }
        Environment.Exit(0);
    }
}
