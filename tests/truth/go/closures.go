// Clean-up functions are registered for the end of the program, which does not come.
package main

type buffer struct {
	used int
	data [100]byte
}

var atExit []func() int

func setup() {
	atExit = make([]func() int, 0, 32768)
}

func plant(number int) {
	b := &buffer{used: number}
	atExit = append(atExit, func() int { return b.used })
}
