package api

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"

	"strata/health/kube"
)

// observe requests /readyz of every server at the same time, so that Ready means that all were
// ready at once.
func (w *apiWatch) observe(ctx context.Context) apiFacts {
	facts := apiFacts{Servers: make([]kube.APIServerFacts, len(w.cluster.Servers))}
	var round sync.WaitGroup
	for i, server := range w.cluster.Servers {
		round.Go(func() { facts.Servers[i] = server.Readyz(ctx) })
	}
	round.Wait()
	for i := range facts.Servers {
		facts.Servers[i].SetSeconds(w.stable, facts.Servers[i].Server)
	}
	return facts
}

// endOf returns the expiry of a kubeconfig's client certificate; zero if none can be read.
func endOf(kubeconfig []byte) time.Time {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return time.Time{}
	}
	certificates, err := cert.ParseCertsPEM(config.CertData)
	if err != nil {
		return time.Time{}
	}
	return certificates[0].NotAfter.UTC()
}
