// Package system gates what K3s deploys itself: the default ServiceAccount, CoreDNS, the metrics
// APIService.
package system
