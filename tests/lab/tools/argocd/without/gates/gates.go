// Package gates switches off new defaults of Kubernetes' clients 0.35 and 0.36, as Argo CD 3.5
// does, the first one that is written for them: its informer of clusters keeps another type than it
// is told about.
package gates

import "k8s.io/client-go/features"

func init() { features.ReplaceFeatureGates(gates{features.FeatureGates()}) }

type gates struct{ features.Gates }

// Enabled is the client's own answer for all others.
func (g gates) Enabled(feature features.Feature) bool {
	return feature != features.WatchListClient && feature != features.InOrderInformers && g.Gates.Enabled(feature)
}
