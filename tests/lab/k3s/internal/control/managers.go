package control

import (
	"context"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cmapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	schedapp "k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedoptions "k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

// Plane is the control plane of one process.
type Plane struct {
	config   Config
	managers *cobra.Command
}

// New returns the control plane of a server. Call it before any component is started: the
// controller manager's command changes defaults of the feature gates that all components share. The
// change fails once another component has created its flags.
func New(c Config) *Plane { return &Plane{config: c, managers: cmapp.NewControllerManagerCommand()} }

// StartControllers runs kube-controller-manager and kube-scheduler in the background. Call it when
// the API server is ready.
func (p *Plane) StartControllers(ctx context.Context) {
	go run(ctx, "controller-manager", func() error {
		args := merge(controllerDefaults(p.config), p.config.ControllerArgs)
		logrus.Infof("Running kube-controller-manager %v", args)
		p.managers.SetArgs(args)
		p.managers.SilenceErrors = true
		return p.managers.ExecuteContext(ctx)
	})
	go run(ctx, "scheduler", func() error { return scheduler(ctx, p.config) })
}

// run runs a component. If the component returns before ctx ends, run ends the process.
func run(ctx context.Context, name string, component func() error) {
	if err := component(); ctx.Err() == nil {
		logrus.Fatalf("%s exited: %v", name, err)
	}
}

// controllerDefaults returns kube-controller-manager's arguments, as in k3s-io/k3s
// pkg/daemons/control/server.go, controllerManager. K3s disables the controllers service, route and
// cloud-node-lifecycle, because its cloud controller replaces them. The lab has no replacement.
func controllerDefaults(c Config) map[string]string {
	tls, kubeconfig := c.PKI.Path, c.PKI.Cred("controller.kubeconfig")
	return map[string]string{
		"allocate-node-cidrs":       "true",
		"authentication-kubeconfig": kubeconfig,
		"authorization-kubeconfig":  kubeconfig,
		"bind-address":              "127.0.0.1",
		"cluster-cidr":              c.ClusterCIDR,
		"cluster-signing-kube-apiserver-client-cert-file": tls("client-ca.crt"),
		"cluster-signing-kube-apiserver-client-key-file":  tls("client-ca.key"),
		"cluster-signing-kubelet-client-cert-file":        tls("client-ca.crt"),
		"cluster-signing-kubelet-client-key-file":         tls("client-ca.key"),
		"cluster-signing-kubelet-serving-cert-file":       tls("server-ca.crt"),
		"cluster-signing-kubelet-serving-key-file":        tls("server-ca.key"),
		"cluster-signing-legacy-unknown-cert-file":        tls("server-ca.crt"),
		"cluster-signing-legacy-unknown-key-file":         tls("server-ca.key"),
		"configure-cloud-routes":                          "false",
		"controllers":                                     "*,tokencleaner,-service,-route,-cloud-node-lifecycle",
		"kubeconfig":                                      kubeconfig,
		"profiling":                                       "false",
		"root-ca-file":                                    tls("server-ca.crt"),
		"secure-port":                                     "10257",
		"service-account-private-key-file":                tls("service.key"),
		"service-cluster-ip-range":                        c.ServiceCIDR,
		"use-service-account-credentials":                 "true",
	}
}

// scheduler runs kube-scheduler until ctx ends. It does not use kube-scheduler's own command, which
// installs a signal handler: only one component of a process may install one.
func scheduler(ctx context.Context, c Config) error {
	kubeconfig := c.PKI.Cred("scheduler.kubeconfig")
	args := merge(map[string]string{
		"authentication-kubeconfig": kubeconfig,
		"authorization-kubeconfig":  kubeconfig,
		"bind-address":              "127.0.0.1",
		"kubeconfig":                kubeconfig,
		"profiling":                 "false",
		"secure-port":               "10259",
	}, c.SchedulerArgs)
	logrus.Infof("Running kube-scheduler %v", args)
	opts := schedoptions.NewOptions()
	flags := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	for _, set := range opts.Flags.FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	completed, sched, err := schedapp.Setup(ctx, opts)
	if err != nil {
		return err
	}
	return schedapp.Run(ctx, completed, sched)
}
