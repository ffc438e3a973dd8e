package components

import (
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/cluster/kuberead"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
)

// argocdPasswordAhead is added to the recorded time of the password change, so that this time is
// after the release's update. Otherwise a user who logs in with the old password between the
// recorded time and the update would keep a valid session.
const argocdPasswordAhead = 30 * time.Second

// argocdAdmin holds the password hash of user admin and the time of the last change.
type argocdAdmin struct {
	// hash is the bcrypt hash of the password. Secret.
	hash pulumi.StringOutput
	// changed is the time of the password's last change. Argo CD rejects admin's sessions and API
	// tokens that were issued before it.
	changed pulumi.StringOutput
}

// admin registers the password of user admin and the command that records the time of its last
// change. It generates no password if the configuration sets a hash.
func (a *argocd) admin() (argocdAdmin, error) {
	hash, err := a.adminHash()
	if err != nil {
		return argocdAdmin{}, err
	}
	limit := a.args.Timeouts.ArgoCD
	command := actions.Command(kuberead.ReadTime, kuberead.TimeInput{
		Ahead: metav1.Duration{Duration: argocdPasswordAhead}, Timeout: limit,
	}, pulumi.StringMap{self.Kubeconfig: a.args.Cluster.Kubeconfig})
	opts := append(childOf(a, a.namespace), a.args.Cluster.deletedWith())
	// The trigger is a random word that changes with the hash. The hash itself cannot be the
	// trigger: in plain text it would reveal a secret, and the command plugin does not accept a
	// secret trigger whose value is still unknown.
	word, err := rerun.Attempt(a.ctx, a.name+"-password-time", pulumi.StringMap{"hash": hash},
		opts...)
	if err != nil {
		return argocdAdmin{}, fmt.Errorf("password time: %w", err)
	}
	command.Triggers = pulumi.Array{word}
	changed, err := local.NewCommand(a.ctx, a.name+"-password-time", command,
		append(opts, customTimeouts(limit), once())...)
	if err != nil {
		return argocdAdmin{}, fmt.Errorf("password time: %w", err)
	}
	return argocdAdmin{hash: hash, changed: changed.Stdout.ApplyT(strings.TrimSpace).(pulumi.StringOutput)}, nil
}

// adminHash returns the bcrypt hash from the configuration, or else of a generated password.
// Secret.
func (a *argocd) adminHash() (pulumi.StringOutput, error) {
	if hash := a.args.Config.AdminPasswordHash; hash != "" {
		return pulumi.ToSecret(pulumi.String(hash)).(pulumi.StringOutput), nil
	}
	password, err := newPassword(a.ctx, a.name+"-admin-password", 32, childOf(a)...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	a.Generated, a.AdminPassword = true, pulumi.ToSecret(password.Result).(pulumi.StringOutput)
	return pulumi.ToSecret(password.BcryptHash).(pulumi.StringOutput), nil
}
