// Iterators that are pulled and never stopped: each is a coroutine, in which the runtime calls the program's function.
package main

import "iter"

type shelf struct{ books [30]int }

func (s *shelf) all(yield func(int) bool) {
	for _, book := range s.books {
		if !yield(book) {
			return
		}
	}
}

func setup() {}

func plant(number int) {
	next, _ := iter.Pull((&shelf{}).all)
	next()
}
