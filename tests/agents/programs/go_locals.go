// What main itself holds, as a first try of a program does: a map that does not leave its function, which the compiler puts on the
// stack, with a variable whose address is taken, and a slice. It dumps its heap into the files named, after each round.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
)

type Order struct {
	id    string
	lines []int
}

type shop struct {
	orders map[string]*Order
	served int
}

func serve(s *shop, count int) {
	for i := 0; i < count; i++ {
		key := fmt.Sprint("order ", s.served)
		s.orders[key] = &Order{key, make([]int, 3)}
		s.served++
	}
}

func main() {
	s := shop{orders: map[string]*Order{}}
	names := []*[20]byte{}
	said := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for round := 1; round < len(os.Args); round++ {
		serve(&s, 2000*round)
		for i := 0; i < 500*round; i++ {
			names = append(names, new([20]byte))
		}
		file, err := os.Create(os.Args[round])
		if err != nil {
			panic(err)
		}
		debug.WriteHeapDump(file.Fd())
		file.Close()
		fmt.Println("round", round)
		said.Scan()
	}
	fmt.Println("over", len(names), s.served)
}
