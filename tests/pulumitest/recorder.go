package pulumitest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Recorder is a resource monitor that records registrations. By default, all of them succeed.
type Recorder struct {
	// Outputs returns the outputs of a resource. Default: its inputs.
	Outputs func(Resource) resource.PropertyMap
	// Fail is called before a resource is created. An error fails the registration. Default: none
	// fails.
	Fail func(Resource) error

	mutex     sync.Mutex
	resources []Resource
}

// NewResource records a registration (pulumi.MockResourceMonitor).
func (r *Recorder) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	made := newResource(args)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	made.Order = len(r.resources)
	if r.Fail != nil {
		if err := r.Fail(made); err != nil {
			return "", nil, err
		}
	}
	r.resources = append(r.resources, made)
	outputs := args.Inputs
	if r.Outputs != nil {
		outputs = r.Outputs(made)
	}
	return made.Name + "-id", outputs, nil
}

// Call fails every invoke, because the program requests no data from providers
// (pulumi.MockResourceMonitor).
func (r *Recorder) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return nil, fmt.Errorf("unexpected invoke of %s", args.Token)
}

// Resources returns the successful registrations, in order.
func (r *Recorder) Resources() []Resource {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.resources)
}
