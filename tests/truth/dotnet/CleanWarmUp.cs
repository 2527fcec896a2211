using System;

// Nothing leaks: thousands of virtual methods get hot one after the other, and the runtime compiles each of them again. What it notes of that is its own.
interface IStep
{
    int Do(int number);
}

class Step<T> : IStep
{
    int total;
    public virtual int Do(int number) { return total += number & 3; }
}

struct Pair<A, B>
{
}

static class Program
{
    const int Hot = 40; // calls after which a method is worth compiling again

    static readonly Type[] plain = { typeof(int), typeof(byte), typeof(long), typeof(double), typeof(char), typeof(short), typeof(uint), typeof(float) };
    static IStep[] steps;

    static IStep Make(int number)
    {
        Type pair = typeof(Pair<,>).MakeGenericType(plain[number % 8], plain[number / 8 % 8]);
        pair = typeof(Pair<,>).MakeGenericType(pair, plain[number / 64 % 8]);
        pair = typeof(Pair<,>).MakeGenericType(pair, plain[number / 512 % 8]);
        return (IStep)Activator.CreateInstance(typeof(Step<>).MakeGenericType(pair));
    }

    static void Main()
    {
        steps = new IStep[1500];
        for (int i = 0; i < steps.Length; i++) steps[i] = Make(i);
        Stage.Play(number => {
            for (int i = 0; i < Hot; i++) steps[number / 10 % steps.Length].Do(number);
        });
    }
}
