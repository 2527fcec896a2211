// A worker counts what it saw in a map of its own, a variable that the compiler has in no place that it tells of.
package main

import "fmt"

type sighting struct {
	visitor string
	hits    [6]int
}

var visits = make(chan string)

func count(visits <-chan string) {
	seen := map[string]*sighting{}
	for visitor := range visits {
		if seen[visitor] == nil {
			seen[visitor] = &sighting{visitor: visitor}
		}
		seen[visitor].hits[0]++
	}
	fmt.Println(len(seen))
}

func setup() { go count(visits) } // truth: start

func plant(number int) {
	visits <- fmt.Sprint("visitor ", number)
}
