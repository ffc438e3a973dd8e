package host

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/dns/dnsmessage"

	"strata/health"
)

// Resolved holds a DNS server's reply to one host.
type Resolved struct {
	Host string `json:"host"`
	// Seen is false before the first reply or timeout, and while the query cannot be sent. Fault
	// says why.
	Seen  bool   `json:"seen"`
	Fault string `json:"fault,omitempty"`
	// Code is the reply's response code, such as NXDOMAIN; empty if no reply came.
	Code      string   `json:"code,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
}

// Success is the response code of a reply without an error.
const Success = "NOERROR"

// codes has the usual names of common response codes (RFC 1035, section 4.1.1).
var codes = map[dnsmessage.RCode]string{
	dnsmessage.RCodeSuccess: Success, dnsmessage.RCodeNameError: "NXDOMAIN",
	dnsmessage.RCodeServerFailure: "SERVFAIL",
	dnsmessage.RCodeRefused:       "REFUSED",
}

// Resolve makes a host query a DNS server for the IPv4 addresses of a name, repeatedly until ctx
// ends. It uses one SSH session and reports each reply. The name is fully qualified, without its
// last dot. If it is no valid name, Resolve reports one Fault and returns.
func Resolve(
	ctx context.Context, host health.Host, key []byte, server, name string, report func(Resolved),
) {
	query, err := queryFor(name)
	if err != nil {
		report(Resolved{Host: host.Name, Fault: err.Error()})
		return
	}
	script := WithSettings(resolveScript,
		map[string]string{"server": server, "port": "53", "query": query})
	Stream(ctx, host, key, script,
		func(b Block) { report(resolvedOf(host.Name, b)) },
		func(err error) { report(Resolved{Host: host.Name, Fault: health.OneLine(err.Error())}) })
}

// queryFor returns a DNS query for the name's IPv4 addresses, as escapes for printf(1).
func queryFor(name string) (string, error) {
	full, err := dnsmessage.NewName(name + ".")
	if err != nil {
		return "", fmt.Errorf("name %s: %w", name, err)
	}
	message := dnsmessage.Message{
		Header: dnsmessage.Header{ID: 1, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: full, Type: dnsmessage.TypeA,
			Class: dnsmessage.ClassINET}},
	}
	packed, err := message.Pack()
	if err != nil {
		return "", fmt.Errorf("name %s: %w", name, err)
	}
	var text strings.Builder
	for _, b := range packed {
		fmt.Fprintf(&text, `\x%02x`, b)
	}
	return text.String(), nil
}

// resolvedOf parses a reply. A text that is no DNS reply counts as no reply.
func resolvedOf(host string, b Block) Resolved {
	r := Resolved{Host: host, Seen: true}
	packed, err := hex.DecodeString(b.Get("reply"))
	var message dnsmessage.Message
	if err != nil || message.Unpack(packed) != nil {
		return r
	}
	code, known := codes[message.RCode]
	if !known {
		code = message.RCode.String()
	}
	r.Code = code
	for _, answer := range message.Answers {
		if a, ok := answer.Body.(*dnsmessage.AResource); ok {
			r.Addresses = append(r.Addresses,
				fmt.Sprintf("%d.%d.%d.%d", a.A[0], a.A[1], a.A[2], a.A[3]))
		}
	}
	slices.Sort(r.Addresses)
	return r
}
