package deploy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// interval is the time between two scans of the manifest folder (k3s-io/k3s
// pkg/deploy/controller.go).
const interval = 15 * time.Second

// Deployer applies manifests to an API server.
type Deployer struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
	// applied maps a file to the digest of its applied content.
	applied map[string][sha256.Size]byte
}

// New returns a Deployer for an API server and credentials.
func New(config *rest.Config) (*Deployer, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(core.Discovery()))
	return &Deployer{client: client, mapper: mapper, applied: map[string][sha256.Size]byte{}}, nil
}

// Run deletes the objects of the disabled components in removed. Until ctx ends, it applies new and
// changed manifests in dir every 15 s, or every second after a failure.
func (d *Deployer) Run(ctx context.Context, dir string, removed map[string][]byte) {
	for {
		failed := false
		for name, data := range removed {
			if err := d.each(data, func(o *unstructured.Unstructured) error { return d.delete(ctx, o) }); err != nil {
				failed = true
				logrus.Warnf("Failed to uninstall %s: %v", name, err)
				continue
			}
			delete(removed, name)
		}
		if err := d.applyDir(ctx, dir); err != nil {
			failed = true
			logrus.Errorf("Failed to process manifests: %v", err)
		}
		wait := interval
		if failed {
			wait = time.Second
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (d *Deployer) applyDir(ctx context.Context, dir string) error {
	var files []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && isManifest(path) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	sort.Strings(files)
	var errs []error
	for _, file := range files {
		if err := d.applyFile(ctx, file); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
		}
	}
	return errors.Join(errs...)
}

// isManifest reports whether path is a manifest to apply. A file PATH.skip excludes it.
func isManifest(path string) bool {
	if _, err := os.Stat(path + ".skip"); err == nil {
		return false
	}
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".yaml" || ext == ".yml" || ext == ".json"
}

func (d *Deployer) applyFile(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(data)
	if d.applied[file] == digest {
		return nil
	}
	if err := d.each(data, func(o *unstructured.Unstructured) error { return d.apply(ctx, o) }); err != nil {
		return err
	}
	logrus.Infof("Applied manifest at %q", file)
	d.applied[file] = digest
	return nil
}

// each calls do for every object of a YAML stream, and joins the errors.
func (d *Deployer) each(data []byte, do func(*unstructured.Unstructured) error) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	var errs []error
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			return errors.Join(errs...)
		} else if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if len(object.Object) == 0 {
			continue
		}
		if err := do(object); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err))
		}
	}
}

func (d *Deployer) apply(ctx context.Context, object *unstructured.Unstructured) error {
	if object.GetKind() == "HelmChart" || object.GetKind() == "HelmChartConfig" {
		logrus.Warnf("%s %s is skipped: the lab has no Helm controller", object.GetKind(), object.GetName())
		return nil
	}
	resource, err := d.resource(object)
	if err != nil {
		return err
	}
	_, err = resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "deploy", Force: true})
	return err
}

func (d *Deployer) delete(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := d.resource(object)
	if meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground
	err = resource.Delete(ctx, object.GetName(), metav1.DeleteOptions{PropagationPolicy: &background})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (d *Deployer) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := object.GroupVersionKind()
	mapping, err := d.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		d.mapper.Reset() // a CRD may have been added since the last discovery
		mapping, err = d.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	resource := d.client.Resource(mapping.Resource)
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return resource, nil
	}
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return resource.Namespace(namespace), nil
}
