// Handlers are methods of an object for each connection; the server's field in a struct keeps them.
package main

type connection struct {
	number int
	input  [120]byte
}

func (c *connection) handle() int { return c.number }

var httpServer struct {
	address  string
	handlers map[int]func() int
}

func setup() {
	httpServer.handlers = make(map[int]func() int)
}

func plant(number int) {
	c := &connection{number: number}
	httpServer.handlers[number] = c.handle
}
