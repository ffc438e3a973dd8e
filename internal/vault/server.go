package vault

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/vault/api"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// Server is a Vault server in the cluster.
type Server struct {
	// Namespace and Pod are where it runs; Port is its API's.
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Port      int    `json:"port"`
	// Name is the name in its certificate, CA the authority that signed it, in PEM.
	Name string `json:"name"`
	CA   string `json:"ca"`
}

// podPause is the pause between two looks at a Pod that does not run yet.
const podPause = 500 * time.Millisecond

// Dial waits until the server's container runs, forwards a port to it and returns a client that trusts nobody but the server's
// own authority. It reports what it waits for on progress. Close ends the forwarding. The error, when ctx ends first, says how
// the Pod is.
func Dial(ctx context.Context, config *rest.Config, server Server, progress io.Writer) (*api.Client, func(), error) {
	pods, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	if err := waitRunning(ctx, pods, server, progress); err != nil {
		return nil, nil, err
	}
	port, stop, err := forward(ctx, config, pods, server)
	if err != nil {
		return nil, nil, fmt.Errorf("forward a port to Pod %s/%s: %w", server.Namespace, server.Pod, err)
	}
	client, err := newClient(fmt.Sprintf("https://127.0.0.1:%d", port), server)
	if err != nil {
		stop()
		return nil, nil, err
	}
	return client, stop, nil
}

// newClient does not read VAULT_ADDR, VAULT_TOKEN or their like: they are of another Vault.
func newClient(address string, server Server) (*api.Client, error) {
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM([]byte(server.CA)) {
		return nil, errors.New("vault: ca: holds no certificate in PEM")
	}
	client, err := api.NewClient(&api.Config{
		Address: address, Timeout: 30 * time.Second, MaxRetries: 5,
		HttpClient: &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: authorities, ServerName: server.Name, MinVersion: tls.VersionTLS12},
		}},
	})
	if err != nil {
		return nil, err
	}
	client.ClearToken()
	return client, nil
}

// waitRunning returns once the server's container runs. It does not wait for Ready: a sealed Vault never is.
func waitRunning(ctx context.Context, client kubernetes.Interface, server Server, progress io.Writer) error {
	said := ""
	for {
		now, err := look(ctx, client, server)
		if err == nil && now == "" {
			return nil
		}
		if err != nil {
			now = err.Error()
		}
		if now != said && ctx.Err() == nil {
			said = now
			_, _ = fmt.Fprintf(progress, "Pod %s/%s: %s\n", server.Namespace, server.Pod, now) // people may not be listening
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Pod %s/%s does not run: %s; look further: kubectl -n %[1]s describe pod %[2]s", server.Namespace, server.Pod, said)
		case <-time.After(podPause):
		}
	}
}

// look says why the server cannot be asked yet, empty if it can: its Pod does not run, or is one that an upgrade is about to end.
func look(ctx context.Context, client kubernetes.Interface, server Server) (string, error) {
	pod, err := client.CoreV1().Pods(server.Namespace).Get(ctx, server.Pod, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "does not exist yet", nil
	}
	if err != nil {
		return "", err
	}
	if !running(pod) {
		return describe(pod), nil
	}
	for _, owner := range pod.OwnerReferences {
		if owner.Kind != "StatefulSet" {
			continue
		}
		set, err := client.AppsV1().StatefulSets(server.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		if set.Status.ObservedGeneration < set.Generation || pod.Labels[appsv1.ControllerRevisionHashLabelKey] != set.Status.UpdateRevision {
			return "is of an older revision, and about to be replaced", nil
		}
	}
	return "", nil
}

func running(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil || len(pod.Status.ContainerStatuses) == 0 {
		return false
	}
	for _, container := range pod.Status.ContainerStatuses {
		if container.State.Running == nil {
			return false
		}
	}
	return true
}

// describe says why a Pod does not run: what a container waits for, or else what its conditions say.
func describe(pod *corev1.Pod) string {
	for _, container := range pod.Status.ContainerStatuses {
		if waiting := container.State.Waiting; waiting != nil {
			return fmt.Sprintf("%s: %s %s", pod.Status.Phase, waiting.Reason, waiting.Message)
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Status == corev1.ConditionFalse && condition.Message != "" {
			return fmt.Sprintf("%s: %s", pod.Status.Phase, condition.Message)
		}
	}
	return string(pod.Status.Phase)
}

// forward opens a port of this machine that leads to the server's.
func forward(ctx context.Context, config *rest.Config, client kubernetes.Interface, server Server) (uint16, func(), error) {
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return 0, nil, err
	}
	address := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(server.Namespace).Name(server.Pod).SubResource("portforward").URL()
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, address)
	stop, ready, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{fmt.Sprintf("0:%d", server.Port)}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		return 0, nil, err
	}
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-ended:
		return 0, nil, err
	case <-ctx.Done():
		close(stop)
		return 0, nil, ctx.Err()
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		close(stop)
		return 0, nil, err
	}
	return ports[0].Local, func() { close(stop) }, nil
}
