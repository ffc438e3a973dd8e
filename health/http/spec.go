package http

import (
	"fmt"
	"net/url"
	"slices"

	"strata/health"
)

// Kind gates URLs at a Service's LoadBalancer address: each must give the expected answer, with a
// certificate that the client trusts.
const Kind health.Kind = "http"

// Spec names URLs that a Service's LoadBalancer address must answer.
type Spec struct {
	// Namespace and Service name a Service of type LoadBalancer. The gate connects to its address
	// at the URL's port and does not resolve the URL's host name, so it works before DNS has the
	// name.
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	// CASecret is namespace/name of a Secret. Its ca.crt, or else tls.crt, must have signed the
	// certificates. Empty: this machine's own CAs.
	CASecret string  `json:"caSecret,omitempty"`
	Probes   []Probe `json:"probes"`
}

// Probe is one request and the expected answer. A redirect is an answer; only Login follows it.
type Probe struct {
	// Name is the name of the probe in messages.
	Name string `json:"name"`
	// URL is http or https, without user or password.
	URL string `json:"url"`
	// Method is GET if empty.
	Method string `json:"method,omitempty"`
	// Status lists the accepted codes. Empty: 200, or any redirect if a redirect is required.
	Status []int `json:"status,omitempty"`
	// Contains is a text that the body must contain. Optional.
	Contains string `json:"contains,omitempty"`
	// Auth sends Secrets.BasicAuth.
	Auth bool `json:"auth,omitempty"`
	// RedirectTo is the required Location, as an absolute URL. Optional.
	RedirectTo string `json:"redirectTo,omitempty"`
	// RedirectPrefix is the required beginning of a Location whose end differs each time. Optional.
	RedirectPrefix string `json:"redirectPrefix,omitempty"`
	// KeyHeader is the name of a header that sends Secrets.APIKey. Optional.
	KeyHeader string `json:"keyHeader,omitempty"`
	// Login follows redirects to a login page, logs in with Secrets.BasicAuth, and follows the
	// redirects back to URL. Status and Contains then apply to URL's answer.
	Login bool `json:"login,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind, Measures: true} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "" && s.Service != "", "http: namespace or service is empty")
	need.NamespacedName("http.caSecret", s.CASecret)
	need(len(s.Probes) > 0, "http.probes: empty; a gate of nothing is always open")
	var names []string
	for i, probe := range s.Probes {
		at := fmt.Sprintf("http.probes[%d]", i)
		need(probe.Name != "" && !slices.Contains(names, probe.Name),
			"%s.name: empty or not unique: %q", at, probe.Name)
		names = append(names, probe.Name)
		probe.validate(at, need)
	}
}

func (p Probe) validate(at string, need health.Need) {
	target, err := url.Parse(p.URL)
	usable := err == nil && target.Host != "" &&
		(target.Scheme == "http" || target.Scheme == "https")
	need(usable && target.User == nil, "%s.url: expected http(s)://host/path without user and password", at)
	for _, status := range p.Status {
		need(status >= 100 && status < 600, "%s.status: %d is no HTTP status", at, status)
	}
	redirect, err := url.Parse(p.RedirectTo)
	need(!p.Login || p.Contains != "", "%s.contains: empty; a login page answers 200 as well", at)
	need(p.RedirectTo == "" || p.RedirectPrefix == "",
		"%s: redirectTo and redirectPrefix exclude each other", at)
	need(p.RedirectTo == "" || err == nil && redirect.IsAbs(),
		"%s.redirectTo: expected an absolute URL", at)
}
