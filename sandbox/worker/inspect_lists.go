package worker

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// prefix is "Name(n) " for a list whose class is not the usual one.
func (in *inspector) listHead(o *goja.Object, kind objectKind, usual string, n int, always bool) string {
	name := in.className(o, kind)
	if name == usual && !always {
		return ""
	}
	return name + "(" + strconv.Itoa(n) + ") "
}

func more(n int) string {
	if n == 1 {
		return "... 1 more item"
	}
	return fmt.Sprintf("... %d more items", n)
}

func (in *inspector) arrayText(o *goja.Object) string {
	n := int(in.own(o, "length").ToInteger())
	var parts []string
	i := 0
	for ; i < n && len(parts) < inspectItems && in.budget > 0; i++ {
		d := in.descriptorOf(o, in.realm.vm.ToValue(i))
		if d == nil {
			to := in.holesEnd(o, i, n)
			parts = append(parts, holes(to-i))
			i = to - 1
			continue
		}
		parts = append(parts, in.memberText(o, in.realm.vm.ToValue(i)))
	}
	if i < n {
		parts = append(parts, more(n-i))
	}
	parts = append(parts, in.members(o, isIndex)...)
	return block(in.listHead(o, kindArray, "Array", n, false), "[", parts, "]")
}

// holesEnd gives the index behind a run of holes. A long run is in a sparse array, which has few keys to look at.
func (in *inspector) holesEnd(o *goja.Object, from, n int) int {
	for i := from + 1; i < min(n, from+holesLooked); i++ {
		if in.descriptorOf(o, in.realm.vm.ToValue(i)) != nil {
			return i
		}
	}
	if n <= from+holesLooked {
		return n
	}
	for _, key := range o.Keys() {
		if i, err := strconv.Atoi(key); err == nil && i > from {
			return min(i, n)
		}
	}
	return n
}

// holesLooked bounds the search for the end of a run of holes one by one.
const holesLooked = 10_000

func holes(n int) string {
	if n == 1 {
		return "<1 empty item>"
	}
	return fmt.Sprintf("<%d empty items>", n)
}

func isIndex(key string) bool {
	_, err := strconv.ParseUint(key, 10, 32)
	return err == nil
}

func (in *inspector) typedText(o *goja.Object) string {
	n := reflect.ValueOf(o.Export()).Len()
	var parts []string
	for i := 0; i < n && i < inspectItems; i++ {
		parts = append(parts, in.value(o.Get(indexKey(i))))
	}
	if n > inspectItems {
		parts = append(parts, more(n-inspectItems))
	}
	return block(in.listHead(o, kindTyped, "", n, true), "[", parts, "]")
}

func (in *inspector) mapText(o *goja.Object) string {
	entries := in.realm.list(must(in.realm.entries(nil, o)))
	var parts []string
	for i, e := range entries {
		if i == inspectItems {
			parts = append(parts, more(len(entries)-i))
			break
		}
		pair := in.realm.list(e)
		parts = append(parts, in.value(pair[0])+" => "+in.value(pair[1]))
	}
	parts = append(parts, in.members(o, nil)...)
	return block(in.listHead(o, kindMap, "", len(entries), true), "{", parts, "}")
}

func (in *inspector) setText(o *goja.Object) string {
	items := in.realm.list(must(in.realm.items(nil, o)))
	var parts []string
	for i, v := range items {
		if i == inspectItems {
			parts = append(parts, more(len(items)-i))
			break
		}
		parts = append(parts, in.value(v))
	}
	parts = append(parts, in.members(o, nil)...)
	return block(in.listHead(o, kindSet, "", len(items), true), "{", parts, "}")
}

// errorText prints an Error by name and message, with where it was thrown, its cause and its own members.
func (in *inspector) errorText(o *goja.Object) string {
	text := func(key string) string {
		for p := o; p != nil && in.realm.kindOf(p) != kindProxy; p = p.Prototype() {
			if s, ok := in.own(p, key).(goja.String); ok {
				return s.String()
			}
		}
		return ""
	}
	head := text("name")
	if msg := text("message"); msg != "" {
		head += ": " + msg
	}
	for _, line := range strings.Split(text("stack"), "\n") {
		if m := framePosition.FindString(line); m != "" && strings.HasPrefix(strings.TrimSpace(line), "at ") {
			head += "\n    at " + m
		}
	}
	parts := in.members(o, func(key string) bool { return key == "stack" || key == "message" })
	if c := in.own(o, "cause"); !goja.IsUndefined(c) {
		parts = append(parts, "[cause]: "+in.value(c))
	}
	if list, ok := in.own(o, "errors").(*goja.Object); ok {
		parts = append(parts, "[errors]: "+in.value(list))
	}
	if len(parts) == 0 {
		if len(in.open) > 1 && !strings.Contains(head, "\n") {
			return "[" + head + "]"
		}
		return head
	}
	return block(head+" ", "{", parts, "}")
}
