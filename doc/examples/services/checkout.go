// A shop's service that leaks: it remembers the cart of each customer until he has paid, and most never do. The cache of pages beside
// it is bounded.
//
//	go build checkout.go && ./checkout          GET /cart?user=NUMBER
package main

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
)

type line struct {
	article string
	count   int
}

type cart struct {
	user  int
	lines []*line
}

type shop struct {
	open  map[int]*cart
	pages map[int]string
}

var checkout = &shop{open: map[int]*cart{}, pages: map[int]string{}}

func (s *shop) cartOf(user int) *cart {
	c := &cart{user: user}
	for i := 0; i < 4; i++ {
		c.lines = append(c.lines, &line{fmt.Sprintf("article-%d-%d", user, i), i + 1})
	}
	s.open[user] = c
	s.pages[user%100] = fmt.Sprintf("<h1>/cart/%d</h1>", user)
	return c
}

func userOf(request string) int {
	_, query, _ := strings.Cut(request, "user=")
	number, _, _ := strings.Cut(query, " ")
	user, _ := strconv.Atoi(number)
	return user
}

func serve(connection net.Conn) {
	defer connection.Close()
	request, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		return
	}
	body := fmt.Sprintln(len(checkout.cartOf(userOf(request)).lines))
	fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		panic(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		serve(connection)
	}
}
