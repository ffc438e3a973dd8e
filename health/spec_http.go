package health

import (
	"net/url"
	"slices"
	"strings"
)

func (s HTTPSpec) validate(need needs) {
	need(s.Namespace != "" && s.Service != "", "http: namespace or service is empty")
	namespace, name, found := strings.Cut(s.CASecret, "/")
	need(s.CASecret == "" || found && namespace != "" && name != "", "http.caSecret: expected namespace/name, found %q", s.CASecret)
	need(len(s.Probes) > 0, "http.probes: empty; a gate of nothing is always open")
	var names []string
	for i, probe := range s.Probes {
		need(probe.Name != "" && !slices.Contains(names, probe.Name), "http.probes[%d].name: empty or not unique: %q", i, probe.Name)
		names = append(names, probe.Name)
		target, err := url.Parse(probe.URL)
		usable := err == nil && target.Host != "" && (target.Scheme == "http" || target.Scheme == "https")
		need(usable && target.User == nil, "http.probes[%d].url: expected http(s)://host/path without user and password", i)
		for _, status := range probe.Status {
			need(status >= 100 && status < 600, "http.probes[%d].status: %d is no HTTP status", i, status)
		}
		redirect, err := url.Parse(probe.RedirectTo)
		need(!probe.Login || probe.Contains != "", "http.probes[%d].contains: empty; a login page answers 200 as well", i)
		need(probe.RedirectTo == "" || probe.RedirectPrefix == "", "http.probes[%d]: redirectTo and redirectPrefix exclude each other", i)
		need(probe.RedirectTo == "" || err == nil && redirect.IsAbs(), "http.probes[%d].redirectTo: expected an absolute URL", i)
	}
}
