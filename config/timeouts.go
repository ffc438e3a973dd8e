package config

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Timeouts bound each gate and action. Values are Go durations, for example 5m.
type Timeouts struct {
	// Host bounds one host's gate: boot, cloud-init, SSH. Default 5m.
	Host metav1.Duration `json:"host,omitzero"`
	// API bounds the wait for each API server. Default 10m.
	API metav1.Duration `json:"api,omitzero"`
	// Nodes bounds the wait until the cluster has exactly the configured nodes. Default 10m.
	Nodes metav1.Duration `json:"nodes,omitzero"`
	// MetalLBWebhook bounds the wait for MetalLB's webhook. Default 5m.
	MetalLBWebhook metav1.Duration `json:"metallbWebhook,omitzero"`
	// CRDs bounds the wait until the CRDs are served. Default 2m.
	CRDs metav1.Duration `json:"crds,omitzero"`
	// CertManagerWebhook bounds the wait for cert-manager's webhook. Default 4m.
	CertManagerWebhook metav1.Duration `json:"certManagerWebhook,omitzero"`
	// Certificate bounds the wait for an issuer or a certificate. Default 4m.
	Certificate metav1.Duration `json:"certificate,omitzero"`
	// Vault bounds each step of the stack's own Vault: its start, its initialisation, its
	// configuration. Default 5m.
	Vault metav1.Duration `json:"vault,omitzero"`
	// Ingress bounds the wait for an ingress controller: its address, its Gateway, its answers.
	// Default 5m.
	Ingress metav1.Duration `json:"ingress,omitzero"`
	// APISIX bounds the wait for each of APISIX's parts: its webhook, its Gateway, its Pods.
	// Default 3m.
	APISIX metav1.Duration `json:"apisix,omitzero"`
	// Apps bounds each gate of the demo. Default 4m.
	Apps metav1.Duration `json:"apps,omitzero"`
	// Apply bounds the apply of each object of apps.manifests. Default 5m. The variable
	// WAVE2_TIMEOUT, in seconds, overrides it.
	Apply metav1.Duration `json:"apply,omitzero"`
	// Namespaces bounds the wait until a deleted namespace has ended. Default 10m.
	Namespaces metav1.Duration `json:"namespaces,omitzero"`
	// Workload bounds the rollout of each of apps.workloads. Default 5m.
	Workload metav1.Duration `json:"workload,omitzero"`
	// ArgoCD bounds the wait until Argo CD answers through the ingress. Default 5m.
	ArgoCD metav1.Duration `json:"argocd,omitzero"`
	// MetalLBPool bounds the wait for the address pool. Default 2m.
	MetalLBPool metav1.Duration `json:"metallbPool,omitzero"`
	// Install bounds one install command on a host. Default 10m.
	Install metav1.Duration `json:"install,omitzero"`
	// Drain bounds the time that a node's Pods get to move away before its K3s is upgraded. Default
	// 5m.
	Drain metav1.Duration `json:"drain,omitzero"`
	// Upgrade bounds the time from the stop of a node's old K3s until the new one works. Default
	// 10m.
	Upgrade metav1.Duration `json:"upgrade,omitzero"`
	// Uninstall bounds one uninstall command on a host. Default 5m.
	Uninstall metav1.Duration `json:"uninstall,omitzero"`
}

func defaultTimeouts() Timeouts {
	return Timeouts{
		Host:               minutes(5),
		API:                minutes(10),
		Nodes:              minutes(10),
		MetalLBWebhook:     minutes(5),
		MetalLBPool:        minutes(2),
		CRDs:               minutes(2),
		CertManagerWebhook: minutes(4),
		Certificate:        minutes(4),
		Vault:              minutes(5),
		Ingress:            minutes(5),
		APISIX:             minutes(3),
		Apps:               minutes(4),
		Apply:              minutes(5),
		Namespaces:         minutes(10),
		Workload:           minutes(5),
		ArgoCD:             minutes(5),
		Install:            minutes(10),
		Drain:              minutes(5),
		Upgrade:            minutes(10),
		Uninstall:          minutes(5),
	}
}

func minutes(n int) metav1.Duration {
	return metav1.Duration{Duration: time.Duration(n) * time.Minute}
}

// longestTimeout is longer than any wait that could still succeed. A longer timeout is a typing
// error, such as hours for minutes.
const longestTimeout = 2 * time.Hour

func (c *Config) checkTimeouts(ps *problems) {
	timeouts := reflect.ValueOf(c.Timeouts)
	for name, index := range fieldsOf(timeouts.Type()) {
		timeout := timeouts.Field(index).Interface().(metav1.Duration).Duration
		key := field("timeouts.%s", name)
		switch {
		case timeout < time.Second:
			ps.add(key, timeout.String(), "is too short to wait for anything",
				"use at least 1s, for example 5m")
		case timeout > longestTimeout:
			ps.add(key, timeout.String(), "is longer than "+longestTimeout.String(),
				"use a shorter time, for example 10m")
		}
	}
}
