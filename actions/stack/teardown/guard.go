package teardown

import (
	"context"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/internal/ssh/tunnel"
)

// Guard configures the questions of the guard's resource at its delete. It lies in states, so its
// keys stay as they are.
type Guard struct {
	// Protected are the configuration's keys that were true at the last update, for example
	// strata:k3s.protect. Each refuses a destroy.
	Protected []string `json:"protected,omitempty"`
	// Servers are the API servers, as https://address:port.
	Servers []string `json:"servers"`
	// Namespaces are those that Strata made: their content is its own, but for volumes.
	Namespaces []string `json:"namespaces"`
	// Tunnel is the way to Servers where only a jump host reaches them.
	Tunnel tunnel.Spec `json:"tunnel,omitzero"`
	// Timeout bounds the reads of the cluster. A dead cluster is destroyed like any other.
	Timeout metav1.Duration `json:"timeout"`
	// Existing is true for a cluster that outlives the stack.
	Existing bool `json:"existing,omitempty"`
	// Objects are those of the program.
	Objects Objects `json:"objects,omitempty"`
	// Discard are the losses that the configuration consents to.
	Discard Discard `json:"discard,omitzero"`
}

// listed bounds each list in a message.
const listed = 20

// CheckDestroy prints the losses of a destroy, and returns an error if it must not go on. For a cluster
// that cannot be asked client is nil, and why the reason. Nothing in it is an error of its own: a
// cluster that is dead, or cannot be read, must be possible to destroy.
func (g Guard) CheckDestroy(
	ctx context.Context, client kubernetes.Interface, why error, log io.Writer,
) error {
	var lost Loss
	if client != nil {
		lost, why = Observe(ctx, client, g.Namespaces)
	}
	if why != nil {
		_, _ = fmt.Fprintf(log, "teardown: no API server answered within %s with what will "+
			"be lost: %v\n", g.Timeout.Duration, why)
	}
	for _, line := range lost.lines() {
		_, _ = fmt.Fprintln(log, "teardown: "+line)
	}
	return g.protects()
}

// protects returns the error of a destroy that the configuration forbids.
func (g Guard) protects() error {
	if len(g.Protected) == 0 {
		return nil
	}
	return fmt.Errorf("teardown: refused, nothing was deleted: the last up had true for %s; set "+
		"false, run pulumi up, and destroy again",
		strings.Join(g.Protected, " and "))
}

// BeforeExisting returns an error if the destroy of a stack on an existing cluster would delete
// others' objects. gone is true if the user has said that the cluster does not exist any more, so
// that Pulumi forgets its objects.
func (g Guard) BeforeExisting(ctx context.Context, open func() (Cluster, error), gone bool) error {
	if err := g.protects(); err != nil || gone {
		return err
	}
	const next = "run pulumi up, and destroy again"
	held, err := openHeld(ctx, open, g.Objects.left(Objects{}), g.Objects)
	if err != nil {
		return fmt.Errorf("teardown: refused, nothing was deleted: what others keep in the "+
			"cluster cannot be read: %w; "+
			"if the cluster is gone: PULUMI_K8S_DELETE_UNREACHABLE=true pulumi destroy", err)
	}
	if err = g.refuse(held, next); err != nil {
		return fmt.Errorf("teardown: %w", err)
	}
	return nil
}

// lines returns a loss, one line for each kind with losses.
func (l Loss) lines() []string {
	var lines []string
	for _, kind := range []struct {
		what  string
		names []string
	}{
		{"volumes, with their data", l.Volumes},
		{"LoadBalancer Services that are not Strata's", l.Services},
		{"namespaces that are not Strata's", l.Namespaces},
	} {
		if len(kind.names) == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("will be lost: %d %s: %s", len(kind.names), kind.what,
			cut(kind.names)))
	}
	return lines
}
