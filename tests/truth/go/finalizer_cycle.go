// Files with a finalizer that refer to each other: such a cycle is never collected.
package main

import "runtime"

type file struct {
	name   string
	buffer [90]byte
	other  *file
}

var closed int

func setup() {}

func openPair(number int) {
	a := &file{name: "a"}
	b := &file{name: "b", other: a}
	a.other = b
	a.buffer[0] = byte(number)
	runtime.SetFinalizer(a, func(f *file) { closed++ })
}

func plant(number int) {
	openPair(number)
}
