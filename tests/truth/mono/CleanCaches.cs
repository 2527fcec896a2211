using System;
using System.Collections.Generic;

// No leak: sessions that end, weak references that are cleaned, events that are left.
sealed class Session
{
    public readonly int Number;
    public Session(int number) { Number = number; }
    public void OnTick() { }
}

static class Program
{
    static readonly Dictionary<int, Session> sessions = new Dictionary<int, Session>();
    static readonly WeakReference[] recent = new WeakReference[64];
    static event Action Tick;

    static void Serve(int number)
    {
        var session = new Session(number);
        Tick += session.OnTick;
        sessions[number % 500] = session;
        recent[number % recent.Length] = new WeakReference(session);
        Tick();
        Tick -= session.OnTick;
    }

    static void Main()
    {
        for (int i = 0; i < 500; i++) Serve(i);
        Tick += () => { };
        Stage.Play(Serve);
    }
}
