package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// longestName leaves room for appended texts: a Pod's name has two hashes appended, and becomes the
// value of a label.
const longestName = 40

// hasOwner reports whether a namespace is Kubernetes' own or a layer's.
func hasOwner(namespace string) bool {
	return slices.Contains([]string{"default", "demo"}, namespace) ||
		strings.HasPrefix(namespace, "kube-") ||
		slices.ContainsFunc(charts, func(row chart) bool { return row.namespace == namespace })
}

// workloadCheck holds the state that the rules of one workload share.
type workloadCheck struct {
	*problems
	c   *Config
	w   Workload
	key func(name string, args ...any) string
}

func (c *Config) checkWorkloads(ps *problems) {
	names, hosts := map[string]bool{}, map[string]string{}
	canaries := map[string]bool{}
	for _, w := range c.Apps.Workloads {
		canaries[w.Name+"-canary"] = w.Canary != nil || canaries[w.Name+"-canary"]
	}
	for i, w := range c.Apps.Workloads {
		check := workloadCheck{ps, c, w, func(name string, args ...any) string {
			return field("apps.workloads[%d].%s", i, fmt.Sprintf(name, args...))
		}}
		if names[w.Name] {
			ps.add(check.key("name"), w.Name, "is there twice", "give each workload a name of its own")
		}
		names[w.Name] = true
		if canaries[w.Name] {
			check.add(check.key("name"), w.Name, "is what the canary of "+strings.TrimSuffix(w.Name, "-canary")+" is called", "choose another")
		}
		check.identity()
		check.replicas()
		check.times()
		check.probes()
		check.content()
		check.certificate()
		check.resources()
		check.routes(hosts)
		check.canary()
	}
}

func (w workloadCheck) identity() {
	if len(validation.IsDNS1035Label(w.w.Name)) > 0 || len(w.w.Name) > longestName {
		w.add(w.key("name"), w.w.Name, fmt.Sprintf("is not a name of at most %d characters", longestName),
			"use lower-case letters, digits and dashes, beginning with a letter, for example shop")
	}
	if slices.Contains(platformHosts, w.w.Name) { // which the outputs urls and addresses have already
		w.add(w.key("name"), w.w.Name, "is a name of the platform's own services", "choose another")
	}
	namespace := w.w.Namespace
	if len(validation.IsDNS1123Label(namespace)) > 0 {
		w.add(w.key("namespace"), namespace, "is not a namespace's name", "use lower-case letters, digits and dashes, for example apps")
	}
	if hasOwner(namespace) {
		w.add(w.key("namespace"), namespace, "has an owner already", "choose one that nothing else uses, for example apps")
	}
	// A rollout happens when the template changes. If the image's name stays the same, each node
	// runs the copy that it already has.
	if tag := imageTag(w.w.Image); w.w.Image == "" || tag == "" || tag == "latest" {
		w.add(w.key("image"), w.w.Image, "names no version", "append a tag other than latest, or a digest, for example docker.io/acme/shop:1.2.3")
	}
	if w.w.Port < 1 || w.w.Port > 65535 {
		w.add(w.key("port"), fmt.Sprint(w.w.Port), "is not a port", "use 1 to 65535")
	}
}

// imageTag returns the tag or the digest of an image's reference; empty without one.
func imageTag(image string) string {
	if _, digest, found := strings.Cut(image, "@"); found {
		return digest
	}
	last := image[strings.LastIndex(image, "/")+1:]
	_, tag, _ := strings.Cut(last, ":")
	return tag
}

func (w workloadCheck) replicas() {
	switch n := w.w.Replicas; {
	case n < 1:
		w.add(w.key("replicas"), fmt.Sprint(n), "is less than one", "use 2 or more")
	case n == 1 && !w.w.AcceptDowntime:
		w.add(w.key("replicas"), "1", "leaves no Pod to answer while this one is moved by a drain, or its node is dead",
			"use 2 or more; or set acceptDowntime: true, for a workload that may be away for a while")
	}
}

func (w workloadCheck) times() {
	for _, one := range []struct {
		key      string
		d        time.Duration
		from, to time.Duration
	}{
		{"longestRequest", w.w.LongestRequest.Duration, time.Second, longestRequestLimit},
		{"preStop", w.w.PreStop.Duration, time.Second, 5 * time.Minute},
		{"slack", w.w.Slack.Duration, time.Second, 5 * time.Minute},
		{"minReady", w.w.MinReady.Duration, time.Second, 10 * time.Minute},
		{"probes.startup", w.w.Probes.Startup.Duration, time.Second, time.Hour},
	} {
		if one.d < one.from || one.d > one.to || one.d%time.Second != 0 {
			w.add(w.key("%s", one.key), one.d.String(), fmt.Sprintf("is not a number of whole seconds from %s to %s", one.from, one.to),
				"Kubernetes counts this in seconds, write for example 15s")
		}
	}
	w.patience()
	if given := w.w.GracePeriod.Duration; given != 0 && (given < w.w.needs() || given > 2*time.Hour || given%time.Second != 0) {
		w.add(w.key("gracePeriod"), given.String(),
			fmt.Sprintf("is not a number of whole seconds from %s (preStop %s + longestRequest %s + slack %s) to 2h",
				w.w.needs(), w.w.PreStop.Duration, w.w.LongestRequest.Duration, w.w.Slack.Duration),
			"a Pod would be killed with requests in it; leave the key out")
	}
}

// patience checks that timeouts.workload is longer than a Pod's start and its wait for a
// certificate. It does not consider a whole rollout. That takes the start of each Pod in turn, and
// few Pods take their full time.
func (w workloadCheck) patience() {
	limit := w.c.Timeouts.Workload.Duration
	const rule, fix = " timeouts.workload %s, after which an up gives up", "raise timeouts.workload, or lower this"
	if start := w.w.Probes.Startup.Duration; start+w.w.MinReady.Duration > limit {
		w.add(w.key("probes.startup"), start.String(), fmt.Sprintf("is with minReady %s longer than"+rule, w.w.MinReady.Duration, limit), fix)
	}
	if c := w.w.Certificate; c != nil && c.Wait.Duration > limit {
		w.add(w.key("certificate.wait"), c.Wait.Duration.String(), fmt.Sprintf("is longer than"+rule, limit), fix)
	}
}

func (w workloadCheck) probes() {
	for _, one := range []struct{ key, path string }{{"ready", w.w.Probes.Ready}, {"live", w.w.Probes.Live}} {
		if one.path != "" && !strings.HasPrefix(one.path, "/") {
			w.add(w.key("probes.%s", one.key), one.path, "is not a path from the root", "write for example /healthz")
		}
	}
}

// content checks environment variables and files. Their values are never shown, because they may be
// secret.
func (w workloadCheck) content() {
	for _, one := range []struct {
		key    string
		values map[string]string
	}{{"env", w.w.Env}, {"secretEnv", w.w.SecretEnv}} {
		for name := range one.values {
			if len(validation.IsEnvVarName(name)) > 0 || strings.ContainsAny(name, ".-") {
				w.add(w.key("%s[%q]", one.key, name), "", "is not the name of an environment variable", "use letters, digits and underscores")
			}
		}
	}
	for name := range w.w.SecretEnv {
		if _, both := w.w.Env[name]; both {
			w.add(w.key("secretEnv[%q]", name), "", "is in env as well", "remove one")
		}
	}
	for _, one := range []struct {
		key    string
		values map[string]string
	}{{"files", w.w.Files}, {"secretFiles", w.w.SecretFiles}} {
		for file := range one.values {
			if !path.IsAbs(file) || path.Clean(file) != file || file == "/" {
				w.add(w.key("%s[%q]", one.key, file), "", "is not an absolute path of a file", "write for example /etc/shop/config.yaml")
			}
			if c := w.w.Certificate; c != nil && strings.HasPrefix(file, c.Mount+"/") {
				w.add(w.key("%s[%q]", one.key, file), "", "is in certificate.mount, which holds the certificate and nothing else", "choose another folder")
			}
		}
	}
	for file := range w.w.SecretFiles {
		if _, both := w.w.Files[file]; both {
			w.add(w.key("secretFiles[%q]", file), "", "is in files as well", "remove one")
		}
	}
}

func (w workloadCheck) certificate() {
	c := w.w.Certificate
	if c == nil {
		return
	}
	if !*w.c.CertManager.Enabled {
		w.add(w.key("certificate"), "", "needs a CA, and certManager.enabled is false", "enable cert-manager, or remove the certificate")
	}
	if !path.IsAbs(c.Mount) || path.Clean(c.Mount) != c.Mount || c.Mount == "/" {
		w.add(w.key("certificate.mount"), c.Mount, "is not an absolute path of a folder", "write for example /etc/tls")
	}
	for i, name := range c.DNSNames {
		if bare := strings.TrimPrefix(name, "*."); len(validation.IsDNS1123Subdomain(bare)) > 0 {
			w.add(w.key("certificate.dnsNames[%d]", i), name, "is not a DNS name", "write for example shop.example.org")
		}
	}
	if d := c.Wait.Duration; d < time.Second || d > time.Hour || d%time.Second != 0 {
		w.add(w.key("certificate.wait"), d.String(), "is not a number of whole seconds from 1s to 1h", "write for example 5m")
	}
	// cert-manager accepts no shorter lifetime (pkg/apis/certmanager/v1
	// MinimumCertificateDuration).
	if d := c.Lifetime.Duration; d != 0 && d < time.Hour {
		w.add(w.key("certificate.lifetime"), d.String(), "is less than an hour", "use 1h or more, or leave the key out")
	}
	w.certificateByACME()
}

// certificateByACME checks an ACME server's requirements for a certificate. The server must be able
// to reach the names from outside, and it sets the lifetime itself.
func (w workloadCheck) certificateByACME() {
	if w.c.CertManager.Issuer != IssuerACME {
		return
	}
	for i, name := range w.w.Certificate.DNSNames {
		inside := strings.HasSuffix(name, ".svc") || strings.HasSuffix(name, ".svc.cluster.local")
		switch {
		case inside && slices.Equal(w.w.Certificate.DNSNames, w.w.insideNames()):
			w.add(w.key("certificate.dnsNames"), "", "is empty, and no ACME server signs for the Service's names inside the cluster",
				"write names below a domain of yours, for example "+w.w.Name+"."+w.c.Ingress.Domain)
			return
		case inside:
			w.add(w.key("certificate.dnsNames[%d]", i), name, "is a name inside the cluster, which no ACME server signs for", "remove it")
		case w.c.HTTP01() && strings.HasPrefix(name, "*."):
			w.add(w.key("certificate.dnsNames[%d]", i), name, "is a wildcard, which certManager.acme.solver http01 does not get", "write each name, or use solver dns01")
		}
	}
	if w.w.Certificate.Lifetime.Duration != 0 {
		w.add(w.key("certificate.lifetime"), w.w.Certificate.Lifetime.Duration.String(), "is for the ACME server to say", "leave the key out")
	}
}

func (w workloadCheck) resources() {
	quantity := func(key, text string) resource.Quantity {
		parsed, err := resource.ParseQuantity(text)
		if text != "" && (err != nil || parsed.Sign() <= 0) {
			w.add(w.key("resources.%s", key), text, "is not a quantity", "write for example 100m of cpu, or 128Mi of memory")
		}
		return parsed
	}
	quantity("cpu", w.w.Resources.CPU)
	memory, limit := quantity("memory", w.w.Resources.Memory), quantity("memoryLimit", w.w.Resources.MemoryLimit)
	if w.w.Resources.MemoryLimit != "" && limit.Cmp(memory) < 0 {
		w.add(w.key("resources.memoryLimit"), w.w.Resources.MemoryLimit, "is less than resources.memory "+w.w.Resources.Memory, "raise it, or leave it out")
	}
}
