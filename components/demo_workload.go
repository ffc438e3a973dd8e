package components

import (
	"cmp"
	"fmt"
)

// workload is one application of the demo: a Deployment and a Service on port 80.
type workload struct {
	name, image string
	port        int
	// ready is the path of the readiness probe. The probe uses readyPort, or port if readyPort is
	// not set.
	ready     string
	readyPort int
	args      []string
	env       array
	// config is the name of a ConfigMap that is mounted as a folder at mount. Optional.
	config, mount string
	// memory and memoryLimit are the request and the limit of a Pod. Optional.
	memory, memoryLimit string
}

// skipAwait is the annotation that makes the provider not wait until an object is ready. A gate
// waits instead, and reports the reason if it fails.
var skipAwait = object{"pulumi.com/skipAwait": "true"}

// demoMetadata returns the metadata of an object in the demo's namespace. annotations may be nil.
func demoMetadata(name string, annotations object) object {
	metadata := object{"name": name, "namespace": demoNamespace}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	return metadata
}

// object registers a Kubernetes object of the demo, which depends only on the demo's namespace.
func (d *demo) object(role, token string, fields object) error {
	made, err := newObject(d.ctx, d.args.Cluster, token, d.name+"-"+role, fields,
		childOf(d, d.namespace)...)
	if err != nil {
		return fmt.Errorf("%s: %w", role, err)
	}
	d.Objects = append(d.Objects, made)
	return nil
}

// serve registers an application's Deployment and Service.
func (d *demo) serve(w workload) error {
	labels := nameLabel(w.name)
	d.Workloads = append(d.Workloads, demoNamespace+"/Deployment/"+w.name)
	err := d.object(w.name, "kubernetes:apps/v1:Deployment", object{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": demoMetadata(w.name, skipAwait),
		"spec": object{
			"replicas": 1, "selector": object{"matchLabels": labels},
			"template": object{"metadata": object{"labels": labels}, "spec": w.pod()},
		},
	})
	if err != nil {
		return err
	}
	return d.object(w.name+"-service", "kubernetes:core/v1:Service", object{
		"apiVersion": "v1", "kind": "Service",
		"metadata": demoMetadata(w.name, skipAwait),
		"spec": object{
			"selector": labels,
			"ports":    array{object{"name": "http", "port": 80, "targetPort": w.port}},
		},
	})
}

// pod returns the specification of the application's Pods.
func (w workload) pod() object {
	container := object{
		"name": w.name, "image": w.image, "imagePullPolicy": "IfNotPresent",
		"ports": array{object{"name": "http", "containerPort": w.port}},
		"readinessProbe": object{
			"httpGet":       object{"path": w.ready, "port": cmp.Or(w.readyPort, w.port)},
			"periodSeconds": 2,
		},
		// A terminating Pod goes on serving until every kube-proxy and APISIX no longer send it
		// requests.
		"lifecycle": object{"preStop": object{"sleep": object{"seconds": 5}}}}
	pod := object{}
	if len(w.args) > 0 {
		container["args"] = w.args
	}
	if len(w.env) > 0 {
		container["env"] = w.env
	}
	if w.config != "" {
		container["volumeMounts"] = array{object{"name": "config", "mountPath": w.mount}}
		pod["volumes"] = array{object{
			"name":      "config",
			"configMap": object{"name": w.config},
		}}
	}
	if w.memoryLimit != "" {
		container["resources"] = object{
			"requests": object{"memory": w.memory},
			"limits":   object{"memory": w.memoryLimit},
		}
	}
	pod["containers"] = array{container}
	return pod
}
