package verb

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/self"
)

// Call is one run of a verb.
type Call struct {
	// Text is the command's text, for example "crds apply". Errors begin with it.
	Text string
	// Stdin holds the input. Stdout becomes the output of the resource, and Pulumi shows Stderr.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// SSHKey returns the private keys of STRATA_SSH_KEY, in PEM.
func (c Call) SSHKey() []byte { return []byte(os.Getenv(self.SSHKey)) }

// Kubeconfig returns the text of STRATA_KUBECONFIG.
func (c Call) Kubeconfig() []byte { return []byte(os.Getenv(self.Kubeconfig)) }

// ClusterGone reports whether the user has told Pulumi that the cluster is not there any more.
func ClusterGone() bool { return os.Getenv("PULUMI_K8S_DELETE_UNREACHABLE") == "true" }

// Print writes a line to the output of the resource.
func (c Call) Print(line any) error {
	_, err := fmt.Fprintln(c.Stdout, line)
	return err
}

// PrintJSON writes a value to the output of the resource.
func (c Call) PrintJSON(value any) error { return json.NewEncoder(c.Stdout).Encode(value) }

// Wrong returns the error of an input that the verb cannot use.
func (c Call) Wrong(err error) error { return &InputError{fmt.Errorf("%s: %w", c.Text, err)} }

// Config returns the configuration of a client for the cluster in STRATA_KUBECONFIG. It uses
// whichever of the servers, as https://address:port, answers. Without servers it uses the
// kubeconfig's own.
func (c Call) Config(servers ...string) (*rest.Config, error) {
	config, err := c.access(servers).Config()
	return config, c.accessError(err)
}

// Client returns a client of Kubernetes' own kinds in the cluster of Config.
func (c Call) Client(servers ...string) (kubernetes.Interface, error) {
	client, err := c.access(servers).Client()
	return client, c.accessError(err)
}

// Objects returns a client of objects of every kind in the cluster of Config.
func (c Call) Objects(servers ...string) (dynamic.Interface, error) {
	client, err := c.access(servers).Objects()
	return client, c.accessError(err)
}

func (c Call) access(servers []string) apiserver.Access {
	return apiserver.Access{Kubeconfig: c.Kubeconfig(), Servers: servers}
}

// accessError adds the variable's name to the error of a kubeconfig that leads to no cluster.
func (c Call) accessError(err error) error {
	if err == nil {
		return nil
	}
	return c.Wrong(fmt.Errorf("%s: %w", self.Kubeconfig, err))
}
