package components

import (
	"fmt"
	"slices"
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

// argocdPasswordAhead is added to the password's time, so that it lies after the release that
// brings the password. Otherwise a login with the old password would last, if it came between that
// time and the release's update.
const argocdPasswordAhead = 30 * time.Second

// argocdAdmin is the login of user admin.
type argocdAdmin struct {
	// hash is the bcrypt hash of the password. Secret.
	hash pulumi.StringOutput
	// changed is the time of the password's last change. Argo CD refuses every older session and
	// API token of admin.
	changed pulumi.StringOutput
}

// admin registers the password of user admin and the time of its last change. If the configuration
// sets the password's hash, it registers no password.
func (a *argocd) admin() (argocdAdmin, error) {
	hash, err := a.adminHash()
	if err != nil {
		return argocdAdmin{}, err
	}
	limit := a.args.Timeouts.ArgoCD
	command := actions.Command(kuberead.ReadTime, kuberead.TimeInput{
		Ahead: metav1.Duration{Duration: argocdPasswordAhead}, Timeout: limit,
	}, pulumi.StringMap{self.Kubeconfig: a.args.Cluster.Kubeconfig})
	opts := slices.Concat(childOf(a, a.namespace), a.args.Cluster.deletedWith())
	// The trigger is a random word that is drawn for each hash. A plain value must not follow from
	// a secret, and the command plugin accepts no secret trigger whose value is not known yet.
	word, err := rerun.Attempt(a.ctx, a.name+"-password-time", pulumi.StringMap{"hash": hash},
		opts...)
	if err != nil {
		return argocdAdmin{}, fmt.Errorf("password time: %w", err)
	}
	command.Triggers = pulumi.Array{word}
	changed, err := local.NewCommand(a.ctx, a.name+"-password-time", command,
		slices.Concat(opts, []pulumi.ResourceOption{customTimeouts(limit), once()})...)
	if err != nil {
		return argocdAdmin{}, fmt.Errorf("password time: %w", err)
	}
	return argocdAdmin{hash: hash, changed: changed.Stdout.ApplyT(strings.TrimSpace).(pulumi.StringOutput)}, nil
}

// adminHash returns the configured hash, or the hash of a generated password. Secret.
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
