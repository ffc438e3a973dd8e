package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// vaultLogin registers the objects with which cert-manager logs in to Vault: a token, or a
// ServiceAccount. It returns these objects and the issuer's spec.vault.auth.
func vaultLogin(
	ctx *pulumi.Context, name string, args *VaultCAArgs, parent pulumi.Resource,
) ([]pulumi.Resource, object, error) {
	if args.Config.Token == "" {
		return vaultAccountLogin(ctx, name, args, parent)
	}
	token, err := newSecret(ctx, args.Cluster, name+"-token", secretArgs{
		name: vaultTokenSecret, namespace: certManagerNamespace,
		data: object{"token": pulumi.ToSecret(pulumi.String(args.Config.Token))},
	}, childOf(parent, args.After...)...)
	return []pulumi.Resource{token}, object{
		"tokenSecretRef": object{"name": vaultTokenSecret, "key": "token"},
	}, err
}

// vaultAccountLogin registers the ServiceAccount with which cert-manager logs in to Vault's
// Kubernetes auth method. If args.BoundTokens is set, a Role lets cert-manager request tokens for
// it; otherwise a Secret contains its token. It returns the registered objects and the issuer's
// spec.vault.auth.
func vaultAccountLogin(
	ctx *pulumi.Context, name string, args *VaultCAArgs, parent pulumi.Resource,
) ([]pulumi.Resource, object, error) {
	account, err := newObject(ctx, args.Cluster, "kubernetes:core/v1:ServiceAccount",
		name+"-account", object{
			"apiVersion": "v1", "kind": "ServiceAccount",
			"metadata": inCertManager(vaultAccount),
		}, childOf(parent, args.After...)...)
	if err != nil {
		return nil, nil, err
	}
	mount, role := args.Config.Mount, args.Config.Role
	if args.Config.Address == "" {
		mount, role = "kubernetes", vaultRole
	}
	auth := object{"mountPath": "/v1/auth/" + mount, "role": role}
	needs := []pulumi.Resource{account}
	if args.BoundTokens {
		auth["serviceAccountRef"] = object{"name": vaultAccount}
		rights, err := tokenRights(ctx, name, args.Cluster, childOf(parent, needs...))
		return append(needs, rights...), object{"kubernetes": auth}, err
	}
	metadata := inCertManager(vaultAccountToken)
	metadata["annotations"] = object{"kubernetes.io/service-account.name": vaultAccount}
	token, err := newObject(ctx, args.Cluster, "kubernetes:core/v1:Secret", name+"-account-token",
		object{
			"apiVersion": "v1", "kind": "Secret",
			"type":     "kubernetes.io/service-account-token",
			"metadata": metadata,
		}, childOf(parent, needs...)...)
	auth["secretRef"] = object{"name": vaultAccountToken, "key": "token"}
	return append(needs, token), object{"kubernetes": auth}, err
}

// tokenRights registers the Role and RoleBinding that let cert-manager request tokens for this
// ServiceAccount only. cert-manager's chart has no such Role since 1.21 (its release notes).
func tokenRights(
	ctx *pulumi.Context, name string, cluster *Cluster, opts []pulumi.ResourceOption,
) ([]pulumi.Resource, error) {
	const group = "rbac.authorization.k8s.io"
	role, err := newObject(ctx, cluster, "kubernetes:"+group+"/v1:Role", name+"-token-role",
		object{
			"apiVersion": group + "/v1", "kind": "Role",
			"metadata": inCertManager(vaultAccountToken),
			"rules": array{object{
				"apiGroups":     []string{""},
				"resources":     []string{"serviceaccounts/token"},
				"resourceNames": []string{vaultAccount},
				"verbs":         []string{"create"},
			}},
		}, opts...)
	if err != nil {
		return nil, err
	}
	binding, err := newObject(ctx, cluster, "kubernetes:"+group+"/v1:RoleBinding",
		name+"-token-binding", object{
			"apiVersion": group + "/v1", "kind": "RoleBinding",
			"metadata": inCertManager(vaultAccountToken),
			"roleRef":  object{"apiGroup": group, "kind": "Role", "name": vaultAccountToken},
			"subjects": array{object{
				"kind": "ServiceAccount", "name": "cert-manager",
				"namespace": certManagerNamespace,
			}},
		}, opts...)
	return []pulumi.Resource{role, binding}, err
}

func inCertManager(name string) object {
	return object{"name": name, "namespace": certManagerNamespace}
}

// loginDigest returns a digest of the settings that decide whether Vault signs. When one of the
// settings changes, cert-manager issues the test certificate again. The digest is secret if a token
// is part of it.
func loginDigest(cfg config.VaultIssuer) pulumi.StringInput {
	digest := pulumi.String(digestOf(cfg))
	if cfg.Token != "" {
		return pulumi.ToSecret(digest).(pulumi.StringOutput)
	}
	return digest
}
