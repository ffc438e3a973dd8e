// Package github stands in for GitHub's SDK, which Argo CD asks for a GitHub App's name. Git
// itself, also of GitHub, needs nothing of it.
package github

import (
	"context"
	"errors"
	"net/http"
)

var errNone = errors.New("the lab's Argo CD does not talk to GitHub's API")

// Client refuses.
type Client struct {
	Apps  *AppsService
	Users *UsersService
}

// NewClient returns one.
func NewClient(*http.Client) *Client { return &Client{} }

// WithEnterpriseURLs refuses.
func (*Client) WithEnterpriseURLs(string, string) (*Client, error) { return nil, errNone }

// Response is GitHub's.
type Response struct {
	*http.Response
	NextPage int
}

// ListOptions select a page.
type ListOptions struct{ Page, PerPage int }

// AppsService refuses.
type AppsService struct{}

// App is a GitHub App.
type App struct{}

// GetSlug is its name.
func (*App) GetSlug() string { return "" }

// Get refuses.
func (*AppsService) Get(context.Context, string) (*App, *Response, error) { return nil, nil, errNone }

// Installation is one of a GitHub App, for an account.
type Installation struct {
	ID      *int64
	Account *User
}

// ListInstallations refuses.
func (*AppsService) ListInstallations(context.Context, *ListOptions) ([]*Installation, *Response, error) {
	return nil, nil, errNone
}

// UsersService refuses.
type UsersService struct{}

// User is one.
type User struct{ Login *string }

// GetLogin is the name.
func (*User) GetLogin() string { return "" }

// GetID is the number.
func (*User) GetID() int64 { return 0 }

// Get refuses.
func (*UsersService) Get(context.Context, string) (*User, *Response, error) { return nil, nil, errNone }
