package gitlab

// Service is any part of GitLab's API.
type Service struct{}

// ListProjectMergeRequestsOptions select merge requests.
type ListProjectMergeRequestsOptions struct {
	ListOptions

	Labels *LabelOptions
	State  *string
}

// BasicUser is a user.
type BasicUser struct{ Username string }

// BasicMergeRequest is a merge request.
type BasicMergeRequest struct {
	IID    int
	Labels []string
	Author *BasicUser

	Title, SourceBranch, TargetBranch, SHA string
}

// ListProjectMergeRequests refuses.
func (*Service) ListProjectMergeRequests(any, *ListProjectMergeRequestsOptions, ...RequestOptionFunc) ([]*BasicMergeRequest, *Response, error) {
	return nil, nil, errNone
}

// ListGroupProjectsOptions select projects.
type ListGroupProjectsOptions struct {
	ListOptions

	IncludeSubGroups, WithShared *bool
	Topic                        *string
}

// ProjectNamespace is where a project is.
type ProjectNamespace struct{ FullPath string }

// Project is one.
type Project struct {
	ID              int
	Namespace       *ProjectNamespace
	Topics, TagList []string

	SSHURLToRepo, HTTPURLToRepo, Path, DefaultBranch string
}

// ListGroupProjects refuses.
func (*Service) ListGroupProjects(any, *ListGroupProjectsOptions) ([]*Project, *Response, error) {
	return nil, nil, errNone
}

// GetProjectOptions are of GetProject.
type GetProjectOptions struct{}

// GetProject refuses.
func (*Service) GetProject(any, *GetProjectOptions) (*Project, *Response, error) {
	return nil, nil, errNone
}

// GetFileOptions name a commit.
type GetFileOptions struct{ Ref *string }

// File is one.
type File struct{}

// GetFile refuses.
func (*Service) GetFile(any, string, *GetFileOptions) (*File, *Response, error) {
	return nil, nil, errNone
}

// ListTreeOptions name a folder.
type ListTreeOptions struct{ Path, Ref *string }

// TreeNode is what a folder has.
type TreeNode struct{}

// ListTree refuses.
func (*Service) ListTree(any, *ListTreeOptions) ([]*TreeNode, *Response, error) {
	return nil, nil, errNone
}

// Commit is one.
type Commit struct{ ID string }

// Branch is one.
type Branch struct {
	Name   string
	Commit *Commit
}

// GetBranch refuses.
func (*Service) GetBranch(any, string, ...RequestOptionFunc) (*Branch, *Response, error) {
	return nil, nil, errNone
}

// ListBranchesOptions select branches.
type ListBranchesOptions struct{ ListOptions }

// ListBranches refuses.
func (*Service) ListBranches(any, *ListBranchesOptions) ([]*Branch, *Response, error) {
	return nil, nil, errNone
}
