using System.Collections.Generic;

// A static list of a generic class.
sealed class Measure
{
    public readonly int Number;
    public readonly double Value;

    public Measure(int number)
    {
        Number = number;
        Value = number / 8.0;
    }
}

static class History<T>
{
    public static readonly List<T> Kept = new List<T>();
}

static class Program
{
    static void Main() { Stage.Play(number => History<Measure>.Kept.Add(new Measure(number))); }
}
