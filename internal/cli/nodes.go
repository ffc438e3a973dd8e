package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"strata/config"
	"strata/internal/apiserver"
)

// nodesInput is what `strata nodes` reads on stdin.
type nodesInput struct {
	// Revision makes the resource read again when it changes; it is not read.
	Revision string          `json:"revision,omitempty"`
	Timeout  metav1.Duration `json:"timeout"`
}

// listedNode is a row of the table of nodes, as the stack's outputs have it.
type listedNode struct {
	Name    string      `json:"name"`
	Role    config.Role `json:"role"`
	Address string      `json:"address"`
}

// newNodesCommand is `strata nodes`: it prints the registered Nodes of a lent cluster as JSON.
func newNodesCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "nodes",
		Short:  "Print the cluster's Nodes with role and address (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("nodes", func(ctx context.Context, cmd *cobra.Command, _ nodesInput) error {
			client, err := dynamicClient("nodes")
			if err != nil {
				return err
			}
			nodes, err := listNodes(ctx, client)
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(nodes)
		}),
	}
}

// listNodes are the Nodes in the API's order, which is by name.
func listNodes(ctx context.Context, client dynamic.Interface) ([]listedNode, error) {
	found, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("nodes: list: %w", err)
	}
	nodes := []listedNode{}
	for i := range found.Items {
		var node corev1.Node
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Items[i].Object, &node); err != nil {
			return nil, fmt.Errorf("nodes: %s: %w", found.Items[i].GetName(), err)
		}
		row := listedNode{Name: node.Name, Role: config.RoleAgent, Address: apiserver.InternalIP(&node)}
		if _, server := node.Labels["node-role.kubernetes.io/control-plane"]; server {
			row.Role = config.RoleServer
		}
		nodes = append(nodes, row)
	}
	return nodes, nil
}
