package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: house FOLDER")
		os.Exit(2)
	}
	house, err := measure(os.Args[1])
	if err == nil {
		house.print(os.Stdout)
		err = house.outgrown()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// print writes a line for each room, and the sums.
func (h house) print(out io.Writer) {
	for _, room := range rooms {
		_, _ = fmt.Fprintf(out, "%-12s %6d  %4.1f %%\n", room, h.rooms[room], 100*h.share(room))
	}
	_, _ = fmt.Fprintf(out, "%-12s %6d\n", "main, tools", h.outside)
	_, _ = fmt.Fprintf(out, "product      %6d\ntests        %6d\nfixtures     %6d\n",
		h.product()+h.outside, h.tests, h.fixtures)
}
