package pulumitest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/artifacts"
	"strata/config"
)

// Project is a project folder for a test, with a bundle of small files, a home directory with an
// SSH key, and the working directory in it.
type Project struct {
	// Dir is the project folder, which is also the working directory.
	Dir string
	// Bundle is the folder of artifacts that STRATA_ARTIFACTS names.
	Bundle string
	// SSHKey is the private key in ~/.ssh/id_ed25519, in PEM.
	SSHKey string
}

// NewProject creates a project folder, and makes it the working directory until the test ends.
func NewProject(t *testing.T) *Project {
	t.Helper()
	dir := t.TempDir()
	p := &Project{Dir: dir, Bundle: filepath.Join(dir, "bundle"), SSHKey: PrivateKey(t)}
	p.bundle(t)
	home := filepath.Join(dir, "home")
	for _, key := range []string{
		filepath.Join(home, ".ssh", "id_ed25519"),
		// The machines of the lab, which stand for existing hosts, use this key.
		filepath.Join(dir, ".strata/lab/local/key"),
		filepath.Join(dir, ".strata/lab/rehearsal/key"),
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(key), 0o700))
		require.NoError(t, os.WriteFile(key, []byte(p.SSHKey), 0o600))
	}
	t.Setenv("HOME", home)
	t.Setenv(config.ArtifactsVariable, p.Bundle)
	t.Setenv(config.MachineImageVariable, "")
	p.UseExistingCluster(t, CA, ClientKey)
	t.Chdir(dir)
	return p
}

// bundled is a file of the bundle. The folder of an image archive names the artifact that needs it.
type bundled struct{ name, version, path string }

// unpinned are the files whose version is not pinned.
var unpinned = []bundled{
	{config.ArtifactK3s, "v1.34.2+k3s1", "k3s/k3s"},
	{config.ArtifactK3sInstall, "v1.34.2+k3s1", "k3s/install.sh"},
	{config.ArtifactK3sImages, "v1.34.2+k3s1", "images/core.tar"},
	{config.ArtifactK3sImages, "v0.16.1", "images/metallb-chart/metallb.tar"},
	{config.ArtifactK3sImages, "v3.2.0", "images/argocd-chart/argocd.tar"},
	{config.ArtifactMetalLBChart, "0.16.1", "charts/metallb.tgz"},
	{config.ArtifactTraefikCRDs, "v3.7.9", "crds/traefik.yaml"},
	{config.ArtifactCertManagerChart, "v1.11.5", "charts/cert-manager.tgz"},
	{config.ArtifactVMImage, "12", "image/disk.qcow2"},
}

// bundle writes a small file for each artifact that a stack may need, and image archives of K3s and
// two layers.
func (p *Project) bundle(t *testing.T) {
	t.Helper()
	var manifest artifacts.Manifest
	files := slices.Clone(unpinned)
	for _, pin := range (&config.Config{}).Pins() {
		if !slices.ContainsFunc(files, func(file bundled) bool { return file.name == pin.Name }) {
			folder := "crds"
			if path.Ext(pin.URL) == ".tgz" {
				folder = "charts"
			}
			files = append(files,
				bundled{pin.Name, pin.Version, path.Join(folder, path.Base(pin.URL))})
		}
	}
	for _, file := range files {
		content := "not the real " + file.path + "\n"
		sum := sha256.Sum256([]byte(content))
		at := filepath.Join(p.Bundle, file.path)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte(content), 0o644))
		manifest.Artifacts = append(manifest.Artifacts, artifacts.Entry{
			Name: file.name, Version: file.version, Path: file.path, Size: int64(len(content)),
			SHA256: hex.EncodeToString(sum[:]), Origin: "stand-in: a line of text",
			For: belongs(file.path),
		})
	}
	text, err := json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.Bundle, artifacts.ManifestFile), text, 0o644))
}

// Version changes the version of an artifact in the bundle.
func (p *Project) Version(t *testing.T, artifact, version string) {
	t.Helper()
	path := filepath.Join(p.Bundle, artifacts.ManifestFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var manifest artifacts.Manifest
	require.NoError(t, json.Unmarshal(text, &manifest))
	found := false
	for i := range manifest.Artifacts {
		if manifest.Artifacts[i].Name == artifact {
			manifest.Artifacts[i].Version, found = version, true
		}
	}
	require.True(t, found, artifact)
	text, err = json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o644))
}

// belongs returns the artifact that needs the image archive at a path; empty if every stack needs
// it.
func belongs(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

// PrivateKey returns a new SSH private key in PEM.
func PrivateKey(t *testing.T) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "test")
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block))
}
