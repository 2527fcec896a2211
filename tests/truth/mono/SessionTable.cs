using System.Collections.Generic;

// Sessions stay in a Dictionary when they end.
sealed class Session
{
    public readonly int Id;
    public readonly string User;
    public bool IsOpen = true;

    public Session(int id)
    {
        Id = id;
        User = "user " + (id % 100 + 100);
    }
}

sealed class Server
{
    readonly Dictionary<int, Session> sessions = new Dictionary<int, Session>();

    public void Serve(int number)
    {
        var session = new Session(number);
        sessions.Add(number, session);
        session.IsOpen = false;
    }
}

static class Program
{
    static readonly Server server = new Server();
    static void Main() { Stage.Play(server.Serve); }
}
