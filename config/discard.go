package config

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Discard is consent to delete objects that other owners created or use. Without consent, Strata
// refuses an update that deletes them, and the destroy of a stack on an existing cluster. Remove a
// name once its object is gone: consent does not expire.
type Discard struct {
	// Namespaces are the names of namespaces that may be deleted with their volumes, and with all
	// objects of other owners. Default: none.
	Namespaces []string `json:"namespaces,omitempty"`
	// Objects may be deleted although other owners use them. Each is Kind/name or
	// Kind/namespace/name, for example ClusterIssuer/strata. The kinds are Application,
	// ClusterIssuer, CustomResourceDefinition, Gateway, GatewayClass, IngressClass, IPAddressPool
	// and PersistentVolumeClaim. Consent for an Application that is being deleted includes all
	// objects that it manages: Argo CD deletes them once it runs again. Default: none.
	Objects []string `json:"objects,omitempty"`
}

// discarded are the kinds that Discard.Objects may name. The value is true for a kind with a
// namespace.
var discarded = map[string]bool{
	"Application": true, "ClusterIssuer": false, "CustomResourceDefinition": false, "Gateway": true,
	"GatewayClass": false, "IngressClass": false,
	"IPAddressPool": true, "PersistentVolumeClaim": true,
}

func (c *Config) checkDiscard(ps *problems) {
	for i, name := range c.Discard.Namespaces {
		ps.addIf(len(validation.IsDNS1123Label(name)) > 0, field("discard.namespaces[%d]", i), name,
			"is no name of a namespace", "write one that a refused up has named")
	}
	for i, object := range c.Discard.Objects {
		key := field("discard.objects[%d]", i)
		parts := strings.Split(object, "/")
		spaced, known := discarded[parts[0]]
		form := parts[0] + "/NAME"
		if spaced {
			form = parts[0] + "/NAMESPACE/NAME"
		}
		switch {
		case !known:
			ps.add(key, object, "has a kind that others cannot use",
				suggestion(parts[0], kindsDiscarded()))
		case len(parts) != strings.Count(form, "/")+1 || slices.Contains(parts, ""):
			ps.add(key, object, "is not written as "+form, "write it as a refused up has named it")
		}
	}
}

func kindsDiscarded() (kinds []string) {
	for kind := range discarded {
		kinds = append(kinds, kind)
	}
	return kinds
}
