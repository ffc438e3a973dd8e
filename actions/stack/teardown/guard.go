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

// Guard configures the checks of the guard's resource at its delete. It lies in states, so its keys
// stay as they are.
type Guard struct {
	// Protected are the configuration's keys that were true at the last update, for example
	// strata:k3s.protect. Each refuses a destroy.
	Protected []string `json:"protected,omitempty"`
	// Servers are the API servers, as https://address:port.
	Servers []string `json:"servers"`
	// Namespaces are the namespaces that Strata made. Their content is Strata's own, except
	// volumes.
	Namespaces []string `json:"namespaces"`
	// Tunnel leads to Servers if only a jump host reaches them.
	Tunnel tunnel.Spec `json:"tunnel,omitzero"`
	// Timeout bounds the reads of the cluster. A dead cluster is destroyed like any other.
	Timeout metav1.Duration `json:"timeout"`
	// Existing is true for a cluster that outlives the stack.
	Existing bool `json:"existing,omitempty"`
	// Objects are the objects of the program.
	Objects Objects `json:"objects,omitempty"`
	// Discard lists the losses that the configuration consents to.
	Discard Discard `json:"discard,omitzero"`
}

// listed bounds the length of each list in a message.
const listed = 20

// CheckDestroy prints the losses of a destroy, and returns an error if it must not go on. client is
// nil for a cluster that cannot be asked, and why is the reason. A failed read is no error: a
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

// protects returns an error if the configuration forbids a destroy.
func (g Guard) protects() error {
	if len(g.Protected) == 0 {
		return nil
	}
	return fmt.Errorf("teardown: refused, nothing was deleted: the last up had true for %s; set "+
		"false, run pulumi up, and destroy again",
		strings.Join(g.Protected, " and "))
}

// BeforeExisting returns an error if the destroy of a stack on an existing cluster would delete
// others' objects. gone is true if the user has said that the cluster does not exist any more.
// Pulumi then only removes its objects from the state.
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

// lines formats a loss, with one line for each kind that has losses.
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
