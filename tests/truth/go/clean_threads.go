// No leak: the runtime starts a thread for each goroutine that waits in the system, and keeps it. Once more and more of them wait at a
// time, as under load, its list of threads grows; what the program works on is freed.
package main

import (
	"sync"
	"syscall"
)

var waiting int // how many wait at a time

func setup() {
}

// Reads of pipes that block: net and os would wait without a thread.
func waitAtOnce(count int) {
	var ready, done sync.WaitGroup
	var pipes [][2]int
	for i := 0; i < count; i++ {
		var pipe [2]int
		if err := syscall.Pipe(pipe[:]); err != nil {
			panic(err)
		}
		pipes = append(pipes, pipe)
		ready.Add(1)
		done.Add(1)
		go func(from int) {
			var block [1]byte
			ready.Done()
			syscall.Read(from, block[:])
			done.Done()
		}(pipe[0])
	}
	ready.Wait()
	for _, pipe := range pipes {
		syscall.Write(pipe[1], []byte{1})
	}
	done.Wait()
	for _, pipe := range pipes {
		syscall.Close(pipe[0])
		syscall.Close(pipe[1])
	}
}

func plant(number int) {
	if number%100 == 0 {
		waiting += 4
		waitAtOnce(waiting)
	}
}
