package server

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"strata/tests/lab/plugins/kubernetes/cluster"
)

// creator is the field manager of a created object until its first update.
const creator = "pulumi-kubernetes"

// write is one object on its way to the server.
type write struct {
	inputs  *unstructured.Unstructured
	manager string
	preview bool
}

func (w write) dryRun() []string {
	if w.preview {
		return []string{metav1.DryRunAll}
	}
	return nil
}

// attempts limits the tries of a create while its namespace or its kind does not exist yet; the
// pause before the n-th is 2^(n-1) s, 31 s together.
const attempts = 6

// post creates the object. What is missing may be on its way, made by another
// resource of the same program, so it is tried again.
func (s *Server) post(urn resource.URN, w write) (*unstructured.Unstructured, error) {
	pause := time.Second
	for try := 1; ; try++ {
		live, err := s.postOnce(w)
		if err == nil {
			return live, nil
		}
		if w.preview && apierrors.IsNotFound(err) {
			return nil, err
		}
		// Said of every failure, also where no retry follows.
		s.status(urn)(fmt.Sprintf("Retry #%d; creation failed: %v", try-1, err))
		missing := apierrors.IsNotFound(err) || meta.IsNoMatchError(err)
		if !missing || try == attempts {
			return nil, alreadyExists(err)
		}
		select {
		case <-s.ctx.Done():
			return nil, err
		case <-time.After(pause):
			pause *= 2
		}
	}
}

func (s *Server) postOnce(w write) (*unstructured.Unstructured, error) {
	client, err := s.cluster.Client(w.inputs)
	if err != nil {
		return nil, err
	}
	if s.settings.upsert {
		return s.apply(w, nil)
	}
	return client.Create(s.ctx, w.inputs, metav1.CreateOptions{FieldManager: creator, DryRun: w.dryRun()})
}

// apply sends the inputs by server-side apply over what is live; nil if that is
// not known.
func (s *Server) apply(w write, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := s.cluster.Client(w.inputs)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(w.inputs.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	force := s.force(w, live)
	result, err := client.Patch(s.ctx, w.inputs.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{
		FieldManager: w.manager, Force: &force, DryRun: w.dryRun(),
	})
	return result, conflict(err, w.manager)
}

// force takes fields from other managers where the user says so, and in a
// preview from the creator's name, which a real update takes over first.
func (s *Server) force(w write, live *unstructured.Unstructured) bool {
	if w.inputs.GetAnnotations()["pulumi.com/patchForce"] == "true" {
		return true
	}
	if live == nil {
		return w.preview
	}
	if len(live.GetManagedFields()) == 0 {
		return true
	}
	for _, entry := range live.GetManagedFields() {
		if w.preview && entry.Manager == creator && entry.Operation == metav1.ManagedFieldsOperationUpdate {
			return true
		}
	}
	return false
}

// put updates: a definition is replaced as a whole, everything else applied
// after the creator's fields were taken over.
func (s *Server) put(ctx context.Context, w write, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := s.cluster.Client(w.inputs)
	if err != nil {
		return nil, err
	}
	if cluster.IsDefinition(w.inputs) {
		w.inputs.SetResourceVersion(live.GetResourceVersion())
		return client.Update(ctx, w.inputs, metav1.UpdateOptions{FieldManager: w.manager, DryRun: w.dryRun()})
	}
	if !w.preview {
		if live, err = s.takeOver(w, live); err != nil {
			return nil, err
		}
	}
	return s.apply(w, live)
}
