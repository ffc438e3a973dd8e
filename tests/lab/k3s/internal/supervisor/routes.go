package supervisor

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"strata/tests/lab/k3s/internal/pki"
)

type handler func(http.ResponseWriter, *http.Request, identity)

type route struct {
	roles   []string // if empty, the route needs no authentication
	handler handler
}

// routes returns the routes of K3s that nodes or Strata use (k3s-io/k3s
// pkg/server/handlers/router.go).
func (s *Server) routes() map[string]route {
	nodes, servers := []string{roleAgent, roleNode}, []string{roleServer}
	return map[string]route{
		"/ping":                             {nil, ping},
		"/cacerts":                          {nil, s.file("server-ca.crt")},
		"/v1-k3s/client-ca.crt":             {nodes, s.file("client-ca.crt")},
		"/v1-k3s/server-ca.crt":             {nodes, s.file("server-ca.crt")},
		"/v1-k3s/serving-kubelet.crt":       {nodes, s.servingKubelet},
		"/v1-k3s/client-kubelet.crt":        {nodes, s.clientKubelet},
		"/v1-k3s/client-kube-proxy.crt":     {nodes, s.client("system:kube-proxy")},
		"/v1-k3s/client-k3s-controller.crt": {nodes, s.client("system:k3s-controller")},
		"/v1-k3s/apiservers":                {nodes, s.apiservers},
		"/v1-k3s/config":                    {append(nodes, roleServer), s.config},
		"/v1-k3s/readyz":                    {nodes, s.readyz},
		"/v1-k3s/connect":                   {[]string{roleNode}, s.connect},
		"/v1-k3s/server-bootstrap":          {servers, s.bootstrap},
		"/v1-k3s/token":                     {servers, s.rotate},
		"/db/info":                          {servers, s.members},
	}
}

// proxy returns the route for CONNECT requests, whose path is empty.
func (s *Server) proxy() route {
	return route{[]string{roleMaster}, func(w http.ResponseWriter, r *http.Request, _ identity) {
		s.Tunnel.Connect(w, r)
	}}
}

func (s *Server) connect(w http.ResponseWriter, r *http.Request, who identity) {
	s.Tunnel.Accept(w, r, strings.TrimPrefix(who.name, "system:node:"))
}

func ping(w http.ResponseWriter, _ *http.Request, _ identity) { sendText(w, []byte("pong")) }

func (s *Server) file(name string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ identity) {
		data, err := os.ReadFile(s.PKI.Path(name))
		if err != nil {
			sendError(w, http.StatusInternalServerError, err.Error())
			return
		}
		sendText(w, data)
	}
}

func (s *Server) readyz(w http.ResponseWriter, _ *http.Request, _ identity) {
	if s.core.Load() == nil {
		sendError(w, http.StatusServiceUnavailable, "runtime core not ready")
		return
	}
	sendText(w, []byte("ok"))
}

func (s *Server) config(w http.ResponseWriter, _ *http.Request, _ identity) {
	sendJSON(w, http.StatusOK, s.Config)
}

func (s *Server) members(w http.ResponseWriter, _ *http.Request, _ identity) {
	data, err := s.Members()
	if err != nil {
		sendError(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	send(w, data)
}

// bootstrap sends the shared CAs and keys to a joining server.
func (s *Server) bootstrap(w http.ResponseWriter, _ *http.Request, _ identity) {
	if !s.Joinable {
		sendError(w, http.StatusBadRequest, "etcd disabled")
		return
	}
	files, err := s.PKI.Material()
	if err != nil {
		sendError(w, http.StatusInternalServerError, err.Error())
		return
	}
	sendJSON(w, http.StatusOK, files)
}

// rotate replaces the servers' token. Requests need the former token until the server restarts,
// because K3s reads its users at the start (k3s-io/k3s pkg/server/handlers/token.go).
func (s *Server) rotate(w http.ResponseWriter, r *http.Request, _ identity) {
	if r.Method != http.MethodPut {
		sendError(w, http.StatusMethodNotAllowed, "method not allowed")
		return
	}
	var asked struct {
		NewToken string `json:"newToken"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, 64<<10)).Decode(&asked); err != nil || asked.NewToken == "" {
		sendError(w, http.StatusBadRequest, "expected newToken")
		return
	}
	if err := s.Rotate(r.Context(), asked.NewToken); err != nil {
		sendError(w, http.StatusInternalServerError, err.Error())
	}
}

func (s *Server) apiservers(w http.ResponseWriter, r *http.Request, _ identity) {
	core := s.core.Load()
	if core == nil {
		sendError(w, http.StatusServiceUnavailable, "runtime core not ready")
		return
	}
	addresses, err := APIServers(r.Context(), *core)
	if err != nil {
		sendError(w, http.StatusInternalServerError, err.Error())
		return
	}
	sendJSON(w, http.StatusOK, addresses)
}

func (s *Server) client(name string) handler {
	return func(w http.ResponseWriter, r *http.Request, _ identity) {
		s.sign(w, r, s.PKI.ClientCA, pki.Options{CommonName: name, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	}
}

func (s *Server) clientKubelet(w http.ResponseWriter, r *http.Request, who identity) {
	node, ok := s.checkNode(w, r, who)
	if !ok {
		return
	}
	s.sign(w, r, s.PKI.ClientCA, pki.Options{
		CommonName: "system:node:" + node, Organizations: []string{roleNode}, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (s *Server) servingKubelet(w http.ResponseWriter, r *http.Request, who identity) {
	node, ok := s.checkNode(w, r, who)
	if !ok {
		return
	}
	names := pki.Names{DNS: []string{node, "localhost"}, IPs: []net.IP{net.IPv4(127, 0, 0, 1)}}
	for _, text := range strings.Split(r.Header.Get("k3s-Node-IP"), ",") {
		if text == "" {
			continue
		}
		ip := net.ParseIP(text)
		if ip == nil {
			sendError(w, http.StatusInternalServerError, fmt.Sprintf("invalid node IP address %s", text))
			return
		}
		names.IPs = append(names.IPs, ip)
	}
	s.sign(w, r, s.PKI.ServerCA, pki.Options{
		CommonName: node, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Names: names,
	})
}

// sign responds with a certificate for the signing request (DER) in the body.
func (s *Server) sign(w http.ResponseWriter, r *http.Request, ca *pki.CA, opts pki.Options) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil {
		sendError(w, http.StatusBadRequest, err.Error())
		return
	}
	csr, err := x509.ParseCertificateRequest(body)
	if err != nil {
		sendError(w, http.StatusBadRequest, "expected a certificate signing request: "+err.Error())
		return
	}
	cert, err := ca.Sign(csr.PublicKey, opts)
	if err != nil {
		sendError(w, http.StatusInternalServerError, err.Error())
		return
	}
	sendText(w, cert)
}

// Config is the response of /v1-k3s/config for a joining node. A joining server compares Critical
// with its own.
type Config struct {
	Critical Critical
	// HTTPSPort is the server's port.
	HTTPSPort        int
	DisableKubeProxy bool
}

// Critical has the settings that must be equal on all servers. The JSON names are K3s's flags, with
// which K3s reports differences (k3s-io/k3s pkg/daemons/config/types.go, CriticalControlArgs).
type Critical struct {
	ClusterCIDR           string `json:"cluster-cidr"`
	ServiceCIDR           string `json:"service-cidr"`
	ClusterDNS            string `json:"cluster-dns"`
	ClusterDomain         string `json:"cluster-domain"`
	FlannelBackend        string `json:"flannel-backend"`
	EncryptSecrets        bool   `json:"secrets-encryption"`
	DisableHelmController bool   `json:"disable-helm-controller"`
	DisableNPC            bool   `json:"disable-network-policy"`
	DisableCCM            bool   `json:"disable-cloud-controller"`
	DisableServiceLB      bool   `json:"disable-service-lb"`
}

// Diff returns the names of the settings that differ.
func (c Critical) Diff(other Critical) []string {
	var names []string
	mine, theirs := c.fields(), other.fields()
	for name, value := range mine {
		if theirs[name] != value {
			names = append(names, name)
		}
	}
	return names
}

func (c Critical) fields() map[string]any {
	fields := map[string]any{}
	data, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		panic(err) // a struct of strings and bools always converts
	}
	return fields
}
