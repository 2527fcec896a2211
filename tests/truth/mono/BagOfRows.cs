using System.Collections.Concurrent;

// Rows are put into a bag that nobody empties.
sealed class Row
{
    public readonly int Number;
    public readonly double[] Values = new double[3];
    public Row(int number) { Number = number; }
}

static class Importer
{
    static readonly ConcurrentBag<Row> imported = new ConcurrentBag<Row>();

    static void Main()
    {
        Stage.Play(number => imported.Add(new Row(number)));
    }
}
