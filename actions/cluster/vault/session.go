package vault

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hashicorp/vault/api"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
)

// Input is the input of Initialise and Prepare.
type Input struct {
	// Issuing configures the certificates. Only Prepare needs it.
	Issuing *Issuing `json:"issuing"`
	// Revision has no effect on the result; a change of it makes the command run again.
	Revision string `json:"revision"`
	// Server locates Vault.
	Server Server `json:"server"`
	// Timeout bounds the step.
	Timeout metav1.Duration `json:"timeout"`
}

// Session is a connection to a Vault server in the cluster.
type Session struct {
	*api.Client
	// Close ends the connection.
	Close    func()
	handover InSecret
}

// Open connects to a Vault server through the API server of a kubeconfig. progress gets a line for
// each wait.
func Open(
	ctx context.Context, server Server, kubeconfig []byte, progress io.Writer,
) (*Session, error) {
	access := apiserver.Access{Kubeconfig: kubeconfig}
	cluster, err := access.Client()
	if err != nil {
		return nil, err
	}
	client, stop, err := Dial(ctx, access, server, progress)
	if err != nil {
		return nil, err
	}
	return &Session{Client: client, Close: stop,
		handover: InSecret{Client: cluster, Namespace: server.Namespace}}, nil
}

// Init initializes Vault and returns its keys. If Vault is already initialized, it returns previous
// or, if that is nil, the keys that an interrupted run has stored in the cluster. The keys are
// secret.
func (s *Session) Init(ctx context.Context, previous *Keys) (Keys, error) {
	keys, err := Init(ctx, s.Client, s.handover, previous)
	if errors.Is(err, ErrKeysLost) {
		return keys, fmt.Errorf("%w: an earlier run was cut off, or another stack made it. It "+
			"holds nothing that can be read again: "+
			"kubectl -n %s delete statefulset,pvc -l app.kubernetes.io/name=vault, then pulumi up",
			err, s.handover.Namespace)
	}
	return keys, err
}

// Configure unseals Vault, configures it to issue certificates, and returns the root CA's
// certificate. Then it deletes the Secret with the keys: keys was read from the state, so the
// Secret is no longer needed.
func (s *Session) Configure(ctx context.Context, issuing Issuing, keys Keys) (root string,
	err error) {
	if err := Unseal(ctx, s.Client, keys); err != nil {
		return "", err
	}
	s.SetToken(keys.RootToken)
	if root, err = Configure(ctx, s.Client, issuing); err != nil {
		return "", err
	}
	if err := s.handover.Clear(ctx); err != nil {
		return "", fmt.Errorf("remove the Secret that held Vault's keys: %w", err)
	}
	return root, nil
}
