package draw

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"time"

	"strata/cli/timeline"
)

//go:embed page.html
var page string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"seconds": seconds, "waited": waited, "outcome": outcome, "layer": timeline.Named,
	"since": func(run timeline.Run, at time.Time) string { return seconds(at.Sub(run.Start)) },
	"known": func(d *time.Duration) string {
		if d == nil {
			return "–"
		}
		return seconds(*d)
	},
}).Parse(page))

// WriteHTML writes a page with the picture and the same as tables. It loads nothing from elsewhere.
func WriteHTML(out io.Writer, run timeline.Run) error {
	var drawn bytes.Buffer
	if err := WriteSVG(&drawn, run); err != nil {
		return err
	}
	return pageTemplate.Execute(out, struct {
		Title, Totals string
		Picture       template.HTML
		Run           timeline.Run
	}{
		title(run), timeline.Totals(run),
		template.HTML(drawn.String()), //nolint:gosec // made by encoding/xml, which escapes every text
		run,
	})
}
