package podcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// defaultGrace is Kubernetes' default of terminationGracePeriodSeconds.
const defaultGrace = 30

// pickServing returns the containers of a subject that receive requests: those with a port that is
// the target of a Service. If the files have no Service in the subject's namespace, every container
// with a port counts. It returns none for Pods that run to completion, and for custom kinds, whose
// controllers may replace Pods in another way.
func (c *checker) pickServing(s *subject) []corev1.Container {
	if !s.serves || s.pod.RestartPolicy != "" &&
		s.pod.RestartPolicy != corev1.RestartPolicyAlways {
		return nil
	}
	services, others := c.related.servicesOf(s)
	ports := targets(services)
	taken := func(port corev1.ContainerPort) bool {
		return !others || slices.Contains(ports, port.Name) ||
			slices.Contains(ports, strconv.Itoa(int(port.ContainerPort)))
	}
	chosen := slices.DeleteFunc(runningContainers(s.pod), func(one corev1.Container) bool {
		return !slices.ContainsFunc(one.Ports, taken)
	})
	if len(chosen) == 0 && len(services) > 0 { // A container need not declare its ports.
		return s.pod.Containers[:1]
	}
	return chosen
}

// runningContainers returns the containers and the native sidecars of a Pod.
func runningContainers(pod corev1.PodSpec) []corev1.Container {
	sidecars := slices.DeleteFunc(slices.Clone(pod.InitContainers),
		func(one corev1.Container) bool { return !isSidecar(one) })
	return slices.Concat(pod.Containers, sidecars)
}

// isSidecar reports whether an init container is a native sidecar.
func isSidecar(one corev1.Container) bool {
	return one.RestartPolicy != nil && *one.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// checkContainers checks that the containers' probes, hooks and commands cause no lost request when
// a Pod starts or stops.
func (c *checker) checkContainers(s *subject, containers []corev1.Container) {
	var longest time.Duration
	for _, one := range containers {
		if one.ReadinessProbe == nil && c.addFinding(s, Readiness,
			"container "+one.Name+" has no readinessProbe: requests come before it can answer",
			"add one that answers only when the application can serve") {
			s.patch.addReadiness(one)
		}
		c.checkShutdown(s, one)
		longest = max(longest, c.checkPreStop(s, one))
	}
	c.checkGrace(s, longest)
}

// checkPreStop checks that a container continues to serve until ingress controllers have removed
// its Pod. It returns the duration of the preStop hook, or the required duration if that is longer.
func (c *checker) checkPreStop(s *subject, one corev1.Container) time.Duration {
	wait, known := preStopOf(one)
	if known && wait < c.PreStop && c.addFinding(s, PreStop,
		fmt.Sprintf("container %s stops after %s of preStop, and ingress controllers may send requests for %s",
			one.Name, wait, c.PreStop),
		"have preStop sleep as long") {
		s.patch.addPreStop(one, c.PreStop)
	}
	return max(wait, c.PreStop)
}

// checkGrace checks that the grace period is long enough for the preStop hook and the longest
// request.
func (c *checker) checkGrace(s *subject, preStop time.Duration) {
	grace := int64(defaultGrace)
	if s.pod.TerminationGracePeriodSeconds != nil {
		grace = *s.pod.TerminationGracePeriodSeconds
	}
	needed := preStop + c.LongestRequest
	if time.Duration(grace)*time.Second <= needed && c.addFinding(s, GracePeriod,
		fmt.Sprintf("terminationGracePeriodSeconds is %d: a Pod is killed with requests, which may take %s after "+
			"%s of preStop", grace, c.LongestRequest, preStop),
		"make it longer than both together") {
		s.patch.setGrace(needed)
	}
}

// preStopOf returns the duration of a container's preStop hook; zero without a hook. known is false
// for a hook whose duration cannot be read: it is neither a sleep nor a command with sleep.
func preStopOf(one corev1.Container) (wait time.Duration, known bool) {
	if one.Lifecycle == nil || one.Lifecycle.PreStop == nil {
		return 0, true
	}
	hook := one.Lifecycle.PreStop
	if hook.Sleep != nil {
		return time.Duration(hook.Sleep.Seconds) * time.Second, true
	}
	if hook.Exec == nil {
		return 0, false
	}
	found := sleeps.FindStringSubmatch(strings.Join(hook.Exec.Command, " "))
	if found == nil {
		return 0, false
	}
	wait, err := time.ParseDuration(found[1] + "s")
	return wait, err == nil
}

var sleeps = regexp.MustCompile(`\bsleep ([0-9.]+)s?\b`)

// checkShutdown checks that SIGTERM reaches the application. A shell that runs several commands
// stays process 1 and does not pass the signal on, unless it uses exec or traps the signal.
func (c *checker) checkShutdown(s *subject, one corev1.Container) {
	if one.Lifecycle != nil && one.Lifecycle.StopSignal != nil &&
		*one.Lifecycle.StopSignal == corev1.SIGKILL {
		if c.addFinding(s, Shutdown, "container "+one.Name+
			" is stopped by SIGKILL, with the requests that it has",
			"remove lifecycle.stopSignal, and finish requests on SIGTERM") {
			s.patch.removeStopSignal(one.Name)
		}
	}
	words := slices.Concat(one.Command, one.Args)
	if len(words) < 3 || !shell.MatchString(words[0]+" "+words[1]) {
		return
	}
	if several.MatchString(strings.TrimSpace(words[2])) && !passes.MatchString(words[2]) {
		c.addFinding(s, Shutdown,
			"container "+one.Name+" runs in a shell, which does not pass SIGTERM on: it is killed with its requests",
			"put exec before the last command of the shell")
	}
}

var (
	shell   = regexp.MustCompile(`(^|/)(sh|bash|ash|dash) -[a-z]*c$`)
	several = regexp.MustCompile(`[;&|\n]`)
	passes  = regexp.MustCompile(`(^|[;&|\s])(exec|trap)\s`)
)
