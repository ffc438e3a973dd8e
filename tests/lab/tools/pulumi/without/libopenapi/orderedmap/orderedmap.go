// Package orderedmap has an empty map.
package orderedmap

import "iter"

// Map is empty.
type Map[K comparable, V any] struct{}

// New returns one.
func New[K comparable, V any]() *Map[K, V] { return &Map[K, V]{} }

// Len is none.
func Len[K comparable, V any](*Map[K, V]) int { return 0 }

// Get finds nothing.
func (*Map[K, V]) Get(K) (value V, ok bool) { return value, false }

// GetOrZero finds nothing.
func (*Map[K, V]) GetOrZero(K) (value V) { return value }

// Set keeps nothing.
func (*Map[K, V]) Set(K, V) (value V, ok bool) { return value, false }

// Delete finds nothing.
func (*Map[K, V]) Delete(K) (value V, ok bool) { return value, false }

// FromOldest goes through nothing.
func (*Map[K, V]) FromOldest() iter.Seq2[K, V] { return func(func(K, V) bool) {} }

// KeysFromOldest goes through nothing.
func (*Map[K, V]) KeysFromOldest() iter.Seq[K] { return func(func(K) bool) {} }
