using System.Collections.Generic;

// A tree: two static fields of a class hold its root and its last node.
sealed class TreeNode
{
    public readonly int Key;
    public readonly TreeNode Parent;
    public readonly List<TreeNode> Children = new List<TreeNode>(4);

    public TreeNode(TreeNode parent, int key)
    {
        Parent = parent;
        Key = key;
    }
}

static class Editor
{
    static readonly TreeNode treeRoot = new TreeNode(null, -1);
    static TreeNode lastNode = treeRoot;

    static void Insert(int key)
    {
        TreeNode at = treeRoot;
        uint rest = unchecked((uint)key * 0x9e3779b1u);
        for (; at.Children.Count >= 4; rest = rest >> 2 | rest << 30) at = at.Children[(int)(rest & 3)];
        lastNode = new TreeNode(at, key);
        at.Children.Add(lastNode);
    }

    static void Main() { Stage.Play(Insert); }
}
