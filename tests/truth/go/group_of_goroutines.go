// A sync.WaitGroup starts a goroutine for each export, and all wait for a disk that never answers: it is the library that says `go`, and
// the program's function that they stand in. Go before 1.25 has no such method.
package main

import "sync"

type export struct {
	number int
	rows   [12]int
}

type exporter struct {
	group   sync.WaitGroup
	disk    chan *export
	started chan bool
}

func (e *exporter) run(number int) func() {
	return func() { // truth: export
		one := &export{number: number}
		e.started <- true
		e.disk <- one
	}
}

var exports = &exporter{disk: make(chan *export), started: make(chan bool)}

func setup() {}

func plant(number int) {
	if group, is := any(&exports.group).(interface{ Go(func()) }); is {
		group.Go(exports.run(number))
	} else {
		go exports.run(number)()
	}
	<-exports.started
}
