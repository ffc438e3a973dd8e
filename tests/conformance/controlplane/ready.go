package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	readyTimeout  = 2 * time.Minute
	readyInterval = 50 * time.Millisecond
)

// awaitReady requests /readyz until the answer is ok. Each try makes a new client, because the
// server creates its certificate's file only at its start.
func (f *files) awaitReady(failed <-chan error) error {
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), readyInterval, readyTimeout, true,
		func(ctx context.Context) (bool, error) {
			select {
			case err := <-failed:
				return false, fmt.Errorf("kube-apiserver ended: %w",
					errors.Join(err, errors.New("see its log")))
			default:
			}
			last = f.ready(ctx)
			return last == nil, nil
		})
	if err != nil {
		return fmt.Errorf("waiting for kube-apiserver: %w", errors.Join(err, last))
	}
	return nil
}

func (f *files) ready(ctx context.Context) error {
	config, err := clientcmd.NewDefaultClientConfig(*f.config, nil).ClientConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}
