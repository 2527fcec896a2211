using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

// No leak: jobs that are consumed, tasks that are completed.
sealed class Job
{
    public readonly byte[] Text = new byte[300];
    public readonly TaskCompletionSource<int> Done = new TaskCompletionSource<int>();
}

static class Program
{
    static readonly BlockingCollection<Job> jobs = new BlockingCollection<Job>(16);

    static void Consume()
    {
        for (;;)
        {
            Job job = jobs.Take();
            job.Done.SetResult(job.Text.Length);
        }
    }

    static void Serve(int number)
    {
        var job = new Job();
        jobs.Add(job);
        job.Done.Task.Wait();
    }

    static void Main()
    {
        Stage.Daemon("consumer", Consume);
        for (int i = 0; i < 500; i++) Serve(i);
        Stage.Play(Serve);
    }
}
