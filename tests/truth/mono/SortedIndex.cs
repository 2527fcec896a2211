using System.Collections.Generic;

// A sorted tree, filled in no order.
sealed class Entry
{
    public readonly int Number;
    public Entry(int number) { Number = number; }
}

static class Index
{
    static readonly SortedDictionary<int, Entry> byHash = new SortedDictionary<int, Entry>();
    static void Main() { Stage.Play(number => byHash.Add(unchecked(number * (int)0x9e3779b1), new Entry(number))); }
}
