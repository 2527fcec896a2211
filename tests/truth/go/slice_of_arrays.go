// Small views of large arrays keep the arrays.
package main

type view struct {
	head []byte
}

var keptViews []view

func setup() {
	keptViews = make([]view, 0, 4096)
}

func plant(number int) {
	whole := make([]byte, 20480)
	whole[0] = byte(number)
	keptViews = append(keptViews, view{whole[:16]})
}
