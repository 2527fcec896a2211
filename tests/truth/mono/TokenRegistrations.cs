using System.Threading;

// Each request registers with the token of the whole program, and never takes that back.
sealed class Request
{
    public readonly byte[] Body = new byte[48];
    public bool IsOver;
    public void Stop() { IsOver = true; }
}

static class Service
{
    static readonly CancellationTokenSource shutdown = new CancellationTokenSource();

    static void Serve(int number)
    {
        var request = new Request();
        shutdown.Token.Register(request.Stop);
        request.Body[0] = (byte)number;
    }

    static void Main()
    {
        Stage.Play(Serve);
    }
}
