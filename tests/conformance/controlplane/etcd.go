package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startTimeout is the timeout for etcd's start, which takes less than a second.
const startTimeout = time.Minute

func startEtcd(dir string, port, peerPort int) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	client, peer := loopback("http", port), loopback("http", peerPort)
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	store, err := embed.StartEtcd(config)
	if err != nil {
		return nil, fmt.Errorf("starting etcd: %w", err)
	}
	select {
	case <-store.Server.ReadyNotify():
		return store, nil
	case err := <-store.Err():
		return nil, fmt.Errorf("starting etcd: %w", err)
	case <-time.After(startTimeout):
		store.Close()
		return nil, errors.New("starting etcd: not ready after " + startTimeout.String())
	}
}

func loopback(scheme string, port int) url.URL {
	return url.URL{Scheme: scheme, Host: fmt.Sprintf("127.0.0.1:%d", port)}
}
