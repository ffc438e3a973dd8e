package e2e

import (
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// serveGit serves one repository over HTTP at an address of this machine, with a user and a
// password. It returns the URL. files gets the URL, which the files may contain.
func serveGit(
	t *testing.T, address, user, password string, files func(url string) map[string]string,
) string {
	t.Helper()
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	listener, err := net.Listen("tcp", address+":0")
	require.NoError(t, err)
	url := "http://" + listener.Addr().String() + "/platform.git"
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	for name, content := range files(url) {
		path := filepath.Join(work, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"-c", "user.name=e2e", "-c", "user.email=e2e@strata.test", "commit", "-q", "-m",
			"Add the applications"},
		{"clone", "-q", "--bare", ".", filepath.Join(dir, "platform.git")},
	} {
		cmd := exec.Command(git, args...)
		cmd.Dir = work
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, "git %v: %s", args, output)
	}
	backend := &cgi.Handler{
		Path: git, Args: []string{"http-backend"},
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gotUser, gotPassword, given := r.BasicAuth(); !given || gotUser != user ||
			gotPassword != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return url
}
