// No leak: sessions in a map that expire after 1,000 requests.
package main

import "fmt"

type session struct {
	id   int
	user string
	cart []int
}

var liveSessions = map[int]*session{}

func setup() {}

func plant(number int) {
	liveSessions[number] = &session{id: number, user: fmt.Sprint("user ", number), cart: make([]int, 8)}
	delete(liveSessions, number-1000)
}
