package balancer

import (
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"strata/tests/lab/k3s/internal/tunnel"
)

const dialTimeout = 2 * time.Second

// Balancer is the agent's TCP proxy to the servers. The node keeps working if the server that it
// joined fails. The list of servers is stored on disk, so that the agent can also restart while
// that server is down.
type Balancer struct {
	file string

	mu      sync.Mutex
	servers []string // in the order in which they are tried
	saved   []string // the last argument of Set
	conns   map[string]map[net.Conn]bool
}

// balancerState is the content of K3s's k3s-agent-load-balancer.json.
type balancerState struct {
	ServerURL       string
	ServerAddresses []string
}

// Start starts a Balancer on 127.0.0.1:port. It uses the server in serverURL, and the servers that
// the last run stored for the same serverURL.
func Start(dataDir, serverURL, port string) (*Balancer, error) {
	u, err := url.Parse(serverURL)
	if err != nil {
		return nil, err
	}
	b := &Balancer{
		file:    filepath.Join(dataDir, "agent", "etc", "k3s-agent-load-balancer.json"),
		servers: []string{u.Host}, conns: map[string]map[net.Conn]bool{},
	}
	b.load(serverURL)
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	go b.accept(listener)
	return b, nil
}

func (b *Balancer) load(serverURL string) {
	var state balancerState
	data, err := os.ReadFile(b.file)
	if err != nil || json.Unmarshal(data, &state) != nil || state.ServerURL != serverURL {
		return
	}
	for _, address := range state.ServerAddresses {
		if !slices.Contains(b.servers, address) {
			b.servers = append(b.servers, address)
		}
	}
}

// Set replaces the list of servers, and stores it. It closes connections to servers that are not in
// the new list.
func (b *Balancer) Set(serverURL string, servers []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Equal(b.saved, servers) {
		return
	}
	b.saved = servers
	logrus.Infof("Updated load balancer k3s-agent-load-balancer server addresses -> %v", servers)
	for address, conns := range b.conns {
		if !slices.Contains(servers, address) {
			closeAll(conns)
		}
	}
	b.servers = servers
	if err := b.save(serverURL); err != nil {
		logrus.Warnf("load balancer state: %v", err)
	}
}

func (b *Balancer) save(serverURL string) error {
	data, err := json.Marshal(balancerState{serverURL, b.servers})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(b.file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(b.file, data, 0o600)
}

func (b *Balancer) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			logrus.Fatalf("load balancer stopped: %v", err)
		}
		go b.proxy(client)
	}
}

// proxy connects a client to the first server that accepts a connection. A server that does not
// accept the connection moves to the end of the list.
func (b *Balancer) proxy(client net.Conn) {
	defer client.Close()
	b.mu.Lock()
	servers := slices.Clone(b.servers)
	b.mu.Unlock()
	for _, address := range servers {
		server, err := net.DialTimeout("tcp", address, dialTimeout)
		if err != nil {
			b.demote(address)
			continue
		}
		b.pipe(address, client, server)
		return
	}
}

func (b *Balancer) demote(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.servers, address); i >= 0 && len(b.servers) > 1 {
		b.servers = append(slices.Delete(slices.Clone(b.servers), i, i+1), address)
	}
}

func (b *Balancer) pipe(address string, client, server net.Conn) {
	defer server.Close()
	b.track(address, client, true)
	defer b.track(address, client, false)
	tunnel.Forward(client, server)
}

func (b *Balancer) track(address string, conn net.Conn, add bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conns[address] == nil {
		b.conns[address] = map[net.Conn]bool{}
	}
	if add {
		b.conns[address][conn] = true
	} else {
		delete(b.conns[address], conn)
	}
}

func closeAll(conns map[net.Conn]bool) {
	for conn := range conns {
		if err := conn.Close(); err != nil {
			logrus.Debugf("close: %v", err)
		}
	}
}
