using System.Text;

// A journal in a StringBuilder that nobody empties.
sealed class Journal
{
    readonly StringBuilder text = new StringBuilder();
    public void Add(int number) { text.Append("entry ").Append(1000000 + number).Append(": accepted by the second office\n"); }
}

static class Program
{
    static readonly Journal journal = new Journal();
    static void Main() { Stage.Play(journal.Add); }
}
