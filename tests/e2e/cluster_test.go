package e2e

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// testServer is the lab's image of a small HTTP server (tests/lab/internal/catalog).
const testServer = "docker.io/strata/testserver:v1"

// client returns a client with the kubeconfig that the stack exports.
func (s *stack) client() *kubernetes.Clientset {
	s.t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(s.t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(s.t, err)
	return client
}

// nodeNames returns the names of the cluster's nodes.
func nodeNames(t *testing.T, client kubernetes.Interface) []string {
	t.Helper()
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	names := []string{}
	for _, node := range nodes.Items {
		names = append(names, node.Name)
	}
	return names
}

// serve runs the test server behind a Service of type LoadBalancer, as a user would.
func serve(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	labels := map[string]string{"app": name}
	replicas := int32(2)
	_, err := client.AppsV1().Deployments("default").Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "server", Image: testServer, ImagePullPolicy: corev1.PullIfNotPresent,
					Ports: []corev1.ContainerPort{{ContainerPort: 8080}},
				}}},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().Services("default").Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: labels,
			Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt(8080)}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// addressOf waits until the Service has an address from the load balancer.
func addressOf(t *testing.T, client kubernetes.Interface, name string) string {
	t.Helper()
	var address string
	eventually(t, func(c require.TestingT) {
		service, err := client.CoreV1().Services("default").Get(context.Background(), name,
			metav1.GetOptions{})
		require.NoError(c, err)
		require.NotEmpty(c, service.Status.LoadBalancer.Ingress, "no address yet")
		address = service.Status.LoadBalancer.Ingress[0].IP
	})
	return address
}

// answers waits until a request from outside the cluster to the address is answered.
func answers(t *testing.T, address string) {
	t.Helper()
	client := &http.Client{Timeout: 10 * time.Second}
	eventually(t, func(c require.TestingT) {
		response, err := client.Get("http://" + address + "/")
		require.NoError(c, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(c, err)
		require.NoError(c, response.Body.Close())
		require.Equal(c, http.StatusOK, response.StatusCode, string(body))
	}, "http://%s does not answer", address)
}
