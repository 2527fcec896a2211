// A poller for each host, whose goroutine is started by a method so short that it could be copied into its callers.
package main

type poller struct {
	host  string
	buf   [128]byte
	ticks chan int
}

func setup() {}

func (p *poller) loop() {
	for range p.ticks {
		p.buf[0]++
	}
}

func plant(number int) {
	ticks := make(chan int)
	go (&poller{host: "host", ticks: ticks}).loop()
	ticks <- number // it has begun
}
