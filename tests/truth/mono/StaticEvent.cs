using System;

// Rows listen to a static event by lambdas that capture a local, and never stop.
sealed class Row
{
    public readonly int Number;
    public string Text = "";
    public Row(int number) { Number = number; }
}

static class Clock
{
    public static event Action<int> Ticked;
    public static void Tick(int time) { Ticked?.Invoke(time); }
}

static class Program
{
    static void Show(int number)
    {
        var row = new Row(number);
        Clock.Ticked += time => row.Text = "x";
    }

    static void Main() { Stage.Play(Show); }
}
