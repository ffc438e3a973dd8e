package e2e

import (
	"archive/tar"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loginRegistry is a registry on this machine that has one image and requires a login. No host
// trusts its certificate by default.
type loginRegistry struct {
	// name is the name in the registry's certificate. address is its host and port, and ca is the
	// certificate in PEM.
	name, address, ca string
	user, password    string
	// content has the contents by path below /v2/.
	content map[string]served
}

type served struct {
	mediaType string
	body      []byte
}

// serveLoginRegistry serves an archive of the bundle as an image, for example acme/shop:1. It
// listens on loopback.
func serveLoginRegistry(t *testing.T, name, image, archive string) *loginRegistry {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &loginRegistry{name: name, address: listener.Addr().String(), user: "robot",
		password: "a-registry-password-that-must-not-leak", content: map[string]served{}}
	r.hold(t, image, filepath.Join(bundle, "images", archive))
	server := httptest.NewUnstartedServer(r)
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	var pair tls.Certificate
	pair, r.ca = certificateOf(t, name)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	return r
}

func (r *loginRegistry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if user, password, given := request.BasicAuth(); !given || user != r.user ||
		password != r.password {
		w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	found, ok := r.content[strings.TrimPrefix(request.URL.Path, "/v2/")]
	if !ok && request.URL.Path != "/v2/" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", found.mediaType)
	w.Header().Set("Docker-Content-Digest", digestOf(found.body))
	http.ServeContent(w, request, "", time.Time{}, bytes.NewReader(found.body))
}

// hold stores the only image of a docker-archive as an OCI image (opencontainers/image-spec,
// manifest.md).
func (r *loginRegistry) hold(t *testing.T, image, archive string) {
	t.Helper()
	files := archived(t, archive)
	var images []struct {
		Config string
		Layers []string
	}
	require.NoError(t, json.Unmarshal(files["manifest.json"], &images))
	require.Len(t, images, 1)
	repository, tag, _ := strings.Cut(image, ":")
	blob := func(mediaType, file string) map[string]any {
		body := files[file]
		r.content[repository+"/blobs/"+digestOf(body)] = served{"application/octet-stream", body}
		return map[string]any{"mediaType": mediaType, "digest": digestOf(body), "size": len(body)}
	}
	layers := []map[string]any{}
	for _, layer := range images[0].Layers {
		layers = append(layers, blob("application/vnd.oci.image.layer.v1.tar", layer))
	}
	const mediaType = "application/vnd.oci.image.manifest.v1+json"
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": mediaType,
		"config": blob("application/vnd.oci.image.config.v1+json", images[0].Config),
		"layers": layers,
	})
	require.NoError(t, err)
	for _, reference := range []string{tag, digestOf(manifest)} {
		r.content[repository+"/manifests/"+reference] = served{mediaType, manifest}
	}
}

// archived returns the files of a tar that is compressed with zstd.
func archived(t *testing.T, path string) map[string][]byte {
	t.Helper()
	archive, err := unpacked(path)
	require.NoError(t, err)
	defer func() { _ = archive.Close() }()
	return filesOf(t, archive)
}

// filesOf returns the files of a tar.
func filesOf(t *testing.T, archive io.Reader) map[string][]byte {
	t.Helper()
	files, reader := map[string][]byte{}, tar.NewReader(archive)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		files[header.Name], err = io.ReadAll(reader)
		require.NoError(t, err)
	}
}

func digestOf(body []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(body)) }

// certificateOf makes a self-signed certificate for a name or an address.
func certificateOf(t *testing.T, name string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Minute),
		NotAfter: time.Now().Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if address := net.ParseIP(name); address != nil {
		template.IPAddresses = []net.IP{address}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

const registriesFile = "/etc/rancher/k3s/registries.yaml"

// pullsThroughALogin makes the nodes pull an image of docker.io from a registry that requires a
// login, through a proxy that requires another login.
func (s *stack) pullsThroughALogin(t *testing.T, hosts *hostSet, sections map[string]any) {
	r := serveLoginRegistry(t, "registry.acme.test", "acme/shop:1", "testserver.tar.zst")
	proxy := serveConnectProxy(t, hosts.net.address(1), r.name+":443", r.address)
	registries := []any{
		map[string]any{"name": "docker.io", "mirrors": []any{"https://" + r.name}},
		map[string]any{"name": r.name, "username": r.user, "password": r.password, "ca": r.ca},
	}
	k3s, _ := sections["k3s"].(map[string]any)
	with := merged(sections, map[string]any{
		"k3s": merged(k3s, map[string]any{"registries": registries,
			"proxy": map[string]any{"https": proxy.url()}}),
		"apps": map[string]any{"workloads": []any{map[string]any{"name": "shop",
			"image": "docker.io/acme/shop:1", "minReady": "2s",
			"probes": map[string]any{"ready": "/ready"}}}},
	})
	s.configure(with)
	s.refused(t, s.pulumi("preview"), "strata:k3s.registries[1].password: is not encrypted",
		"strata:k3s.proxy.https: has a user or a password in it, and is not encrypted")
	secret := func(key, text string) {
		s.must(s.pulumi("config", "set", "--secret", "--path", "strata:k3s."+key, text))
	}
	secret("proxy.https", proxy.url())
	secret("registries[1].password", "another-password")
	s.refused(t, s.up(), "docker.io/acme/shop:1", "401 Unauthorized",
		"cause: the registry does not give out image docker.io/acme/shop:1")
	secret("registries[1].password", r.password)
	up := s.must(s.up())
	s.must(s.up("--expect-no-changes"))
	s.healthy()
	assert.Positive(t, proxy.through.Load(), "the image came another way")
	plain := s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output
	for file, password := range map[string]string{registriesFile: r.password, proxyFile: proxy.password} {
		for where, text := range map[string]string{"the up's output": up.output, "the state": plain} {
			assert.NotContains(t, text, password, where)
		}
		hosts.isPrivate(t, file, password)
	}
	s.configure(sections)
	s.must(s.up())
	for _, n := range hosts.nodes {
		hosts.must(n.name, "! test -e "+registriesFile+" && ! test -e "+proxyFile)
	}
}
