package pulumitest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/actions/cluster/kubeconfig"
)

// contexts is a kubeconfig with two clusters and the CA and the token of one. No stack names its
// current context.
const contexts = `apiVersion: v1
kind: Config
current-context: production
clusters:
- {name: kind-kind, cluster: {server: "https://127.0.0.1:34567", certificate-authority-data: %s}}
- {name: production, cluster: {server: "https://api.example.org"}}
contexts:
- {name: kind-kind, context: {cluster: kind-kind, user: kind-kind}}
- {name: production, context: {cluster: production, user: person}}
users:
- {name: kind-kind, user: {token: %s}}
- {name: person, user: {token: of-another-user}}
`

// UseExistingCluster writes ~/.kube/config with context kind-kind: the CA of its cluster, in
// base64, and the token of its user.
func (p *Project) UseExistingCluster(t *testing.T, ca, token string) {
	t.Helper()
	path := filepath.Join(os.Getenv("HOME"), ".kube", "config")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, contexts, ca, token), 0o600))
	t.Setenv(kubeconfig.Variable, "")
}
