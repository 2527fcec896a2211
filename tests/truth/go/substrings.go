// The first word of a long line is kept, and the line with it.
package main

import "strings"

var firstWords []string

func setup() {
	firstWords = make([]string, 0, 32768)
}

func plant(number int) {
	line := strings.Repeat("GET /index.html ", 12+number%2)
	firstWords = append(firstWords, line[:3])
}
