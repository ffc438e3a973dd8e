package datastore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/util/wait"

	"strata/tests/lab/k3s/internal/supervisor"
)

const (
	joinRetry   = time.Second // K3s's interval
	testTimeout = 10 * time.Second
	tryTimeout  = 2 * time.Second // per attempt of WaitReady
)

// Start starts this server's member: with its existing data, as the first member of a new cluster
// (join is nil), or as a learner of the cluster behind join. It returns when the member serves
// clients. WaitReady waits until the member has a vote.
func (e *Etcd) Start(ctx context.Context, join *supervisor.Client) error {
	var err error
	switch {
	case e.Initialized():
		err = e.start(ctx, "", "existing", false)
	case join == nil:
		err = e.start(ctx, e.Name+"="+e.peerURL(), "new", false)
	default:
		err = e.joinCluster(ctx, join)
	}
	if err != nil {
		return err
	}
	return e.connect(ctx)
}

// connect waits until the member serves clients, and then creates the client. An earlier connection
// would fail and only delay the next attempt by a backoff.
func (e *Etcd) connect(ctx context.Context) error {
	select {
	case <-e.server.Server.ReadyNotify():
	case <-ctx.Done():
		return ctx.Err()
	}
	client, err := e.NewClient(Endpoint)
	e.client.Store(client)
	return err
}

// JoinError reports a join that failed permanently. K3s then ends with exit code 0.
type JoinError struct{ why error }

func (e *JoinError) Error() string { return "etcd cluster join failed: " + e.why.Error() }
func (e *JoinError) Unwrap() error { return e.why }

// errMemberList reports that the server to join does not return the etcd members, for example
// because its etcd does not run yet.
var errMemberList = errors.New("failed to get MemberList from server")

// joinCluster retries until this member has joined. It waits while etcd reports an unhealthy
// member, or another learner, because etcd allows one learner at a time. It fails for any other
// rejection by etcd (k3s-io/k3s pkg/etcd/etcd.go, pollJoin).
func (e *Etcd) joinCluster(ctx context.Context, join *supervisor.Client) error {
	return wait.PollUntilContextCancel(ctx, joinRetry, true, func(context.Context) (bool, error) {
		cluster, err := e.addMember(ctx, join)
		switch {
		case err == nil:
			logrus.Infof("Starting etcd to join cluster with members %v", cluster)
			return true, e.start(ctx, strings.Join(cluster, ","), "existing", false)
		case errors.Is(err, rpctypes.ErrTooManyLearners), errors.Is(err, rpctypes.ErrUnhealthy):
			logrus.Infof("Waiting for other members to finish joining etcd cluster: %v", err)
		case errors.Is(err, errMemberList):
			logrus.Infof("Waiting to retrieve etcd cluster member list: %v", err)
		case errors.Is(err, context.DeadlineExceeded):
			logrus.Infof("Retrying etcd cluster join: %v", err)
		default:
			return false, &JoinError{err}
		}
		return false, nil
	})
}

func (e *Etcd) addMember(ctx context.Context, join *supervisor.Client) ([]string, error) {
	client, err := e.remoteClient(ctx, join)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, 2*testTimeout)
	defer cancel()
	list, err := client.MemberList(ctx)
	if err != nil {
		return nil, err
	}
	cluster, present, err := e.initialCluster(list.Members)
	if err != nil || present {
		return cluster, err
	}
	logrus.Infof("Adding member %s=%s to etcd cluster %v", e.Name, e.peerURL(), cluster)
	if _, err := client.MemberAddAsLearner(ctx, []string{e.peerURL()}); err != nil {
		return nil, err
	}
	return append(cluster, e.Name+"="+e.peerURL()), nil
}

func (e *Etcd) initialCluster(members []*etcdserverpb.Member) (cluster []string, present bool, err error) {
	for _, m := range members {
		if len(m.PeerURLs) == 0 {
			continue
		}
		name := m.Name
		switch {
		case m.PeerURLs[0] == e.peerURL() && (name == "" || name == e.Name):
			name, present = e.Name, true
		case nodeOf(name) == e.NodeName:
			return nil, false, e.duplicate()
		}
		cluster = append(cluster, name+"="+m.PeerURLs[0])
	}
	return cluster, present, nil
}

// duplicate deletes the stored member name, so that the next start creates another name. It returns
// K3s's error.
func (e *Etcd) duplicate() error {
	if err := os.Remove(filepath.Join(e.Dir, "name")); err != nil && !os.IsNotExist(err) {
		logrus.Errorf("Failed to remove etcd name file: %v", err)
	}
	return errors.New("duplicate node name found, please use a unique name for this node")
}

// nodeOf returns the node name in a member's name, without the random suffix.
func nodeOf(member string) string {
	if i := strings.LastIndex(member, "-"); i > 0 {
		return member[:i]
	}
	return member
}

func (e *Etcd) remoteClient(ctx context.Context, join *supervisor.Client) (*clientv3.Client, error) {
	data, err := join.Get(ctx, "/db/info")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMemberList, err)
	}
	var known struct {
		Members []*etcdserverpb.Member `json:"members"`
	}
	if err := json.Unmarshal(data, &known); err != nil {
		return nil, fmt.Errorf("read the member list of %s: %w", join.BaseURL, err)
	}
	var endpoints []string
	for _, m := range known.Members {
		if !m.IsLearner {
			endpoints = append(endpoints, m.ClientURLs...)
		}
	}
	return e.NewClient(endpoints...)
}

// MembersJSON returns the body for /db/info: etcd's members.
func (e *Etcd) MembersJSON() ([]byte, error) {
	client := e.client.Load()
	if client == nil {
		return nil, errors.New("etcd datastore is not started")
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	list, err := client.MemberList(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"members": list.Members})
}

// WaitReady waits until this member has a vote. It logs why it waits, at most every 5 s.
func (e *Etcd) WaitReady(ctx context.Context) error {
	last := time.Now()
	return wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := e.test(ctx)
		if err != nil && time.Since(last) > 5*time.Second {
			last = time.Now()
			logrus.Infof("Failed to test etcd connection: %v", err)
		}
		return err == nil, nil
	})
}

func (e *Etcd) test(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	status, err := e.client.Load().Status(ctx, Endpoint)
	if err != nil {
		return err
	}
	if status.IsLearner {
		return errors.New("this server has not yet been promoted from learner to voting member")
	}
	list, err := e.client.Load().MemberList(ctx)
	if err != nil {
		return err
	}
	var found []string
	for _, m := range list.Members {
		if m.Name == e.Name {
			return nil
		}
		found = append(found, m.Name+"="+strings.Join(m.PeerURLs, ","))
	}
	return fmt.Errorf("this server is not a member of the etcd cluster. Found %v, expect: %s=%s", found, e.Name, e.peerURL())
}

func quietLogger() *zap.Logger { return zap.NewNop() }
