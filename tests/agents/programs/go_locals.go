// What main itself holds, as a first try of a program does: a map that does not leave its function, which the compiler puts on the
// stack, with a variable whose address is taken, and a slice; structures made in one expression, whose inner ones the compiler leaves on
// the stack, too; and a variable that it puts on the heap. It dumps its heap into the files named, after each round.
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

type topic struct{ readers []*[6]int }

type hub struct{ topics map[string]*topic }

type site struct {
	name string
	hub  *hub
}

var now func(int) // what it captures is on the heap

func each(work func(int), count int) {
	now = work
	for i := 0; i < count; i++ {
		now(i)
	}
	now = nil
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
	news := &site{name: "news", hub: &hub{topics: map[string]*topic{}}}
	var answers []*[12]int
	said := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for round := 1; round < len(os.Args); round++ {
		serve(&s, 2000*round)
		for i := 0; i < 500*round; i++ {
			names = append(names, new([20]byte))
		}
		each(func(i int) { answers = append(answers, new([12]int)) }, 300*round)
		each(func(i int) {
			name := fmt.Sprint("topic ", i%7)
			if news.hub.topics[name] == nil {
				news.hub.topics[name] = &topic{}
			}
			news.hub.topics[name].readers = append(news.hub.topics[name].readers, new([6]int))
		}, 400*round)
		file, err := os.Create(os.Args[round])
		if err != nil {
			panic(err)
		}
		debug.WriteHeapDump(file.Fd())
		file.Close()
		fmt.Println("round", round)
		said.Scan()
	}
	fmt.Println("over", len(names), s.served, len(answers), len(news.hub.topics))
}
