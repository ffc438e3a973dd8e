package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// vaultLogin registers the objects with which cert-manager logs in to Vault: a token, or a
// ServiceAccount. It returns these objects and the issuer's spec.vault.auth.
func vaultLogin(
	ctx *pulumi.Context, name string, args *VaultCAArgs, parent pulumi.Resource,
) ([]pulumi.Resource, pulumi.Map, error) {
	if args.Config.Token == "" {
		return vaultAccountLogin(ctx, name, args, parent)
	}
	token, err := newSecret(ctx, args.Cluster, name+"-token", secretArgs{
		name: vaultTokenSecret, namespace: certManagerNamespace,
		data: pulumi.Map{"token": pulumi.ToSecret(pulumi.String(args.Config.Token))},
	}, childOf(parent, args.After...)...)
	return []pulumi.Resource{token}, pulumi.Map{
		"tokenSecretRef": pulumi.Map{"name": pulumi.String(vaultTokenSecret),
			"key": pulumi.String("token")},
	}, err
}

// vaultAccountLogin registers the ServiceAccount with which cert-manager logs in to Vault's
// Kubernetes auth method. If args.BoundTokens is set, a Role lets cert-manager request tokens for
// it; otherwise a Secret contains its token. It returns the registered objects and the issuer's
// spec.vault.auth.
func vaultAccountLogin(
	ctx *pulumi.Context, name string, args *VaultCAArgs, parent pulumi.Resource,
) ([]pulumi.Resource, pulumi.Map, error) {
	account, err := newObject(ctx, args.Cluster, "kubernetes:core/v1:ServiceAccount",
		name+"-account", pulumi.Map{
			"apiVersion": pulumi.String("v1"), "kind": pulumi.String("ServiceAccount"),
			"metadata": inCertManager(vaultAccount),
		}, childOf(parent, args.After...)...)
	if err != nil {
		return nil, nil, err
	}
	mount, role := args.Config.Mount, args.Config.Role
	if args.Config.Address == "" {
		mount, role = "kubernetes", vaultRole
	}
	auth := pulumi.Map{"mountPath": pulumi.String("/v1/auth/" + mount), "role": pulumi.String(role)}
	needs := []pulumi.Resource{account}
	if args.BoundTokens {
		auth["serviceAccountRef"] = pulumi.Map{"name": pulumi.String(vaultAccount)}
		rights, err := tokenRights(ctx, name, args.Cluster, childOf(parent, needs...))
		return append(needs, rights...), pulumi.Map{"kubernetes": auth}, err
	}
	metadata := inCertManager(vaultAccountToken)
	metadata["annotations"] = pulumi.StringMap{
		"kubernetes.io/service-account.name": pulumi.String(vaultAccount)}
	token, err := newObject(ctx, args.Cluster, "kubernetes:core/v1:Secret", name+"-account-token",
		pulumi.Map{
			"apiVersion": pulumi.String("v1"), "kind": pulumi.String("Secret"),
			"type":     pulumi.String("kubernetes.io/service-account-token"),
			"metadata": metadata,
		}, childOf(parent, needs...)...)
	auth["secretRef"] = pulumi.Map{"name": pulumi.String(vaultAccountToken),
		"key": pulumi.String("token")}
	return append(needs, token), pulumi.Map{"kubernetes": auth}, err
}

// tokenRights registers the Role and RoleBinding that let cert-manager request tokens for this
// ServiceAccount only. cert-manager's chart has no such Role since 1.21 (its release notes).
func tokenRights(
	ctx *pulumi.Context, name string, cluster *Cluster, opts []pulumi.ResourceOption,
) ([]pulumi.Resource, error) {
	const group = "rbac.authorization.k8s.io"
	role, err := newObject(ctx, cluster, "kubernetes:"+group+"/v1:Role", name+"-token-role",
		pulumi.Map{
			"apiVersion": pulumi.String(group + "/v1"), "kind": pulumi.String("Role"),
			"metadata": inCertManager(vaultAccountToken),
			"rules": pulumi.Array{pulumi.Map{
				"apiGroups":     pulumi.ToStringArray([]string{""}),
				"resources":     pulumi.ToStringArray([]string{"serviceaccounts/token"}),
				"resourceNames": pulumi.ToStringArray([]string{vaultAccount}),
				"verbs":         pulumi.ToStringArray([]string{"create"}),
			}},
		}, opts...)
	if err != nil {
		return nil, err
	}
	binding, err := newObject(ctx, cluster, "kubernetes:"+group+"/v1:RoleBinding",
		name+"-token-binding", pulumi.Map{
			"apiVersion": pulumi.String(group + "/v1"), "kind": pulumi.String("RoleBinding"),
			"metadata": inCertManager(vaultAccountToken),
			"roleRef": pulumi.Map{"apiGroup": pulumi.String(group), "kind": pulumi.String("Role"),
				"name": pulumi.String(vaultAccountToken)},
			"subjects": pulumi.Array{pulumi.Map{
				"kind": pulumi.String("ServiceAccount"), "name": pulumi.String("cert-manager"),
				"namespace": pulumi.String(certManagerNamespace),
			}},
		}, opts...)
	return []pulumi.Resource{role, binding}, err
}

func inCertManager(name string) pulumi.Map {
	return pulumi.Map{"name": pulumi.String(name), "namespace": pulumi.String(certManagerNamespace)}
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
