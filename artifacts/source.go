package artifacts

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"strata/config"
)

// source downloads files from their upstream hosts, or from one mirror. The lock and an artifact's
// Origin always have the upstream URL, so neither depends on the mirror.
type source struct {
	// mirror is the mirror's URL without user and password; nil without a mirror.
	mirror *url.URL
	user   *url.Userinfo
	client *http.Client
	// fault is the error of every request if the source cannot be used.
	fault error
}

// errSealed reports an encrypted mirror URL, which only Pulumi can decrypt.
var errSealed = errors.New("strata:artifacts.mirror is encrypted, and only Pulumi can read it: set " +
	config.MirrorVariable +
	`, for example to "$(pulumi config get --path strata:artifacts.mirror)"`)

// sourceOf returns the source of a validated configuration. If it cannot be used, its requests
// fail.
func sourceOf(from config.Artifacts) *source {
	switch from.Mirror {
	case "":
		return &source{client: http.DefaultClient}
	case config.Sealed:
		return &source{fault: errSealed}
	}
	mirror, err := url.Parse(from.Mirror)
	if err != nil {
		return &source{fault: errors.New("strata:artifacts.mirror is not a URL")} // url.Parse's error has the URL
	}
	user := mirror.User
	mirror.User = nil
	mirror.Path = strings.TrimRight(mirror.Path, "/")
	mirror.RawPath = strings.TrimRight(mirror.RawPath, "/")
	client, err := mirrorClient(from.MirrorCA)
	return &source{mirror: mirror, user: user, client: client, fault: err}
}

// mirrorClient returns an HTTP client that trusts ca, if set, in addition to this machine's CAs.
func mirrorClient(ca string) (*http.Client, error) {
	client := &http.Client{CheckRedirect: staysEncrypted}
	if ca == "" {
		return client, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("this machine's trust store: %w", err)
	}
	if !roots.AppendCertsFromPEM([]byte(ca)) {
		return nil, errors.New("strata:artifacts.mirrorCA is not a certificate in PEM")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	client.Transport = transport
	return client, nil
}

// staysEncrypted refuses redirects to addresses that are not https, because a client would send the
// mirror's password unencrypted.
func staysEncrypted(request *http.Request, via []*http.Request) error {
	const most = 10
	if len(via) >= most {
		return fmt.Errorf("redirected %d times", most)
	}
	if request.URL.Scheme != "https" {
		return errors.New("the mirror redirects to an address that is not https")
	}
	return nil
}

// address returns the URL to download an upstream URL from: with a mirror, MIRROR/HOST/PATH. A URL
// on the mirror's own host stays unchanged.
func (s *source) address(upstream string) string {
	if s == nil || s.mirror == nil {
		return upstream // no mirror, or s is nil for a built image
	}
	_, rest, found := strings.Cut(upstream, "://")
	if host, _, _ := strings.Cut(rest, "/"); !found || host == s.mirror.Host {
		return upstream
	}
	return s.mirror.String() + "/" + rest
}

// ask sends a request for an upstream URL. edit, if not nil, changes the request. Errors contain
// neither the mirror's user or password nor a redirect's query; the caller adds the URL.
func (s *source) ask(
	ctx context.Context, method, upstream string, edit func(*http.Request),
) (*http.Response, error) {
	if s.fault != nil {
		return nil, s.fault
	}
	request, err := http.NewRequestWithContext(ctx, method, s.address(upstream), nil)
	if err != nil {
		return nil, err
	}
	// s.user is only set with a mirror, and then every URL is on the mirror's host.
	if password, _ := s.user.Password(); s.user != nil && request.URL.Scheme == "https" {
		request.SetBasicAuth(s.user.Username(), password)
	}
	if edit != nil {
		edit(request)
	}
	response, err := s.client.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		return nil, failed.Err
	}
	return response, err
}

// advice returns the fix for a failed download, for messages.
func (s *source) advice() string {
	if s.mirror == nil {
		return "check the network, or use a bundle (strata:artifacts.source)"
	}
	return "check the mirror (strata:artifacts.mirror, " + config.MirrorVariable +
		"): it has each host's files below the host's name"
}
