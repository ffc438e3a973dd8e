// Package codecommit has no repositories.
package codecommit

import (
	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/request"
	"github.com/aws/aws-sdk-go/aws/session"
)

// Codes of errors that callers tell apart.
const (
	ErrCodeRepositoryDoesNotExistException = "RepositoryDoesNotExistException"
	ErrCodeCommitDoesNotExistException     = "CommitDoesNotExistException"
	ErrCodeFolderDoesNotExistException     = "FolderDoesNotExistException"
)

// CodeCommit refuses.
type CodeCommit struct{}

// New returns one.
func New(*session.Session) *CodeCommit { return &CodeCommit{} }

// ListRepositoriesInput selects a page.
type ListRepositoriesInput struct{ NextToken *string }

// RepositoryNameIdPair names a repository.
type RepositoryNameIdPair struct{ RepositoryName *string }

// ListRepositoriesOutput is a page.
type ListRepositoriesOutput struct {
	Repositories []*RepositoryNameIdPair
	NextToken    *string
}

// ListRepositoriesWithContext refuses.
func (*CodeCommit) ListRepositoriesWithContext(aws.Context, *ListRepositoriesInput, ...request.Option) (*ListRepositoriesOutput, error) {
	return nil, aws.ErrNone
}

// GetRepositoryInput names a repository.
type GetRepositoryInput struct{ RepositoryName *string }

// RepositoryMetadata is a repository.
type RepositoryMetadata struct {
	AccountId, RepositoryId, RepositoryName, DefaultBranch, CloneUrlSsh, CloneUrlHttp *string
}

// GetRepositoryOutput has it.
type GetRepositoryOutput struct{ RepositoryMetadata *RepositoryMetadata }

// GetRepositoryWithContext refuses.
func (*CodeCommit) GetRepositoryWithContext(aws.Context, *GetRepositoryInput, ...request.Option) (*GetRepositoryOutput, error) {
	return nil, aws.ErrNone
}

// ListBranchesInput selects a page.
type ListBranchesInput struct{ RepositoryName, NextToken *string }

// ListBranchesOutput is a page.
type ListBranchesOutput struct {
	Branches  []*string
	NextToken *string
}

// ListBranchesWithContext refuses.
func (*CodeCommit) ListBranchesWithContext(aws.Context, *ListBranchesInput, ...request.Option) (*ListBranchesOutput, error) {
	return nil, aws.ErrNone
}

// GetFolderInput names a folder.
type GetFolderInput struct{ CommitSpecifier, FolderPath, RepositoryName *string }

// Entry is what a folder has.
type Entry struct{ RelativePath *string }

// GetFolderOutput is a folder.
type GetFolderOutput struct{ SubModules, SubFolders, Files, SymbolicLinks []*Entry }

// GetFolderWithContext refuses.
func (*CodeCommit) GetFolderWithContext(aws.Context, *GetFolderInput, ...request.Option) (*GetFolderOutput, error) {
	return nil, aws.ErrNone
}
