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
func workloadDeployment(args *WorkloadArgs, read contents, name string, replicas int) pulumi.Map {
	cfg := args.Config
	template := pulumi.Map{"labels": workloadLabels(name)}
	if read.any {
		template["annotations"] = pulumi.Map{hashAnnotation: read.hash}
	}
	// Two minutes are added for scheduling the Pod and pulling its image.
	deadline := cfg.Probes.Startup.Duration + cfg.MinReady.Duration + 2*time.Minute
	if cfg.Certificate != nil {
		deadline += cfg.Certificate.Wait.Duration
	}
	return pulumi.Map{
		"replicas":                pulumi.Int(replicas),
		"revisionHistoryLimit":    pulumi.Int(3),
		"minReadySeconds":         wholeSeconds(cfg.MinReady.Duration),
		"progressDeadlineSeconds": wholeSeconds(deadline),
		"selector":                pulumi.Map{"matchLabels": workloadLabels(name)},
		"strategy": pulumi.Map{
			"type": pulumi.String("RollingUpdate"),
			"rollingUpdate": pulumi.Map{"maxUnavailable": pulumi.Int(0),
				"maxSurge": pulumi.Int(max(1, replicas/4))},
		},
		"template": pulumi.Map{"metadata": template, "spec": workloadPod(args, read, name)},
	}
}

// workloadPod returns the spec of the Pods of the Deployment called name.
func workloadPod(args *WorkloadArgs, read contents, name string) pulumi.Map {
	cfg := args.Config
	volumes, mounts := workloadVolumes(cfg, read)
	pod := pulumi.Map{
		"terminationGracePeriodSeconds": wholeSeconds(cfg.Grace()),
		"automountServiceAccountToken":  pulumi.Bool(false),
		"enableServiceLinks":            pulumi.Bool(false),
		"topologySpreadConstraints":     spreadOverNodes(workloadLabels(name)),
		"securityContext": pulumi.Map{
			"seccompProfile": pulumi.Map{"type": pulumi.String("RuntimeDefault")}},
	}
	if c := cfg.Certificate; c != nil {
		pod["initContainers"] = pulumi.Array{CertWait(args.CertWaitImage, tlsVolume, c.Mount,
			c.Wait.Duration, c.DNSNames)}
	}
	if len(volumes) > 0 {
		pod["volumes"] = volumes
	}
	pod["containers"] = pulumi.Array{workloadContainer(args, read, mounts)}
	return pod
}

// workloadContainer returns the application's container.
func workloadContainer(args *WorkloadArgs, read contents, mounts pulumi.Array) pulumi.Map {
	cfg := args.Config
	requests := pulumi.Map{"cpu": pulumi.String(cfg.Resources.CPU),
		"memory": pulumi.String(cfg.Resources.Memory)}
	resources := pulumi.Map{"requests": requests}
	if cfg.Resources.MemoryLimit != "" {
		resources["limits"] = pulumi.Map{"memory": pulumi.String(cfg.Resources.MemoryLimit)}
	}
	container := pulumi.Map{
		"name": pulumi.String(cfg.Name), "image": pulumi.String(cfg.Image),
		"imagePullPolicy": pulumi.String("IfNotPresent"),
		"ports": pulumi.Array{pulumi.Map{"name": pulumi.String("http"),
			"containerPort": pulumi.Int(cfg.Port)}},
		"resources": resources,
		"lifecycle": pulumi.Map{"preStop": preStop(args.Kubernetes, cfg.PreStop.Duration)},
		"securityContext": pulumi.Map{
			"runAsNonRoot": pulumi.Bool(!cfg.Root), "allowPrivilegeEscalation": pulumi.Bool(false),
			"capabilities": pulumi.Map{"drop": pulumi.ToStringArray([]string{"ALL"})},
		},
	}
	maps.Copy(container, workloadProbes(cfg))
	if len(cfg.Args) > 0 {
		container["args"] = pulumi.ToStringArray(cfg.Args)
	}
	if len(cfg.Env) > 0 {
		env := pulumi.Array{}
		for _, name := range paths(cfg.Env) {
			env = append(env, pulumi.Map{"name": pulumi.String(name),
				"value": pulumi.String(cfg.Env[name])})
		}
		container["env"] = env
	}
	if read.secretEnv != nil {
		container["envFrom"] = pulumi.Array{
			pulumi.Map{"secretRef": pulumi.Map{"name": read.secretEnv}}}
	}
	if len(mounts) > 0 {
		container["volumeMounts"] = mounts
	}
	return container
}

// workloadProbes returns the container's probes. The readiness and startup probes request the
// readiness path. The liveness probe requests its own path, or only opens a connection if none is
// configured: it restarts the container, which does not help if a dependency is down.
func workloadProbes(cfg config.Workload) pulumi.Map {
	const startEvery, readyEvery, liveEvery = 1, 2, 10
	ask := func(path string, every, failures int) pulumi.Map {
		probe := pulumi.Map{"periodSeconds": pulumi.Int(every), "timeoutSeconds": pulumi.Int(2),
			"failureThreshold": pulumi.Int(failures)}
		if path == "" {
			probe["tcpSocket"] = pulumi.Map{"port": pulumi.String("http")}
		} else {
			probe["httpGet"] = pulumi.Map{"path": pulumi.String(path),
				"port": pulumi.String("http")}
		}
		return probe
	}
	return pulumi.Map{
		"startupProbe": ask(cfg.Probes.Ready, startEvery,
			int(cfg.Probes.Startup.Seconds())/startEvery),
		"readinessProbe": ask(cfg.Probes.Ready, readyEvery, 2),
		"livenessProbe":  ask(cfg.Probes.Live, liveEvery, 3),
	}
}

// preStop returns the preStop hook that lets a terminating Pod serve for d, until every kube-proxy
// and ingress controller has removed it. From Kubernetes 1.30 on, the kubelet sleeps (KEP-3960).
// Before that, the hook runs the sleep command of the image.
func preStop(kubernetes string, d time.Duration) pulumi.Map {
	if v, err := version.ParseGeneric(kubernetes); err == nil &&
		v.LessThan(version.MustParseGeneric("1.30")) {
		return pulumi.Map{"exec": pulumi.Map{"command": pulumi.Array{pulumi.String("sleep"),
			pulumi.Sprintf("%d", int(d.Seconds()))}}}
	}
	return pulumi.Map{"sleep": pulumi.Map{"seconds": wholeSeconds(d)}}
}

func wholeSeconds(d time.Duration) pulumi.Int { return pulumi.Int(int(d.Seconds())) }
