using System.Threading;
using System.Text;

// No leak: timers that are disposed, a StringBuilder that is emptied.
sealed class Upload
{
    public int Polled;
}

static class Uploads
{
    static readonly StringBuilder log = new StringBuilder(4096);

    static void Follow(int number)
    {
        var upload = new Upload();
        using (new Timer(_ => upload.Polled++, null, 3600000, 3600000)) log.Append(number).Append(' ');
        if (log.Length > 4000) log.Clear();
    }

    static void Main()
    {
        for (int i = 0; i < 1000; i++) Follow(i);
        Stage.Play(Follow);
    }
}
