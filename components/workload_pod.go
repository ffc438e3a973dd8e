package components

import (
	"maps"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/version"

	"strata/config"
)

// hashAnnotation is the annotation of the Pod template with the hash of the ConfigMaps and Secrets,
// so that a change of their contents causes a rollout.
const hashAnnotation = "strata/config-hash"

// workloadDeployment returns the spec of the workload's Deployment or its canary's. In a rollout, a
// new Pod is ready before an old one terminates, and the old one serves until it gets no more
// requests.
func workloadDeployment(args *WorkloadArgs, read contents, name string, replicas int) object {
	cfg := args.Config
	template := object{"labels": nameLabel(name)}
	if read.any {
		template["annotations"] = object{hashAnnotation: read.hash}
	}
	// Two minutes are added for scheduling the Pod and pulling its image.
	deadline := cfg.Probes.Startup.Duration + cfg.MinReady.Duration + 2*time.Minute
	if cfg.Certificate != nil {
		deadline += cfg.Certificate.Wait.Duration
	}
	return object{
		"replicas":                replicas,
		"revisionHistoryLimit":    3,
		"minReadySeconds":         wholeSeconds(cfg.MinReady.Duration),
		"progressDeadlineSeconds": wholeSeconds(deadline),
		"selector":                object{"matchLabels": nameLabel(name)},
		"strategy": object{
			"type":          "RollingUpdate",
			"rollingUpdate": object{"maxUnavailable": 0, "maxSurge": max(1, replicas/4)},
		},
		"template": object{"metadata": template, "spec": workloadPod(args, read, name)},
	}
}

// workloadPod returns the spec of the Pods of the Deployment called name.
func workloadPod(args *WorkloadArgs, read contents, name string) object {
	cfg := args.Config
	volumes, mounts := workloadVolumes(cfg, read)
	pod := object{
		"terminationGracePeriodSeconds": wholeSeconds(cfg.Grace()),
		"automountServiceAccountToken":  false,
		"enableServiceLinks":            false,
		"topologySpreadConstraints":     spreadOverNodes(nameLabel(name)),
		"securityContext":               object{"seccompProfile": object{"type": "RuntimeDefault"}}}
	if c := cfg.Certificate; c != nil {
		pod["initContainers"] = array{certWait(args.CertWaitImage, tlsVolume, c.Mount,
			c.Wait.Duration, c.DNSNames)}
	}
	if len(volumes) > 0 {
		pod["volumes"] = volumes
	}
	pod["containers"] = array{workloadContainer(args, read, mounts)}
	return pod
}

func workloadContainer(args *WorkloadArgs, read contents, mounts array) object {
	cfg := args.Config
	requests := object{"cpu": cfg.Resources.CPU, "memory": cfg.Resources.Memory}
	resources := object{"requests": requests}
	if cfg.Resources.MemoryLimit != "" {
		resources["limits"] = object{"memory": cfg.Resources.MemoryLimit}
	}
	container := object{
		"name": cfg.Name, "image": cfg.Image, "imagePullPolicy": "IfNotPresent",
		"ports":     array{object{"name": "http", "containerPort": cfg.Port}},
		"resources": resources,
		"lifecycle": object{"preStop": preStop(args.Kubernetes, cfg.PreStop.Duration)},
		"securityContext": object{
			"runAsNonRoot": !cfg.Root, "allowPrivilegeEscalation": false,
			"capabilities": object{"drop": []string{"ALL"}},
		},
	}
	maps.Copy(container, workloadProbes(cfg))
	if len(cfg.Args) > 0 {
		container["args"] = cfg.Args
	}
	if len(cfg.Env) > 0 {
		env := array{}
		for _, name := range paths(cfg.Env) {
			env = append(env, object{"name": name, "value": cfg.Env[name]})
		}
		container["env"] = env
	}
	if read.secretEnv != nil {
		container["envFrom"] = array{
			object{"secretRef": object{"name": read.secretEnv}}}
	}
	if len(mounts) > 0 {
		container["volumeMounts"] = mounts
	}
	return container
}

// workloadProbes returns the container's probes. The readiness and startup probes request the
// readiness path. The liveness probe requests its own path; without a configured path it only opens
// a connection. Its failure restarts the container, which does not help if a dependency is down.
func workloadProbes(cfg config.Workload) object {
	const startEvery, readyEvery, liveEvery = 1, 2, 10
	ask := func(path string, every, failures int) object {
		probe := object{"periodSeconds": every, "timeoutSeconds": 2,
			"failureThreshold": failures}
		if path == "" {
			probe["tcpSocket"] = object{"port": "http"}
		} else {
			probe["httpGet"] = object{"path": path, "port": "http"}
		}
		return probe
	}
	return object{
		"startupProbe": ask(cfg.Probes.Ready, startEvery,
			int(cfg.Probes.Startup.Seconds())/startEvery),
		"readinessProbe": ask(cfg.Probes.Ready, readyEvery, 2),
		"livenessProbe":  ask(cfg.Probes.Live, liveEvery, 3),
	}
}

// preStop returns the preStop hook that lets a terminating Pod serve for d, until every kube-proxy
// and ingress controller has removed it. From Kubernetes 1.30 on, the kubelet sleeps (KEP-3960).
// Before that, the hook runs the sleep command of the image.
func preStop(kubernetes string, d time.Duration) object {
	if v, err := version.ParseGeneric(kubernetes); err == nil &&
		v.LessThan(version.MustParseGeneric("1.30")) {
		return object{"exec": object{"command": array{"sleep",
			pulumi.Sprintf("%d", int(d.Seconds()))}}}
	}
	return object{"sleep": object{"seconds": wholeSeconds(d)}}
}

func wholeSeconds(d time.Duration) int { return int(d.Seconds()) }
