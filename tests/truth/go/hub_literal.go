// A hub that is a composite literal of a package variable: subscribers are never taken out.
package main

type subscriber struct {
	id    int
	topic *[64]byte
}

type hub struct {
	name        string
	subscribers map[int]*subscriber
	limit       int
}

var newsHub = &hub{name: "news", subscribers: map[int]*subscriber{}, limit: 10}

func setup() {}

func (h *hub) subscribe(id int) {
	h.subscribers[id] = &subscriber{id: id, topic: new([64]byte)}
}

func plant(number int) {
	newsHub.subscribe(number)
}
