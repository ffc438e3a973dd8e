package e2e

// workloadFaults are the faults of a workload that Strata deploys, and Kubernetes' refusals of its
// objects.
var workloadFaults = []fault{
	shop("an image does not exist", "the registry does not give out image", "describe pod",
		set("image", `"localhost:5000/absent:v1"`), "grep -E 'ErrImagePull|ImagePullBackOff'"),
	shop("a registry limits its requests", "the registry limits how often", "describe pod",
		set("image", `"localhost:5000/limited/x:v1"`), "grep -E 'ErrImagePull|ImagePullBackOff'"),
	shop("a registry wants credentials", "the registry does not give out image", "describe pod",
		set("image", `"localhost:5000/private/x:v1"`), "grep -E 'ErrImagePull|ImagePullBackOff'"),
	shop("nothing listens where an image is to come from", "the node cannot reach the registry",
		"describe pod", set("image", `"localhost:5999/x:v1"`),
		"grep -E 'ErrImagePull|ImagePullBackOff'"),
	shop("a Secret for the environment is missing",
		"names a ConfigMap, Secret or setting that cannot be used", "describe pod",
		set("envFrom", `[{"secretRef":{"name":"no-such-secret"}}]`),
		"grep CreateContainerConfigError"),
	shop("a Secret for a volume is missing", "a volume of the Pod cannot be mounted",
		"describe pod",
		`[{"op":"add","path":"/spec/template/spec/volumes/-","value":{"name":"fault","secret":{"secretName":"no-such-secret"}}},
{"op":"add","path":"/spec/template/spec/containers/0/volumeMounts/-","value":{"name":"fault","mountPath":"/fault"}}]`, // the kubelet mounts what a container uses
		"grep -q . && k3s kubectl -n apps get events | grep FailedMount | grep no-such-secret"),
	shop("a readiness probe asks for a wrong path", "its readiness probe fails", "logs",
		set("readinessProbe", `{"httpGet":{"path":"/","port":1},"periodSeconds":1}`),
		"grep -q . && k3s kubectl -n apps get events | grep 'Readiness probe failed'"),
	shop("a container crashes again and again", "exits soon after its start", "--previous",
		set("env/-", `{"name":"LISTEN","value":"nowhere"}`), "grep -E 'CrashLoopBackOff'"),
	shop("an executable is missing", "exits soon after its start", "--previous",
		set("command", `["/no-such-program"]`), "grep -E 'CrashLoopBackOff'"),
	shop("a container needs more memory than its limit", "more memory than its limit", "--previous",
		`[{"op":"add","path":"/spec/template/spec/containers/0/env/-","value":{"name":"HOLDS","value":"64"}},
{"op":"add","path":"/spec/template/spec/containers/0/resources","value":{"limits":{"memory":"32Mi"},"requests":{"memory":"32Mi"}}}]`, "grep -E 'CrashLoopBackOff'"),
	shop("no node has a label", "names labels that nodes do not have", "describe pod",
		`[{"op":"add","path":"/spec/template/spec/nodeSelector","value":{"nowhere":"yes"}}]`,
		"grep Pending"),
	shop("no node is large enough", "the nodes have less free than it requests", "describe pod",
		set("resources", `{"requests":{"cpu":"900"}}`), "grep Pending"),
	shop("a claim does not exist", "the claim that it names does not exist", "describe pod",
		`[{"op":"add","path":"/spec/template/spec/volumes/-","value":{"name":"fault","persistentVolumeClaim":{"claimName":"no-such-claim"}}}]`, "grep Pending"),
	{
		name: "a claim asks for a StorageClass that does not exist", layer: "apps",
		gate: "workload-shop-rollout", object: "Deployment/shop", cause: "its claim has no volume",
		fix: "describe pod",
		inject: `echo '{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"fault","namespace":"apps"},"spec":{"storageClassName":"nowhere","accessModes":["ReadWriteOnce"],
"resources":{"requests":{"storage":"1Mi"}}}}' | k3s kubectl create -f -; ` + patched("apps", "deployment shop", `[{"op":"add","path":"/spec/template/spec/volumes/-","value":{"name":"fault","persistentVolumeClaim":{"claimName":"fault"}}}]`),
		heal:    undone + "; k3s kubectl -n apps delete pvc fault --wait=false",
		visible: "k3s kubectl -n apps get pods --no-headers | grep Pending",
	},
	admitted("a ResourceQuota is used up", "exceeded quota", "get resourcequota",
		`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"fault","namespace":"apps"},"spec":{"hard":{"pods":"1"}}}`, larger),
	admitted("a LimitRange is exceeded", "outside a LimitRange", "get limitrange",
		`{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"fault","namespace":"apps"},"spec":{"limits":[{"type":"Container","max":{"memory":"16Mi"}}]}}`, larger),
	admitted("an admission policy refuses", "an admission policy refuses the Pods: fault",
		"get validatingadmissionpolicy",
		`{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"fault"},"spec":{"failurePolicy":"Fail",
"matchConstraints":{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"apps"}},"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]},
"validations":[{"expression":"false"}]}},
{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"fault"},"spec":{"policyName":"fault","validationActions":["Deny"]}}]}`, larger),
	admitted("the webhook of another product is down",
		"must be asked does not answer: fault.example.org", "take its configuration away",
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"fault"},"webhooks":[{"name":"fault.example.org","sideEffects":"None",
"admissionReviewVersions":["v1"],"failurePolicy":"Fail","clientConfig":{"service":{"namespace":"apps","name":"no-such-service"}},
"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"apps"}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}`, larger),
	{
		name: "Pod security refuses", layer: "apps", gate: "workload-shop-rollout",
		object: "Deployment/shop", cause: "violates PodSecurity", fix: "--show-labels",
		inject:  "k3s kubectl label namespace apps pod-security.kubernetes.io/enforce=baseline --overwrite; " + patched("apps", "deployment shop", `[{"op":"add","path":"/spec/template/spec/hostNetwork","value":true}]`),
		heal:    "k3s kubectl label namespace apps pod-security.kubernetes.io/enforce-; " + undone,
		visible: refusedPods,
	},
	{
		name: "all nodes are cordoned", layer: "apps", gate: "workload-shop-rollout",
		object: "Deployment/shop", cause: "nodes are cordoned (kubectl uncordon)",
		fix: "describe pod",
		inject: "k3s kubectl cordon server-1 server-2 server-3 agent-1; k3s kubectl -n apps " +
			"rollout restart deployment shop",
		heal:    "k3s kubectl uncordon server-1 server-2 server-3 agent-1",
		visible: "k3s kubectl -n apps get pods | grep Pending",
	},
}

const (
	undone      = "k3s kubectl -n apps rollout undo deployment shop"
	refusedPods = `k3s kubectl -n apps get deployment shop -o jsonpath='{.status.conditions[?(@.type=="ReplicaFailure")].status}' | grep True`
)

// shop returns a fault that a patch of the Deployment causes, and that the reverted patch heals.
// shows is a query on the Deployment's Pods.
func shop(name, cause, fix, patch, shows string) fault {
	return fault{
		name: name, layer: "apps", gate: "workload-shop-rollout", object: "Deployment/shop",
		cause: cause, fix: fix,
		inject: patched("apps", "deployment shop", patch), heal: undone,
		visible: "k3s kubectl -n apps get pods --no-headers | " + shows,
	}
}

// set returns a patch that sets a field of the container.
func set(field, value string) string {
	return `[{"op":"add","path":"/spec/template/spec/containers/0/` + field + `","value":` +
		value + `}]`
}

// admitted returns a fault that an object causes for new Pods. Once all API servers have the
// object, they refuse the Pods of a changed Deployment. When the object is deleted, the Deployment
// continues by itself, after a pause that grows with each refusal.
func admitted(name, cause, fix, object, patch string) fault {
	const refuses = `timeout 30 sh -c 'while k3s kubectl -n apps run fault --image=x --dry-run=server --overrides="{\"spec\":{\"containers\":[{\"name\":\"fault\",\"image\":\"x\",\"resources\":{\"limits\":{\"memory\":\"64Mi\"}}}]}}"; do sleep 0.3; done'`
	return fault{
		name: name, layer: "apps", gate: "workload-shop-rollout", object: "Deployment/shop",
		cause: cause, fix: fix,
		inject: "cat > /root/fault.json << 'END'\n" + object +
			"\nEND\nk3s kubectl create -f /root/fault.json\n" + refuses + "\n" +
			patched("apps", "deployment shop", patch),
		heal: "k3s kubectl delete -f /root/fault.json; " + undone, visible: refusedPods,
	}
}

// larger is a patch that gives the Deployment's Pods a memory limit.
var larger = set("resources", `{"limits":{"memory":"64Mi"}}`)
