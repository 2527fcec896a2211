// A pool of any type of result starts a goroutine for each job; nobody reads the results, and each waits to hand over its own.
package main

type report struct {
	number int
	lines  [12]int
}

type pool[T any] struct {
	results chan T
}

func (p *pool[T]) submit(job func() T) {
	started := make(chan bool)
	go func() {
		result := job()
		started <- true
		p.results <- result
	}()
	<-started
}

var reports = &pool[*report]{results: make(chan *report)}

func setup() {}

func plant(number int) {
	reports.submit(func() *report { return &report{number: number} })
}
