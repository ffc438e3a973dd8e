package http

import (
	"net/http"
)

// probeMethod returns the probe's request method; GET if it has none.
func probeMethod(p Probe) string {
	if p.Method == "" {
		return http.MethodGet
	}
	return p.Method
}

// probeStatuses returns the accepted status codes: the probe's own, or any redirect if it expects
// one, or 200.
func probeStatuses(p Probe) []int {
	switch {
	case len(p.Status) > 0:
		return p.Status
	case p.RedirectTo != "" || p.RedirectPrefix != "":
		return []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect}
	default:
		return []int{http.StatusOK}
	}
}
