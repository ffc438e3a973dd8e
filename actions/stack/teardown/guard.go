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

// Guard configures the checks that run before a stack or its objects are deleted. Pulumi's state
// stores it as JSON, so its keys must not change.
type Guard struct {
	// Protected lists the configuration keys that were true at the last update, for example
	// strata:k3s.protect. Each refuses a destroy.
	Protected []string `json:"protected,omitempty"`
	// Servers are the API servers, as https://address:port.
	Servers []string `json:"servers"`
	// Namespaces lists the namespaces that Strata created. A destroy does not report their content
	// as a loss, except volumes.
	Namespaces []string `json:"namespaces"`
	// Tunnel configures the tunnel to Servers; it is empty if they can be reached directly.
	Tunnel tunnel.Spec `json:"tunnel,omitzero"`
	// Timeout bounds the reads of the cluster, so that an unreachable cluster can be destroyed too.
	Timeout metav1.Duration `json:"timeout"`
	// Existing is true for a cluster that outlives the stack.
	Existing bool `json:"existing,omitempty"`
	// Objects lists the objects that the program declares.
	Objects Objects `json:"objects,omitempty"`
	// Discard lists the losses to which the user consents (strata:discard).
	Discard Discard `json:"discard,omitzero"`
}

// listed bounds the length of each list in a message.
const listed = 20

// CheckDestroy prints what a destroy deletes for good, and returns an error if the cluster is
// protected. client is nil if the cluster is unreachable; why is then the reason. A failed read is
// only logged, so that an unreachable cluster can be destroyed.
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

// protects returns an error if the last update's configuration forbids a destroy.
func (g Guard) protects() error {
	if len(g.Protected) == 0 {
		return nil
	}
	return fmt.Errorf("teardown: refused, nothing was deleted: the last up had true for %s; set "+
		"false, run pulumi up, and destroy again",
		strings.Join(g.Protected, " and "))
}

// BeforeExisting returns an error if the destroy of a stack on an existing cluster would delete
// objects of other owners. gone is true if the user has declared that the cluster no longer exists.
// Pulumi then only removes the objects from its state, so nothing can be lost.
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

// lines returns one line of text for each kind of object that would be lost.
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
