package components

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
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
	env       pulumi.Array
	// config is the name of a ConfigMap that is mounted as a folder at mount. Optional.
	config, mount string
	// memory and memoryLimit are the request and the limit of a Pod. Optional.
	memory, memoryLimit string
}

// skipAwait is the annotation that makes the provider not wait until an object is ready. A gate
// waits instead, and reports the reason if it fails.
var skipAwait = pulumi.StringMap{"pulumi.com/skipAwait": pulumi.String("true")}

// demoMetadata returns the metadata of an object in the demo's namespace. annotations may be nil.
func demoMetadata(name string, annotations pulumi.StringMap) pulumi.Map {
	metadata := pulumi.Map{"name": pulumi.String(name), "namespace": pulumi.String(demoNamespace)}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	return metadata
}

// object registers a Kubernetes object of the demo, which depends only on the demo's namespace.
func (d *demo) object(role, token string, fields pulumi.Map) error {
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
	labels := pulumi.StringMap{"app.kubernetes.io/name": pulumi.String(w.name)}
	d.Workloads = append(d.Workloads, demoNamespace+"/Deployment/"+w.name)
	err := d.object(w.name, "kubernetes:apps/v1:Deployment", pulumi.Map{
		"apiVersion": pulumi.String("apps/v1"), "kind": pulumi.String("Deployment"),
		"metadata": demoMetadata(w.name, skipAwait),
		"spec": pulumi.Map{
			"replicas": pulumi.Int(1), "selector": pulumi.Map{"matchLabels": labels},
			"template": pulumi.Map{"metadata": pulumi.Map{"labels": labels}, "spec": w.pod()},
		},
	})
	if err != nil {
		return err
	}
	return d.object(w.name+"-service", "kubernetes:core/v1:Service", pulumi.Map{
		"apiVersion": pulumi.String("v1"), "kind": pulumi.String("Service"),
		"metadata": demoMetadata(w.name, skipAwait),
		"spec": pulumi.Map{
			"selector": labels,
			"ports": pulumi.Array{pulumi.Map{"name": pulumi.String("http"),
				"port": pulumi.Int(80), "targetPort": pulumi.Int(w.port)}},
		},
	})
}

// pod returns the specification of the application's Pods.
func (w workload) pod() pulumi.Map {
	container := pulumi.Map{
		"name": pulumi.String(w.name), "image": pulumi.String(w.image),
		"imagePullPolicy": pulumi.String("IfNotPresent"),
		"ports": pulumi.Array{pulumi.Map{"name": pulumi.String("http"),
			"containerPort": pulumi.Int(w.port)}},
		"readinessProbe": pulumi.Map{
			"httpGet": pulumi.Map{"path": pulumi.String(w.ready),
				"port": pulumi.Int(cmp.Or(w.readyPort, w.port))},
			"periodSeconds": pulumi.Int(2),
		},
		// A terminating Pod goes on serving until every kube-proxy and APISIX no longer send it
		// requests.
		"lifecycle": pulumi.Map{"preStop": pulumi.Map{
			"sleep": pulumi.Map{"seconds": pulumi.Int(5)}}},
	}
	pod := pulumi.Map{}
	if len(w.args) > 0 {
		container["args"] = pulumi.ToStringArray(w.args)
	}
	if len(w.env) > 0 {
		container["env"] = w.env
	}
	if w.config != "" {
		container["volumeMounts"] = pulumi.Array{pulumi.Map{"name": pulumi.String("config"),
			"mountPath": pulumi.String(w.mount)}}
		pod["volumes"] = pulumi.Array{pulumi.Map{
			"name":      pulumi.String("config"),
			"configMap": pulumi.Map{"name": pulumi.String(w.config)},
		}}
	}
	if w.memoryLimit != "" {
		container["resources"] = pulumi.Map{
			"requests": pulumi.Map{"memory": pulumi.String(w.memory)},
			"limits":   pulumi.Map{"memory": pulumi.String(w.memoryLimit)},
		}
	}
	pod["containers"] = pulumi.Array{container}
	return pod
}
