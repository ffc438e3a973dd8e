package upstreams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
	"strata/health/observe"
	"strata/internal/kube/apiserver"
)

// read reads the routes before the data plane's configuration, so that the configuration is not
// older than the routes.
func (w *upstreamsWatch) read(ctx context.Context, s *kube.APIServer) (upstreamsFacts, error) {
	var facts upstreamsFacts
	for _, ref := range w.spec.Routes {
		route, err := observeRoute(ctx, s, ref)
		if err != nil {
			return facts, err
		}
		facts.Routes = append(facts.Routes, route)
	}
	pods, err := kube.List[corev1.Pod](ctx, s, kube.PodResource, w.spec.Namespace,
		metav1.ListOptions{LabelSelector: w.spec.Selector})
	if err != nil {
		return facts, err
	}
	facts.Planes = w.planes(ctx, s, pods, facts.Routes)
	return facts, nil
}

// planes reads the configuration of each Pod that runs and is not being deleted.
func (w *upstreamsWatch) planes(
	ctx context.Context, s *kube.APIServer, pods []corev1.Pod, routes []routeSeen,
) []planeSeen {
	pods = slices.DeleteFunc(pods, func(pod corev1.Pod) bool {
		return pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning
	})
	for id := range w.tunnels {
		if !slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return string(pod.UID) == id }) {
			w.close(id)
		}
	}
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	found := make([]planeSeen, 0, len(pods))
	for i := range pods {
		plane := planeSeen{Pod: pods[i].Name}
		config, status, err := w.ask(ctx, s, &pods[i])
		if plane.Status = status; err != nil {
			plane.Error = observe.DialTrouble(err)
		} else if status == http.StatusOK {
			for at, ref := range w.spec.Routes {
				held := config.findRoute(ref)
				held.Seconds = w.differenceSeconds(plane.Pod, routes[at], held)
				plane.Routes = append(plane.Routes, held)
			}
		}
		found = append(found, plane)
	}
	return found
}

// differenceSeconds returns the number of seconds for which a Pod of the data plane and the Pods
// behind a route have had the same difference.
func (w *upstreamsWatch) differenceSeconds(pod string, want routeSeen, held routeHeld) int {
	subject := pod + " " + want.Route
	if difference(want, held) == "" || want.Behind != "" || want.Missing {
		w.stable.Forget(subject)
		return 0
	}
	return w.stable.Seconds(subject, fmt.Sprint(want.Addresses, held.Known, held.Addresses))
}

// ask reads one Pod's configuration. It sends the API key through the forwarded port only, and
// returns no keys from the answer.
func (w *upstreamsWatch) ask(ctx context.Context, s *kube.APIServer, pod *corev1.Pod) (planeConfig,
	int, error) {
	var config planeConfig
	id := string(pod.UID)
	way, open := w.tunnels[id]
	if !open {
		port, stop, err := apiserver.Forward(ctx, s.Config, pod.Namespace, pod.Name, w.spec.Port)
		if err != nil {
			return config, 0, err
		}
		way = tunnel{address: fmt.Sprintf("http://127.0.0.1:%d", port),
			client: &http.Client{Transport: &http.Transport{}}, stop: stop}
		w.tunnels[id] = way
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, way.address+upstreamsPath, nil)
	if err != nil {
		return config, 0, err
	}
	request.Header.Set("X-API-KEY", w.key)
	response, err := way.client.Do(request)
	if err != nil {
		w.close(id) // the next observation opens another port
		return config, 0, err
	}
	defer response.Body.Close() //nolint:errcheck // read only.
	body, err := io.ReadAll(io.LimitReader(response.Body, upstreamsLimit))
	if err != nil || response.StatusCode != http.StatusOK {
		return config, response.StatusCode, err
	}
	if json.Unmarshal(body, &config) != nil {
		return config, 0, errors.New("its configuration is no JSON that can be read") // it may have keys
	}
	return config, response.StatusCode, nil
}
