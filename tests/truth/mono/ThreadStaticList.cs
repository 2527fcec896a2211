using System;
using System.Collections.Concurrent;
using System.Collections.Generic;

// A worker collects what it parsed in a thread-static list.
sealed class Parsed
{
    public readonly int Number;
    public readonly long[] Fields = new long[4];
    public Parsed(int number) { Number = number; }
}

static class Parser
{
    [ThreadStatic] static List<Parsed> parsed;
    static readonly BlockingCollection<int> requests = new BlockingCollection<int>(1);
    static readonly BlockingCollection<int> replies = new BlockingCollection<int>(1);

    static void Work()
    {
        parsed = new List<Parsed>();
        for (;;)
        {
            parsed.Add(new Parsed(requests.Take()));
            replies.Add(parsed.Count);
        }
    }

    static void Main()
    {
        Stage.Daemon("parser", Work);
        Stage.Play(number =>
        {
            requests.Add(number);
            replies.Take();
        });
    }
}
