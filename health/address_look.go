package health

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/apiserver"
)

const (
	// dialInterval is the pause between two attempts to connect: nothing reports that an address begins to answer.
	dialInterval = 100 * time.Millisecond
	// dialTimeout bounds one attempt. On the networks of a platform an answer takes milliseconds.
	dialTimeout = time.Second
)

func (w *addressWatch) look(ctx context.Context) addressFacts {
	var facts addressFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) (err error) {
		if facts.Service, err = lookService(ctx, s, w.spec); err != nil {
			return err
		}
		if facts.Endpoints, err = lookEndpoints(ctx, s, w.spec.Namespace, w.spec.Service); err != nil {
			return err
		}
		facts.nodes, err = lookAddresses(ctx, s)
		return err
	})
	if fault != nil {
		return addressFacts{Fault: fault, Seconds: seconds}
	}
	facts.Service.Seconds = w.settled.seconds("refusal", facts.Service.Refusal)
	return facts
}

// lookAddresses are the nodes' internal IPv4 addresses by name.
func lookAddresses(ctx context.Context, s *apiServer) (map[string]string, error) {
	nodes, err := list[corev1.Node](ctx, s, nodeResource, "", metav1.ListOptions{})
	addresses := map[string]string{}
	for i := range nodes {
		if address := apiserver.InternalIP(&nodes[i]); address != "" {
			addresses[nodes[i].Name] = address
		}
	}
	return addresses, err
}

func lookService(ctx context.Context, s *apiServer, spec AddressSpec) (serviceSeen, error) {
	service, err := get[corev1.Service](ctx, s, serviceResource, spec.Namespace, spec.Service)
	if err != nil || service == nil {
		return serviceSeen{Missing: err == nil}, err
	}
	seen := serviceFactsOf(service)
	if seen.Address != "" {
		return seen, nil
	}
	events, err := list[corev1.Event](ctx, s, eventResource, spec.Namespace, metav1.ListOptions{FieldSelector: "type=Warning"})
	if own := warningsOf(events, string(service.UID)); len(own) > 0 {
		seen.Refusal, seen.Events = stable(own[0].Message), eventLines(own)
	}
	return seen, err
}

func serviceFactsOf(service *corev1.Service) serviceSeen {
	seen := serviceSeen{Type: string(service.Spec.Type)}
	if class := service.Spec.LoadBalancerClass; class != nil {
		seen.Class = *class
	}
	if ingress := service.Status.LoadBalancer.Ingress; len(ingress) > 0 {
		seen.Address = ingress[0].IP
	}
	return seen
}

// dialAll connects to every port at the same time.
func dialAll(ctx context.Context, address string, ports []int) []dialFacts {
	dials := make([]dialFacts, len(ports))
	dialer := net.Dialer{Timeout: dialTimeout}
	var all sync.WaitGroup
	for i, port := range ports {
		all.Go(func() {
			dials[i] = dialFacts{Port: port, Seen: true}
			connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
			if err != nil {
				dials[i].Error = dialTrouble(err)
				return
			}
			_ = connection.Close() // Only that it was accepted counts.
		})
	}
	all.Wait()
	return dials
}
