// A store that is a composite literal with two maps, both of which hold the users.
package main

import "fmt"

type user struct {
	number int
	name   string
	groups [10]int
}

type store struct {
	path    string
	users   map[int]*user
	byEmail map[string]*user
}

var userStore = &store{path: "/var/lib/shop", users: map[int]*user{}, byEmail: map[string]*user{}}

func setup() {}

func plant(number int) {
	u := &user{number: number, name: fmt.Sprintf("user-%06d@example.org", number)}
	userStore.users[number] = u
	userStore.byEmail[u.name] = u
}
