using System;
using System.Collections.Generic;

// What could undo each change is on a stack as a closure.
sealed class Shape
{
    public int X;
    public readonly int[] Outline = new int[8];
}

sealed class Drawing
{
    readonly Stack<Action> undo = new Stack<Action>();

    public void Move(int by)
    {
        var shape = new Shape();
        undo.Push(() => shape.X -= by); // truth: made
    }
}

static class Program
{
    static readonly Drawing drawing = new Drawing();
    static void Main() { Stage.Play(drawing.Move); }
}
