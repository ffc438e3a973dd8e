package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// The limits of the memory that one client can make the service use.
const (
	maxBody, maxItems, maxName = 64 << 10, 10_000, 200
)

// item is one entry.
type item struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// api holds the list of items.
type api struct {
	mu    sync.Mutex
	next  int
	items []item
}

func newAPI() *api { return &api{next: 1, items: []item{}} }

func (a *api) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter,
		_ *http.Request) {
		say(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /api/v1/items", a.list)
	mux.HandleFunc("POST /api/v1/items", a.add)
	mux.HandleFunc("GET /api/v1/items/{id}", a.get)
	mux.HandleFunc("DELETE /api/v1/items/{id}", a.remove)
	return mux
}

func (a *api) list(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	all := slices.Clone(a.items)
	a.mu.Unlock()
	say(w, http.StatusOK, all)
}

func (a *api) add(w http.ResponseWriter, r *http.Request) {
	var sent struct {
		Name string `json:"name"`
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&sent); err != nil || sent.Name == "" || len(sent.Name) > maxName {
		refuse(w, http.StatusBadRequest, `expected {"name": "…"} with 1 to 200 bytes`)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.items) >= maxItems {
		refuse(w, http.StatusInsufficientStorage, "the list is full")
		return
	}
	made := item{a.next, sent.Name}
	a.next++
	a.items = append(a.items, made)
	say(w, http.StatusCreated, made)
}

func (a *api) get(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at := a.find(r); at >= 0 {
		say(w, http.StatusOK, a.items[at])
		return
	}
	refuse(w, http.StatusNotFound, "no such item")
}

func (a *api) remove(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.find(r)
	if at < 0 {
		refuse(w, http.StatusNotFound, "no such item")
		return
	}
	a.items = slices.Delete(a.items, at, at+1)
	w.WriteHeader(http.StatusNoContent)
}

// find returns the index of the item that a request names, or -1.
func (a *api) find(r *http.Request) int {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		return -1
	}
	return slices.IndexFunc(a.items, func(one item) bool { return one.ID == id })
}

func refuse(w http.ResponseWriter, code int, why string) {
	say(w, code, map[string]string{"error": why})
}

func say(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
