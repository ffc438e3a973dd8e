package applications

import (
	"regexp"
)

// syncCause says why ArgoCD cannot compare or sync, if an error message of ArgoCD, Git, Helm or
// Kubernetes matches pattern.
type syncCause struct {
	pattern *regexp.Regexp
	cause   string
	hint    string
}

// syncCauses are tried in order, because a message may match several patterns. For example,
// "authentication required: Repository not found" is a failed login.
var syncCauses = []syncCause{
	{
		regexp.MustCompile(`(?i)authentication required|authorization failed|invalid credentials|permission denied \(publickey|unable to authenticate|403 Forbidden|401 Unauthorized|could not read Username|access denied`),
		"the repository rejects the credentials",
		"compare the repository Secret (label argocd.argoproj.io/secret-type: repository) with " +
			"the repository's URL and rights",
	},
	{
		regexp.MustCompile(`(?i)knownhosts|host key (verification|mismatch)|x509: |ssh: handshake failed`),
		"the repository's certificate or host key is not trusted",
		"argocd cert add-tls or add-ssh; ConfigMaps argocd-tls-certs-cm and argocd-ssh-known-hosts-cm",
	},
	{
		regexp.MustCompile(`(?i)repository not found|repository does not exist|not a valid chart repository`),
		"the repository does not exist, or its credentials do not show it",
		"compare spec.source.repoURL",
	},
	{
		regexp.MustCompile(`(?i)unable to resolve '?[^ ]* to a commit|reference not found|couldn't find remote ref|revision .* not found|chart .* not found|no chart version found`),
		"the repository has no such revision", "compare spec.source.targetRevision",
	},
	{
		regexp.MustCompile(`(?i)app path does not exist|path .* does not exist|no such file or directory`),
		"the path does not exist in that revision", "compare spec.source.path",
	},
	{
		regexp.MustCompile(`(?i)failed calling webhook|admission webhook`),
		"an admission webhook refuses an object, or does not answer",
		"the message names the webhook",
	},
	{
		regexp.MustCompile(`(?i)argocd-repo-server|connection error: desc|rpc error: code = Unavailable`),
		"ArgoCD's repo server does not answer",
		"kubectl -n argocd get pods -l app.kubernetes.io/name=argocd-repo-server",
	},
	{
		regexp.MustCompile(`(?i)no such host|connection refused|i/o timeout|no route to host|network is unreachable|deadline exceeded|connection timed out|could not resolve host`),
		"the repository cannot be reached",
		"from the argocd-repo-server Pod: name resolution, NetworkPolicy, proxy",
	},
	{
		regexp.MustCompile(`(?i)manifest generation error|helm template|kustomize build|failed to unmarshal|error converting YAML|plugin .* (failed|error)`),
		"the manifests cannot be generated",
		"argocd app manifests, or run helm template or kustomize build with the same source",
	},
	{
		regexp.MustCompile(`(?i)not permitted in project|referencing project .* does not exist|is not allowed in project`),
		"the project does not exist or does not allow it", "kubectl -n argocd describe appproject",
	},
	{
		regexp.MustCompile(`(?i)no matches for kind|could not find the requested resource|resource mapping not found|CRD.*not found`),
		"a CRD that it uses is not there (yet)",
		"apply the CRDs first: an earlier sync wave, or another Application",
	},
	{
		regexp.MustCompile(`(?i)namespaces? "[^"]*" not found`),
		"its namespace does not exist", "create it, or set syncOptions CreateNamespace=true",
	},
	{regexp.MustCompile(`(?i)is forbidden`), "ArgoCD may not do that in the cluster",
		"kubectl auth can-i --as the application controller's ServiceAccount"},
}

// causeOfSync returns the cause that matches a message of ArgoCD; the zero value if none does.
func causeOfSync(message string) syncCause {
	for _, known := range syncCauses {
		if known.pattern.MatchString(message) {
			return known
		}
	}
	return syncCause{}
}
