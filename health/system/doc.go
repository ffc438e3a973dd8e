// Package system gates K3s's own deployments: the default ServiceAccount, CoreDNS, the metrics
// APIService.
package system
