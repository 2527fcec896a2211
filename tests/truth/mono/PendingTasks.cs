using System.Collections.Generic;
using System.Threading.Tasks;

// Callers await answers that never come.
sealed class Query
{
    public readonly int Number;
    public bool IsAnswered;
    public Query(int number) { Number = number; }
}

sealed class Client
{
    readonly List<TaskCompletionSource<string>> waiting = new List<TaskCompletionSource<string>>();

    public async Task Ask(int number)
    {
        var query = new Query(number);
        var answer = new TaskCompletionSource<string>();
        waiting.Add(answer);
        await answer.Task;
        query.IsAnswered = true;
    }
}

static class Program
{
    static readonly Client client = new Client();
    static void Main() { Stage.Play(number => { client.Ask(number).GetHashCode(); }); }
}
