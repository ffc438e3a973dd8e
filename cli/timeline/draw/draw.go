package draw

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"

	"strata/cli/timeline"
)

//go:embed page.html picture.svg
var files embed.FS

// templates parses the templates of the page and the picture. It does so on the first use, so that
// other commands do not pay for it.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(files, "page.html",
		"picture.svg"))
})

var functions = template.FuncMap{
	"seconds": seconds, "waited": lastDependency, "outcome": outcome, "layer": timeline.LayerName,
	"px":    func(length float64) string { return fmt.Sprintf("%.1f", length) },
	"add":   func(a, b float64) float64 { return a + b },
	"since": func(run timeline.Run, at time.Time) string { return seconds(at.Sub(run.Start)) },
	"known": func(d *time.Duration) string {
		if d == nil {
			return "–"
		}
		return seconds(*d)
	},
}

// WriteSVG writes the run as a picture that needs no other file. On hover, each bar shows why it
// waited.
func WriteSVG(out io.Writer, run timeline.Run) error {
	return templates().ExecuteTemplate(out, "picture.svg", newLayout(run))
}

// WriteHTML writes a page with the picture and the same values as tables. It loads nothing from
// elsewhere.
func WriteHTML(out io.Writer, run timeline.Run) error {
	return templates().ExecuteTemplate(out, "page.html", newLayout(run))
}
