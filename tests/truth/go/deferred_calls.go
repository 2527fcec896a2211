// A worker closes what it opened when it ends, and it never ends: its deferred calls pile up.
package main

type upload struct {
	number int
	data   [100]byte
}

func (u *upload) close() { u.data[0] = 0 }

var uploads = make(chan *upload)
var taken = make(chan bool)

func work() {
	for u := range uploads {
		defer u.close()
		taken <- true
	}
}

func setup() { go work() }

func plant(number int) {
	uploads <- &upload{number: number}
	<-taken
}
