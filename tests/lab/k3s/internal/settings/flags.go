package settings

import "strings"

type kind int

const (
	text kind = iota
	list
	boolean
	number
)

// flagSpec describes a K3s flag: its names, of which the first is the long one, the type of its
// value, and the environment variable that sets it.
type flagSpec struct {
	names []string
	kind  kind
	env   string
}

// K3s's flags (k3s-io/k3s pkg/cli/cmds, v1.34). "name,n" has the alias n, and "name=ENV" can be set
// by the environment variable ENV. The list includes flags that the lab does not implement, because
// K3s accepts them. Parse returns a warning for each of those that is set.
const (
	sharedText = `config,c=K3S_CONFIG_FILE log,l data-dir,d=K3S_DATA_DIR token,t=K3S_TOKEN token-file=K3S_TOKEN_FILE
		server,s=K3S_URL node-name=K3S_NODE_NAME vmodule container-runtime-endpoint image-service-endpoint default-runtime
		pause-image snapshotter private-registry resolv-conf=K3S_RESOLV_CONF flannel-iface flannel-conf flannel-cni-conf
		vpn-auth=K3S_VPN_AUTH vpn-auth-file=K3S_VPN_AUTH_FILE image-credential-provider-bin-dir image-credential-provider-config
		bind-address`
	sharedList = `node-label node-taint node-ip,i node-external-ip node-internal-dns node-external-dns kubelet-arg kube-proxy-arg
		airgap-extra-registry`
	sharedBool = `debug=K3S_DEBUG alsologtostderr with-node-id protect-kernel-defaults selinux=K3S_SELINUX docker rootless
		prefer-bundled-bin disable-default-registry-endpoint nonroot-devices enable-pprof`
	sharedNumber = `v lb-server-port=K3S_LB_SERVER_PORT`

	agentBool = `disable-apiserver-lb`

	serverText = `apiserver-bind-address advertise-address service-node-port-range cluster-domain flannel-backend
		egress-selector-mode servicelb-namespace write-kubeconfig,o=K3S_KUBECONFIG_OUTPUT
		write-kubeconfig-mode=K3S_KUBECONFIG_MODE write-kubeconfig-group=K3S_KUBECONFIG_GROUP helm-job-image
		agent-token=K3S_AGENT_TOKEN agent-token-file=K3S_AGENT_TOKEN_FILE cluster-reset-restore-path
		datastore-endpoint=K3S_DATASTORE_ENDPOINT datastore-cafile=K3S_DATASTORE_CAFILE
		datastore-certfile=K3S_DATASTORE_CERTFILE datastore-keyfile=K3S_DATASTORE_KEYFILE
		etcd-snapshot-name etcd-snapshot-schedule-cron etcd-snapshot-dir etcd-snapshot-reconcile-interval
		etcd-s3-endpoint etcd-s3-endpoint-ca etcd-s3-access-key=AWS_ACCESS_KEY_ID etcd-s3-secret-key=AWS_SECRET_ACCESS_KEY
		etcd-s3-session-token=AWS_SESSION_TOKEN etcd-s3-bucket etcd-s3-region etcd-s3-folder etcd-s3-proxy
		etcd-s3-config-secret etcd-s3-timeout etcd-s3-bucket-lookup-type default-local-storage-path
		system-default-registry=K3S_SYSTEM_DEFAULT_REGISTRY secrets-encryption-provider`
	serverList = `tls-san cluster-cidr service-cidr cluster-dns kube-apiserver-arg etcd-arg kube-controller-manager-arg
		kube-scheduler-arg kube-cloud-controller-manager-arg disable kube-controller-arg kube-cloud-controller-arg`
	serverBool = `tls-san-security flannel-ipv6-masq flannel-external-ip cluster-init=K3S_CLUSTER_INIT
		cluster-reset=K3S_CLUSTER_RESET kine-tls etcd-expose-metrics etcd-disable-snapshots etcd-snapshot-compress etcd-s3
		etcd-s3-skip-ssl-verify etcd-s3-insecure disable-scheduler disable-cloud-controller disable-kube-proxy
		disable-network-policy disable-helm-controller disable-apiserver disable-controller-manager disable-etcd
		disable-agent embedded-registry supervisor-metrics secrets-encryption`
	serverNumber = `https-listen-port supervisor-port apiserver-port advertise-port etcd-snapshot-retention etcd-s3-retention`
)

// flagsOf returns the flags of a server or of an agent.
func flagsOf(server bool) []flagSpec {
	specs := parseSpecs(sharedText, text)
	specs = append(specs, parseSpecs(sharedList, list)...)
	specs = append(specs, parseSpecs(sharedBool, boolean)...)
	specs = append(specs, parseSpecs(sharedNumber, number)...)
	if !server {
		return append(specs, parseSpecs(agentBool, boolean)...)
	}
	specs = append(specs, parseSpecs(serverText, text)...)
	specs = append(specs, parseSpecs(serverList, list)...)
	specs = append(specs, parseSpecs(serverBool, boolean)...)
	return append(specs, parseSpecs(serverNumber, number)...)
}

func parseSpecs(table string, k kind) []flagSpec {
	var specs []flagSpec
	for _, field := range strings.Fields(table) {
		names, env, _ := strings.Cut(field, "=")
		specs = append(specs, flagSpec{names: strings.Split(names, ","), kind: k, env: env})
	}
	return specs
}

// implemented are the flags for which Parse returns no warning.
var implemented = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`config token agent-token server node-name pause-image private-registry resolv-conf flannel-iface
		bind-address node-label node-taint node-ip kubelet-arg kube-proxy-arg debug
		lb-server-port advertise-address service-node-port-range cluster-domain flannel-backend
		write-kubeconfig-mode cluster-reset cluster-reset-restore-path etcd-snapshot-name etcd-snapshot-schedule-cron etcd-snapshot-retention etcd-disable-snapshots
		tls-san cluster-cidr service-cidr cluster-dns kube-apiserver-arg etcd-arg kube-controller-manager-arg
		kube-scheduler-arg disable cluster-init disable-kube-proxy secrets-encryption
		disable-helm-controller disable-network-policy disable-cloud-controller protect-kernel-defaults`) {
		implemented[name] = true
	}
}
