// No leak: buffers from a sync.Pool and a channel used as a free list.
package main

import (
	"bytes"
	"sync"
)

var bufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}
var freeBlocks = make(chan []byte, 100)
var written int

func setup() {
	for i := 0; i < 100; i++ {
		freeBlocks <- make([]byte, 1024)
	}
}

func plant(number int) {
	b := bufferPool.Get().(*bytes.Buffer)
	b.Reset()
	for i := 0; i < number%50; i++ {
		b.WriteString("some text of an answer ")
	}
	written += b.Len()
	bufferPool.Put(b)
	block := <-freeBlocks
	block[0]++
	freeBlocks <- block
}
