// Subscribers are channels, in a slice by topic of a map with its lock; they leave without a word.
package main

import "sync"

type message struct{ number int }

type subscription struct {
	topic   string
	inbox   chan message
	pending [6]message
}

var broker = struct {
	sync.Mutex
	topics map[string][]*subscription
}{topics: map[string][]*subscription{}}

var topicNames = [8]string{"wind", "rain", "snow", "hail", "sun", "fog", "ice", "heat"}

func setup() {}

func plant(number int) {
	s := &subscription{topic: topicNames[number%8], inbox: make(chan message, 2)}
	s.inbox <- message{number}
	broker.Lock()
	broker.topics[s.topic] = append(broker.topics[s.topic], s)
	broker.Unlock()
}
