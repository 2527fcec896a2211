// All that the program has is variables of its first function: which handler it serves by was chosen there, a method of an application
// with a store behind an interface. None of them leaves the function, so all of that lies on its stack.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

type visitor struct {
	number int
	pages  [6]string
}

type visitorStore interface{ put(v *visitor) }

type visitorTable struct {
	size int
	all  map[int]*visitor
}

func (t *visitorTable) put(v *visitor) { t.all[v.number] = v }

type shopWindow struct {
	opened bool
	store  visitorStore
}

func (w *shopWindow) serve(number int) { w.store.put(&visitor{number: number}) }

func run(arguments []string) {
	var handle func(int)
	if len(arguments) < 9 {
		window := &shopWindow{store: &visitorTable{all: map[int]*visitor{}}}
		handle = window.serve
	} else {
		handle = func(int) {}
	}
	planted, lines := 0, bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for lines.Scan() && lines.Text() != "quit" {
		count := 0
		if strings.HasPrefix(lines.Text(), "leak ") {
			fmt.Sscanf(lines.Text(), "leak %d", &count)
		}
		for ; count > 0; count-- {
			handle(planted)
			planted++
			load.request()
		}
		fmt.Println("leaked", planted)
	}
}

func setup() {
	startLoad()
	run(os.Args[1:])
	os.Exit(0)
}

func plant(int) {}
