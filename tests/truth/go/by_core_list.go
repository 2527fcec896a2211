// A list of trades, looked at by cores.
package main

type trade struct {
	next   *trade
	amount float64
	parts  [6]int
}

var tradeHistory *trade

func setup() {}

func plant(number int) {
	tradeHistory = &trade{next: tradeHistory, amount: float64(number)}
}
