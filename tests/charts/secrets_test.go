package charts_test

import corev1 "k8s.io/api/core/v1"

// atRunTime are Secrets that no manifest contains, with the component that creates them.
var atRunTime = map[string]string{
	"metallb-system/metallb-webhook-cert":  "MetalLB's controller",
	"metallb-system/metallb-memberlist":    "MetalLB's controller",
	"cert-manager/cert-manager-webhook-ca": "cert-manager's webhook",
}

// secret checks that a Secret will exist: in a chart, in the program, or from a Certificate that
// the program requests.
func (w *world) secret(who, namespace, name string) {
	if _, ok := find(w.charts, "Secret", namespace, name); ok {
		return
	}
	if _, ok := find(w.own, "Secret", namespace, name); ok {
		return
	}
	for _, one := range w.own {
		if one.Kind == "Certificate" && one.Namespace == namespace &&
			as[certificateObject](one).Spec.SecretName == name {
			return
		}
	}
	if maker := atRunTime[namespace+"/"+name]; maker != "" {
		w.skip("%s: Secret %s/%s, which %s makes at run time", who, namespace, name, maker)
		return
	}
	w.need(false, "%s: nothing makes Secret %s/%s", who, namespace, name)
}

// secretsOf returns the Secrets without which a Pod does not start.
func secretsOf(pod corev1.PodSpec) []string {
	var names []string
	needed := func(optional *bool) bool { return optional == nil || !*optional }
	for _, volume := range pod.Volumes {
		if s := volume.Secret; s != nil && needed(s.Optional) {
			names = append(names, s.SecretName)
		}
	}
	for _, container := range append(append([]corev1.Container{}, pod.InitContainers...), pod.Containers...) {
		for _, env := range container.Env {
			if env.ValueFrom != nil && env.ValueFrom.SecretKeyRef != nil &&
				needed(env.ValueFrom.SecretKeyRef.Optional) {
				names = append(names, env.ValueFrom.SecretKeyRef.Name)
			}
		}
		for _, from := range container.EnvFrom {
			if from.SecretRef != nil && needed(from.SecretRef.Optional) {
				names = append(names, from.SecretRef.Name)
			}
		}
	}
	return names
}
