package host

import (
	"context"
	"strconv"
	"strings"

	"strata/health"
)

// Answer says which packets from an address reach the host that connects to that address.
type Answer string

const (
	// AnswerFull is a reply to packets of full size.
	AnswerFull Answer = "full"
	// AnswerSmall is a reply to small packets only.
	AnswerSmall Answer = "small"
	// AnswerEcho means that the address replied to an ICMP echo of full size, but its TCP port did
	// not reply.
	AnswerEcho Answer = "echo"
	// AnswerNone means that no reply came within two seconds.
	AnswerNone Answer = "none"
)

// AskAnswers makes a host connect to addresses (separated by spaces) at a TCP port, repeatedly
// until ctx ends, over one SSH session. It reports each answer, and an empty address while SSH to
// the host fails.
func AskAnswers(ctx context.Context, host health.Host, key []byte, addresses string, port int,
	report func(address string, came Answer)) {
	script := WithSettings(answerScript,
		map[string]string{"addresses": addresses, "port": strconv.Itoa(port)})
	Stream(ctx, host, key, script, func(b Block) { report(answerOf(b)) },
		func(error) { report("", "") })
}

func answerOf(b Block) (address string, came Answer) {
	address, text, _ := strings.Cut(b.Get("answer"), " ")
	return address, Answer(text)
}
