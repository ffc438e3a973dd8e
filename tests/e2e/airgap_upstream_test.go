package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// upstream serves the lab's files at the paths of their upstream projects, and a registry with the
// lab's images. The connected machine reaches nothing else.
type upstream struct {
	// address is upstream's address; ca is the CA that signed its certificate.
	address, ca string
	// versions has the configuration sections that select the versions of the lab's files.
	versions map[string]map[string]any
	// files holds the mirror's contents by path.
	files map[string][]byte
	// requests counts the requests.
	requests atomic.Int32
}

func serveUpstream(t *testing.T) *upstream {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u := &upstream{address: "https://" + listener.Addr().String(), files: map[string][]byte{}}
	images := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			u.requests.Add(1)
			if strings.HasPrefix(r.URL.Path, "/v2/") {
				images.ServeHTTP(w, r)
				return
			}
			content, ok := u.files[r.URL.EscapedPath()]
			if !ok {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	var pair tls.Certificate
	pair, u.ca = certificateOf(t, "127.0.0.1")
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	manifest, err := artifacts.ReadManifest(bundle)
	require.NoError(t, err)
	u.haveFiles(t, manifest)
	u.haveImages(t, manifest, server.Client())
	return u
}

// haveFiles adds to files the lab's artifacts that have an upstream URL.
func (u *upstream) haveFiles(t *testing.T, manifest *artifacts.Manifest) {
	files, versions, core := map[string][]byte{}, map[string]string{}, []string{}
	for _, entry := range manifest.Artifacts {
		file := filepath.Join(bundle, entry.Path)
		switch entry.Name {
		case "machine-image": // upstream has no such file
		case config.ArtifactK3sImages:
			if entry.For == "" {
				core = append(core, file)
			}
		default:
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			files[entry.Name], versions[entry.Name] = content, entry.Version
		}
	}
	files[config.ArtifactK3sImages] = packedImages(t, core)
	u.versions = map[string]map[string]any{
		"k3s":         {"version": versions[config.ArtifactK3s]},
		"metallb":     {"chartVersion": versions[config.ArtifactMetalLBChart]},
		"certManager": {"chartVersion": versions[config.ArtifactCertManagerChart]},
	}
	asked := config.Config{
		K3s:         config.K3s{Version: versions[config.ArtifactK3s]},
		MetalLB:     config.MetalLB{ChartVersion: versions[config.ArtifactMetalLBChart]},
		CertManager: config.CertManager{ChartVersion: versions[config.ArtifactCertManagerChart]},
	}
	pins := asked.Pins()
	plugins, err := artifacts.PluginPins(root, runtime.GOARCH)
	require.NoError(t, err)
	for _, pin := range plugins {
		plugin := strings.TrimPrefix(pin.Name, "pulumi-resource-")
		files[pin.Name] = packedPrograms(t,
			map[string]string{pin.Name: filepath.Join(pulumiHome, "plugins",
				"resource-"+plugin+"-"+pin.Version, pin.Name)})
	}
	cli, err := artifacts.CLIPin(root, runtime.GOARCH)
	require.NoError(t, err)
	files[cli.Name] = packedPrograms(t, map[string]string{
		"pulumi/pulumi":             filepath.Join(pulumiHome, "bin/pulumi"),
		"pulumi/pulumi-language-go": filepath.Join(pulumiHome, "bin/pulumi-language-go"),
	})
	for _, pin := range append(append(pins, plugins...), cli) {
		if pin.Arch != "" && pin.Arch != runtime.GOARCH {
			continue
		}
		content := files[pin.Name]
		u.files["/"+strings.TrimPrefix(pin.URL, "https://")] = content
		if pin.Sums != "" {
			sum, list := sha256.Sum256(content), "/"+strings.TrimPrefix(pin.Sums, "https://")
			u.files[list] = append(u.files[list],
				hex.EncodeToString(sum[:])+"  "+path.Base(pin.URL)+"\n"...)
		}
	}
}

// haveImages pushes the lab's images to the registry. It omits the images of this repository, which
// are built locally.
func (u *upstream) haveImages(t *testing.T, manifest *artifacts.Manifest, client *http.Client) {
	for _, entry := range manifest.Artifacts {
		if entry.Name != config.ArtifactK3sImages || entry.For == "" {
			continue
		}
		for tag, image := range imagesOf(t, filepath.Join(bundle, entry.Path)) {
			if strings.HasPrefix(tag.RepositoryStr(), "strata/") {
				continue
			}
			there, err := name.NewTag(strings.TrimPrefix(u.address, "https://") + "/" +
				tag.RepositoryStr() + ":" + tag.TagStr())
			require.NoError(t, err)
			require.NoError(t, remote.Write(there, image, remote.WithTransport(client.Transport)))
		}
	}
}

// imagesOf returns the images of an archive.
func imagesOf(t *testing.T, file string) map[name.Tag]v1.Image {
	t.Helper()
	archive := func() (io.ReadCloser, error) { return unpacked(file) }
	list, err := tarball.LoadManifest(archive)
	require.NoError(t, err)
	images := map[name.Tag]v1.Image{}
	for _, one := range list {
		for _, text := range one.RepoTags {
			tag, err := name.NewTag(text)
			require.NoError(t, err)
			images[tag], err = tarball.Image(archive, &tag)
			require.NoError(t, err)
		}
	}
	return images
}

// unpacked opens a tar file that is compressed with zstd.
func unpacked(file string) (io.ReadCloser, error) {
	packed, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reader, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return reader.IOReadCloser(), nil
}

// packedImages returns one archive with the images of several archives, in the form in which K3s
// publishes its images.
func packedImages(t *testing.T, files []string) []byte {
	t.Helper()
	images := map[name.Tag]v1.Image{}
	for _, file := range files {
		for tag, image := range imagesOf(t, file) {
			images[tag] = image
		}
	}
	var packed bytes.Buffer
	writer, err := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedFastest))
	require.NoError(t, err)
	require.NoError(t, tarball.MultiWrite(images, writer))
	require.NoError(t, writer.Close())
	return packed.Bytes()
}

// packedPrograms returns a tar.gz like that of a release. programs has the files of the programs by
// their names in the archive.
func packedPrograms(t *testing.T, programs map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	require.NoError(t, err)
	writer := tar.NewWriter(zipped)
	for name, file := range programs {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, writer.WriteHeader(&tar.Header{Name: name, Mode: 0o755,
			Size: int64(len(content)), Typeflag: tar.TypeReg, ModTime: time.Unix(1700000000, 0)}))
		_, err = writer.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	require.NoError(t, zipped.Close())
	return packed.Bytes()
}
