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

// Call holds the context of one run of a verb.
type Call struct {
	// Text is the command's text, for example "crds apply". Errors begin with it.
	Text string
	// Stdin provides the input. Stdout becomes the resource's output; Pulumi shows Stderr.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// SSHKey returns the private keys in STRATA_SSH_KEY, in PEM.
func (c Call) SSHKey() []byte { return []byte(os.Getenv(self.SSHKey)) }

// Kubeconfig returns the kubeconfig in STRATA_KUBECONFIG (its content).
func (c Call) Kubeconfig() []byte { return []byte(os.Getenv(self.Kubeconfig)) }

// ClusterGone reports whether the user has told Pulumi that the cluster no longer exists.
func ClusterGone() bool { return os.Getenv("PULUMI_K8S_DELETE_UNREACHABLE") == "true" }

// Print writes a line to the resource's output.
func (c Call) Print(line any) error {
	_, err := fmt.Fprintln(c.Stdout, line)
	return err
}

// PrintJSON writes a value as one line of JSON to the resource's output.
func (c Call) PrintJSON(value any) error { return json.NewEncoder(c.Stdout).Encode(value) }

// Wrong returns an InputError.
func (c Call) Wrong(err error) error { return &InputError{fmt.Errorf("%s: %w", c.Text, err)} }

// Config returns the client configuration for the cluster in STRATA_KUBECONFIG. The client connects
// to the first of servers (https://address:port) that accepts a connection. If servers is empty, it
// connects to the kubeconfig's server.
func (c Call) Config(servers ...string) (*rest.Config, error) {
	config, err := c.access(servers).Config()
	return config, c.accessError(err)
}

// Client returns a typed client for the cluster of Config.
func (c Call) Client(servers ...string) (kubernetes.Interface, error) {
	client, err := c.access(servers).Client()
	return client, c.accessError(err)
}

// Objects returns a dynamic client, for objects of any kind, for the cluster of Config.
func (c Call) Objects(servers ...string) (dynamic.Interface, error) {
	client, err := c.access(servers).Objects()
	return client, c.accessError(err)
}

func (c Call) access(servers []string) apiserver.Access {
	return apiserver.Access{Kubeconfig: c.Kubeconfig(), Servers: servers}
}

// accessError adds the variable's name to the error of an unusable kubeconfig.
func (c Call) accessError(err error) error {
	if err == nil {
		return nil
	}
	return c.Wrong(fmt.Errorf("%s: %w", self.Kubeconfig, err))
}
