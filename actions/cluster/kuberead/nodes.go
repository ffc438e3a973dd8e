package kuberead

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"strata/actions/verb"
	"strata/config"
	"strata/internal/kube/apiserver"
)

// ListNodes prints the registered Nodes of an existing cluster as JSON.
var ListNodes = verb.New(func(ctx context.Context, call verb.Call, _ NodesInput) error {
	client, err := call.Objects()
	if err != nil {
		return err
	}
	nodes, err := Nodes(ctx, client)
	if err != nil {
		return err
	}
	return call.PrintJSON(nodes)
})

// NodesInput is the input of ListNodes.
type NodesInput struct {
	// Revision has no effect on the result; a change of it makes the command run again.
	Revision string          `json:"revision"`
	Timeout  metav1.Duration `json:"timeout"`
}

// Node is one node in the stack's output.
type Node struct {
	Name    string      `json:"name"`
	Role    config.Role `json:"role"`
	Address string      `json:"address"`
}

// Nodes returns the registered Nodes, sorted by name.
func Nodes(ctx context.Context, client dynamic.Interface) ([]Node, error) {
	found, err := client.Resource(schema.GroupVersionResource{Version: "v1",
		Resource: "nodes"}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("nodes: list: %w", err)
	}
	nodes := []Node{}
	for i := range found.Items {
		var node corev1.Node
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Items[i].Object,
			&node); err != nil {
			return nil, fmt.Errorf("nodes: %s: %w", found.Items[i].GetName(), err)
		}
		row := Node{Name: node.Name, Role: config.RoleAgent, Address: apiserver.InternalIP(&node)}
		if _, server := node.Labels["node-role.kubernetes.io/control-plane"]; server {
			row.Role = config.RoleServer
		}
		nodes = append(nodes, row)
	}
	return nodes, nil
}
