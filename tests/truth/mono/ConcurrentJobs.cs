using System.Collections.Concurrent;

// Jobs are put into a queue of a service that a static field refers to; nobody takes them.
sealed class Job
{
    public readonly int Number;
    public readonly int[] Steps = new int[10];
    public Job(int number) { Number = number; }
}

sealed class Service
{
    internal static Service Current = new Service();
    readonly ConcurrentQueue<Job> jobs = new ConcurrentQueue<Job>();
    public void Submit(int number) { jobs.Enqueue(new Job(number)); }
}

static class Program
{
    static void Main() { Stage.Play(number => Service.Current.Submit(number)); }
}
