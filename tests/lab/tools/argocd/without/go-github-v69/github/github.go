// Package github is a stub of GitHub's SDK, which Argo CD uses to look up a GitHub App. Git
// repositories on GitHub do not need the SDK.
package github

import (
	"context"
	"errors"
	"net/http"
)

var errNone = errors.New("the lab's Argo CD does not talk to GitHub's API")

// Client is a client whose services always fail.
type Client struct {
	Apps  *AppsService
	Users *UsersService
}

// NewClient returns a client whose services always fail.
func NewClient(*http.Client) *Client { return &Client{} }

// WithEnterpriseURLs always fails.
func (*Client) WithEnterpriseURLs(string, string) (*Client, error) { return nil, errNone }

// Response is a response of GitHub's API.
type Response struct {
	*http.Response
	NextPage int
}

// ListOptions selects a page of a list.
type ListOptions struct{ Page, PerPage int }

// AppsService has the methods for GitHub Apps, which always fail.
type AppsService struct{}

// App is a GitHub App.
type App struct{}

// GetSlug returns an empty name.
func (*App) GetSlug() string { return "" }

// Get always fails.
func (*AppsService) Get(context.Context, string) (*App, *Response, error) { return nil, nil, errNone }

// Installation is the installation of a GitHub App for an account.
type Installation struct {
	ID      *int64
	Account *User
}

// ListInstallations always fails.
func (*AppsService) ListInstallations(context.Context, *ListOptions) ([]*Installation, *Response, error) {
	return nil, nil, errNone
}

// UsersService has the methods for users, which always fail.
type UsersService struct{}

// User is a user of GitHub.
type User struct{ Login *string }

// GetLogin returns an empty name.
func (*User) GetLogin() string { return "" }

// GetID returns 0.
func (*User) GetID() int64 { return 0 }

// Get always fails.
func (*UsersService) Get(context.Context, string) (*User, *Response, error) { return nil, nil, errNone }
