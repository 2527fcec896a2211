using System.Collections.Generic;
using System.Runtime.CompilerServices;

// State is attached to connections by a ConditionalWeakTable; the connections stay in a list.
sealed class Connection
{
    public int Number;
}

sealed class State
{
    public readonly long[] Counters = new long[6];
}

static class Attached
{
    static readonly ConditionalWeakTable<Connection, State> states = new ConditionalWeakTable<Connection, State>();
    static readonly LinkedList<Connection> open = new LinkedList<Connection>();

    static void Open(int number)
    {
        var connection = new Connection { Number = number };
        states.Add(connection, new State());
        open.AddLast(connection);
    }

    static void Main()
    {
        Stage.Play(Open);
    }
}
