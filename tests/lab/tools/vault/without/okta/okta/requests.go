package okta

import "context"

// request is a request that always fails. T is the type of its result.
type request[T any] struct{}

func (r request[T]) Filter(string) request[T] { return r }

func (request[T]) Execute() (T, any, error) {
	var none T
	return none, nil, errNone
}

type (
	users   struct{}
	factors struct{}
)

func (users) ListUsers(context.Context) request[[]object] { return request[[]object]{} }

func (factors) ListFactors(context.Context, string) request[[]factor] { return request[[]factor]{} }

func (factors) VerifyFactor(context.Context, string, string) request[verified] {
	return request[verified]{}
}

func (factors) GetFactorTransactionStatus(context.Context, string, string, string) request[status] {
	return request[status]{}
}

// object is a type that has an id.
type object struct{}

func (*object) GetId() string { return "" }

// UserFactorPush is a second factor that sends a question to a phone.
type UserFactorPush = object

type factor struct{ UserFactorPush *UserFactorPush }

type verified struct{ Links any }

func (verified) GetFactorResult() string { return "" }

// status is the status of a push: the field that is not nil.
type status struct {
	UserFactorPushTransactionWaiting, UserFactorPushTransaction         *object
	UserFactorPushTransactionRejected, UserFactorPushTransactionTimeout *object
}
