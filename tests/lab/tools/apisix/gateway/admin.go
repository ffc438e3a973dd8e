package main

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"strata/tests/lab/tools/apisix/admin"
	"strata/tests/lab/tools/apisix/delays"
)

// access has the keys and client addresses that may use the admin API
// (deployment.admin.allow_admin).
type access struct {
	adminKey, viewerKey string
	from                []netip.Prefix
}

// refuses returns the status code and the reason for a forbidden request; 0 for an allowed one. The
// viewer key allows only GET (apisix/admin/init.lua, check_token).
func (a access) refuses(r *http.Request) (int, string) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if address, err := netip.ParseAddr(host); len(a.from) > 0 && (err != nil || !within(a.from, address.Unmap())) {
		return http.StatusForbidden, "forbidden"
	}
	is := func(key string) bool {
		return key != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(admin.Header)), []byte(key)) == 1
	}
	switch {
	case is(a.adminKey):
		return 0, ""
	case !is(a.viewerKey):
		return http.StatusUnauthorized, "wrong apikey"
	case r.Method != http.MethodGet:
		return http.StatusUnauthorized, "invalid method for role viewer"
	}
	return 0, ""
}

func within(prefixes []netip.Prefix, address netip.Addr) bool {
	for _, prefix := range prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// admin handles the admin API: it stores, validates or returns a configuration
// (apisix/admin/standalone.lua).
func (p *plane) admin(w http.ResponseWriter, r *http.Request) {
	if code, why := p.access.refuses(r); code != 0 {
		say(w, code, map[string]string{"error_msg": "failed to check token", "description": why})
		return
	}
	switch {
	case r.URL.Path == strings.TrimSuffix(admin.Path, "/configs") && r.Method == http.MethodHead:
		say(w, http.StatusOK, nil)
	case r.URL.Path == admin.Path+"/validate" && r.Method == http.MethodPost:
		if _, err := load(r.Body); err != nil {
			say(w, http.StatusBadRequest, map[string]string{"error_msg": err.Error()})
			return
		}
		say(w, http.StatusOK, nil)
	case r.URL.Path == admin.Path && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		p.give(w)
	case r.URL.Path == admin.Path && r.Method == http.MethodPut:
		p.take(w, r)
	default:
		say(w, http.StatusNotFound, map[string]string{"error_msg": "not found"})
	}
}

// give sends the present configuration. Like APISIX, it includes private keys.
func (p *plane) give(w http.ResponseWriter) {
	if sent := p.sent.Load(); sent != nil {
		say(w, http.StatusOK, sent.Config)
		return
	}
	say(w, http.StatusOK, map[string]int{"routes_conf_version": 0, "services_conf_version": 0,
		"upstreams_conf_version": 0})
}

// take replaces the configuration, unless the request has the digest of the present one.
func (p *plane) take(w http.ResponseWriter, r *http.Request) {
	digest := r.Header.Get(admin.Digest)
	if digest == "" {
		say(w, http.StatusBadRequest, map[string]string{"error_msg": "missing digest header"})
		return
	}
	if last := p.sent.Load(); last != nil && last.digest == digest {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	sent, err := load(r.Body)
	if err != nil {
		say(w, http.StatusBadRequest, map[string]string{"error_msg": err.Error()})
		return
	}
	sent.digest = digest
	p.sent.Store(sent)
	if delays.Poll() == 0 {
		p.takeUpstreams()
		p.takeRoutes()
	}
	say(w, http.StatusAccepted, nil)
}
