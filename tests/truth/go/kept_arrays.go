// The first bytes of each body are kept, and with them the whole body.
package main

var firstBytes [][]byte

func setup() {}

func readBody(number int) []byte {
	body := make([]byte, 2000)
	body[0] = byte(number)
	return body
}

func plant(number int) {
	firstBytes = append(firstBytes, readBody(number)[:16])
}
