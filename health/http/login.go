package http

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// loginTimeout bounds a whole login of about ten requests. For one of them the server computes the
// slow hash of a password.
const loginTimeout = 15 * time.Second

// formAction finds the target of a page's form.
var formAction = regexp.MustCompile(`(?is)<form[^>]*\saction="([^"]*)"`)

// login asks for a URL like a browser that is redirected to a login page. It follows the redirects,
// fills in the page's form, and follows the redirects back. Cookies live only during this login.
// login returns the last answer.
func (t httpTarget) login(ctx context.Context, probe Probe) httpAnswer {
	answer := httpAnswer{Name: probe.Name, Seen: true}
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	jar, err := cookiejar.New(nil)
	if err != nil {
		answer.Error = "no cookies: " + err.Error()
		return answer
	}
	transport := t.transport()
	defer transport.CloseIdleConnections()
	browser := &http.Client{Transport: transport, Jar: jar}
	page, text, err := visit(ctx, browser, http.MethodGet, probe.URL, nil)
	if err != nil {
		answer.fail(err)
		return answer
	}
	form := formAction.FindStringSubmatch(text)
	if page.StatusCode != http.StatusOK || form == nil {
		answer.Error = fmt.Sprintf("no login page: HTTP %d of %s", page.StatusCode,
			bare(page.Request.URL))
		return answer
	}
	action, err := page.Request.URL.Parse(html.UnescapeString(form[1]))
	if err != nil {
		answer.Error = "the login page's form leads nowhere"
		return answer
	}
	fields := url.Values{"username": {t.user}, "password": {t.password}}
	last, text, err := visit(ctx, browser, http.MethodPost, action.String(), fields)
	if err != nil {
		answer.fail(err)
		return answer
	}
	if bare(last.Request.URL) != bare(mustURL(probe.URL)) {
		answer.Error = fmt.Sprintf("the login ended with HTTP %d of %s", last.StatusCode,
			bare(last.Request.URL))
		return answer
	}
	answer.Status, answer.Lacks = last.StatusCode, !strings.Contains(text, probe.Contains)
	return answer
}

// visit makes a request and follows its redirects. fields are the values of a form.
func visit(
	ctx context.Context, browser *http.Client, method, address string, fields url.Values,
) (*http.Response, string, error) {
	var body io.Reader
	if fields != nil {
		body = strings.NewReader(fields.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, "", errors.New("the request cannot be made") // the URL may hold what a login is made of
	}
	if fields != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := browser.Do(request)
	if err != nil {
		return nil, "", err //nolint:wrapcheck // httpTrouble words it.
	}
	defer response.Body.Close() //nolint:errcheck // read only.
	text, err := io.ReadAll(io.LimitReader(response.Body, httpBodyLimit))
	if err != nil {
		return nil, "", err //nolint:wrapcheck // httpTrouble words it.
	}
	return response, string(text), nil
}

// bare returns a URL without its query. The query holds codes and states that change and must not
// be shown.
func bare(address *url.URL) string {
	return address.Scheme + "://" + address.Host + address.EscapedPath()
}

// mustURL parses a URL that the Spec's validation has already parsed.
func mustURL(text string) *url.URL {
	parsed, err := url.Parse(text)
	if err != nil {
		return &url.URL{}
	}
	return parsed
}
