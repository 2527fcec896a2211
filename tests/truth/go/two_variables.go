// Users by number and by name: two variables of the package hold each of them.
package main

import "fmt"

type user struct {
	number int
	name   string
	groups [10]int
}

var usersByNumber = map[int]*user{}
var usersByName = map[string]*user{}

func setup() {}

func plant(number int) {
	u := &user{number: number, name: fmt.Sprintf("user-%06d", number)}
	usersByNumber[number] = u
	usersByName[u.name] = u
}
