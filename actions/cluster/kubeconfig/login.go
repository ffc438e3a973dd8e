package kubeconfig

import (
	"fmt"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// LoginError reports that Strata cannot log in as a user of a kubeconfig. Fix is the next step.
type LoginError struct{ User, Why, Fix string }

// Error implements error.
func (e *LoginError) Error() string { return fmt.Sprintf("user %s: %s", e.User, e.Why) }

// checkLogin returns a LoginError for an auth-provider, because Kubernetes 1.26 removed those of
// cloud providers, and for an exec plugin that needs a terminal.
func checkLogin(name string, user *clientcmdapi.AuthInfo) error {
	if provider := user.AuthProvider; provider != nil {
		return &LoginError{name, "auth-provider " + provider.Name + " is not supported",
			"write exec with the cloud's plugin in its place (gke-gcloud-auth-plugin, " +
				"kubelogin convert-kubeconfig), or a token"}
	}
	if plugin := user.Exec; plugin != nil &&
		plugin.InteractiveMode == clientcmdapi.AlwaysExecInteractiveMode {
		return &LoginError{name, "exec plugin " + plugin.Command + " has interactiveMode Always, " +
			"and no pulumi up has a terminal", "set interactiveMode: IfAvailable, and log in before " +
			"an update; or write a token"}
	}
	return nil
}
