// What a function remembers is a variable that it captured, and of nobody else.
package main

type lookup struct {
	key    int
	result [9]int
}

var resolve func(int) *lookup

func setup() {
	known := map[int]*lookup{}
	resolve = func(key int) *lookup {
		if found := known[key]; found != nil {
			return found
		}
		known[key] = &lookup{key: key}
		return known[key]
	}
}

func plant(number int) { resolve(number) }
