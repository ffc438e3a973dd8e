package charts_test

import (
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// These types have only the checked fields of the program's objects.
type (
	certificateObject struct {
		Spec struct {
			SecretName string   `json:"secretName"`
			DNSNames   []string `json:"dnsNames"`
		} `json:"spec"`
	}
	issuerObject struct {
		Spec struct {
			Vault *struct {
				Server string `json:"server"`
			} `json:"vault"`
		} `json:"spec"`
	}
	listener struct {
		Name string `json:"name"`
		Port int    `json:"port"`
	}
	gatewayObject struct {
		Spec struct {
			Listeners []listener `json:"listeners"`
		} `json:"spec"`
	}
	route struct {
		Spec struct {
			ParentRefs []struct{ Name, Namespace, SectionName string } `json:"parentRefs"`
			Rules      []struct {
				BackendRefs []struct {
					Name string `json:"name"`
					Port int    `json:"port"`
				} `json:"backendRefs"`
			} `json:"rules"`
		} `json:"spec"`
	}
)

// edges checks an object of the program: its kind is served, and the objects that it refers to
// exist.
func (w *world) edges(o object) {
	of := schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
	if strings.Contains(of.Group, ".") && !strings.HasSuffix(of.Group, ".k8s.io") ||
		of.Group == "gateway.networking.k8s.io" {
		_, ok := w.served(of.Group, of.Version, of.Kind)
		w.need(ok, "%s: no definition serves %s", o.from, of)
	}
	switch o.Kind {
	case "HTTPRoute":
		w.route(o)
	case "ClusterIssuer":
		if vault := as[issuerObject](o).Spec.Vault; vault != nil {
			w.address(o.from, vault.Server)
		}
	case "Certificate":
		for _, name := range as[certificateObject](o).Spec.DNSNames {
			w.address(o.from, "//"+name)
		}
	}
}

// route checks a route's parents and its back ends.
func (w *world) route(o object) {
	spec := as[route](o).Spec
	for _, parent := range spec.ParentRefs {
		gateway, ok := find(w.own, "Gateway", parent.Namespace, parent.Name)
		w.need(ok &&
			slices.ContainsFunc(as[gatewayObject](gateway).Spec.Listeners, func(l listener) bool {
				return l.Name == parent.SectionName
			}),
			"%s: no Gateway %s/%s with listener %s", o.from, parent.Namespace, parent.Name,
			parent.SectionName)
	}
	for _, rule := range spec.Rules {
		for _, backend := range rule.BackendRefs {
			w.service(o.from, o.Namespace, backend.Name, false, backend.Port)
		}
	}
}

// address checks that the Service of an address inside the cluster exists. It ignores other
// addresses.
func (w *world) address(who, text string) {
	target, err := url.Parse(text)
	if err != nil || !strings.HasSuffix(target.Hostname(), ".svc") {
		return
	}
	parts := strings.Split(target.Hostname(), ".")
	if target.Port() == "" {
		w.service(who, parts[1], parts[0], false)
		return
	}
	w.service(who, parts[1], parts[0], false, portOf(text))
}
