package http

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"strata/health"
	"strata/health/address"
	"strata/health/kube"
	"strata/health/observe"
)

// httpPasses is the number of passes in a row that each probe needs, each over a new connection.
// There may be several Pods behind an address, and each loads a route or certificate by itself.
const httpPasses = 2

// httpFacts describes the Service and the CA, and has the last answer to each probe.
type httpFacts struct {
	kube.APIFault
	Service address.ServiceSeen `json:"service"`
	// CA says why the CA is not usable; empty if it is, or if none was requested.
	CA      string       `json:"authority,omitempty"`
	Answers []httpAnswer `json:"answers,omitempty"`
	// ca is the CA that was read.
	ca []byte
}

// httpAnswer is the last answer to one probe. It holds no part of the body, because a body may
// repeat the request's credentials.
type httpAnswer struct {
	Name string `json:"name"`
	// Seen is false before the first answer at the Service's current address.
	Seen bool `json:"seen,omitempty"`
	// Error is the error of a request without a response. Certificate describes the server's
	// certificate if the client refused it.
	Error       string `json:"error,omitempty"`
	Certificate string `json:"certificate,omitempty"`
	// Way describes a fault of the tunnel that made the request fail.
	Way      observe.Way `json:"way,omitzero"`
	Status   int         `json:"status,omitempty"`
	Location string      `json:"location,omitempty"`
	// Lacks is true if the body does not contain the required text.
	Lacks bool `json:"lacks,omitempty"`
	// Behind is true if an application sent the 404, and not the ingress controller (routeless). A
	// route for the URL then exists.
	Behind bool `json:"behind,omitempty"`
	// Within is the upper bound of the latency, for example 100 ms.
	Within string `json:"within,omitempty"`
	// Passes is the number of accepted answers in a row, at most httpPasses.
	Passes int `json:"passes,omitempty"`
	// Attempts counts the requests until httpPasses answers in a row were accepted. Took is the
	// duration of the last of these requests.
	Attempts int    `json:"attempts,omitempty"`
	Took     string `json:"took,omitempty"`
}

func httpAddress(s Spec) address.Spec {
	return address.Spec{Namespace: s.Namespace, Service: s.Service}
}

// judgeHTTP judges whether every probe gets the expected answer at the Service's address.
func judgeHTTP(spec Spec, f httpFacts) []health.Verdict {
	at := "address " + address.Name(httpAddress(spec))
	after := []string{at}
	var verdicts []health.Verdict
	if f.Fault != nil {
		verdicts = append(verdicts, f.FaultVerdict(at))
		f.Answers = nil
	} else {
		verdicts = append(verdicts, address.JudgeAssigned(httpAddress(spec), f.Service))
		verdicts[0].Check = at
	}
	if spec.CASecret != "" && f.Fault == nil {
		ca := health.Verdict{Check: "ca " + spec.CASecret, State: health.Ready}
		if f.CA != "" {
			ca.State, ca.Message = health.Waiting, f.CA
			ca.Cause = "the Certificate that makes the CA is not issued yet"
			ca.Hint = "kubectl get certificates -A"
		}
		verdicts = append(verdicts, ca)
		after = append(after, ca.Check)
	}
	for _, probe := range spec.Probes {
		v := judgeHTTPProbe(spec, probe, f)
		v.Check, v.After = "http "+probe.Name, after
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func judgeHTTPProbe(spec Spec, probe Probe, f httpFacts) health.Verdict {
	asked := probeMethod(probe) + " " + probe.URL
	v := health.Verdict{State: health.Waiting,
		Hint: fmt.Sprintf("curl -kv -X %s --connect-to ::%s: '%s'", probeMethod(probe),
			f.Service.Address, probe.URL)}
	at := slices.IndexFunc(f.Answers, func(a httpAnswer) bool { return a.Name == probe.Name })
	if at < 0 || !f.Answers[at].Seen || f.Service.Address == "" || f.CA != "" {
		v.Message, v.Hint = asked+": not asked yet", ""
		return v
	}
	a := f.Answers[at]
	switch {
	case a.Certificate != "":
		v.Message = fmt.Sprintf("%s: the certificate of %s is refused: %s", asked, a.Certificate,
			a.Error)
		v.Cause = refusedCertificate(spec, a)
	case a.Error != "":
		v.Message = asked + ": no answer: " + a.Error
		v.Cause, _ = address.ExplainUnreachable(a.Error, f.Service.Address, a.Way)
		if a.Way.Down() {
			v.Hint = a.Way.Hint
		}
	case !slices.Contains(probeStatuses(probe), a.Status):
		v.Message = fmt.Sprintf("%s: expected %s, found %d", asked, oneOf(probeStatuses(probe)),
			a.Status)
		v.Cause = statusCause(probe, a, answerBeside(spec, probe, f.Answers))
	case a.Lacks:
		v.Message = fmt.Sprintf("%s: %d, but its body does not contain %q", asked, a.Status,
			probe.Contains)
		v.Cause = "another application answers, or this one is starting"
	case probe.RedirectTo != "" && a.Location != probe.RedirectTo:
		v.Message = fmt.Sprintf("%s: %d to %s, expected %s", asked, a.Status,
			observe.OrNone(a.Location), probe.RedirectTo)
	case !strings.HasPrefix(a.Location, probe.RedirectPrefix):
		location, _, _ := strings.Cut(a.Location, "?") // the query differs each time
		v.Message = fmt.Sprintf("%s: %d to %s, expected %s…", asked, a.Status,
			observe.OrNone(location), probe.RedirectPrefix)
	case a.Passes < httpPasses:
		v.Message, v.Hint = fmt.Sprintf("%s: answered, not yet %d times in a row", asked,
			httpPasses), ""
	default:
		return health.Verdict{State: health.Ready, Message: a.message()}
	}
	return v
}

// message describes a good answer, with its latency.
func (a httpAnswer) message() string {
	switch {
	case a.Attempts == 1:
		return fmt.Sprintf("%d in %s, at the first attempt", a.Status, a.Took)
	case a.Attempts > 1:
		return fmt.Sprintf("%d in %s, after %d attempts", a.Status, a.Took, a.Attempts)
	default:
		return fmt.Sprintf("%d within %s", a.Status, a.Within)
	}
}

// oneOf joins status codes, as in "301, 302 or 308".
func oneOf(statuses []int) string {
	texts := make([]string, 0, len(statuses))
	for _, status := range statuses {
		texts = append(texts, fmt.Sprint(status))
	}
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// answerBeside returns the answer to another probe of the same scheme and host that is not 404. It
// is empty without one. Such an answer shows that the host has a route.
func answerBeside(spec Spec, probe Probe, answers []httpAnswer) httpAnswer {
	for _, other := range spec.Probes {
		at := slices.IndexFunc(answers, func(a httpAnswer) bool { return a.Name == other.Name })
		if at >= 0 && siteOf(other) == siteOf(probe) && answers[at].Status != 0 &&
			answers[at].Status != http.StatusNotFound {
			return answers[at]
		}
	}
	return httpAnswer{}
}

// siteOf returns the scheme and the host of a probe's URL.
func siteOf(probe Probe) string {
	at, err := url.Parse(probe.URL)
	if err != nil {
		return probe.URL
	}
	return at.Scheme + "://" + at.Host
}

// statusCause returns the usual reason for a status in this platform. other is the answer to
// another request at the same host; it is empty without one.
func statusCause(probe Probe, a, other httpAnswer) string {
	switch status := a.Status; {
	case status == http.StatusNotFound && a.Behind:
		return "the route is there, and the application behind it answers 404 in its own words: " +
			"it has no such path, or lacks what it needs for it"
	case status == http.StatusNotFound && other.Seen:
		return fmt.Sprintf("the host has a route, which answers %q with %d: the application has "+
			"no such path, or is not ready for it", other.Name, other.Status)
	case status == http.StatusNotFound:
		return "no route for this host and path yet (the ingress controller answers 404), or the " +
			"application has no such path"
	case status == http.StatusUnauthorized && probe.KeyHeader != "":
		return "the key is not accepted: the consumer is not loaded yet, or has another"
	case status == http.StatusUnauthorized && probe.Auth:
		return "the user and password are not accepted: the authentication's Secret is not loaded yet, or has others"
	case status == http.StatusBadGateway, status == http.StatusServiceUnavailable,
		status == http.StatusGatewayTimeout:
		return "the route is there, and no Pod behind it answers yet"
	case status == http.StatusOK && slices.Contains(probeStatuses(probe), http.StatusUnauthorized):
		return "it answers without authentication: what asks for it is not in force"
	default:
		return "the application answers so, or another route matches its requests first " +
			"(kubectl get ingresses,ingressroutes,httproutes -A)"
	}
}

func refusedCertificate(spec Spec, a httpAnswer) string {
	switch {
	case strings.Contains(a.Certificate, "TRAEFIK DEFAULT CERT"):
		return "Traefik serves its default certificate: it has none for this name yet"
	case strings.Contains(a.Error, "authority") && spec.CASecret != "":
		return "the certificate is not of the CA in Secret " + spec.CASecret
	default:
		return ""
	}
}
