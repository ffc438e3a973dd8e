package github

import "context"

// RepositoriesService refuses.
type RepositoriesService struct{}

// RepositoryListByOrgOptions select repositories.
type RepositoryListByOrgOptions struct{ ListOptions }

// BranchListOptions select branches.
type BranchListOptions struct{ ListOptions }

// RepositoryContentGetOptions name a commit.
type RepositoryContentGetOptions struct{ Ref string }

// RepositoryContent is a file.
type RepositoryContent struct{}

// Repository is one.
type Repository struct {
	ID     *int64
	Owner  *User
	Topics []string

	SSHURL, CloneURL, Name, DefaultBranch *string
}

// GetSSHURL is the address for SSH.
func (r *Repository) GetSSHURL() string { return text(r.SSHURL) }

// GetCloneURL is the address for HTTPS.
func (r *Repository) GetCloneURL() string { return text(r.CloneURL) }

// GetName is the name.
func (r *Repository) GetName() string { return text(r.Name) }

// GetDefaultBranch is the default branch.
func (r *Repository) GetDefaultBranch() string { return text(r.DefaultBranch) }

// Branch is one.
type Branch struct {
	Name   *string
	Commit *RepositoryCommit
}

// GetName is the name.
func (b *Branch) GetName() string { return text(b.Name) }

// GetCommit is the commit.
func (b *Branch) GetCommit() *RepositoryCommit { return b.Commit }

// RepositoryCommit is one.
type RepositoryCommit struct{ SHA *string }

// GetSHA is its sum.
func (c *RepositoryCommit) GetSHA() string { return text(c.SHA) }

// ListByOrg refuses.
func (*RepositoriesService) ListByOrg(context.Context, string, *RepositoryListByOrgOptions) ([]*Repository, *Response, error) {
	return nil, refused(), errNone
}

// GetContents refuses.
func (*RepositoriesService) GetContents(
	context.Context, string, string, string, *RepositoryContentGetOptions,
) (*RepositoryContent, []*RepositoryContent, *Response, error) {
	return nil, nil, refused(), errNone
}

// GetBranch refuses.
func (*RepositoriesService) GetBranch(context.Context, string, string, string, int) (*Branch, *Response, error) {
	return nil, refused(), errNone
}

// ListBranches refuses.
func (*RepositoriesService) ListBranches(context.Context, string, string, *BranchListOptions) ([]*Branch, *Response, error) {
	return nil, refused(), errNone
}

// RepoStatus is a commit's.
type RepoStatus struct{ State, Description, Context, TargetURL *string }

// DeploymentsListOptions select deployments.
type DeploymentsListOptions struct{ Ref, Environment string }

// Deployment is one.
type Deployment struct{ ID *int64 }

// DeploymentRequest asks for one.
type DeploymentRequest struct {
	Ref, Environment                *string
	RequiredContexts                *[]string
	AutoMerge, TransientEnvironment *bool
}

// DeploymentStatusRequest says how one is.
type DeploymentStatusRequest struct{ State, LogURL, Description, Environment, EnvironmentURL *string }

// DeploymentStatus is how one is.
type DeploymentStatus struct{}

// CreateStatus refuses.
func (*RepositoriesService) CreateStatus(context.Context, string, string, string, *RepoStatus) (*RepoStatus, *Response, error) {
	return nil, refused(), errNone
}

// ListDeployments refuses.
func (*RepositoriesService) ListDeployments(context.Context, string, string, *DeploymentsListOptions) ([]*Deployment, *Response, error) {
	return nil, refused(), errNone
}

// CreateDeployment refuses.
func (*RepositoriesService) CreateDeployment(context.Context, string, string, *DeploymentRequest) (*Deployment, *Response, error) {
	return nil, refused(), errNone
}

// CreateDeploymentStatus refuses.
func (*RepositoriesService) CreateDeploymentStatus(
	context.Context, string, string, int64, *DeploymentStatusRequest,
) (*DeploymentStatus, *Response, error) {
	return nil, refused(), errNone
}
