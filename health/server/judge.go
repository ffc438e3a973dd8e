package server

import (
	"fmt"
	"net/http"
	"strings"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
	"strata/internal/k3shost"
)

// judgeServer judges the unit and, on a server, the answer of /ping.
func judgeServer(h health.Host, unit host.UnitFacts, ping pingFacts) []health.Verdict {
	verdicts := []health.Verdict{host.JudgeUnit(h, unit)}
	if ping.Server != "" {
		verdicts = append(verdicts, judgePing(h, ping))
	}
	return verdicts
}

// pingFacts describes the answer of a server's /ping.
type pingFacts struct {
	Server string `json:"server"`
	// Seen is false before the first observation.
	Seen bool `json:"seen"`
	// Status and Body are the HTTP status and the body of the answer. Error is the error of a
	// request without an answer.
	Status int    `json:"status,omitempty"`
	Body   string `json:"body,omitempty"`
	Error  string `json:"error,omitempty"`
	// Stranger says why the certificate does not belong to the host's own K3s; empty if it does.
	Stranger string `json:"stranger,omitempty"`
	// Way describes a fault of the tunnel that made the request fail.
	Way observe.Way `json:"way,omitzero"`
}

// judgePing requires the answer that only a K3s supervisor gives. An open port or another answer is
// not enough, because it may come from a proxy.
func judgePing(h health.Host, f pingFacts) health.Verdict {
	v := health.Verdict{Check: "ping " + f.Server, State: health.Waiting,
		After: []string{host.UnitCheck(h)}}
	v.Hint = fmt.Sprintf("curl -k %s/ping; on %s: journalctl -u k3s -e; is a firewall between "+
		"here and the host?", f.Server, h.Name)
	switch {
	case !f.Seen:
		v.Message = "not asked yet"
	case f.Error != "":
		v.Message = "expected pong, no answer: " + f.Error
		if f.Way.Down() {
			v.Cause, v.Hint = f.Way.Cause, f.Way.Hint
		}
	case !f.isPong():
		v.Message = fmt.Sprintf("expected pong, found HTTP %d", f.Status)
		v.Evidence = []string{fmt.Sprintf("curl -k %s/ping: %s", f.Server, f.Body)}
		if f.Status == http.StatusNotFound || f.Status == http.StatusOK {
			v.Cause = "something else than K3s answers on this port"
		}
	case f.Stranger != "":
		v.Message = fmt.Sprintf("expected a certificate of the CA that K3s has on %s, found "+
			"another: %s", h.Name, f.Stranger)
		v.Cause = "another machine, or a proxy, answers at this address"
		v.Hint = fmt.Sprintf("openssl s_client -connect %s -showcerts; on %s: openssl x509 -in "+
			"%s -noout -subject", strings.TrimPrefix(f.Server, "https://"), h.Name,
			k3shost.ServerCA)
	default:
		return health.Verdict{Check: v.Check, State: health.Ready, Message: "pong", After: v.After}
	}
	return v
}
