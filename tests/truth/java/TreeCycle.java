import java.util.ArrayList;
import java.util.List;

/** A tree of which an object holds the root and the node that came last, whose parents lead to all others. */
public final class TreeCycle {
    static final class TreeNode {
        final TreeNode parent;
        final List<TreeNode> children = new ArrayList<>(4);
        final int key;
        TreeNode(TreeNode parent, int key) {
            this.parent = parent;
            this.key = key;
        }
    }

    static final class Editor {
        TreeNode treeRoot = new TreeNode(null, -1);
        TreeNode lastNode = treeRoot;

        void insert(int key) {
            TreeNode at = treeRoot;
            for (int rest = key * 0x9e3779b1; at.children.size() >= 4; rest = Integer.rotateRight(rest, 2)) at = at.children.get(rest & 3);
            lastNode = new TreeNode(at, key);
            at.children.add(lastNode);
        }
    }

    static final Editor editor = new Editor();

    public static void main(String[] args) throws Exception {
        Stage.play(number -> editor.insert(number));
    }
}
