import java.util.Arrays;

/** A table of arrays of arrays that is made larger row by row. */
public final class GridRows {
    static final class Sheet {
        private double[][] cells = new double[16][];
        private int rows;

        void addRow(int number) {
            if (rows == cells.length) cells = Arrays.copyOf(cells, rows * 2);
            cells[rows] = new double[10];
            cells[rows++][0] = number;
        }
    }

    static final Sheet sheet = new Sheet();

    public static void main(String[] args) throws Exception {
        Stage.play(sheet::addRow);
    }
}
