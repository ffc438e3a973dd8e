package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"strata/config"
)

// hub is the name of Docker's registry in images; its API is at name.DefaultRegistry.
const hub = "docker.io"

// place is a registry or mirror that may hold an image.
type place struct {
	// name is the place's name in messages: a registry, or a mirror's address.
	name       string
	repository name.Repository
	transport  http.RoundTripper
	keychain   authn.Keychain
	// fault is the reason why the place cannot be used.
	fault error
}

// places returns the places that may hold a repository, in the order that nodes use
// (https://docs.k3s.io/installation/private-registry).
func (p *Puller) places(repository name.Repository) (all []place) {
	own := repository.RegistryStr()
	called := strings.Replace(own, name.DefaultRegistry, hub, 1)
	entry := p.entry(called)
	for _, address := range entry.Mirrors {
		all = append(all, p.mirror(entry, address, repository, called))
	}
	if len(all) == 0 || !p.OnlyMirrors {
		all = append(all, p.place(called, called, repository))
	}
	return all
}

// entry returns the stack's entry for a registry.
func (p *Puller) entry(registry string) config.Registry {
	for _, wanted := range []string{registry, "*"} {
		if i := slices.IndexFunc(p.Registries,
			func(one config.Registry) bool { return one.Name == wanted }); i >= 0 {
			return p.Registries[i]
		}
	}
	return config.Registry{}
}

// place returns a repository of a host with that host's login and certificate.
func (p *Puller) place(shown, host string, repository name.Repository) place {
	made := place{name: shown, repository: repository, keychain: authn.DefaultKeychain}
	about := config.Registry{}
	if i := slices.IndexFunc(p.Registries,
		func(one config.Registry) bool { return one.Name == host }); i >= 0 {
		about = p.Registries[i]
	}
	if about.Username != "" && about.Username != config.Sealed && about.Password != config.Sealed {
		made.keychain = authn.NewMultiKeychain(login{about.Username, about.Password},
			authn.DefaultKeychain)
	}
	made.transport, made.fault = newTransport(about)
	return made
}

// mirror returns the place of a repository at a mirror.
func (p *Puller) mirror(
	entry config.Registry, address string, repository name.Repository, registry string,
) place {
	at, err := url.Parse(address)
	if err != nil {
		return place{name: "a mirror", fault: errors.New("its address is no URL")}
	}
	path := strings.Trim(at.Path, "/")
	prefix, versioned := strings.CutPrefix(path+"/", "v2/")
	if path != "" && !versioned {
		return place{name: address,
			fault: errors.New(
				"its path does not begin with /v2, where registries have their API: nodes can " +
					"ask it, and this command cannot")}
	}
	options := []name.Option{}
	if at.Scheme == "http" {
		options = append(options, name.Insecure)
	}
	renamed := rewritten(entry.Rewrites, repository.RepositoryStr())
	there, err := name.NewRepository(at.Host+"/"+strings.TrimPrefix(prefix, "/")+renamed,
		options...)
	if err != nil {
		return place{name: address, fault: err}
	}
	made := p.place(address, at.Host, there)
	made.transport = named{made.transport, at.Host, registry}
	return made
}

// rewritten returns a repository's name at mirrors. The first pattern that matches counts.
func rewritten(rewrites map[string]string, repository string) string {
	for _, pattern := range slices.Sorted(maps.Keys(rewrites)) {
		// The pattern is valid: package config has compiled it before.
		if expression := regexp.MustCompile(pattern); expression.MatchString(repository) {
			return expression.ReplaceAllString(repository, rewrites[pattern])
		}
	}
	return repository
}

// newTransport returns the default transport with a stack's settings for a registry's certificate.
func newTransport(about config.Registry) (http.RoundTripper, error) {
	if about.CA == "" && !about.InsecureSkipVerify {
		return remote.DefaultTransport, nil
	}
	made := remote.DefaultTransport.(*http.Transport).Clone()
	made.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: about.InsecureSkipVerify} //nolint:gosec // the stack's configuration requests it
	if about.CA == "" {
		return made, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("this machine's trust store: %w", err)
	}
	if !roots.AppendCertsFromPEM([]byte(about.CA)) {
		return nil, errors.New("k3s.registries: ca is not a certificate in PEM")
	}
	made.TLSClientConfig.RootCAs = roots
	return made, nil
}

// named is a transport for a mirror of several registries. It adds the parameter ns to each
// request, which names the registry, as containerd does (its docs/hosts.md, "ns").
type named struct {
	http.RoundTripper
	host, registry string
}

func (n named) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == n.host {
		request = request.Clone(request.Context())
		query := request.URL.Query()
		query.Set("ns", n.registry)
		request.URL.RawQuery = query.Encode()
	}
	return n.RoundTripper.RoundTrip(request)
}

type login struct{ username, password string }

func (l login) Resolve(authn.Resource) (authn.Authenticator, error) {
	return &authn.Basic{Username: l.username, Password: l.password}, nil
}
