package github

import "context"

// AppsService refuses.
type AppsService struct{}

// App is a GitHub App.
type App struct{ Slug *string }

// GetSlug is its name.
func (a *App) GetSlug() string { return text(a.Slug) }

// Get refuses.
func (*AppsService) Get(context.Context, string) (*App, *Response, error) {
	return nil, refused(), errNone
}

// UsersService refuses.
type UsersService struct{}

// User is one.
type User struct {
	Login *string
	ID    *int64
}

// GetLogin is the name.
func (u *User) GetLogin() string { return text(u.Login) }

// GetID is the number.
func (u *User) GetID() int64 { return number(u.ID) }

// Get refuses.
func (*UsersService) Get(context.Context, string) (*User, *Response, error) {
	return nil, refused(), errNone
}

// PullRequestsService refuses.
type PullRequestsService struct{}

// PullRequestListOptions select pull requests.
type PullRequestListOptions struct{ ListOptions }

// PullRequestBranch is one end of a pull request.
type PullRequestBranch struct{ Ref, SHA *string }

// Label is one.
type Label struct{ Name *string }

// PullRequest is one.
type PullRequest struct {
	Number     *int
	Title      *string
	Head, Base *PullRequestBranch
	Labels     []*Label
	User       *User
}

// GetNumber is the number.
func (p *PullRequest) GetNumber() int {
	if p.Number == nil {
		return 0
	}
	return *p.Number
}

// List refuses.
func (*PullRequestsService) List(context.Context, string, string, *PullRequestListOptions) ([]*PullRequest, *Response, error) {
	return nil, refused(), errNone
}

// ListPullRequestsWithCommit refuses.
func (*PullRequestsService) ListPullRequestsWithCommit(context.Context, string, string, string, *ListOptions) ([]*PullRequest, *Response, error) {
	return nil, refused(), errNone
}

// IssuesService refuses.
type IssuesService struct{}

// IssueListCommentsOptions select comments.
type IssueListCommentsOptions struct{}

// IssueComment is one.
type IssueComment struct {
	ID   *int64
	Body *string
}

// GetID is the number.
func (c *IssueComment) GetID() int64 { return number(c.ID) }

// GetBody is the text.
func (c *IssueComment) GetBody() string { return text(c.Body) }

// ListComments refuses.
func (*IssuesService) ListComments(context.Context, string, string, int, *IssueListCommentsOptions) ([]*IssueComment, *Response, error) {
	return nil, refused(), errNone
}

// CreateComment refuses.
func (*IssuesService) CreateComment(context.Context, string, string, int, *IssueComment) (*IssueComment, *Response, error) {
	return nil, refused(), errNone
}

// EditComment refuses.
func (*IssuesService) EditComment(context.Context, string, string, int64, *IssueComment) (*IssueComment, *Response, error) {
	return nil, refused(), errNone
}

// ChecksService refuses.
type ChecksService struct{}

// CheckRunOutput is what a check says.
type CheckRunOutput struct{ Title, Text, Summary *string }

// CreateCheckRunOptions are a check's.
type CreateCheckRunOptions struct {
	HeadSHA, Name          string
	ExternalID, DetailsURL *string
	StartedAt, CompletedAt *Timestamp
	Output                 *CheckRunOutput
}

// CheckRun is a check.
type CheckRun struct{}

// CreateCheckRun refuses.
func (*ChecksService) CreateCheckRun(context.Context, string, string, CreateCheckRunOptions) (*CheckRun, *Response, error) {
	return nil, refused(), errNone
}

// number is a pointer's, or zero.
func number(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
