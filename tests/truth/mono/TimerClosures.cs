using System.Threading;

// Each upload is polled by a timer that nobody stops: timers keep themselves.
sealed class Upload
{
    public readonly int Number;
    public int Polled;
    public Upload(int number) { Number = number; }
}

static class Uploads
{
    static void Follow(int number)
    {
        var upload = new Upload(number);
        var timer = new Timer(_ => upload.Polled++); // truth: made
        timer.Change(3600000, 3600000);
    }

    static void Main() { Stage.Play(Follow); }
}
