// Package gates disables two features of Kubernetes's clients 0.35 and 0.36 that are on by default:
// Argo CD before 3.5 does not support them. Its cluster informer stores objects of another type
// than the informer is created for. Argo CD 3.5 disables them, too.
package gates

import "k8s.io/client-go/features"

func init() { features.ReplaceFeatureGates(gates{features.FeatureGates()}) }

type gates struct{ features.Gates }

// Enabled reports whether a feature is on. It returns false for the two features, and the client's
// own value for others.
func (g gates) Enabled(feature features.Feature) bool {
	return feature != features.WatchListClient && feature != features.InOrderInformers && g.Gates.Enabled(feature)
}
