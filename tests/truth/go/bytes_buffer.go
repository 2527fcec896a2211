// A trace that is written into one buffer.
package main

import (
	"bytes"
	"fmt"
)

type tracer struct {
	lines  int
	output bytes.Buffer
}

var requestTracer tracer

func setup() {}

func plant(number int) {
	requestTracer.lines++
	fmt.Fprintf(&requestTracer.output, "request %08d was answered in time with the status 200 and a body\n", number)
}
