package e2e

import (
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// nameServer is a DNS server of one zone. It accepts dynamic updates of TXT records (RFC 2136) that
// are signed with its key.
type nameServer struct {
	// address is the server's host and port. key is the secret of the TSIG key named tsigName.
	address, zone, key string

	mutex sync.Mutex
	// inside has the addresses in answers to UDP queries, which the cluster sends. outside has
	// those in answers to TCP queries, which the ACME server sends.
	inside, outside map[string]string
	texts           map[string][]string
}

const tsigName = "acme."

// serveNames starts a name server for a zone at an address of this machine.
func serveNames(t *testing.T, host, zone string) *nameServer {
	t.Helper()
	n := &nameServer{
		address: net.JoinHostPort(host, "5300"), zone: zone,
		key:    "YS10c2lnLWtleS10aGF0LW11c3Qtbm90LWxlYWstYXQtYWxs",
		inside: map[string]string{}, outside: map[string]string{}, texts: map[string][]string{},
	}
	for _, network := range []string{"udp", "tcp"} {
		started := make(chan struct{})
		server := &dns.Server{
			Addr: n.address, Net: network, Handler: n,
			TsigSecret:        map[string]string{tsigName: n.key},
			MsgAcceptFunc:     func(dns.Header) dns.MsgAcceptAction { return dns.MsgAccept }, // updates as well
			NotifyStartedFunc: func() { close(started) },
		}
		failed := make(chan error, 1)
		go func() { failed <- server.ListenAndServe() }()
		select {
		case <-started:
			t.Cleanup(func() { _ = server.Shutdown() })
		case err := <-failed:
			required(t, err)
		}
	}
	return n
}

// leads sets the address of a name in one view, inside or outside.
func (n *nameServer) leads(view map[string]string, name, address string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	view[name+"."] = address
}

// ServeDNS implements dns.Handler.
func (n *nameServer) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	reply := new(dns.Msg).SetReply(q)
	reply.Authoritative = true
	switch {
	case q.Opcode != dns.OpcodeUpdate && len(q.Question) == 1:
		reply.Answer = n.answer(q.Question[0], w.RemoteAddr().Network() == "tcp")
	case q.IsTsig() == nil || w.TsigStatus() != nil:
		reply.Rcode = dns.RcodeNotAuth
	default:
		n.update(q.Ns)
	}
	_ = w.WriteMsg(reply)
}

func (n *nameServer) answer(q dns.Question, outside bool) (records []dns.RR) {
	name := strings.ToLower(q.Name)
	header := dns.RR_Header{Name: q.Name, Rrtype: q.Qtype, Class: dns.ClassINET, Ttl: 1}
	view := n.inside
	if outside {
		view = n.outside
	}
	switch {
	case q.Qtype == dns.TypeA && view[name] != "":
		records = append(records, &dns.A{Hdr: header, A: net.ParseIP(view[name])})
	case q.Qtype == dns.TypeSOA && name == n.zone:
		records = append(records, &dns.SOA{Hdr: header, Ns: "ns." + n.zone, Mbox: "root." + n.zone,
			Serial: 1, Refresh: 1, Retry: 1, Expire: 1, Minttl: 1})
	case q.Qtype == dns.TypeTXT:
		for _, text := range n.texts[name] {
			records = append(records, &dns.TXT{Hdr: header, Txt: []string{text}})
		}
	}
	return records
}

// update applies an RFC 2136 update: it adds TXT records, and deletes those of class NONE.
func (n *nameServer) update(changes []dns.RR) {
	for _, change := range changes {
		record, isText := change.(*dns.TXT)
		if !isText {
			continue
		}
		name, text := strings.ToLower(record.Hdr.Name), strings.Join(record.Txt, "")
		n.texts[name] = slices.DeleteFunc(n.texts[name],
			func(other string) bool { return other == text })
		if record.Hdr.Class == dns.ClassINET {
			n.texts[name] = append(n.texts[name], text)
		}
	}
}
