// Package system gates the packaged components of K3s: CoreDNS, the metrics APIService, and the
// default ServiceAccount.
package system
