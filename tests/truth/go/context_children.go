// A context for each request is derived from that of the server and never cancelled.
package main

import "context"

type requestKey struct{}

var serverContext, stopServer = context.WithCancel(context.Background())
var seen int

func setup() {}

func plant(number int) {
	child, cancel := context.WithCancel(context.WithValue(serverContext, requestKey{}, number))
	if child.Err() != nil {
		cancel()
		stopServer()
	}
	seen++
}
