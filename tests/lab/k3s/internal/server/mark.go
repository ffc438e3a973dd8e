package server

import (
	"context"
	"time"

	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"strata/tests/lab/k3s/internal/datastore"
)

// markNode sets the role labels of this server's Node, which a kubelet may not set itself. It also
// sets the annotations by which the etcd member is managed (k3s-io/k3s pkg/server,
// setNodeLabelsAndAnnotations).
func (s *instance) markNode(ctx context.Context, core kubernetes.Interface) {
	labels := map[string]string{"node-role.kubernetes.io/control-plane": "true"}
	annotations := map[string]string{}
	if s.supervisor.Joinable {
		labels[datastore.RoleLabel] = "true"
		annotations[datastore.NameAnnotation] = s.etcd.Name
		annotations[datastore.AddressAnnotation] = s.node.IP
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels, "annotations": annotations}})
	if err != nil {
		logrus.Fatalf("node labels: %v", err) // strings can always be marshalled
	}
	err = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := core.CoreV1().Nodes().Patch(ctx, s.node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			logrus.Debugf("Waiting for control-plane node %s startup: %v", s.node.Name, err)
		}
		return err == nil, nil
	})
	if err != nil {
		return // ctx has ended
	}
	logrus.Infof("Labels and annotations have been set successfully on node: %s", s.node.Name)
	s.supervisor.EnsureLocal(ctx, core)
}
