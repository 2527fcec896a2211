// Segments of a log are mapped into memory and never unmapped: none of it is in the heap of Go.
package main

import "syscall"

type segment struct {
	memory []byte
	used   int
}

var logSegments []*segment

func setup() {
	logSegments = make([]*segment, 0, 4096)
}

func plant(number int) {
	memory, err := syscall.Mmap(-1, 0, 65536, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = byte(number)
	}
	logSegments = append(logSegments, &segment{memory: memory})
}
