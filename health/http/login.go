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

// loginTimeout limits a whole login of about ten requests. One of them is slow, because the server
// hashes the password.
const loginTimeout = 15 * time.Second

// formAction matches the target of a page's form.
var formAction = regexp.MustCompile(`(?is)<form[^>]*\saction="([^"]*)"`)

// login requests a URL like a browser: it follows redirects to a login page, submits the page's
// form, and follows the redirects back. It returns the last answer. Cookies are kept only for this
// login.
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

// visit makes a request and follows its redirects. It returns the last response and its body.
// fields, if not nil, are the values of a form to send.
func visit(
	ctx context.Context, browser *http.Client, method, address string, fields url.Values,
) (*http.Response, string, error) {
	var body io.Reader
	if fields != nil {
		body = strings.NewReader(fields.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, "", errors.New("the request cannot be made") // no URL: it may have login codes
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

// bare returns a URL without its query, which contains login codes that differ each time and must
// not be shown.
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
