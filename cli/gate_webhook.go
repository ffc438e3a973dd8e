package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"strata/actions/cluster/kubeconfig"
	"strata/health"
	"strata/health/kinds"
	"strata/health/webhook"
)

// webhookFlags holds the flags of `strata gate webhook`.
type webhookFlags struct {
	kubeconfig, context     string
	service, caSecret       string
	accept, deny, denyMatch string
	workloads               []string
	port                    int
	timeout                 time.Duration
}

// newGateCommand returns `strata gate`, the parent of the gates that users run themselves.
func newGateCommand() *cobra.Command {
	command := &cobra.Command{Use: "gate", Short: "Wait for what helm and kubectl do not wait for"}
	command.AddCommand(newGateWebhookCommand())
	return command
}

// newGateWebhookCommand returns `strata gate webhook` for users and scripts. After a plain `helm
// install`, it waits until an admission webhook serves. The command runs the Pulumi program's
// webhook gate without the checks that log in to hosts.
func newGateWebhookCommand() *cobra.Command {
	var flags webhookFlags
	command := &cobra.Command{
		Use:   "webhook CONFIGURATION --service NAMESPACE/NAME --accept FILE",
		Short: "Wait until an admission webhook serves: what helm install --wait does not wait for",
		Long: "Wait until the ValidatingWebhookConfiguration of a name is complete, its Service " +
			"has a ready address, and the API server, asked for a\n" +
			"dry run, has admitted an object through it. The object is never stored. The exit " +
			"code is 0 when it serves, 1 when it is stuck or late.",
		Example: "  helm install apisix-ingress-controller apisix/apisix-ingress-controller -n " +
			"apisix --create-namespace --set webhook.failurePolicy=Fail\n" +
			"  strata gate webhook apisix-ingress-controller-webhook --service " +
			"apisix/apisix-ingress-controller-webhook-svc --accept gatewayproxy.yaml\n" +
			"  kubectl apply -f manifests/",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, secrets, err := flags.spec(args[0])
			if err != nil {
				return &exitError{2, err}
			}
			result, err := kinds.Run(cmd.Context(), spec, secrets, cmd.ErrOrStderr())
			if err != nil {
				return &exitError{2, err}
			}
			if !result.Passes() {
				return &exitError{1, nil} // The report is on stderr already.
			}
			return nil
		},
	}
	set := command.Flags()
	set.StringVar(&flags.kubeconfig, "kubeconfig", "",
		"the cluster's kubeconfig (default $KUBECONFIG, or ~/.kube/config)")
	set.StringVar(&flags.context, "context", "", "its context (default the current one)")
	set.StringVar(&flags.service, "service", "", "where the API server asks, as namespace/name")
	set.IntVar(&flags.port, "port", 443, "the Service's port")
	set.StringVar(&flags.caSecret, "ca-secret", "",
		"a Secret beside the Service whose ca.crt each caBundle must equal (default: any caBundle)")
	set.StringVar(&flags.accept, "accept", "",
		"a YAML file with an object that the webhook must admit")
	set.StringVar(&flags.deny, "deny", "",
		"a YAML file with an object that the webhook must refuse (needed where the failurePolicy is Ignore)")
	set.StringVar(&flags.denyMatch, "deny-match", "",
		"a part of the refusal that only the webhook can have sent")
	set.StringSliceVar(&flags.workloads, "workload", nil,
		"what backs the webhook, as namespace/kind/name; its Pods explain a failure")
	set.DurationVar(&flags.timeout, "timeout", 5*time.Minute, "how long to wait")
	return command
}

// spec returns the gate's Spec, and the credentials of the kubeconfig's cluster.
func (f webhookFlags) spec(configuration string) (health.Spec, health.Secrets, error) {
	namespace, service, found := strings.Cut(f.service, "/")
	if !found || f.accept == "" {
		return health.Spec{}, health.Secrets{},
			errors.New("gate webhook: --service NAMESPACE/NAME and --accept FILE are needed")
	}
	body := webhook.Spec{
		Configuration: configuration, Namespace: namespace, Service: service, Port: f.port,
		CASecret:  f.caSecret,
		DenyMatch: f.denyMatch, Workloads: f.workloads,
	}
	for _, file := range []struct {
		path string
		into *map[string]any
	}{{f.accept, &body.Accept}, {f.deny, &body.Deny}} {
		if file.path == "" {
			continue
		}
		text, err := os.ReadFile(file.path)
		if err == nil {
			err = yaml.UnmarshalStrict(text, file.into)
		}
		if err != nil {
			return health.Spec{}, health.Secrets{},
				fmt.Errorf("gate webhook: %s: %w", file.path, err)
		}
	}
	server, credentials, err := f.cluster()
	if err != nil {
		return health.Spec{}, health.Secrets{}, fmt.Errorf("gate webhook: kubeconfig: %w", err)
	}
	return health.Spec{
		Gate: configuration, Layer: namespace, Timeout: metav1.Duration{Duration: f.timeout},
		TimeoutKey: "--timeout",
		Servers:    []string{server}, Body: body,
	}, health.Secrets{Kubeconfig: credentials}, nil
}

// cluster returns the API server of the selected context, and a kubeconfig with only that context.
func (f webhookFlags) cluster() (string, []byte, error) {
	paths := []string{f.kubeconfig}
	if f.kubeconfig == "" {
		var err error
		if paths, err = kubeconfig.DefaultPaths(os.Getenv); err != nil {
			return "", nil, err
		}
	}
	target, err := kubeconfig.Read(paths, f.context)
	return target.Server, target.Text, err
}
