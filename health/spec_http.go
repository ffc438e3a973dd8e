package health

import (
	"fmt"
	"net/url"
	"slices"
)

func (s HTTPSpec) validate(need needs) {
	need(s.Namespace != "" && s.Service != "", "http: namespace or service is empty")
	needName(need, "http.caSecret", s.CASecret)
	need(len(s.Probes) > 0, "http.probes: empty; a gate of nothing is always open")
	var names []string
	for i, probe := range s.Probes {
		at := fmt.Sprintf("http.probes[%d]", i)
		need(probe.Name != "" && !slices.Contains(names, probe.Name), "%s.name: empty or not unique: %q", at, probe.Name)
		names = append(names, probe.Name)
		probe.validate(at, need)
	}
}

func (p HTTPProbe) validate(at string, need needs) {
	target, err := url.Parse(p.URL)
	usable := err == nil && target.Host != "" && (target.Scheme == "http" || target.Scheme == "https")
	need(usable && target.User == nil, "%s.url: expected http(s)://host/path without user and password", at)
	for _, status := range p.Status {
		need(status >= 100 && status < 600, "%s.status: %d is no HTTP status", at, status)
	}
	redirect, err := url.Parse(p.RedirectTo)
	need(!p.Login || p.Contains != "", "%s.contains: empty; a login page answers 200 as well", at)
	need(p.RedirectTo == "" || p.RedirectPrefix == "", "%s: redirectTo and redirectPrefix exclude each other", at)
	need(p.RedirectTo == "" || err == nil && redirect.IsAbs(), "%s.redirectTo: expected an absolute URL", at)
}
