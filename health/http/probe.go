package http

import (
	"net/http"

	"strata/health"
)

// probeMethod is the probe's request method.
func probeMethod(p health.HTTPProbe) string {
	if p.Method == "" {
		return http.MethodGet
	}
	return p.Method
}

// probeStatuses are the codes of which one must come back.
func probeStatuses(p health.HTTPProbe) []int {
	switch {
	case len(p.Status) > 0:
		return p.Status
	case p.RedirectTo != "" || p.RedirectPrefix != "":
		return []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}
	default:
		return []int{http.StatusOK}
	}
}
