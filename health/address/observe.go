package address

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
	"strata/health/observe"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/tunnel"
)

const (
	// dialInterval is the pause between two attempts to connect. Polling is needed, because no
	// event reports that an address answers.
	dialInterval = 100 * time.Millisecond
	// dialTimeout limits one attempt; on a local network an answer takes milliseconds. farTimeout
	// limits an attempt through a tunnel.
	dialTimeout = time.Second
	farTimeout  = 3 * time.Second
)

// Dialer returns a function that connects to a load balancer's address, through a tunnel or,
// without one, directly. Each connection attempt has the timeout of limitOf.
func Dialer(through tunnel.Spec) tunnel.DialFunc {
	return tunnel.Dialer(through, net.Dialer{Timeout: limitOf(through)})
}

// limitOf returns the timeout of one connection attempt: farTimeout through a tunnel, otherwise
// dialTimeout.
func limitOf(through tunnel.Spec) time.Duration {
	if through.There() {
		return farTimeout
	}
	return dialTimeout
}

func (w *addressWatch) read(
	ctx context.Context, s *kube.APIServer,
) (facts addressFacts, err error) {
	if facts.Service, err = ObserveService(ctx, s, w.spec); err != nil {
		return facts, err
	}
	if facts.Service.Pool != "" {
		if facts.Service.Unannounced, err = isUnannounced(ctx, s, w.spec); err != nil {
			return facts, err
		}
	}
	if facts.Endpoints, err = kube.ObserveEndpoints(ctx, s, w.spec.Namespace,
		w.spec.Service); err != nil {
		return facts, err
	}
	if facts.nodes, err = observeAddresses(ctx, s); err == nil {
		facts.Service.Seconds = w.stable.Seconds("refusal", facts.Service.Refusal)
	}
	return facts, err
}

// observeAddresses returns the nodes' internal IPv4 addresses by name.
func observeAddresses(ctx context.Context, s *kube.APIServer) (map[string]string, error) {
	nodes, err := kube.List[corev1.Node](ctx, s, kube.NodeResource, "", metav1.ListOptions{})
	addresses := map[string]string{}
	for i := range nodes {
		if address := apiserver.InternalIP(&nodes[i]); address != "" {
			addresses[nodes[i].Name] = address
		}
	}
	return addresses, err
}

// ObserveService reads the Service. If the Service has no address, ObserveService also reads the
// Warning events about the Service.
func ObserveService(ctx context.Context, s *kube.APIServer, spec Spec) (ServiceSeen, error) {
	service, err := kube.Get[corev1.Service](ctx, s, kube.ServiceResource, spec.Namespace,
		spec.Service)
	if err != nil || service == nil {
		return ServiceSeen{Missing: err == nil}, err
	}
	seen := serviceFactsOf(service)
	if seen.Address != "" {
		return seen, nil
	}
	events, err := kube.List[corev1.Event](ctx, s, kube.EventResource, spec.Namespace,
		metav1.ListOptions{FieldSelector: "type=Warning"})
	if own := kube.WarningsOf(events, string(service.UID)); len(own) > 0 {
		seen.Refusal, seen.Events = kube.Stable(own[0].Message), kube.EventLines(own)
	}
	return seen, err
}

func serviceFactsOf(service *corev1.Service) ServiceSeen {
	seen := ServiceSeen{
		Type:  string(service.Spec.Type),
		Local: service.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal,
		Pool:  service.Annotations[poolAnnotation],
	}
	if class := service.Spec.LoadBalancerClass; class != nil {
		seen.Class = *class
	}
	if ingress := service.Status.LoadBalancer.Ingress; len(ingress) > 0 {
		seen.Address = ingress[0].IP
	}
	return seen
}

// dialAll connects to every port at the same time, and returns one result for each, in the order of
// ports.
func dialAll(ctx context.Context, dial tunnel.DialFunc, address string, ports []int) []dialFacts {
	dials := make([]dialFacts, len(ports))
	var all sync.WaitGroup
	for i, port := range ports {
		all.Go(func() {
			dials[i] = dialFacts{Port: port, Seen: true}
			connection, err := dial(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
			if err != nil {
				dials[i].Error, dials[i].Way = observe.DialTrouble(err), observe.WayOf(err)
				return
			}
			_ = connection.Close() // Only the accepted connection matters.
		})
	}
	all.Wait()
	return dials
}
