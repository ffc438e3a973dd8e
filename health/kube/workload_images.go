package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/observe"
	"strata/internal/kube/imageref"
)

// runningImage describes a container with a recorded image, and the image that its node reports.
type runningImage struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`
	// Image is the name in the Pod's spec, and ID the imageID in the container's status. Expected
	// are the recorded digests.
	Image    string   `json:"image"`
	ID       string   `json:"id"`
	Expected []string `json:"expected"`
	// Seconds is the number of seconds for which the node has reported this ID.
	Seconds int `json:"seconds,omitempty"`
}

// judgeImages returns the verdict of a workload that is rolled out. It is Ready unless a container
// runs an image with another digest than the recorded ones. Such a verdict is Stuck only after
// observe.NoticeSeconds, because a Pod that is being replaced may still run.
func (w WorkloadFacts) judgeImages() health.Verdict {
	v := health.Verdict{Check: w.check(), State: health.Ready}
	for _, running := range w.Images {
		found, differs := running.differs()
		if !differs || v.State == health.Stuck {
			continue
		}
		v.State = health.Waiting
		if running.Seconds >= observe.NoticeSeconds {
			v.State = health.Stuck
		}
		v.Message = fmt.Sprintf("Pod %s: container %s: image %s: expected %s, found %s",
			running.Pod, running.Container, running.Image, running.Expected[0], found)
		v.Cause = "the tag was pushed again after strata.lock had recorded it, or the node's mirror has another image"
		v.Hint = fmt.Sprintf("strata fetch --images says what the registry has now, kubectl -n %s get pod %s -o yaml "+
			"what the node runs (imageID)", w.Namespace, running.Pod)
	}
	return v
}

// differs reports whether the node runs another image than the recorded one, and that image's
// digest. Only an image from a registry can be compared. For an image from an archive, a node
// reports the digest of the image's configuration, without a repository or with one that the import
// invented.
func (r runningImage) differs() (found string, differs bool) {
	// Docker puts docker-pullable:// before the ID, and omits the registry for images of Docker
	// Hub.
	from, found, pulled := strings.Cut(strings.TrimPrefix(r.ID, "docker-pullable://"), "@")
	repository, _ := splitTag(r.Image)
	return found, pulled && imageref.Whole(from) == imageref.Whole(repository) &&
		!slices.Contains(r.Expected, found)
}

// readImages reads the recorded images that the workload's Pods run.
func (w *WorkloadFacts) readImages(
	ctx context.Context, s *APIServer, recorded map[string][]string, seen *observe.Stable,
) error {
	if w.Missing {
		return nil
	}
	selector := metav1.FormatLabelSelector(w.selector)
	pods, err := List[corev1.Pod](ctx, s, PodResource, w.Namespace,
		metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return err
	}
	for i := range pods {
		w.Images = append(w.Images, imagesOf(&pods[i], recorded)...)
	}
	for i := range w.Images {
		one := &w.Images[i]
		one.Seconds = seen.Seconds("image "+w.Namespace+"/"+one.Pod+"/"+one.Container, one.ID)
	}
	return nil
}

// imagesOf returns the recorded images of a Pod's containers. It ignores a Pod that is being
// deleted or has finished.
func imagesOf(pod *corev1.Pod, recorded map[string][]string) (images []runningImage) {
	if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed ||
		pod.Status.Phase == corev1.PodSucceeded {
		return nil
	}
	ids := map[string]string{}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		ids[status.Name] = status.ImageID
	}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		repository, tag := splitTag(container.Image)
		if expected := recorded[imageref.Whole(repository)+":"+tag]; len(expected) > 0 {
			images = append(images, runningImage{
				Pod: pod.Name, Container: container.Name, Image: container.Image,
				ID: ids[container.Name], Expected: expected,
			})
		}
	}
	return images
}

// splitTag splits an image's name into repository and tag. A name with a digest is split within the
// digest; the result matches no recorded image.
func splitTag(image string) (repository, tag string) {
	if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
		return image[:colon], image[colon+1:]
	}
	return image, "latest"
}
