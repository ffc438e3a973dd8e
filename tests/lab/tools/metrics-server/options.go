package main

import (
	"fmt"
	"net"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"sigs.k8s.io/metrics-server/pkg/api"
	definitions "sigs.k8s.io/metrics-server/pkg/api/generated/openapi"
	"sigs.k8s.io/metrics-server/pkg/scraper/client"
	"sigs.k8s.io/metrics-server/pkg/server"
)

// options are the options of upstream that K3s sets, with upstream's names and defaults.
type options struct {
	serving        *genericoptions.SecureServingOptionsWithLoopback
	authentication *genericoptions.DelegatingAuthenticationOptions
	authorization  *genericoptions.DelegatingAuthorizationOptions
	logging        *logs.Options

	addressTypes             []string
	statusPort, insecureTLS  bool
	resolution, kubeletLimit time.Duration
}

func newOptions() *options {
	return &options{
		serving:        genericoptions.NewSecureServingOptions().WithLoopback(),
		authentication: genericoptions.NewDelegatingAuthenticationOptions(),
		authorization:  genericoptions.NewDelegatingAuthorizationOptions(),
		logging:        logs.NewOptions(),
		addressTypes:   []string{"Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"},
		resolution:     time.Minute,
		kubeletLimit:   10 * time.Second,
	}
}

func (o *options) addFlags(flags *pflag.FlagSet) {
	o.serving.AddFlags(flags)
	o.authentication.AddFlags(flags)
	o.authorization.AddFlags(flags)
	logsapi.AddFlags(o.logging, flags)
	flags.DurationVar(&o.resolution, "metric-resolution", o.resolution, "how often kubelets are asked")
	flags.StringSliceVar(&o.addressTypes, "kubelet-preferred-address-types", o.addressTypes,
		"which of a node's addresses to use, by priority")
	flags.BoolVar(&o.statusPort, "kubelet-use-node-status-port", false, "use the kubelet's port in the node's status")
	flags.BoolVar(&o.insecureTLS, "kubelet-insecure-tls", false, "do not verify kubelets' certificates")
	flags.DurationVar(&o.kubeletLimit, "kubelet-request-timeout", o.kubeletLimit, "how long to wait for a kubelet")
}

// config returns the server's configuration inside a Pod.
func (o *options) config() (*server.Config, error) {
	apiserver, err := o.apiserver()
	if err != nil {
		return nil, err
	}
	access, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the Pod's access to the cluster: %w", err)
	}
	access.ContentType = "application/vnd.kubernetes.protobuf"
	if err := rest.SetKubernetesDefaults(access); err != nil {
		return nil, fmt.Errorf("making the client: %w", err)
	}
	return &server.Config{
		Apiserver: apiserver, Rest: access, Kubelet: o.kubelet(access),
		MetricResolution: o.resolution, ScrapeTimeout: o.kubeletLimit,
	}, nil
}

func (o *options) kubelet(access *rest.Config) *client.KubeletClientConfig {
	config := &client.KubeletClientConfig{
		Scheme: "https", DefaultPort: 10250, UseNodeStatusPort: o.statusPort, Client: *rest.CopyConfig(access),
	}
	for _, kind := range o.addressTypes {
		config.AddressTypePriority = append(config.AddressTypePriority, corev1.NodeAddressType(kind))
	}
	if o.insecureTLS {
		config.Client.TLSClientConfig.Insecure = true
		config.Client.TLSClientConfig.CAData, config.Client.TLSClientConfig.CAFile = nil, ""
	}
	return config
}

// apiserver returns the configuration of the server for metrics.k8s.io. The server asks the API
// server whether a client may read.
func (o *options) apiserver() (*genericapiserver.Config, error) {
	if err := o.serving.MaybeDefaultWithSelfSignedCerts("localhost", nil,
		[]net.IP{net.ParseIP("127.0.0.1")}); err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	config := genericapiserver.NewConfig(api.Codecs)
	if err := o.serving.ApplyTo(&config.SecureServing, &config.LoopbackClientConfig); err != nil {
		return nil, fmt.Errorf("reading the options for TLS: %w", err)
	}
	if err := o.authentication.ApplyTo(&config.Authentication, config.SecureServing, nil); err != nil {
		return nil, fmt.Errorf("reading the options for authentication: %w", err)
	}
	if err := o.authorization.ApplyTo(&config.Authorization); err != nil {
		return nil, fmt.Errorf("reading the options for authorization: %w", err)
	}
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions.GetOpenAPIDefinitions,
		openapi.NewDefinitionNamer(api.Scheme))
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(
		definitions.GetOpenAPIDefinitions, openapi.NewDefinitionNamer(api.Scheme))
	config.OpenAPIConfig.Info.Title = "Kubernetes metrics-server"
	config.OpenAPIV3Config.Info.Title = "Kubernetes metrics-server"
	return config, nil
}
