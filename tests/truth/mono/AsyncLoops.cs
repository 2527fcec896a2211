using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

// Watchers wait for a signal in a loop, each with what it has seen; the signal is never given, and they are never cancelled.
sealed class Watch
{
    public readonly int Number;
    public readonly byte[] Seen = new byte[64];
    public Watch(int number) { Number = number; }
}

sealed class House
{
    readonly SemaphoreSlim signal = new SemaphoreSlim(0);

    public async Task Observe(int number)
    {
        var watch = new Watch(number);
        while (watch.Seen[0] == 0)
        {
            await signal.WaitAsync();
            watch.Seen[1]++;
        }
    }
}

static class Program
{
    static readonly House house = new House();
    static void Main() { Stage.Play(number => { house.Observe(number).GetHashCode(); }); }
}
